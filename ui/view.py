"""The record of a view: what it is called, what it shows and what a link to it holds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """A view of a tab.

    Args:
        name: within its tab, as fields and scripts know it.
        title: on the page, and in a link or a scene of a talk (`view=...`).
        shows_sentence: whether it is about the sentence that the whole page shares.
        is_more: whether it stands behind the others, after the word "More".
        state: names of what its scripts hold and a link to it sets, beside the fields of its forms.
        place: among the views of its tab: smaller ones come first.
    """

    name: str
    title: str
    place: int = 0
    shows_sentence: bool = False
    is_more: bool = False
    state: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tab:
    """A tab of the page.

    Args:
        name: in a link (`tab=...`).
        title: on the page.
        views: in their order; none where the tab is one view.
        shows_sentence, state: as of a view, where the tab is one.
    """

    name: str
    title: str
    views: tuple[View, ...] = ()
    shows_sentence: bool = False
    state: tuple[str, ...] = ()

    def view(self, title: str = "") -> View | None:
        """The view of this title, in any case; the first one for "". None where there is none."""
        if not title:
            return next(iter(self.views), None)
        return next(
            (view for view in self.views if view.title.casefold() == title.casefold()), None
        )

    def shows_sentence_in(self, title: str = "") -> bool:
        """Whether the view of this title, the first one for "", is about the page's sentence."""
        view = self.view(title)
        return self.shows_sentence if view is None else view.shows_sentence
