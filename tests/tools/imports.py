"""The import graph as rooms and arrows, and its circles.

A room is a folder; a lens with all its folders is one room, and so are the parts that several
share. A file that lies directly in `gptcore` or `ui` is a room of its own, and so is every
`__main__`. The page's scripts have a graph, too.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("app.py", "gptcore", "ui")
_WHOLE = re.compile(r"ui\.((lenses|rooms)\.\w+|shared|frame)(?=\.|$)")  # rooms of several folders
_SCRIPT = re.compile(r"(?:from |import |import\()'(\.[^']+\.js)'")  # also what is loaded on demand


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Dotted name -> file, of everything that is not a test."""
    files = [
        file
        for top in PACKAGES
        for file in ([root / top] if top.endswith(".py") else (root / top).rglob("*.py"))
    ]
    return {name_of(file, root): file for file in sorted(files)}


def name_of(file: Path, root: Path = ROOT) -> str:
    """The dotted name of a file; that of its folder for an __init__.py."""
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


@cache
def arrows(root: Path = ROOT) -> dict[str, set[str]]:
    """What each module imports of the project, wherever in the file the import stands."""
    known = modules(root)
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, file in known.items():
        for module, names in _imports(ast.parse(file.read_text(encoding="utf-8"))):
            for wanted in [f"{module}.{name}" for name in names] or [module]:
                target = wanted if wanted in known else module
                if target in known and target != name:
                    found[name].add(target)
    return found


def _imports(tree: ast.AST) -> Iterable[tuple[str, list[str]]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        else:
            yield from _imports(node)


@cache
def script_arrows(root: Path = ROOT) -> dict[str, set[str]]:
    """What each script of the page imports, also with `import(...)`, by their paths within `ui`."""
    folder = root / "ui"
    found: dict[str, set[str]] = {}
    for file in sorted(folder.rglob("*.js")):
        wanted = _SCRIPT.findall(file.read_text(encoding="utf-8"))
        found[_within(file, folder)] = {
            _within((file.parent / item).resolve(), folder) for item in wanted
        }
    return found


def _within(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()


def room(module: str) -> str:
    """The room of a module."""
    whole = _WHOLE.match(module)
    if whole is not None:
        return whole[0]
    folder = module if (ROOT / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]
    return folder if "." in folder and not module.endswith("__main__") else module


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of nodes that reach each other, sorted; empty where imports run one way."""
    reached = {name: _reach(graph, name) for name in graph}
    groups = {
        frozenset({name, *(o for o in reached[name] if name in reached.get(o, ()))})
        for name in graph
    }
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reach(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, ())
    return seen


def room_graph(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What each room imports."""
    found: dict[str, set[str]] = {room(name): set() for name in graph}
    for name, targets in graph.items():
        found[room(name)] |= {room(target) for target in targets} - {room(name)}
    return found
