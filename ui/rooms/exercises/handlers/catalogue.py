"""The exercises, easiest first: look, do, think."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from gptcore.analysis import count_parameters
from ui.rooms.exercises.handlers import measures
from ui.rooms.exercises.handlers.tasks import Task, head, number, run, text, word
from ui.views import SURPRISE, title_of

LEVELS = {1: "Look", 2: "Do", 3: "Think"}

_DAY = "One day, Lily lost her red ball. Tom saw a cat in the garden. The cat had the"
_STORY = "Once upon a time, there was a"
_PIANO = "The little dog ate the piano and fell asleep."
_WORD = "unbelievable"
_LETTERS = "abcdabcdabcdab"


@dataclass(frozen=True)
class Exercise:
    """A question beside the view that it is about."""

    name: str  # in links
    level: int  # of LEVELS
    # tab, view: names of the place in `ui.views`; view is "" where the tab is one view.
    tab: str
    view: str
    title: str  # a few words
    question: str  # what is to be found or done
    hint: str  # where to look
    reason: str  # why the answer is what it is
    task: Task  # how it is answered and checked
    model: str = "mini"  # that it is about
    settings: Mapping[str, str] = field(default_factory=dict)  # more that its link sets

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
        f"Into how many tokens does the mini's tokenizer cut “{_WORD}”, at the very beginning "
        "of a text?",
        "Type the word into the box of this view and count the pieces.",
        "A byte-level BPE keeps whole only what is frequent in the text it was made from; "
        "children's stories hardly use this word, so it falls into pieces that do occur.",
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
        "Most of its training stories begin with these words, so hardly anything else has ever "
        "followed.",
        word(lambda lm: measures.next_word(lm, "Once upon a"), "“{value}” is its first guess."),
        settings={"text": "Once upon a"},
    ),
    Exercise(
        "cells",
        1,
        "attention",
        "heads",
        "Half of a map",
        "How many cells of a head's map can be above zero on this text?",
        "Count the tokens of one axis; each may look at itself and at what stands before it.",
        "With T tokens there are T·(T+1)/2 cells: the causal mask sets all cells above the "
        "diagonal to zero.",
        number(
            lambda lm: measures.n_cells(lm, "The cat sat on the mat."),
            "{value:.0f} cells are above zero.",
        ),
        settings={"text": "The cat sat on the mat."},
    ),
    Exercise(
        "surprise",
        1,
        "generate",
        "write",
        "The odd word out",
        "Which word of this text surprises the mini most?",
        "The most orange word; point at it to read its bits.",
        "Surprise is −log₂ p: the less probable a word was before it came, the more bits it costs.",
        word(lambda lm: measures.most_surprising(lm, _PIANO), "“{value}” surprises it most."),
        settings={"text": _PIANO, "choose": SURPRISE},
    ),
    Exercise(
        "embedding",
        1,
        "parameters",
        "count",
        "The largest table",
        "How many parameters does the token embedding of GPT-2 (124M) have?",
        "Vocabulary times width: V × C.",
        "50,257 tokens with 768 numbers each. The output head uses the same table (weight "
        "tying), so it costs nothing.",
        number(
            lambda lm: count_parameters(measures.GPT2).token_embedding, "{value:,.0f} parameters."
        ),
    ),
    Exercise(
        "even-guess",
        1,
        "train",
        "scratch",
        "The loss of ignorance",
        "A model with a vocabulary of 64 characters has learned nothing yet. What is its loss, "
        "in nats?",
        "Each of V characters has probability 1/V; the loss is −ln of that.",
        "ln V, here ln 64. Train draws ln V of its own text as the line “uniform guess”. A "
        "first loss far above it points to a faulty initialisation.",
        number(lambda lm: math.log(lm.model.config.vocab_size), "{value:.3f} nats.", within=0.01),
        model="induction",
    ),
    Exercise(
        "copier",
        2,
        "attention",
        "heads",
        "The head that copies",
        "Find a head of “induction” that looks at what came after the same letter last time.",
        "It is in the second layer: it needs what the first has written.",
        "It looks for the place right after an earlier copy of its own letter, and copies the "
        "letter there (Olsson et al. 2022).",
        head(
            lambda lm: measures.heads_with(
                lm, _LETTERS, "induction", "It looks at what came after last time."
            ),
            "This head does not look at what came after last time.",
        ),
        model="induction",
        settings={"text": _LETTERS},
    ),
    Exercise(
        "needed-head",
        2,
        "attention",
        "heads",
        "The head it needs",
        "Which single head, switched off, lowers the probability of its own guess most?",
        "Press “Try every part alone”: each head then shows by how much its guess rises or "
        "falls without it.",
        "What a head looks at and what it is needed for are two questions. Only switching it "
        "off answers the second.",
        head(
            lambda lm: measures.heads_that_matter(lm, measures.BALLS), "Another head matters more."
        ),
        settings={"text": measures.BALLS, "see": "#ablation"},
    ),
    Exercise(
        "settled",
        2,
        "attention",
        "layers",
        "When did it know?",
        "After how many blocks does its final guess take the lead for good?",
        "Read the last column from below. Layers are counted from 0: the row of layer 4 is "
        "after 5 blocks.",
        "The stream is read with the final norm and the head after each block (logit lens). "
        "Early blocks prepare; the guess itself often appears late.",
        number(lambda lm: measures.settled_after(lm, measures.BALLS), "After {value:.0f} blocks."),
        settings={"text": measures.BALLS},
    ),
    Exercise(
        "nucleus",
        2,
        "generate",
        "write",
        "Who gets in",
        "How many tokens does top-p 0.9 leave after this text, at temperature 1?",
        "Set top-p to 0.9 and top-k off; the next-token chart says how many are kept.",
        "Top-p keeps the smallest set whose probabilities reach 0.9: many tokens if much could "
        "follow, or just one.",
        number(
            lambda lm: measures.n_in_nucleus(lm, _STORY, 0.9),
            "{value:.0f} tokens are kept.",
            within=1,
        ),
        settings={"prompt": _STORY, "temperature": "1", "top_p": "0.9", "top_k": "0"},
    ),
    Exercise(
        "no-mask",
        2,
        "train",
        "scratch",
        "Too good to be true",
        "Take the causal mask out, and bring the training loss below 1 nat.",
        "“Spoil one setting” has the switch; half a minute is enough.",
        "Without the mask each token sees the next one and copies it. The loss is superb, and "
        "the samples are junk.",
        run(
            measures.unmasked_loss,
            "Choose “no causal mask” under “Spoil one setting”, start, and read the sample as "
            "well as the loss.",
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
        "It copies the object from the earlier sentence: a change there changes the guess.",
        text(
            measures.changes_the_guess,
            (
                measures.BALLS.replace("blue ball", "blue hat"),
                measures.BALLS.replace("his blue", "his big"),
                f"{measures.BALLS[:-4]}way",
            ),
        ),
        settings={"text": measures.BALLS},
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
        text(
            measures.certain,
            ("And they lived happily ever", "Lily and Tom. Lily and Tom. Lily and Tom. Lily and"),
        ),
    ),
    Exercise(
        "prompt",
        3,
        "zero-shot",
        "answer",
        "A task in a prompt",
        "Write a prompt that makes the model “world” write “positive”. The prompt may not "
        "contain this word.",
        "It continues your prompt like a web page. What would a page say just before this word?",
        "In-context learning: the prompt chooses the task. Nothing in the weights changes.",
        text(
            measures.answers_positive,
            (
                "Review: The food was wonderful.\nThe review is",
                "Review: A lovely film, we laughed a lot.\nSentiment:",
                "Review: The room was clean and the people were friendly.\nSentiment:",
            ),
        ),
        model="world",
    ),
    Exercise(
        "final-loss",
        3,
        "train",
        "scratch",
        "Prophecy",
        "Start a run, write down what its held-out loss will be at the end, and check when it "
        "has ended (± 5%).",
        "The curve bends with the learning rate: it falls once more when the rate nears 0.",
        "Loss falls like a power of the tokens read, and the decay of the rate adds a last drop.",
        run(
            measures.guessed_its_loss,
            "Watch the first third of a run, prolong the curve by eye, and add the drop at its "
            "end.",
            kind="number",
        ),
    ),
)
