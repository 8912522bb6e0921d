"""The exercises, easiest first: look, do, think."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from gptcore.analysis import count_parameters, kv_cache_bytes
from gptcore.config import PRESETS
from gptcore.language_model import LanguageModel
from ui.handlers.exercises import measures
from ui.handlers.exercises.tasks import Task, Verdict, choice, head, number, parse_number, run, text, word
from ui.runs.run_state import RunState
from ui.views import title_of

LEVELS = {1: "Look", 2: "Do", 3: "Think"}

_BALLS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
_AGAIN = "The cat saw a bird. The cat saw a fish. The cat saw a"
_DAY = "One day, Lily lost her red ball. Tom saw a cat in the garden. The cat had the"
_STORY = "Once upon a time, there was a"
_PIANO = "The little dog ate the piano and fell asleep."
_WORD = "unbelievable"
_LETTERS = "abcdabcdabcdab"
_REVIEW = "The food was cold and nobody smiled."
_GPT2 = PRESETS["gpt2"]
_ONE_TOKEN_LETTERS, _SURE, _OPEN_BITS, _PREDICTABLE = 12, 0.95, 7.0, 0.3
_LAYERS_FOR = 200_000_000


@dataclass(frozen=True)
class Exercise:
    """A question beside the view that it is about.

    Attributes:
        name: in links.
        level: of LEVELS.
        tab, view: names of the place in `ui.views`; view is "" where the tab is one view.
        title: a few words.
        question: what is to be found or done.
        hint: where to look.
        reason: why the answer is what it is.
        task: how it is answered and checked.
        model: that it is about.
        settings: more that its link sets.
    """

    name: str
    level: int
    tab: str
    view: str
    title: str
    question: str
    hint: str
    reason: str
    task: Task
    model: str = "mini"
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def link(self) -> str:
        """The query of the state in which it is asked."""
        place = {"tab": self.tab} | ({"view": title_of(self.tab, self.view)} if self.view else {})
        return urlencode({**place, "model": self.model, **self.settings})


# --- texts to write
def _shares_all_but_one(lm: LanguageModel, written: str) -> Verdict:
    before, after = _BALLS.split(), written.split()
    changed = sum(a != b for a, b in zip(before, after, strict=False))
    if len(before) != len(after) or changed != 1:
        return Verdict(False, f"Change exactly one word of “{_BALLS}”; here {changed} of {len(after)} differ.")
    was, now = measures.next_word(lm, _BALLS).strip(), measures.next_word(lm, written).strip()
    return Verdict(was != now, f"It guessed “{was}” and now guesses “{now}”.")


def _certain(lm: LanguageModel, written: str) -> Verdict:
    chances = measures.next_probabilities(lm, written)
    sure, n = float(chances.max()), len(lm.tokenizer.encode(written))
    said = f"{n} tokens; its first guess has {sure:.1%}."
    return Verdict(sure > _SURE and n >= 5, said if n >= 5 else f"{said} Write at least 5.")


def _open(lm: LanguageModel, written: str) -> Verdict:
    bits, n = measures.entropy(measures.next_probabilities(lm, written)), len(lm.tokenizer.encode(written))
    said = f"{n} tokens; the next one has {bits:.2f} bits."
    return Verdict(bits > _OPEN_BITS and n >= 5, said if n >= 5 else f"{said} Write at least 5.")


def _one_token(lm: LanguageModel, written: str) -> Verdict:
    plain = written.strip()
    n = len(lm.tokenizer.encode(f" {plain}"))
    if not plain.isalpha() or len(plain) < _ONE_TOKEN_LETTERS:
        return Verdict(False, f"“{plain[:40]}” is not a word of {_ONE_TOKEN_LETTERS} letters or more.")
    return Verdict(n == 1, f"“ {plain}” is {n} token{'' if n == 1 else 's'}.")


def _predictable(lm: LanguageModel, written: str) -> Verdict:
    if len(written.strip()) < 60:
        return Verdict(False, f"It has {len(written.strip())} characters; write at least 60.")
    bits = measures.bits_per_byte(lm, written.strip())
    return Verdict(bits < _PREDICTABLE, f"{bits:.3f} bits per byte.")


def _goes_on(lm: LanguageModel, written: str) -> Verdict:
    chances = measures.next_probabilities(lm, written)
    sure, n = float(chances.max()), len(written)
    guess = lm.tokenizer.decode([int(chances.argmax())])
    if n < 8:
        return Verdict(False, f"It has {n} characters; write at least 8.")
    return Verdict(sure > 0.9, f"It guesses “{guess}” with {sure:.1%}.")


def _answers_positive(lm: LanguageModel, written: str) -> Verdict:
    if "positive" in written.casefold():
        return Verdict(False, "The prompt contains the word itself; leave it out.")
    found = measures.continued(lm, written, 8).strip()
    return Verdict(found.casefold().startswith("positive"), f"It writes “{found[:60]}”.")


def _warm(lm: LanguageModel, answer: float) -> float:
    return measures.entropy(measures.next_probabilities(lm, _AGAIN, temperature=answer))


def _four_bits(lm: LanguageModel) -> float:
    """The temperature at which the next token has 4 bits, by bisection."""
    low, high = 0.05, 5.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if _warm(lm, middle) < 4 else (low, middle)
    return (low + high) / 2


# --- what is measured
def _role_of_a_head(lm: LanguageModel) -> tuple[str, str]:
    named = measures.roles(lm, _AGAIN)
    layer, place, role = next(
        (layer, place, role)
        for layer, row in enumerate(named)
        for place, role in enumerate(row)
        if role in ("induction", "previous")
    )
    return role, f"Head {layer}.{place} has this role, on this text or on random tokens that repeat."


def _sentiment(lm: LanguageModel) -> tuple[str, str]:
    shares = measures.share_of_label(lm, _REVIEW)
    best = max(shares, key=lambda label: shares[label])
    return best, f"It gives “{best}” {shares[best]:.0%} of what it gives the two."


def _mlp_share(lm: LanguageModel) -> float:
    counted = count_parameters(_GPT2)
    return 100 * counted.mlp / counted.total


def _block(lm: LanguageModel) -> int:
    return measures.block_parameters(_GPT2, lambda shape: count_parameters(shape).total)


def _layers_needed(lm: LanguageModel) -> float:
    rest = count_parameters(_GPT2).total - _GPT2.n_layer * _block(lm)
    return math.ceil((_LAYERS_FOR - rest) / _block(lm))


# --- runs
def _from_scratch(record: RunState) -> bool:
    return record.facts.kind == "text" and not record.facts.tuned


def _below_bigram(record: RunState, answer: str) -> Verdict:
    line = record.facts.lines.get("bigram")
    loss = record.observations[-1].valid_loss if record.observations else math.nan
    if not _from_scratch(record) or line is None or not math.isfinite(loss):
        return Verdict(False, "The newest run has no held-out loss beside a bigram baseline. Start one from scratch.")
    return Verdict(loss < line, f"Held out {loss:.2f}, bigram baseline {line:.2f}.")


def _unmasked(record: RunState, answer: str) -> Verdict:
    if record.facts.trick != "no_mask":
        return Verdict(False, "The newest run has its causal mask. Choose “no causal mask” under Break it, and Start.")
    rows, _ = record.so_far()
    loss = rows[-1][1] if rows else math.nan
    return Verdict(loss < 1.0, f"Training loss {loss:.2f} after {record.step:,} updates.")


def _guessed(record: RunState, answer: str) -> Verdict:
    if record.alive or not math.isfinite(record.final_loss):
        return Verdict(False, "The newest run has not ended. Write down your guess, wait for its end, then check.")
    given, loss = parse_number(answer), record.final_loss
    return Verdict(abs(given - loss) <= 0.05 * loss, f"It ended at {loss:.3f}; you guessed {given:g}.")


EXERCISES = (
    Exercise(
        "pieces",
        1,
        "generate",
        "tokens",
        "A word in pieces",
        f"Into how many tokens does the mini's tokenizer cut “{_WORD}”, at the very beginning of a text?",
        "Type the word into the box of this view and count the pieces.",
        "A byte-level BPE keeps whole only what is frequent in the text it was made from; children's stories hardly "
        "use this word, so it falls into pieces that do occur.",
        number(lambda lm: len(lm.tokenizer.encode(_WORD)), "It is cut into {value:.0f} tokens."),
    ),
    Exercise(
        "once-upon-a",
        1,
        "start",
        "",
        "The safest guess",
        "Which word does it find most likely next?",
        "The longest bar under “Its guesses for the next word”.",
        "Most of its training stories begin with these words, so hardly anything else has ever followed.",
        word(lambda lm: measures.next_word(lm, "Once upon a"), "“{value}” is its first guess."),
        settings={"text": "Once upon a"},
    ),
    Exercise(
        "cells",
        1,
        "attention",
        "look",
        "Half of a map",
        "How many cells of a head's map can be above zero on this text?",
        "Count the tokens of one axis; each may look at itself and at what stands before it.",
        "With T tokens there are T·(T+1)/2 cells: the causal mask sets all cells above the diagonal to zero.",
        number(lambda lm: measures.n_cells(lm, "The cat sat on the mat."), "{value:.0f} cells are above zero."),
        settings={"text": "The cat sat on the mat."},
    ),
    Exercise(
        "sink",
        1,
        "attention",
        "look",
        "A head at rest",
        "Find the head that rests most on the first token.",
        "Its map is dark in the first column; the grid says “rests”.",
        "A softmax must put its weight somewhere. A head that finds nothing puts it on the first token, the "
        "attention sink (Xiao et al. 2023).",
        head(
            lambda lm: measures.heads_at_rest(lm, _DAY), "Another head has more of its attention there."
        ),
        settings={"text": _DAY},
    ),
    Exercise(
        "surprise",
        1,
        "generate",
        "surprise",
        "The odd word out",
        "Which word of this text surprises the mini most?",
        "The darkest word; its bits are in the table.",
        "Surprise is −log₂ p: the less probable a word was before it came, the more bits it costs.",
        word(lambda lm: measures.most_surprising(lm, _PIANO), "“{value}” surprises it most."),
        settings={"text": _PIANO},
    ),
    Exercise(
        "embedding",
        1,
        "parameters",
        "breakdown",
        "The largest table",
        "How many parameters does the token embedding of GPT-2 (124M) have?",
        "Vocabulary times width: V × C.",
        "50,257 tokens with 768 numbers each. The output head uses the same table (weight tying), so it costs nothing.",
        number(lambda lm: count_parameters(_GPT2).token_embedding, "{value:,.0f} parameters."),
        model="mini",
    ),
    Exercise(
        "mlp-share",
        1,
        "parameters",
        "breakdown",
        "Where most of it is",
        "What percentage of GPT-2's (124M) parameters are in its MLPs?",
        "Each MLP has 8·C² weights, the attention of a block 4·C².",
        "Twice as many as in attention. In larger models the embeddings' share falls, and the MLPs near two thirds.",
        number(_mlp_share, "{value:.1f}%.", within=0.6),
    ),
    Exercise(
        "even-guess",
        1,
        "train",
        "scratch",
        "The loss of ignorance",
        "A model of 64 characters has learned nothing yet. What is its loss, in nats?",
        "Each of V characters has probability 1/V; the loss is −ln of that.",
        "ln V: the line “uniform guess” in the plot. A first loss far above it points to a faulty initialisation.",
        number(lambda lm: math.log(lm.model.config.vocab_size), "{value:.3f} nats.", within=0.01),
        model="induction",
    ),
    Exercise(
        "review",
        1,
        "zero-shot",
        "answer",
        "A review it never saw",
        f"“{_REVIEW}”: which of the two does world find more likely?",
        "Choose Sentiment, write the review, press Ask.",
        "Nobody trained it for this task. It has read pages on which reviews stand beside such words, and goes on as "
        "they do.",
        choice({"positive": "positive", "negative": "negative"}, _sentiment),
        model="world",
        settings={"task": "sentiment"},
    ),
    Exercise(
        "token-before",
        2,
        "attention",
        "look",
        "One step back",
        "Find a head of “induction” that looks at the token just before.",
        "Its map has a dark line right below the diagonal.",
        "An induction circuit needs it: a head of the first layer writes into every token what stood before it.",
        head(
            lambda lm: measures.heads_with(lm, _LETTERS, "previous", "It looks at the token before."),
            "This head looks elsewhere most of the time.",
        ),
        model="induction",
        settings={"text": _LETTERS},
    ),
    Exercise(
        "copier",
        2,
        "attention",
        "look",
        "The head that copies",
        "Find a head of “induction” that looks at what came after the same letter last time.",
        "It is in the second layer: it needs what the first has written.",
        "It asks for “a place before which stood my own letter”, finds it, and copies what stands there (Olsson et al. "
        "2022).",
        head(
            lambda lm: measures.heads_with(lm, _LETTERS, "induction", "It looks at what came after last time."),
            "This head does not look at what came after last time.",
        ),
        model="induction",
        settings={"text": _LETTERS},
    ),
    Exercise(
        "needed-head",
        2,
        "attention",
        "off",
        "The head it needs",
        "Which single head, switched off, lowers the probability of its own guess most?",
        "Press “Try every part”, or switch heads off one by one.",
        "What a head looks at and what it is needed for are two questions. Only switching it off answers the second.",
        head(
            lambda lm: measures.heads_that_matter(lm, _BALLS), "Another head matters more."
        ),
        settings={"text": _BALLS},
    ),
    Exercise(
        "settled",
        2,
        "attention",
        "lens",
        "When did it know?",
        "After how many blocks is its final guess in front, and stays there?",
        "Read the last column from below, or press “When did it know?”.",
        "The stream is read with the final norm and the head after each block (logit lens). Early blocks prepare; the "
        "guess itself often appears late.",
        number(lambda lm: measures.settled_after(lm, _BALLS), "After {value:.0f} blocks."),
        settings={"text": _BALLS},
    ),
    Exercise(
        "nucleus",
        2,
        "generate",
        "write",
        "Who gets in",
        "How many tokens does top-p 0.9 leave after this text, at temperature 1?",
        "Set top-p to 0.9 and top-k off; the next-token chart says how many are kept.",
        "The smallest set whose probabilities reach 0.9: large where much may follow, a single token where little may.",
        number(lambda lm: measures.n_in_nucleus(lm, _STORY, 0.9), "{value:.0f} tokens are kept.", within=1),
        settings={"prompt": _STORY, "temperature": "1", "top_p": "0.9", "top_k": "0"},
    ),
    Exercise(
        "four-bits",
        2,
        "generate",
        "write",
        "Warmer",
        f"At which temperature does the next token after “{_AGAIN}” have 4 bits of entropy? (± 0.05)",
        "Entropy rises with temperature; halve the interval until you are near.",
        "Temperature divides the logits: below 1 differences grow, above 1 they shrink towards an even guess.",
        number(_four_bits, "At {value:.2f}.", within=0.05),
        settings={"prompt": _AGAIN, "temperature": "1", "top_k": "0", "top_p": "1"},
    ),
    Exercise(
        "one-layer",
        2,
        "parameters",
        "breakdown",
        "One layer more",
        "How many parameters does one more block add to GPT-2 (768 wide)?",
        "12·C² weights and 13·C biases and gains; or add a layer with the slider and subtract.",
        "4·C² + 4·C for attention, 8·C² + 5·C for the MLP, 4·C for two norms.",
        number(_block, "{value:,.0f} parameters."),
    ),
    Exercise(
        "cache",
        2,
        "parameters",
        "cost",
        "What it remembers",
        "How many megabytes (10⁶ bytes) do the keys and values of 1,024 tokens take in GPT-2 (124M), in fp32?",
        "2 · layers · width numbers a token, 4 bytes each.",
        "The cache saves rereading the text for every token; its price is this memory, for every text that is written.",
        number(lambda lm: kv_cache_bytes(_GPT2, 1024) / 1e6, "{value:.1f} MB.", within=0.6),
    ),
    Exercise(
        "role-quiz",
        2,
        "attention",
        "look",
        "What does it do?",
        "Take the first head with a clear role, reading the grid layer by layer and leaving out those that rest on the "
        "first token. What does it do?",
        "Point at the map: which column does a row look at? “Quiz” in this view asks about other heads.",
        "Roles are shares of attention: at least 0.4 on one kind of place, and twice what even attention gives.",
        choice(
            {"previous": "it looks at the token before", "induction": "it looks at what came after last time"},
            _role_of_a_head,
        ),
        settings={"text": _AGAIN},
    ),
    Exercise(
        "below-bigram",
        2,
        "train",
        "scratch",
        "More than pairs",
        "Train a model from scratch until its held-out loss is below the bigram baseline.",
        "The preset of two minutes gets there on most machines; the dashed line is the one to cross.",
        "A bigram knows the last token alone. Below its loss a model uses more of the text, which attention is for.",
        run(_below_bigram, "Choose a preset of letters, press Start, and wait until the orange line crosses “bigram”."),
    ),
    Exercise(
        "no-mask",
        2,
        "train",
        "scratch",
        "Too good to be true",
        "Take the causal mask out, and bring the training loss below 1 nat.",
        "“Break it” has the switch; half a minute is enough.",
        "Without the mask each token sees the next one and copies it. The loss is superb, and the samples are junk.",
        run(_unmasked, "Choose “no causal mask” under Break it, press Start, and read the sample as well as the loss."),
    ),
    Exercise(
        "turn-it",
        2,
        "start",
        "",
        "One word changes it",
        "Change exactly one word so that it guesses another word than before.",
        "What does it copy from? Change that.",
        "It reads the object off the earlier sentence: a change there is copied into the guess.",
        text(
            _shares_all_but_one,
            (_BALLS.replace("blue ball", "blue hat"), _BALLS.replace("his blue", "his big"), f"{_BALLS[:-4]}way"),
        ),
        settings={"text": _BALLS},
    ),
    Exercise(
        "certain",
        3,
        "start",
        "",
        "Nothing else is possible",
        "Write at least 5 tokens after which it is more than 95% sure of the next one.",
        "Fixed phrases, endings, or something that repeats.",
        "Certainty comes from what always followed, or from copying what stands in the text.",
        text(_certain, ("And they lived happily ever", "Lily and Tom. Lily and Tom. Lily and Tom. Lily and")),
    ),
    Exercise(
        "open",
        3,
        "start",
        "",
        "Anything is possible",
        "Write at least 5 tokens after which the next one has more than 7 bits of entropy.",
        "7 bits are as many as an even choice among 128. Where could a name, a thing or an adverb follow alike?",
        "Entropy is high where grammar allows many kinds of words, and the text says nothing of which.",
        text(_open, ("They all went home. The", "Mom said yes. The", "One very strange and wonderful")),
    ),
    Exercise(
        "one-token",
        3,
        "generate",
        "tokens",
        "A long word, one token",
        f"Find a word of at least {_ONE_TOKEN_LETTERS} letters that the mini reads as one token (in mid-sentence).",
        "Which long words do children's stories use often?",
        "Merges are made in order of frequency. A long word needs many of them, so it must be frequent.",
        text(_one_token, ("disappointed", "uncomfortable", "understanding", "compassionate")),
    ),
    Exercise(
        "predictable",
        3,
        "generate",
        "surprise",
        "Easy to compress",
        f"Write a text of at least 60 characters that costs it less than {_PREDICTABLE} bits per byte.",
        "Write what it would write.",
        "Bits per byte are what a coder that uses the model would need. Its own clichés are almost free.",
        text(
            _predictable,
            ("Once upon a time, there was a little girl named Lily. She loved to play outside in the sunshine.",),
        ),
    ),
    Exercise(
        "pattern",
        3,
        "start",
        "",
        "Go on like this",
        "Write at least 8 letters after which “induction” is more than 90% sure of the next.",
        "It knows one thing: what repeats, goes on.",
        "It has no MLPs and has read random letters only. Whatever it is sure of, it has copied from your text.",
        text(_goes_on, ("abcdabcdabc", "xyzxyzxyzxy")),
        model="induction",
        settings={"text": "abcd"},
    ),
    Exercise(
        "prompt",
        3,
        "zero-shot",
        "answer",
        "A task in a prompt",
        "Write a prompt, without the word itself, after which world writes “positive”.",
        "It goes on like a page. How would a page look on which this word comes next?",
        "In-context learning: the prompt chooses the task. Nothing in the weights changes.",
        text(
            _answers_positive,
            (
                "Review: The food was wonderful.\nThe review is",
                "Review: A lovely film, we laughed a lot.\nSentiment:",
                "Review: The room was clean and the people were friendly.\nSentiment:",
            ),
        ),
        model="world",
    ),
    Exercise(
        "neuron",
        3,
        "attention",
        "neurons",
        "The loudest neuron",
        "Which neuron of layer 2 does the last token of this text activate most?",
        "Choose layer 2; the neurons are sorted by how strongly they react.",
        "An MLP's first matrix asks 4·C questions of every token; the loudest answers write most into the stream.",
        number(lambda lm: measures.strongest_neuron(lm, _BALLS, 2), "Neuron {value:.0f}."),
        settings={"text": _BALLS},
    ),
    Exercise(
        "deeper",
        3,
        "parameters",
        "breakdown",
        "Deep enough",
        f"How many layers does a GPT-2 of width 768 need to pass {_LAYERS_FOR // 10**6} million parameters?",
        "Subtract the embeddings and the final norm, divide by what a block costs.",
        "Depth costs linearly, width quadratically: GPT-2 medium is wider and deeper for that reason.",
        number(_layers_needed, "{value:.0f} layers."),
    ),
    Exercise(
        "final-loss",
        3,
        "train",
        "scratch",
        "Prophecy",
        "Start a run, write down what its held-out loss will be at the end, and check when it has ended (± 5%).",
        "The curve bends with the learning rate: it falls once more when the rate nears 0.",
        "Loss falls like a power of the tokens read, and the decay of the rate adds a last drop.",
        run(_guessed, "Watch the first third of a run, prolong the curve by eye, and add the drop at its end.",
            kind="number"),
    ),
)  # fmt: skip
