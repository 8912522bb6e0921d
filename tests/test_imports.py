"""The import rules: gptcore knows no page, handlers know no Gradio, pictures know no torch, and
nothing unpickles.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import imports
from ui.views import TAB_NAMES

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "gptcore": ["gradio", "plotly", "matplotlib", "ui", "app", "weights"],
    "ui": ["weights", "app"],
}
# Within a lens or a room, by the name of its folder or file; page scripts have rules of their own
# below.
FORBIDDEN_WITHIN = {
    "handlers": ["gradio", "plotly", "matplotlib", "ui.errors"],
    "figures": ["gradio", "torch", "gptcore"],
    "payloads": ["gradio", "torch", "gptcore"],
    "view": ["torch"],
}
_BENEATH = "shared state runs compute services view views errors notices conclusions payloads"
BENEATH = tuple(f"ui.{name}" for name in _BENEATH.split())
# What computes and keeps, and what it says: it runs in any program, with no page.
WITHOUT_GRADIO = re.compile(
    r"\.handlers(\.|$)|^ui\.(compute|state|runs|services|views|links|payloads|conclusions|notices)(\.|$)"
)
OWN_ROOM = re.compile(r"ui\.(?:lenses|rooms)\.\w+")
SLOW_AT_START = ["transformers", "matplotlib", "plotly", "tokenizers"]


@cache
def imports_of(path: Path, *, top_level_only: bool = False) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return names + [
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module
    ]


def belongs(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def broken(files: Sequence[Path], packages: Sequence[str]) -> list[str]:
    """Which of the files import one of the packages."""
    return [
        f"{file.relative_to(ROOT)} imports {n}"
        for file in files
        for n in imports_of(file)
        if _within(n, packages)
    ]


def test_neither_rooms_nor_files_import_in_circles():
    graph = imports.arrows()
    assert len(graph) > 150 and imports.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [
        ["a", "b", "c"]
    ]
    assert imports.circles(graph) == [] and imports.circles(imports.room_graph(graph)) == []


@pytest.mark.parametrize("folder", list(FORBIDDEN))
def test_imports_run_one_way(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files and not broken(files, FORBIDDEN[folder])


def test_everything_beneath_the_events_loads_no_gradio_not_even_indirectly():
    """Imports every such module in one fresh process, and looks after each whether Gradio is
    loaded.
    """
    names = [name for name in imports.modules() if WITHOUT_GRADIO.search(name)]
    assert len(names) > 60
    script = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name)\n"
        "    assert 'gradio' not in sys.modules, name\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr[-500:]


@pytest.mark.parametrize("kind", list(FORBIDDEN_WITHIN))
def test_each_part_of_a_lens_keeps_to_its_job(kind):
    files = [file for file in (ROOT / "ui").rglob("*.py") if kind in (*file.parts, file.stem)]
    files = [file for file in files if OWN_ROOM.match(imports.name_of(file))]
    assert files and not broken(files, FORBIDDEN_WITHIN[kind])


def test_a_lens_imports_itself_and_what_is_beneath_it_and_never_another():
    broken = []
    seen = set()
    for name, targets in imports.arrows().items():
        if own := OWN_ROOM.match(name):
            seen.add(own[0])
            allowed = (own[0], *BENEATH)
            within = [target for target in targets if target.startswith("ui.")]
            broken += [f"{name} imports {item}" for item in within if not _within(item, allowed)]
    lenses = {f"ui.lenses.{tab.replace('-', '_')}" for tab in TAB_NAMES}
    assert lenses <= seen and not broken


def test_what_is_shared_imports_nothing_above_it():
    for name, targets in imports.arrows().items():
        if _within(name, ("ui.shared",)):
            assert all(
                _within(target, BENEATH) for target in targets if target.startswith("ui.")
            ), (name, targets)


def test_scripts_keep_the_same_rules_and_run_in_no_circles():
    graph = imports.script_arrows()
    assert len(graph) > 80 and imports.circles(graph) == []
    broken = []
    for script, targets in graph.items():
        # of the page's frame, which stands above all
        own = re.match(r"(?:lenses|rooms)/\w+|\w+", script)[0]
        allowed = ("",) if own == "frame" else (f"{own}/", "shared/")
        broken += [
            f"{script} imports {target}" for target in targets if not target.startswith(allowed)
        ]
        assert targets <= set(graph), script
    assert not broken


def _within(name: str, places: Sequence[str]) -> bool:
    return any(belongs(name, place) for place in places)


def test_what_is_slow_to_import_is_imported_where_it_is_needed():
    files = [ROOT / "app.py", *(ROOT / "gptcore").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]
    for file in files:
        early = [
            n
            for n in imports_of(file, top_level_only=True)
            for slow in SLOW_AT_START
            if belongs(n, slow)
        ]
        assert not early, f"{file.relative_to(ROOT)} imports {early} at start"


def test_nothing_unpickles():
    for file in [*(ROOT / "gptcore").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]:
        source = file.read_text(encoding="utf-8")
        assert "torch.load" not in source and "pickle" not in imports_of(file)
