"""Registry of tabs and views, in page order, and the questions that lead to them.

The page, its links, keys and talks, the questions of Start and the browser tests follow it.
"""

from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from urllib.parse import urlencode

from ui.view import Tab, View

# The switch that colours the visitor's own text, as links choose it.
SURPRISE = "Show what surprises it in your text"
# What a model is trained further for: the form's name -> its title in the list of goals.
CONTINUED = {"tune": "Your text", "labels": "Labels", "assistant": "Assistant"}


def _views(tab: str) -> tuple[View, ...]:
    """The views of a tab: every folder of its lens that declares a `VIEW`, in the order of their
    places.
    """
    lens = import_module(f"ui.lenses.{tab}")
    folders = [module.name for module in iter_modules(lens.__path__) if module.ispkg]
    packages = [import_module(f"{lens.__name__}.{folder}") for folder in folders]
    views = [package.VIEW for package in packages if hasattr(package, "VIEW")]
    return tuple(sorted(views, key=lambda view: view.place))


TABS = (
    Tab(
        "start",
        "Start",
        shows_sentence=True,
        state=("without", "start_temperature", "start_top_k", "dice"),
    ),
    Tab("generate", "Generate", _views("generate")),
    Tab("attention", "Attention", _views("attention")),
    Tab("parameters", "Parameters", _views("parameters")),
    Tab("train", "Train", _views("train")),
    Tab("zero-shot", "Zero-shot", _views("zero_shot")),
)


@dataclass(frozen=True)
class Question:
    """Something that a visitor may want to know, and where the page answers it.

    Args:
        text: the question.
        tab, view: names of the place; view is "" where the tab is one view.
        sees: selector of what must be seen there, so that the question is answered.
        sentence: on which the answer shows best, for visitors who have written none.
        also: further words by which a search finds it.
        is_first: whether it is one of the few that are shown before anybody searches.
        at: selector of what the page scrolls to there.
        choose: label of what it switches on there.
        task: of Zero-shot, which a load of the page sets.
        head: (layer, head) that is chosen there.
    """

    text: str
    tab: str
    view: str = ""
    sees: str = field(kw_only=True)
    sentence: str = ""
    also: str = ""
    is_first: bool = False
    at: str = ""
    choose: str = ""
    task: str = ""
    head: tuple[int, int] | None = None

    @property
    def way(self) -> str:
        """The place as a link names it."""
        way = {"tab": self.tab} | ({"view": title_of(self.tab, self.view)} if self.view else {})
        more = {"see": self.at, "choose": self.choose, "task": self.task}
        if self.head is not None:
            more |= {"layer": str(self.head[0]), "head": str(self.head[1])}
        return urlencode(way | {name: value for name, value in more.items() if value})


_REPEATS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
# On these words in no order the mini's copying heads have nothing to go by but what came before.
_COPIES = "cup rain seven dog moon hat cup rain seven dog moon"
QUESTIONS = (
    Question(
        "Where does each head look?",
        "attention",
        "heads",
        sees="#attention .at-name",
        also="attention map heatmap",
        is_first=True,
    ),
    Question(
        "Why does it say this word and not another?",
        "attention",
        "why",
        sees="#why .wy-table",
        also="said choose prefer logit attribution reason",
        is_first=True,
    ),
    Question(
        "Which word of the text does the answer come from?",
        "attention",
        "why",
        _REPEATS,
        sees="#why .ct-words",
        also="circuit source",
        at="#why .ct-words",
    ),
    Question(
        "Which heads copy what came before?",
        "attention",
        "heads",
        _COPIES,
        head=(5, 4),
        sees="#attention .at-body:has-text('looks at what came after this token last time')",
        also="induction repeat name copying",
    ),
    Question(
        "Where do the heads of the real GPT-2 look?",
        "attention",
        "heads",
        sees="#recorded-heads .at-name",
        also="openai gpt2 recorded",
        at="#recorded",
    ),
    Question(
        "What happens if a part is switched off?",
        "attention",
        "heads",
        _REPEATS,
        sees="#ablation .ab-head",
        also="ablation remove delete break without",
        is_first=True,
        at="#ablation",
    ),
    Question(
        "In which layer does the answer appear?",
        "attention",
        "layers",
        _REPEATS,
        sees="#lens .conclusion",
        also="logit lens depth when know block",
    ),
    Question(
        "What does a single neuron react to?",
        "attention",
        "layers",
        sees="#neurons .conclusion",
        also="MLP activation",
        at="#one-neuron",
    ),
    Question(
        "How is my text cut into tokens?",
        "generate",
        "tokens",
        sees="#tokens",
        also="BPE tokenizer vocabulary",
    ),
    Question(
        "Which word of my text surprises the model?",
        "generate",
        "write",
        sees="#scored .conclusion",
        also="perplexity loss score",
        choose=SURPRISE,
    ),
    Question(
        "Greedy, top-k or top-p: what is the difference?",
        "generate",
        "compare",
        sees="#compared-0",
        also="sampling strategies nucleus",
    ),
    Question(
        "Can I push it towards sadness, or towards animals?",
        "generate",
        "steer",
        sees="#steer-said",
        also="steering vector mood happy control",
    ),
    Question(
        "What does temperature do?",
        "start",
        at="#st-heat",
        is_first=True,
        sees="#st-heat",
        also="wild wilder tamer boring creative softmax probability logits heat",
    ),
    Question(
        "Why is the text different every time, and how do I get the same one again?",
        "start",
        at=".st-dice",
        sees=".st-dice",
        also="random seed dice chance repeat repeatable reproduce",
    ),
    Question(
        "Why does it make things up?",
        "start",
        at=".st-bars",
        sees=".st-bars",
        also="hallucinate hallucination lie invent false true wrong fact",
    ),
    Question(
        "Where are all the numbers?",
        "parameters",
        "count",
        sees="#breakdown .conclusion",
        also="how many parameters weights embedding size big",
    ),
    Question(
        "Why 124M parameters and not 117M?",
        "parameters",
        "reference",
        sees="#quoted",
        also="gpt-2 small",
        choose="Which number is right?",
    ),
    Question(
        "How much memory and computation does it need?",
        "parameters",
        "reference",
        sees="#cost .conclusion",
        also="GPU RAM flops cost speed",
        choose="Cost",
    ),
    Question(
        "How did GPT develop, from the bigram on?",
        "parameters",
        "reference",
        sees="#families",
        also="history timeline",
        choose="History",
    ),
    Question(
        "How does a model learn, from noise to words?",
        "train",
        "scratch",
        sees="#train",
        also="loss film training curve",
        is_first=True,
    ),
    Question(
        "Can I train it further on my own text?",
        "train",
        "further",
        sees="#tune-start",
        also="fine-tune finetune upload data",
        is_first=True,
        choose="Your text",
    ),
    Question(
        "How does a GPT become a chat assistant?",
        "train",
        "further",
        sees="#teach-start, #train",
        also="RLHF DPO preferences instructions chatgpt",
        choose="Assistant",
    ),
    Question(
        "Why does a GPT not answer when I ask it something?",
        "generate",
        "chat",
        sees="#chat",
        also="chatbot chat talk conversation",
    ),
    Question(
        "Does it translate?",
        "zero-shot",
        "answer",
        sees="#zs-stream",
        also="french english language",
        task="translate",
    ),
    Question(
        "Can it do a task from the prompt alone?",
        "zero-shot",
        "answer",
        sees="#zs-view .zs-prompt",
        also="summarise sentiment question zero-shot",
    ),
    Question(
        "Do examples in the prompt help?",
        "zero-shot",
        "ways",
        sees="#zs-ways .conclusion",
        also="few-shot in-context learning",
    ),
    Question(
        "Which part of the prompt did the answer depend on?",
        "zero-shot",
        "answer",
        sees="#zs-whose",
        also="leave out",
        at="#zs-whose",
    ),
    Question(
        "How do I save, share or copy what I see?",
        "start",
        at=".lens-more",
        sees=".lens-more",
        also="link phone QR code image picture file export download embed",
    ),
)
TAB_NAMES = tuple(tab.name for tab in TABS)
# What scripts hold and links set, of all views.
STATE_NAMES = tuple(
    dict.fromkeys(name for tab in TABS for view in (tab, *tab.views) for name in view.state)
)
_TITLES = {(tab.name, view.name): view.title for tab in TABS for view in tab.views}


def title(tab: str) -> str:
    """The title of a tab by its name."""
    return next(item.title for item in TABS if item.name == tab)


def title_of(tab: str, view: str) -> str:
    """The title of a view. Raises KeyError for one that is not registered."""
    return _TITLES[tab, view]


def titles(tab: str) -> list[str]:
    """Lists the titles of a tab's views, as a link names them; [] of a tab that is one view."""
    return [title for (name, _), title in _TITLES.items() if name == tab]
