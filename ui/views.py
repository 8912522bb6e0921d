"""Registry of tabs and views, in page order, and the questions that lead to them.

The page, its links, keys and talks, the questions of Start and the browser tests follow it.
"""

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from urllib.parse import urlencode

from ui.view import Tab, View

# The switch that colours the visitor's own text, as links choose it.
SURPRISE = "Show what surprises it in your text"
# What a model is trained further for: the form's name -> its title in the list of goals.
CONTINUED = {"tune": "Your text", "labels": "Labels", "assistant": "Assistant"}


def _views(tab: str) -> tuple[View, ...]:
    """The views of a tab: every folder of its lens that declares a `VIEW`, in the order of their places."""
    lens = import_module(f"ui.lenses.{tab}")
    folders = [module.name for module in iter_modules(lens.__path__) if module.ispkg]
    packages = [import_module(f"{lens.__name__}.{folder}") for folder in folders]
    views = [package.VIEW for package in packages if hasattr(package, "VIEW")]
    return tuple(sorted(views, key=lambda view: view.place))


TABS = (
    Tab("start", "Start", shows_sentence=True, state=("without", "start_temperature", "start_top_k", "dice")),
    Tab("generate", "Generate", _views("generate")),
    Tab("attention", "Attention", _views("attention")),
    Tab("parameters", "Parameters", _views("parameters")),
    Tab("train", "Train", _views("train")),
    Tab("zero-shot", "Zero-shot", _views("zero_shot")),
)


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
    Question("Where does each head look?", "attention", "heads", also="attention map", is_first=True),
    Question("Why does it say this word and not another?", "attention", "why", is_first=True),
    Question("Which word of the text does the answer come from?", "attention", "why", _REPEATS),
    Question("Which heads copy what came before?", "attention", "heads", _REPEATS, also="induction"),
    Question("Where do the heads of the real GPT-2 look?", "attention", "heads", at="#recorded"),
    Question("What happens if a part is switched off?", "attention", "heads", _REPEATS, "ablation", True, "#ablation"),
    Question("In which layer does the answer appear?", "attention", "layers", _REPEATS, "logit lens"),
    Question("What does a single neuron react to?", "attention", "layers", also="MLP", at="#one-neuron"),
    Question("How is my text cut into tokens?", "generate", "tokens", also="BPE tokenizer"),
    Question("Which word of my text surprises the model?", "generate", "write", "", "perplexity loss", choose=SURPRISE),
    Question("Greedy, top-k or top-p: what is the difference?", "generate", "compare", also="sampling"),
    Question("Can I push it towards sadness, or towards animals?", "generate", "steer", also="steering vector"),
    Question("What does temperature do?", "generate", "write", also="softmax probability logits", is_first=True),
    Question("Why does it make things up?", "generate", "write", also="hallucination lie invent false true"),
    Question("Where are all the numbers?", "parameters", "count", also="embedding weights parameters"),
    Question("Why 124M parameters and not 117M?", "parameters", "reference", at="#quoted"),
    Question("How much memory and computation does it need?", "parameters", "reference"),
    Question("How did GPT develop, from the bigram on?", "parameters", "reference", also="history", at="#families"),
    Question("How does a model learn, from noise to words?", "train", "scratch", also="loss film", is_first=True),
    Question("Can I train it further on my own text?", "train", "further", "", "fine-tune", True, choose="Your text"),
    Question(
        "How does a GPT become a chat assistant?", "train", "further", "", "RLHF DPO preferences", choose="Assistant"
    ),
    Question("Why does a GPT not answer when I ask it something?", "generate", "chat"),
    Question("Does it translate?", "zero-shot", "answer", also="french english", task="translate"),
    Question("Can it do a task from the prompt alone?", "zero-shot", "answer", also="translate sentiment"),
    Question("Do examples in the prompt help?", "zero-shot", "ways", also="few-shot in-context learning"),
    Question("Which part of the prompt did the answer depend on?", "zero-shot", "answer", at="#zs-whose"),
)
TAB_NAMES = tuple(tab.name for tab in TABS)
# What scripts hold and links set, of all views.
STATE_NAMES = tuple(dict.fromkeys(name for tab in TABS for view in (tab, *tab.views) for name in view.state))
_TITLES = {(tab.name, view.name): view.title for tab in TABS for view in tab.views}


def title(tab: str) -> str:
    """The title of a tab by its name."""
    return next(one.title for one in TABS if one.name == tab)


def title_of(tab: str, view: str) -> str:
    """The title of a view. Raises KeyError for one that is not registered."""
    return _TITLES[tab, view]


def titles(tab: str) -> list[str]:
    """Those of a tab's views, as a link names them; [] of a tab that is one view."""
    return [title for (name, _), title in _TITLES.items() if name == tab]
