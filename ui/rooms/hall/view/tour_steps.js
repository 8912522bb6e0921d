// The guided tour: guess, choose, look, switch off, count, learn, ask. Each step shows its result already drawn. `link`
// says where, and what the tour itself presses there; `point` what to look at.
export const TITLE = 'Show me around';
export const STEPS = [
  [
    'tab=start',
    '#start .st-line',
    'A GPT reads a text and guesses the next piece of it, a token. That is all it ever does.',
  ],
  [
    'tab=start',
    '#start .st-bars',
    'These are its guesses with their chances. Click one to take it: the text grows, and it guesses again.',
  ],
  [
    'tab=start',
    '#start .st-line',
    'The arcs show which earlier words its attention heads look at. Point at a word to see its own.',
  ],
  [
    'tab=start',
    '#start .mc-box',
    'The machine at work. The sentence runs from left to right;',
    'in each block heads look back and the last word gathers what they find.',
  ],
  [
    'tab=start',
    '#start .mc-box',
    'Below each block: how much attention and the MLP wrote,',
    'and what the model would say if it stopped there. The guess forms on the way.',
  ],
  [
    'tab=generate',
    '#stream',
    'A whole story, token by token.',
    'Calm words were expected; orange ones were surprising.',
    'Point at one to see the alternatives.',
  ],
  [
    'tab=generate',
    '#distribution',
    'How one is chosen: each column is a step from raw guesses to the choice,',
    'temperature, then top-k, then top-p.',
    'What is cut cannot be written.',
  ],
  [
    'tab=generate',
    '#temperature',
    'Drag the temperature. Low: it always plays safe. High: anything can happen. The columns follow at once.',
  ],
  [
    'tab=generate&view=Write&choose=Show what surprises it in your text',
    '#scored',
    'Your own text can be coloured, too: the more orange, the less it expected the word.',
  ],
  [
    'tab=attention',
    '#attention .at-map',
    'One attention head. Every row is a word that reads, every column a word it looks at. The future is hidden.',
  ],
  [
    'tab=attention',
    '#attention .at-grid',
    'All heads at once.',
    '“before” looks at the token before, “copies” continues what repeats:',
    'together they copy.',
    'Click one to enlarge it.',
  ],
  [
    'tab=attention&view=Heads&see=%23ablation',
    '#ablation .ab-body',
    'Switch a head or an MLP off, and see what the model would then say. Some parts matter, many do not.',
  ],
  [
    'tab=attention&view=Layers',
    '#lens .ln-body',
    'What it would say after each layer, from the bottom up:',
    'rough guesses after the embeddings become the final ones in the top row.',
  ],
  [
    'tab=parameters',
    '#breakdown .bd-bar',
    'Where the parameters are: embeddings, attention, and most of them in the MLPs. Click a row to open it.',
  ],
  [
    'tab=parameters&view=Reference',
    '#quoted .sh-section',
    'Why GPT-2 small is called 117M and 124M. Both are in print, but only one matches the count.',
  ],
  ['tab=parameters&view=Drawing', '#drawing .dr-box', 'The architecture to scale. Click a part for its code.'],
  [
    'tab=train',
    '#train .tr-plot',
    'A recorded run of two minutes. The loss falls from pure guessing, past letter counts, to words.',
  ],
  [
    'tab=train',
    '#train .tr-samples',
    'What it wrote at each point. Drag “Point in training” to the left to go back to noise.',
    'Next starts one live.',
  ],
  [
    'tab=train&press=%23train-start',
    '#train .tr-samples',
    'Live: a new model has just begun, from random numbers.',
    'Within half a minute on this machine, noise becomes words.',
  ],
  [
    'tab=zero-shot',
    '#zs-view .zs-prompt',
    'A task, put in plain words; the weights stay as they are:',
    'the answer is how the text goes on.',
  ],
  ['tab=zero-shot', '#zs-view', 'Its answer is the likelier label. Change the review on the left and watch the bars.'],
  [
    'tab=start',
    '#start .st-line',
    'It guesses the next word, and everything else comes from guessing well. Now it is your turn: click any word.',
  ],
].map(([link, point, ...sentences]) => ({link, point, say: sentences.join(' ')}));

// The tour that begins with T; the whole one opens from its end.
const PARTS = ['#start .st-line', '#start .st-bars', '#start .mc-box', '#attention .at-map', '#train .tr-plot'];
export const SHORT = PARTS.map(part => STEPS.find(step => step.point === part));
