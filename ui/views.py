"""Registry of tabs and views: names, titles and descriptions, in page order.

The page, links, keys, the questions of Start and the browser tests follow it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode


@dataclass(frozen=True)
class View:
    """A view of a tab."""

    name: str  # within its tab, as events know it
    title: str  # on the page, and in a link or a step of a tour (`view=...`).
    # titles of views that are part of it now; links to them open it. With each, what a link adds to be at its place
    # there ("see=#ablation").
    earlier: Mapping[str, str] = field(default_factory=dict)
    of_sentence: bool = False  # whether it shows the sentence that the page has everywhere
    is_more: bool = False  # whether it stands behind the others, after the word "More"


@dataclass(frozen=True)
class Tab:
    """A tab of the page."""

    name: str  # in a link (`tab=...`).
    title: str  # on the page
    views: tuple[View, ...] = ()  # in their order; none where the tab is one view
    of_sentence: bool = False  # as a view's, where it is one

    def shows_sentence(self, title: str = "") -> bool:
        """Whether the view of this title, the first one for "", shows the page's sentence."""
        known = {view.title.casefold(): view for view in self.views}
        view = known.get(title.casefold(), None if title else next(iter(self.views), None))
        return self.of_sentence if view is None else view.of_sentence


# The switch that colours the visitor's own text, as links choose it.
SURPRISE = "Show what surprises it in your text"
# What a model is trained further for: the form's name -> its title in links of earlier versions, and its choice.
CONTINUED = {
    "tune": ("Fine-tune", "Your text"),
    "labels": ("Labels", "Labels"),
    "assistant": ("Assistant", "Assistant"),
}
TABS = (
    Tab("start", "Start", of_sentence=True),
    Tab("generate", "Generate", (
        View("write", "Write", {"What surprises it": urlencode({"choose": SURPRISE})}, of_sentence=True),
        View("compare", "Compare strategies", of_sentence=True),
        View("chat", "Chat"),
        View("steer", "Steer", is_more=True),
        View("tokens", "Tokens", is_more=True),
    )),
    Tab("attention", "Attention", (
        View("look", "Heads", {"Switch off": "see=#ablation", "Real GPT-2": "see=#recorded"}, of_sentence=True),
        View("lens", "Layers", {"Logit lens": "", "Neurons": "see=#one-neuron"}, of_sentence=True),
        View("why", "Why this word?", of_sentence=True),
        View("compare", "Two sentences", {"Compare": ""}),
    )),
    Tab("parameters", "Parameters", (
        View("breakdown", "Count", {"Breakdown": ""}),
        View("drawing", "Drawing", {"Anatomy": ""}),
        View("cost", "Reference", {"All models": ""}),
    )),
    Tab("train", "Train", (
        View("scratch", "From scratch"),
        View("continue", "Continue", {old: urlencode({"choose": name}) for old, name in CONTINUED.values()}),
    )),
    Tab("zero-shot", "Zero-shot", (
        View("answer", "Answer", {"What did it use?": "see=#zs-whose"}),
        View("ways", "Ways of asking"),
        View("models", "Scoreboard", {"Across models": ""}),
    )),
)  # fmt: skip


@dataclass(frozen=True)
class Question:
    """Something that a visitor may want to know, and where the page answers it."""

    text: str  # the question
    # tab, view: names of the place; view is "" where the tab is one view
    tab: str
    view: str = ""
    sentence: str = ""  # on which the answer shows best, for visitors who have written none
    also: str = ""  # further words by which a search finds it
    is_first: bool = False  # whether it is one of the few that are shown before anybody searches
    at: str = ""  # selector of what the page scrolls to there
    choose: str = ""  # label of what it switches on there
    task: str = ""  # of Zero-shot, which a load of the page sets

    @property
    def way(self) -> str:
        """The place as a link names it."""
        way = {"tab": self.tab} | ({"view": title_of(self.tab, self.view)} if self.view else {})
        more = {"see": self.at, "choose": self.choose, "task": self.task}
        return urlencode(way | {name: value for name, value in more.items() if value})


_REPEATS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
QUESTIONS = (
    Question("Where does each head look?", "attention", "look", also="attention map", is_first=True),
    Question("Why does it say this word and not another?", "attention", "why", is_first=True),
    Question("Which word of the text does the answer come from?", "attention", "why", _REPEATS),
    Question("Which heads copy what came before?", "attention", "look", _REPEATS, also="induction"),
    Question("Where do the heads of the real GPT-2 look?", "attention", "look", at="#recorded"),
    Question("What happens if a part is switched off?", "attention", "look", _REPEATS, "ablation", True, "#ablation"),
    Question("In which layer does the answer appear?", "attention", "lens", _REPEATS, "logit lens"),
    Question("What does a single neuron react to?", "attention", "lens", also="MLP", at="#one-neuron"),
    Question("How is my text cut into tokens?", "generate", "tokens", also="BPE tokenizer"),
    Question("Which word of my text surprises the model?", "generate", "write", "", "perplexity loss", choose=SURPRISE),
    Question("Greedy, top-k or top-p: what is the difference?", "generate", "compare", also="sampling"),
    Question("Can I push it towards sadness, or towards animals?", "generate", "steer", also="steering vector"),
    Question("What does temperature do?", "generate", "write", also="softmax probability logits", is_first=True),
    Question("Why does it make things up?", "generate", "write", also="hallucination lie invent false true"),
    Question("Where are all the numbers?", "parameters", "breakdown", also="embedding weights parameters"),
    Question("Why 124M parameters and not 117M?", "parameters", "cost", at="#quoted"),
    Question("How much memory and computation does it need?", "parameters", "cost"),
    Question("How did GPT develop, from the bigram on?", "parameters", "cost", also="history", at="#families"),
    Question("How does a model learn, from noise to words?", "train", "scratch", also="loss film", is_first=True),
    Question("Can I train it further on my own text?", "train", "continue", "", "fine-tune", True, choose="Your text"),
    Question(
        "How does a GPT become a chat assistant?", "train", "continue", "", "RLHF DPO preferences", choose="Assistant"
    ),
    Question("Why does a GPT not answer when I ask it something?", "generate", "chat"),
    Question("Does it translate?", "zero-shot", "answer", also="french english", task="translate"),
    Question("Can it do a task from the prompt alone?", "zero-shot", "answer", also="translate sentiment"),
    Question("Do examples in the prompt help?", "zero-shot", "ways", also="few-shot in-context learning"),
    Question("Which part of the prompt did the answer depend on?", "zero-shot", "answer", at="#zs-whose"),
)
TAB_NAMES = tuple(tab.name for tab in TABS)
_TITLES = {(tab.name, view.name): view.title for tab in TABS for view in tab.views}


def title(tab: str) -> str:
    """The title of a tab by its name."""
    return next(one.title for one in TABS if one.name == tab)


def title_of(tab: str, view: str) -> str:
    """The title of a view. Raises KeyError for one that is not registered."""
    return _TITLES[tab, view]


def earlier() -> dict[str, str]:
    """Titles of views that are part of another one now -> the place there, as a link names it."""
    moved = ((old, view.title, at) for tab in TABS for view in tab.views for old, at in view.earlier.items())
    return {old: urlencode({"view": now}) + (f"&{at}" if at else "") for old, now, at in moved}


def titles(tab: str) -> list[str]:
    """Those of a tab's views, as a link names them; [] of a tab that is one view."""
    return [title for (name, _), title in _TITLES.items() if name == tab]
