"""CONTRIBUTING's "Add a view", carried out in a copy: one new folder, and what is tested of every
view holds.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiny import ROOT

RECORD = '''"""How far back the heads of each layer look."""

from ui.view import View

VIEW = View(name="distances", title="Distances", place=35, shows_sentence=True)
'''
COMPUTES = '''"""Mean distance, in tokens, from a reading token to what it looks at, by layer."""

from gptcore.analysis import read_attention
from ui.services import Services
from ui.shared import inputs
from ui.shared.sheets import Section, sheet


def distances(services: Services, model: object, text: object) -> str:
    """A table of layers and mean distances. Raises InputError."""
    lm = services.models.get(inputs.model_name(model))
    ids, note = inputs.last_window(lm, inputs.text(text, "The text", most=2_000, least=1))

    def rows() -> list[tuple[int, float]]:
        found = []
        for layer, weights in enumerate(read_attention(lm.model, ids).layers()):  # [H, T, T]
            T = weights.shape[-1]
            places = weights.new_tensor(range(T))
            back = (places[:, None] - places).clamp(min=0)
            found.append((layer, round(float((weights * back).sum(-1).mean()), 2)))
        return found

    return sheet([Section("Distances", note, ("layer", "mean distance"), services.now(rows))])
'''
LAYS_OUT = '''"""Lays out the view."""

from typing import Any

from gptcore.errors import GPTCoreError
from ui.lenses.attention.distances.distances import distances
from ui.shared.sheets import message
from ui.shared.site import Asked, Site
from ui.shared.view.sheet_view import sheet_view


def lay_out(site: Site[Any]) -> None:
    """Lays out the view and wires it."""
    shown = sheet_view(name="distances", needs=NEEDS, asks="always", elem_id="distances")

    def compute(model: str, text: str) -> str:
        try:
            return distances(site.services, model, text)
        except GPTCoreError as error:
            return message(str(error))

    site.fields.keep(shown, Asked(compute, ("model", "text"), [shown], options=site.model_work))
'''
NEEDS = '("model", "text")'
ASKED = """
import sys
sys.path[:0] = ["tests", "tests/ui"]
from ui.lenses.attention.distances.distances import distances
from ui.services import make_services
services = make_services(model="mini", offline=True)
print(distances(services, "mini", "Tom had a blue ball."))
services.close()
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """The project with one folder more; what the view does not touch is the project's own."""
    for name in ("ui", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("gptcore", "weights", "app.py", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def add(copy: Path, *, needs: str = NEEDS) -> None:
    folder = copy / "ui" / "lenses" / "attention" / "distances"
    folder.mkdir()
    (folder / "__init__.py").write_text(RECORD, encoding="utf-8")
    (folder / "distances.py").write_text(COMPUTES, encoding="utf-8")
    (folder / "view.py").write_text(LAYS_OUT.replace("NEEDS", needs), encoding="utf-8")


def ran(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=240)


@pytest.mark.slow
def test_a_view_is_added_by_one_folder_and_is_marked_when_it_is_stale(copy):
    add(copy)
    derived = [f"tests/ui/{name}.py" for name in ("test_site", "test_views")]
    tested = ran(copy, "-m", "pytest", "-q", "-n", "0", *derived)
    assert tested.returncode == 0, tested.stdout[-3000:]
    answered = ran(copy, "-c", ASKED)
    assert '"mean distance"' in answered.stdout and '"rows": [[0, ' in answered.stdout, (
        answered.stderr
    )


@pytest.mark.slow
def test_a_view_that_forgets_what_it_depends_on_is_refused_with_its_name(copy):
    add(copy, needs='("text",)')
    tested = ran(copy, "-m", "pytest", "-q", "-x", "-n", "0", "tests/ui/test_views.py")
    assert tested.returncode != 0
    assert "distances: computed from model, which none of them needs" in tested.stdout
