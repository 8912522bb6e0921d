"""Which text and which earlier run the Train tab takes."""

from dataclasses import dataclass
from types import SimpleNamespace

from ui.lenses.train.handlers.assistant import stage
from ui.lenses.train.handlers.texts import YOURS, OnText, find_text
from ui.runs.workspaces import Workspace
from ui.state.limits import Limits


@dataclass
class Run:
    """A record of a run, as far as a stage looks at it."""

    kind: str
    language_model: str | None

    @property
    def facts(self):
        return SimpleNamespace(kind=self.kind)


def test_a_stage_is_its_newest_run_that_has_a_model():
    first, second = Run("instructions", "first"), Run("instructions", "second")
    others = [Run("preferences", "third"), Run("instructions", None), Run("text", "fourth")]
    workspace = Workspace("w", runs=[first, second, *others])  # type: ignore[list-item]
    assert stage(workspace, "instructions") is second
    assert stage(workspace, "preferences") is others[0]
    assert stage(workspace, "labels") is None and stage(None, "instructions") is None


def test_a_file_goes_before_a_text_that_was_pasted(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("The text of a file.", encoding="utf-8")
    pasted = OnText(corpus=YOURS, written="A text that was pasted.")
    both = OnText(corpus=YOURS, written="A text that was pasted.", file=str(file))
    assert find_text(Limits(), pasted).documents == ["A text that was pasted."]
    found = find_text(Limits(), both)
    assert (found.documents, found.title) == (["The text of a file."], "mine.txt")
