"""The import rules: gptcore knows no page, handlers know no Gradio, pictures know no torch, and nothing unpickles."""

import ast
from pathlib import Path

import pytest

import imports

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "gptcore": ["gradio", "plotly", "matplotlib", "ui", "app", "weights"],
    "ui": ["weights"],
    "ui/handlers": ["gradio", "plotly", "matplotlib", "ui.tabs", "ui.components", "ui.page", "ui.errors"],
    "ui/figures": ["gradio", "torch", "gptcore", "ui.handlers", "ui.tabs"],
    "ui/components": ["ui.handlers", "ui.tabs", "torch"],
    "ui/tabs": ["torch", "app", "ui.page"],
}
SLOW_AT_START = ["transformers", "matplotlib", "plotly", "tokenizers"]


def imports_of(path: Path, *, top_level_only: bool = False) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level_only else list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return names + [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]


def belongs(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_neither_rooms_nor_files_import_in_circles():
    graph = imports.arrows()
    assert len(graph) > 150 and imports.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [["a", "b", "c"]]
    assert imports.circles(graph) == [] and imports.circles(imports.room_graph(graph)) == []


@pytest.mark.parametrize("folder", list(FORBIDDEN))
def test_imports_run_one_way(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    broken = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imports_of(file)
        for package in FORBIDDEN[folder]
        if belongs(name, package)
    ]
    assert not broken


def test_one_tab_never_imports_another():
    tabs = {folder.name for folder in (ROOT / "ui" / "tabs").iterdir() if (folder / "__init__.py").is_file()}
    assert tabs == {"start", "generate", "attention", "parameters", "train", "zero_shot"}
    for tab in tabs:
        for file in (ROOT / "ui" / "tabs" / tab).glob("*.py"):
            assert not [n for n in imports_of(file) if any(belongs(n, f"ui.tabs.{other}") for other in tabs - {tab})]


def test_what_is_slow_to_import_is_imported_where_it_is_needed():
    files = [ROOT / "app.py", *(ROOT / "gptcore").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]
    for file in files:
        early = [n for n in imports_of(file, top_level_only=True) for slow in SLOW_AT_START if belongs(n, slow)]
        assert not early, f"{file.relative_to(ROOT)} imports {early} at start"


def test_nothing_unpickles():
    for file in [*(ROOT / "gptcore").rglob("*.py"), *(ROOT / "ui").rglob("*.py")]:
        source = file.read_text(encoding="utf-8")
        assert "torch.load" not in source and "pickle" not in imports_of(file)
