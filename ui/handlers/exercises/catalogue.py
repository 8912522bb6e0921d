"""The exercises, easiest first: look, do, think."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from gptcore.analysis import count_parameters, kv_cache_bytes
from ui.handlers.exercises import criteria, measures
from ui.handlers.exercises.tasks import Task, choice, head, number, run, text, word
from ui.views import title_of

LEVELS = {1: "Look", 2: "Do", 3: "Think"}

_DAY = "One day, Lily lost her red ball. Tom saw a cat in the garden. The cat had the"
_STORY = "Once upon a time, there was a"
_PIANO = "The little dog ate the piano and fell asleep."
_WORD = "unbelievable"
_LETTERS = "abcdabcdabcdab"


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
        "Its map is strongest in the first column; the grid says “rests”.",
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
        "The most orange word; point at it to read its bits.",
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
        number(lambda lm: count_parameters(criteria.GPT2).token_embedding, "{value:,.0f} parameters."),
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
        number(criteria.mlp_share, "{value:.1f}%.", within=0.6),
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
        f"“{criteria.REVIEW}”: which of the two does world find more likely?",
        "Choose Sentiment, write the review, press Answer.",
        "Nothing in it is a classifier: it was trained to predict the next token, also on pages where reviews stand "
        "beside such words, and goes on as they do.",
        choice({"positive": "positive", "negative": "negative"}, criteria.sentiment),
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
        "Its map has a strong line right below the diagonal.",
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
        "It looks for the place right after an earlier copy of its own letter, and copies the letter there (Olsson et "
        "al. 2022).",
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
        "Press “Try every part alone”, or switch heads off one by one.",
        "What a head looks at and what it is needed for are two questions. Only switching it off answers the second.",
        head(
            lambda lm: measures.heads_that_matter(lm, criteria.BALLS), "Another head matters more."
        ),
        settings={"text": criteria.BALLS},
    ),
    Exercise(
        "settled",
        2,
        "attention",
        "lens",
        "When did it know?",
        "After how many blocks is its final guess in front, and stays there?",
        "Read the last column from below. Layers are counted from 0: the row of layer 4 is after 5 blocks.",
        "The stream is read with the final norm and the head after each block (logit lens). Early blocks prepare; the "
        "guess itself often appears late.",
        number(lambda lm: measures.settled_after(lm, criteria.BALLS), "After {value:.0f} blocks."),
        settings={"text": criteria.BALLS},
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
        f"At which temperature does the next token after “{criteria.AGAIN}” have 4 bits of entropy? (± 0.05)",
        "Entropy rises with temperature; halve the interval until you are near.",
        "Temperature divides the logits: below 1 differences grow, above 1 they shrink towards an even guess.",
        number(criteria.four_bits, "At {value:.2f}.", within=0.05),
        settings={"prompt": criteria.AGAIN, "temperature": "1", "top_k": "0", "top_p": "1"},
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
        number(criteria.block_parameters, "{value:,.0f} parameters."),
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
        number(lambda lm: kv_cache_bytes(criteria.GPT2, 1024) / 1e6, "{value:.1f} MB.", within=0.6),
    ),
    Exercise(
        "role-quiz",
        2,
        "attention",
        "look",
        "What does it do?",
        "Take the first head with a clear role, reading the grid layer by layer and leaving out those marked “rests”, "
        "“itself” or “same”. What does it do?",
        "Point at the map: which column does a row look at? “Quiz” in this view asks about other heads.",
        "Roles are shares of attention: at least 0.4 on one kind of place, and twice what even attention gives.",
        choice(
            {"previous": "it looks at the token before", "induction": "it looks at what came after last time"},
            criteria.role_of_a_head,
        ),
        settings={"text": criteria.AGAIN},
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
        run(
            criteria.below_bigram,
            "Choose a preset of letters, press Start, and wait until the orange line crosses “bigram”.",
        ),
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
        run(
            criteria.unmasked_loss,
            "Choose “no causal mask” under Break it, press Start, and read the sample as well as the loss.",
        ),
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
            criteria.changes_the_guess,
            (
                criteria.BALLS.replace("blue ball", "blue hat"),
                criteria.BALLS.replace("his blue", "his big"),
                f"{criteria.BALLS[:-4]}way",
            ),
        ),
        settings={"text": criteria.BALLS},
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
        text(criteria.certain, ("And they lived happily ever", "Lily and Tom. Lily and Tom. Lily and Tom. Lily and")),
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
        text(criteria.undecided, ("They all went home. The", "Mom said yes. The", "One very strange and wonderful")),
    ),
    Exercise(
        "one-token",
        3,
        "generate",
        "tokens",
        "A long word, one token",
        f"Find a word of at least {criteria.ONE_TOKEN_LETTERS} letters that the mini reads as one token "
        "(in mid-sentence).",
        "Which long words do children's stories use often?",
        "Merges are made in order of frequency. A long word needs many of them, so it must be frequent.",
        text(criteria.one_token, ("disappointed", "uncomfortable", "understanding", "compassionate")),
    ),
    Exercise(
        "predictable",
        3,
        "generate",
        "surprise",
        "Easy to compress",
        f"Write a text of at least 60 characters that costs it less than {criteria.PREDICTABLE} bits per byte.",
        "Write what it would write.",
        "Bits per byte are what a coder that uses the model would need. Its own clichés are almost free.",
        text(
            criteria.predictable,
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
        text(criteria.goes_on, ("abcdabcdabc", "xyzxyzxyzxy")),
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
            criteria.answers_positive,
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
        "The neuron that stands out",
        "Which neuron of layer 2 reacts to one token of this text most above its own mean over the text?",
        "Choose layer 2: the list begins with it.",
        "An MLP's first matrix asks 4·C questions of every token; the strongest answers write most into the stream.",
        number(lambda lm: measures.outstanding_neuron(lm, criteria.BALLS, 2), "Neuron {value:.0f}."),
        settings={"text": criteria.BALLS},
    ),
    Exercise(
        "deeper",
        3,
        "parameters",
        "breakdown",
        "Deep enough",
        f"How many layers does a GPT-2 of width 768 need to pass {criteria.LAYERS_FOR // 10**6} million parameters?",
        "Subtract the embeddings and the final norm, divide by what a block costs.",
        "Depth costs linearly, width quadratically: GPT-2 medium is wider and deeper for that reason.",
        number(criteria.layers_needed, "{value:.0f} layers."),
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
        run(
            criteria.guessed_its_loss,
            "Watch the first third of a run, prolong the curve by eye, and add the drop at its end.",
            kind="number",
        ),
    ),
)  # fmt: skip
