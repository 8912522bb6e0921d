"""Registry of tabs and views: names, titles and descriptions, in page order.

The page, links, keys, the doors of Start, the pictures of `tests/tools/screens.py` and the browser tests follow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# The parts of the picture on Start, in the order in which a text runs through them, and what they are called.
PARTS = {
    "tokens": "tokens",
    "embedding": "embedding",
    "attention": "attention",
    "mlp": "MLP",
    "norm": "final norm",
    "guess": "probabilities",
}


@dataclass(frozen=True)
class View:
    """A view of a tab.

    Attributes:
        name: within its tab, as events know it.
        title: on the page, and in a link or a step of a tour (`view=...`).
        parts: of the machine that it is about, of PARTS.
    """

    name: str
    title: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Tab:
    """A tab of the page.

    Attributes:
        name: in a link (`tab=...`).
        title: on the page.
        about: what one does there, for its door on Start.
        views: in their order; none where the tab is one view.
    """

    name: str
    title: str
    about: str = ""
    views: tuple[View, ...] = ()


TABS = (
    Tab("start", "Start"),
    Tab(
        "generate",
        "Generate",
        "Let it write. Change temperature and top-p, and see which words get in.",
        (
            View("write", "Write", ("guess",)),
            View("compare", "Compare strategies", ("guess",)),
            View("surprise", "What surprises it", ("guess",)),
            View("chat", "Chat", ("guess",)),
            View("steer", "Steer", ("attention", "mlp")),
            View("tokens", "Tokens", ("tokens",)),
        ),
    ),
    Tab(
        "attention",
        "Attention",
        "See which word every head looks at, and switch heads off.",
        (
            View("look", "Heads", ("attention",)),
            View("off", "Switch off", ("attention", "mlp")),
            View("lens", "Logit lens", ("norm", "guess")),
            View("neurons", "Neurons", ("mlp",)),
            View("why", "Why this word?", ("attention", "mlp", "guess")),
            View("compare", "Compare", ("attention",)),
            View("gpt2", "Real GPT-2", ("attention", "guess")),
        ),
    ),
    Tab(
        "parameters",
        "Parameters",
        "Count every weight, from the formula to the tensor.",
        (
            View("breakdown", "Breakdown", tuple(PARTS)),
            View("bars", "All models", tuple(PARTS)),
            View("cost", "Reference", tuple(PARTS)),
            View("drawing", "Drawing", tuple(PARTS)),
            View("anatomy", "Anatomy", tuple(PARTS)),
        ),
    ),
    Tab(
        "train",
        "Train",
        "Start from noise, and watch words appear within a minute.",
        (
            View("scratch", "From scratch", tuple(PARTS)),
            View("tune", "Fine-tune", tuple(PARTS)),
            View("labels", "Labels", tuple(PARTS)),
            View("assistant", "Assistant", tuple(PARTS)),
        ),
    ),
    Tab(
        "zero-shot",
        "Zero-shot",
        "Ask for a task in plain words: the prompt says what to do, the weights stay as they are.",
        (
            View("answer", "Answer", tuple(PARTS)),
            View("ways", "Ways of asking", tuple(PARTS)),
            View("uses", "What did it use?", tuple(PARTS)),
            View("models", "Across models", tuple(PARTS)),
        ),
    ),
)


@dataclass(frozen=True)
class Question:
    """Something that a visitor may want to know, and where the page answers it.

    Attributes:
        text: the question.
        tab, view: names of the place; view is "" where the tab is one view.
        sentence: on which the answer shows best, for visitors who have written none.
    """

    text: str
    tab: str
    view: str = ""
    sentence: str = ""

    @property
    def way(self) -> str:
        """The place as a link names it."""
        return f"tab={self.tab}&view={title_of(self.tab, self.view)}" if self.view else f"tab={self.tab}"


_REPEATS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
QUESTIONS = (
    Question("Where does each head look?", "attention", "look"),
    Question("Why does it say this word and not another?", "attention", "why"),
    Question("Which word of the text does the answer come from?", "attention", "why", _REPEATS),
    Question("Which heads copy what came before?", "attention", "look", _REPEATS),
    Question("Where do the heads of the real GPT-2 look?", "attention", "gpt2"),
    Question("What happens if a part is switched off?", "attention", "off", _REPEATS),
    Question("In which layer does the answer appear?", "attention", "lens", _REPEATS),
    Question("What does a single neuron react to?", "attention", "neurons"),
    Question("How is my text cut into tokens?", "generate", "tokens"),
    Question("Which word of my text surprises the model?", "generate", "surprise"),
    Question("Greedy, top-k or top-p: what is the difference?", "generate", "compare"),
    Question("Can I push it towards sadness, or towards animals?", "generate", "steer"),
    Question("What does temperature do?", "generate", "write"),
    Question("Why 124M parameters and not 117M?", "parameters", "bars"),
    Question("How much memory and computation does it need?", "parameters", "cost"),
    Question("How did GPT develop, from the bigram on?", "parameters", "cost"),
    Question("How does a model learn, from noise to words?", "train", "scratch"),
    Question("Can I train it further on my own text?", "train", "tune"),
    Question("How does a GPT become a chat assistant?", "train", "assistant"),
    Question("Why does a GPT not answer when I ask it something?", "generate", "chat"),
    Question("Can it do a task from the prompt alone?", "zero-shot", "answer"),
    Question("Do examples in the prompt help?", "zero-shot", "ways"),
    Question("Which part of the prompt did the answer depend on?", "zero-shot", "uses"),
)
TAB_NAMES = tuple(tab.name for tab in TABS)
_TITLES = {(tab.name, view.name): view.title for tab in TABS for view in tab.views}


def title(tab: str) -> str:
    """The title of a tab by its name."""
    return next(one.title for one in TABS if one.name == tab)


def title_of(tab: str, view: str) -> str:
    """The title of a view. Raises KeyError for one that is not registered."""
    return _TITLES[tab, view]


def parts() -> dict[str, Any]:
    """For the page's script: titles of the parts, and by "tab/view" the numbers of those that a view is about.

    Views that are about all of them are left out.
    """
    names = list(PARTS)
    views = {
        f"{tab.title}/{view.title}": [names.index(part) for part in view.parts]
        for tab in TABS
        for view in tab.views
        if len(view.parts) < len(names)
    }
    return {"titles": list(PARTS.values()), "views": views}


def titles(tab: str) -> list[str]:
    """Those of a tab's views, as a link names them; [] of a tab that is one view."""
    return [title for (name, _), title in _TITLES.items() if name == tab]
