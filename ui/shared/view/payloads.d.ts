// Written by `python -m tests.tools.payload_types` from the `payloads` modules; do not edit.

// A text that is JSON of T.
export type Json<T> = string & {readonly of?: T};

// One head of a stored reading.
export interface HeadRequest {
  key: string;
  layer: number;
  head: number;
  mode: string;
}

// One cell of a head's map: the reading token's row, the looked-at token's column.
export interface CellRequest extends HeadRequest {
  row: number;
  column: number;
}

// The view as a page of its own, with the component's value.
export interface StandaloneRequest extends HeadRequest {
  value: string;
}

// A head, whatever is read.
export interface HeadOfModel {
  model: string;
  layer: number;
  head: number;
}

// A circuit without some nodes, or without the edge between two.
export interface CircuitRequest extends PairRequest {
  off: [string, number, number, number][];
  edge: [[string, number, number, number], [string, number, number, number]] | null;
}

// Sentence B with A's values in cells of [depth, position].
export interface PatchRequest {
  model: string;
  first: string;
  second: string;
  cells: [number, number][];
}

// A neuron; null for the middle layer, and for the neuron that stands out most.
export interface NeuronRequest extends TextRequest {
  layer: number | null;
  neuron: number | null;
}

// A map, packed.
export interface HeadMap {
  map: string;
}

// All raw scores of a head, packed as shares of the largest.
export interface ScoreMap {
  scores: string;
  largest: number;
}

// One row of the softmax: products, scores, exponentials above the largest, and weights of all visible tokens.
export interface SoftmaxRow {
  width: number;
  dots: number[];
  scores: number[];
  exps: number[];
  largest: number;
  sum: number;
  weights: number[];
  products: number[];
}

// What all maps of a text have: what was read, and the shape.
export interface ReadingHeader {
  key: string;
  model: string;
  text: string;
  mode: string;
  note: string;
  tokens: string[];
  ids: number[];
  L: number;
  H: number;
  causal: boolean;
}

// All heads as thumbnails, packed, with what each does; in a comparison cells are differences.
export interface AttentionMaps extends ReadingHeader {
  keep?: string;
  signed: boolean;
  side: number;
  thumbs: string;
  scores: Record<string, (number | null)[][]>;
  random?: Record<string, (number | null)[][]> | null;
  roles?: [string, boolean][][];
  elsewhere?: string[][] | null;
  said: string;
  start: number[];
}

// A head from its weights: tokens that it copies and suppresses, and the earlier heads that it builds on.
export interface HeadWeights {
  said: string;
  copied: [string, number][];
  suppressed: [string, number][];
  copying: number;
  compositions: [string, string, number][];
}

// A part's share of a logit difference; `really` is what switching it off changes, null where that cannot be.
export interface Part {
  name: string;
  layer: number | null;
  head: number | null;
  value: number;
  really: number | null;
}

// A prediction against its rival as a sum over parts; `rest` is the number and the sum of all others.
export interface Why {
  tokens: string[];
  choices: [string, number, number][];
  word: [string, number, number];
  rival: [string, number, number];
  total: number;
  parts: Part[];
  rest: [number, number];
  agreement: string;
  said: string;
}

// A node of a circuit.
export interface CircuitPart {
  kind: 'word' | 'head' | 'neuron' | 'answer';
  layer: number;
  index: number;
  place: number;
  name: string;
  influence: number;
  really: number | null;
}

// What leads to a prediction: what every token brings, nodes, and edges of [source, target, weight].
export interface Circuit {
  tokens: string[];
  words: number[];
  nodes: CircuitPart[];
  edges: [number, number, number][];
  layers: number;
  total: number;
  constants: number;
  carried: number;
  next: [string, number][];
  answers: string[];
  said: string;
  checked: string;
}

// The difference of both logits and the next token, without some nodes or an edge.
export interface CircuitWithout {
  difference: number;
  next: [string, number][];
}

// What B goes on with.
export interface Patched {
  next: [string, number][];
}

// Share of A's answer that comes back, by depth and position, and by head; computed row by row.
export interface PatchingGrid {
  texts: string[];
  model: string;
  often: string;
  a: string[];
  b: string[];
  answers: string[];
  chances: number[][];
  next: [string, number][];
  estimate: number[][];
  rows: number[][];
  heads: number[][] | null;
  total: number;
  stopped: boolean;
  said: string;
}

// A token's probability with all parts, and without some.
export interface AblationRow {
  id: number;
  label: string;
  before: number;
  after: number;
}

// The next-token distribution without some parts; `of` says what effects belong to, divergence is in bits.
export interface Ablation {
  of: string;
  model: string;
  note: string;
  text: string;
  L: number;
  H: number;
  mlp: boolean;
  off: [number, string, number | null][];
  replacement: string;
  divergence: number;
  rows: AblationRow[];
  example?: boolean;
}

// What switching off each part alone does, by "layer,kind,head", layer by layer: bits by which the next token moves, and the signed change of the first guess's probability.
export interface Effects {
  of: string;
  effects: Record<string, [number, number]>;
  done: number;
  total: number;
  stopped: boolean;
}

// The logit lens: by depth and column the best guess, and rank and probability of the model's final choice.
export interface Lens {
  model: string;
  said: string;
  note: string;
  tokens: string[];
  first: number;
  depths: string[];
  best: string[][];
  probability: number[][];
  rank: number[][];
  share: number[][];
  known: (number | null)[];
  knew: string;
}

// A neuron over a text, and the tokens that it makes likelier and less likely, with the change of their logits.
export interface Neurons {
  said: string;
  layer: number;
  n_layer: number;
  n_inner: number;
  note: string;
  top: number[];
  neuron: number;
  tokens: string[];
  activations: number[];
  more: [string, number][];
  less: [string, number][];
}

// Recorded losses by inner width, [times the width, loss, parameters].
export interface InnerSizes {
  how: string;
  sizes: [string, number, number][];
}

// A text, merge by merge, under a tokenizer by its name.
export interface MergesRequest {
  tokenizer: string;
  text: string;
}

// A text from which byte-pair encoding learns.
export interface LearnRequest {
  text: string;
  merges: number;
}

// The likeliest tokens under three temperatures and three values of k; of the typed logits, if there are any.
export interface ProbabilitiesRequest extends TextRequest {
  temperature: (number | null)[];
  top_k: (number | null)[];
  logits: string;
}

// A text as tokens of [label, id, bytes in hex]; `back` is what they decode to, null if that is the text.
export interface RecordedCut {
  vocabulary: number;
  tokens: [string, number, string][];
  per_word: number;
  back: string | null;
}

// A text under one tokenizer, or why not.
export interface TokenizerRow {
  name: string;
  title: string;
  what: string;
  picked?: boolean;
  message?: string;
  vocabulary?: number;
  tokens?: [string, number, string][];
  per_word?: number;
  back?: string | null;
  steps?: boolean;
}

// Words, and merges of [left, right, count] in order; bytes as characters of the same codes.
export interface Merges {
  words: string[];
  merges: [string, string, number][];
}

// The likeliest tokens under each setting; the n likeliest together have the probability on the curve.
export interface SamplingProbabilities {
  tokens: string[];
  temperature: [number, number[]][];
  top_k: [number, number[]][];
  curve: [number, number][];
  vocabulary: number;
}

// A stage of sampling: how many tokens are left, the entropy in bits, the probability that was removed.
export interface StageFigures {
  name: string;
  candidates: number;
  entropy: number;
  removed: number;
}

// A token that a rule forbids.
export interface StruckToken {
  label: string;
  id: number;
  by: string;
}

// A token, and its probability after each stage.
export interface DistributionRow {
  id: number;
  label: string;
  p: number[];
}

// The next-token distribution, stage by stage.
export interface Distribution {
  said?: string;
  after: string;
  vocab_size: number;
  stages: StageFigures[];
  struck: StruckToken[];
  rows: DistributionRow[];
}

// An answer as it is written, and a plain model's continuation beside it; `asked` is the message of an example.
export interface ChatAnswer {
  asked?: string;
  answer: string;
  plain: string;
  used: number;
  window: number;
  dropped: number;
  rate: number | null;
  done: boolean;
  said: string;
  number: number;
}

// A shape to draw.
export interface ShapeRequest {
  shape: Record<string, any>;
}

// An experiment with a model: its figure for light and for dark as data URLs, its words, its tables.
export interface ExperimentFigure {
  name: string;
  model: string;
  text: string;
  light: string;
  dark: string;
  tables: Record<string, any>[];
}

// A component: its formula, the numbers in it, its count and share, and tensors of [name, shape, times].
export interface BreakdownRow {
  name: string;
  module: string;
  formula: string;
  numbers: string;
  count: number;
  share: number;
  tensors: [string, number[], number][];
}

// All parameters of a shape; `agrees` is whether the formulas match a real model, null where none was built; `fewer` is what other ways of counting leave.
export interface Breakdown {
  config: Record<string, any>;
  total: number;
  said: string;
  name: string;
  agrees: boolean | null;
  check: string;
  fewer: string;
  rows: BreakdownRow[];
}

// A text as tokens, and the position to look at, null for the last.
export interface GuessesRequest {
  model: string;
  ids: number[];
  at: number | null;
}

// A token of the sentence, its probability, and what else was likely there.
export interface SentenceToken {
  id: number;
  text: string;
  label: string;
  p: number | null;
  others: [string, number, number][];
}

// One sentence as a model sees it; arcs are [from, to, weight]; unit is what it guesses: "word" or "letter".
export interface Sentence {
  model: string;
  text: string;
  tokens: SentenceToken[];
  next: [string, number, number][];
  arcs: [number, number, number][];
  end: number | null;
  heads: number;
  first: number;
  full: boolean;
  unit: string;
  machine: Machine;
  note?: string;
}

// A token of a recorded text.
export interface RecordedToken {
  id: number;
  label: string;
}

// A recorded text with the picture of the model.
export interface RecordedSentence {
  text: string;
  tokens: RecordedToken[];
  first: number;
  machine: Machine;
}

// A visitor's workspace; its viewing id shows it without control.
export interface WorkspaceRequest {
  workspace: string;
}

// A run of a workspace.
export interface RunRequest extends WorkspaceRequest {
  run: string | null;
}

// What a page has of a run: its version, and the numbers of rows and observations.
export interface SeenOfRun {
  run: string | null;
  version: number;
  rows: number;
  looks: number;
}

// What is new of the current run, and of its rival.
export interface PollRequest extends SeenOfRun {
  workspace: string;
  rival: SeenOfRun | null;
}

// Steers the current run; `value` is a rate or a number of steps.
export interface CommandRequest extends WorkspaceRequest {
  command: 'pause' | 'resume' | 'step' | 'stop' | 'rate' | 'longer' | 'again';
  value: number | null;
}

// One observation of a run.
export interface LookRequest extends RunRequest {
  look: number;
}

// A next token by its text; "" for the latest top token.
export interface TokenRequest extends RunRequest {
  token: string;
}

// A line to classify.
export interface LineRequest extends RunRequest {
  text: string;
}

// The better of two answers, null before one is chosen, and their number.
export interface DuelRequest extends WorkspaceRequest {
  chosen: number | null;
  number: number | null;
}

// A run's place in the queue, and about how long it waits.
export interface QueuePlace {
  number: number;
  seconds: number | null;
}

// A run whose time will end before its model has learned words.
export interface SlowRun {
  updates: number;
  seconds: number;
  more: number;
}

// A run as it was observed once: its held-out loss, a sample, scores of heads by layer.
export interface RunLook {
  step: number;
  elapsed: number;
  valid: number | null;
  accuracy: number | null;
  text: string;
  induction: (number | null)[][];
  previous: (number | null)[][];
  tasks: Record<string, number>;
}

// With why a run that is broken on purpose fails.
export interface RunAboutShown extends RunAbout {
  why: string;
}

// What a page does not have yet of a run: rows from `first`, observations from `looks_from`.
export interface RunNews {
  run: string;
  state: string;
  reason: string;
  step: number;
  elapsed: number;
  left: number | null;
  rate: number;
  version: number;
  first: number;
  rows: (number | null)[][];
  looks_from: number;
  looks: RunLook[];
  n_looks: number;
  final: number | null;
  final_accuracy: number | null;
  kept: number | null;
  verdict: string;
  preparing: string;
  peak: number;
  planned_peak: number;
  ahead: number[][];
  about: RunAboutShown | null;
  next_look: number | null;
  busy: number | null;
  slow: SlowRun | null;
  again: boolean;
}

// The news of the current run, of its rival in a race, and of who may steer it.
export interface WorkspaceNews extends RunNews {
  rival: RunNews | null;
  workspace: string;
  viewing: string;
  steers: boolean;
  queue: QueuePlace | null;
}

// Attention maps of one observation, packed, and the picture of the model where it is kept.
export interface HeadsOfRun {
  step: number;
  T: number;
  maps: string;
  machine: MachineOfRun | null;
}

// A token's probability at every observation, [update, probability]; or why there is none.
export interface TokenProbabilities {
  token?: string;
  said?: string;
  points: [number, number][];
}

// A run of the workspace, for the table and the faded lines.
export interface PastRun {
  run: string;
  title: string;
  first: boolean;
  state: string;
  steps: number;
  changed: string[];
  seconds: number;
  valid: number | null;
  tokens_per_character: number | null;
  comparable: boolean;
  curve: [number, number | null][];
  valid_curve: [number, number | null][];
}

// A line's labels with their probabilities; or why there are none.
export interface Classified {
  labels?: [string, number][];
  said?: string;
}

// Two answers to one prompt, how many choices were made, and how many another stage 1 has made void.
export interface Duel {
  prompt?: string;
  answers?: string[];
  number?: number;
  chosen?: number;
  gone?: number;
  said?: string;
}

// A part of a prompt.
export interface PromptPart {
  kind: string;
  text: string;
}

// Tokens of the prompt and the answer, against the window.
export interface Budget {
  prompt: number;
  answer: number;
  window: number;
}

// A label's log-probability: raw, per token, and less what it has without the text; both as shares.
export interface LabelScore {
  label: string;
  tokens: number;
  logprob: number;
  per_token: number;
  share: number;
}

// A prompt in its parts.
export interface PromptParts {
  parts: PromptPart[];
  note: string;
  budget: Budget;
  name: string;
  model: string;
  source: string;
  own: boolean;
  people: string;
}

// The prompt of a task, the expected answer, and the likelihood of each label.
export interface ComposedPrompt extends PromptParts {
  expected: string;
  labels: LabelScore[];
}

// A task asked in one way, with its answer; or why it cannot be.
export interface WayOfAsking {
  title: string;
  message?: string;
  parts?: PromptPart[];
  note?: string;
  budget?: Budget;
  name?: string;
  model?: string;
  source?: string;
  own?: boolean;
  people?: string;
  answer?: string;
  found?: string;
  right?: boolean | null;
  verdict?: string;
}

// A task asked in several ways, one after the other.
export interface WaysOfAsking {
  ways: WayOfAsking[];
  said: string;
  note: string;
}

// The answer's probability without a part of the prompt, and the nats that the part adds.
export interface PartEffect {
  name: string;
  p: number;
  effect: number;
}

// A word of the prompt, and the nats that it adds.
export interface WordEffect extends PromptPart {
  effect: number;
}

// What an answer owes to its prompt.
export interface Uses {
  answer: string;
  p: number;
  note: string;
  changes: PartEffect[];
  words: WordEffect[];
}

// What an answer owes to its prompt, for the view.
export interface PromptUses {
  uses: Uses;
}

// A sentence, or "" where there is nothing to say.
export interface Said {
  said: string;
}

// A text for a model to read.
export interface TextRequest {
  model: string;
  text: string;
}

// What the embeddings alone would say.
export interface Depth {
  guess: [string, number, number];
  stream: number;
}

// A block at one token: the guess so far, norms of what was written, and where every head looks.
export interface Block {
  guess?: [string, number, number];
  chance?: number;
  attention?: number;
  mlp?: number;
  stream?: number;
  head: number;
  heads: number[];
  looks: [number, number][][];
}

// The letters of a model's shape, and the parameters of each part.
export interface Shape {
  sizes: Record<string, number>;
  V: number;
  C: number;
  H: number;
  D: number;
  L: number;
  F: number;
  P: number;
  pre: boolean;
}

// The model as a picture: one token's way through it.
export interface Machine {
  at: number;
  shape: Shape;
  embedding?: [number, number];
  first?: Depth;
  blocks: Block[];
  norm?: number;
  choice: [string, number, number];
  said: string;
}

// A link to draw as a QR code.
export interface LinkRequest {
  link: string;
}

// Why a token rather than a rival; null for the likeliest and the next.
export interface PairRequest extends TextRequest {
  word: number | null;
  rival: number | null;
}

// What a part writes at every checkpoint.
export interface FormedPart {
  name: string;
  values: number[];
}

// How a preference formed: updates before each checkpoint (null: the finished model), and the logit difference.
export interface Formed {
  steps: (number | null)[];
  total: number[];
  parts: FormedPart[];
  said: string;
}

// What a page shows: its place, the model, and what all views share.
export interface Scene {
  tab: string;
  view: string;
  model: string;
  text: string;
  head: [number, number] | null;
  token: number | null;
}

// An exercise by its name.
export interface ExerciseRequest {
  name: string;
}

// An answer to it, and the visitor's workspace for those about a run.
export interface AnswerRequest extends ExerciseRequest {
  answer: string;
  workspace: string;
}

// An exercise as the page shows it; `earlier` are names of exercises that are gone, to which it is the nearest.
export interface ExerciseOnPage {
  name: string;
  earlier: string[];
  level: number;
  tab: string;
  view: string;
  title: string;
  question: string;
  hint: string;
  kind: 'number' | 'word' | 'head' | 'text' | 'run';
  link: string;
}

// Whether an answer is right, null where it could not be checked, and why.
export interface ExerciseVerdict {
  right: boolean | null;
  said: string;
  reason?: string;
}

// The right answer, and why it is right.
export interface ExerciseAnswer {
  said: string;
  reason: string;
}

// What the speaker's page shows, null once it no longer leads.
export interface LeadRequest {
  secret: string;
  scene: Scene | null;
}

// The name under which it is followed, and by how many pages.
export interface Led {
  name: string;
  followers: number;
}

// The stage, the page that follows, and the version that it has.
export interface FollowRequest {
  name: string;
  page: string;
  version: number;
}

// The stage's version, and its scene where that is another; it has ended, or is unknown, where `on` is false.
export interface Followed {
  on: boolean;
  version: number;
  scene: Scene | null;
}

// What is known of a run before it begins.
export interface RunAbout {
  title: string;
  kind: string;
  settings: Record<string, string>;
  trick: string;
  V: number;
  L: number;
  H: number;
  parameters: number;
  tokens_per_step: number;
  prompt: string;
  tokens: string[];
  lines: Record<string, number | null>;
  tokens_per_character: number | null;
  unit: string;
  terms: string[];
  n_train: number;
  n_valid: number;
  note: string;
  tasks: Record<string, string>;
  labels: string[];
  preference: string[];
  commonest: number | null;
  input_form: string;
  tuned: boolean;
  data: string[];
}

// The picture of the model as it was, with the tokens that it read.
export interface MachineOfRun extends Machine {
  ids: number[];
}

export interface AttentionServer {
  arithmetic(request: CellRequest): Promise<SoftmaxRow | null>;
  arrays(request: HeadRequest): Promise<string | null>;
  circuit(request: PairRequest): Promise<Json<Circuit>>;
  circuit_without(request: CircuitRequest): Promise<Json<CircuitWithout>>;
  formed(request: PairRequest): Promise<Json<Formed>>;
  head_difference(request: HeadRequest): Promise<HeadMap | null>;
  head_map(request: HeadRequest): Promise<HeadMap | null>;
  head_weights(request: HeadOfModel): Promise<Json<HeadWeights>>;
  inner_sizes(request: null): Promise<Json<InnerSizes>>;
  neurons(request: NeuronRequest): Promise<Json<Neurons>>;
  patched(request: PatchRequest): Promise<Json<Patched>>;
  standalone(request: StandaloneRequest): Promise<string | null>;
  steps(request: HeadRequest): Promise<ScoreMap | null>;
  why(request: PairRequest): Promise<Json<Why>>;
  why_there(request: CellRequest): Promise<Said | null>;
}

export interface ExercisesServer {
  check(request: AnswerRequest): Promise<Json<ExerciseVerdict> | null>;
  exercises(request: null): Promise<Json<ExerciseOnPage[]>>;
  solution(request: ExerciseRequest): Promise<Json<ExerciseAnswer> | null>;
}

export interface GenerateServer {
  cut(request: TextRequest): Promise<Json<TokenizerRow[]>>;
  learned(request: LearnRequest): Promise<Json<Merges>>;
  probabilities(request: ProbabilitiesRequest): Promise<Json<SamplingProbabilities>>;
  steps(request: MergesRequest): Promise<Json<Merges>>;
}

export interface HallServer {
  code(request: LinkRequest): Promise<string | null>;
  follow(request: FollowRequest): Promise<Json<Followed> | null>;
  lead(request: LeadRequest): Promise<Json<Led> | null>;
}

export interface ParametersServer {
  drawn(request: ShapeRequest): Promise<string | null>;
}

export interface StartServer {
  chapters(request: null): Promise<string>;
  guesses(request: GuessesRequest): Promise<Json<Sentence> | null>;
  typed(request: TextRequest): Promise<Json<Sentence> | null>;
}

export interface TrainServer {
  classify(request: LineRequest): Promise<Classified | null>;
  command(request: CommandRequest): Promise<Said | null>;
  duel(request: DuelRequest): Promise<Duel>;
  formed(request: RunRequest): Promise<Formed | null>;
  heads(request: LookRequest): Promise<HeadsOfRun | null>;
  past(request: WorkspaceRequest): Promise<PastRun[] | null>;
  phone(request: LinkRequest): Promise<string | null>;
  poll(request: PollRequest): Promise<WorkspaceNews | null>;
  recording(request: RunRequest): Promise<string | null>;
  token_probabilities(request: TokenRequest): Promise<TokenProbabilities | null>;
}
