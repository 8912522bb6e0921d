"""The registry of tabs and their views: names, titles and what one learns there, in the order of the page.

The page, links, keys, the doors of Start, the pictures of `tests/tools/screens.py` and the browser tests follow it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A view of a tab.

    Attributes:
        name: within its tab, as events know it.
        title: on the page, and in a link or a step of a tour (`view=...`).
    """

    name: str
    title: str


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
        "Let it write. Turn temperature and top-p, and see which words that lets in.",
        (
            View("write", "Write"),
            View("strategies", "Strategies"),
            View("compare", "Compare strategies"),
            View("surprise", "What surprises it"),
            View("tokens", "Tokens"),
        ),
    ),
    Tab(
        "attention",
        "Attention",
        "See which word every head looks at, and switch heads off.",
        (
            View("look", "Heads"),
            View("off", "Switch off"),
            View("lens", "Logit lens"),
            View("neurons", "Neurons"),
            View("compare", "Compare"),
        ),
    ),
    Tab(
        "parameters",
        "Parameters",
        "Count every weight, from the formula to the tensor.",
        (
            View("breakdown", "Breakdown"),
            View("bars", "All models"),
            View("why", "117M or 124M?"),
            View("cost", "Cost"),
            View("drawing", "Drawing"),
            View("anatomy", "Anatomy"),
            View("verify", "Verify"),
            View("families", "Families"),
        ),
    ),
    Tab(
        "train",
        "Train",
        "Start from noise, and watch words appear within a minute.",
        (View("scratch", "From scratch"), View("tune", "Fine-tune"), View("labels", "Labels")),
    ),
    Tab(
        "zero-shot",
        "Zero-shot",
        "Ask for a task in plain words, with no training for it.",
        (
            View("answer", "Answer"),
            View("ways", "Ways of asking"),
            View("uses", "What did it use?"),
            View("gpt2", "GPT-2's prompts"),
            View("ladder", "Size ladder"),
            View("scoreboard", "Scoreboard"),
        ),
    ),
)
TAB_NAMES = tuple(tab.name for tab in TABS)
_TITLES = {(tab.name, view.name): view.title for tab in TABS for view in tab.views}


def title_of(tab: str, view: str) -> str:
    """The title of a view. Raises KeyError for one that is not registered."""
    return _TITLES[tab, view]


def titles(tab: str) -> list[str]:
    """Those of a tab's views, as a link names them; [] of a tab that is one view."""
    return [title for (name, _), title in _TITLES.items() if name == tab]
