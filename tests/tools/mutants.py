"""Puts one small mistake at a time into a copy of the code and runs the tests that mirror it.

    python -m tests.tools.mutants --each 40 --workers 2
    python -m tests.tools.mutants --only gptcore/analysis --seed fresh
    python -m tests.tools.mutants --from tests/tools/mistakes.json --only ui/runs

A mistake that no test notices is a survivor. Mistakes are chosen by a hash of their line, so that
an edit elsewhere leaves the set as it is, and another --seed gives a fresh set. A file may hold
mistakes that people have thought of: a list of {"path", "old", "new", "seen"}, where the old text
stands once in its file and `seen` says what somebody would observe.
"""

import argparse
import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from tests.tools.equivalent_mutants import EQUIVALENT

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 300.0  # seconds; a test run that hangs has noticed
AREAS = {
    "gptcore": ("gptcore/**/*.py",),
    "handlers": ("ui/lenses/**/*.py", "ui/shared/*.py", "ui/rooms/**/*.py"),
    "server": ("ui/runs/*.py", "ui/state/*.py", "ui/compute/*.py", "ui/server/**/*.py"),
    "scripts": ("ui/**/*.js",),
}
# started alone, laid out by Gradio and seen in a browser, or run by a GPU alone
_LEFT_OUT = (
    "cuda_graphs",
    "__main__",
    "examples/",
    "/view.py",
    "tab.py",
    "rehearsal",
    "handout",
    "arguments",
)
_SWAPPED = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_SCRIPT_SWAPS = (
    (r"(?<=\s)<(?=\s)", "<="),
    (r"(?<=\s)<=(?=\s)", "<"),
    (r"(?<=\s)>(?=\s)", ">="),
    (r"(?<=\s)>=(?=\s)", ">"),
    (r"(?<=\s)===(?=\s)", "!=="),
    (r"(?<=\s)!==(?=\s)", "==="),
    (r"(?<=\s)&&(?=\s)", "||"),
    (r"(?<=\s)\|\|(?=\s)", "&&"),
    (r"(?<=\s)\+(?=\s)", "-"),
    (r"(?<=\s)-(?=\s)", "+"),
    (r"\bMath\.min\b", "Math.max"),
    (r"\bMath\.max\b", "Math.min"),
)
# folders whose tests start whole programs
_APART = {"e2e", "abuse", "compat", "recipes", "benchmarks", "tools"}

# besides the tests that mirror a file: those that open models' folders
_OF_FOLDERS = (
    "tests/compat/test_folders_of_others.py",
    "tests/ui/test_shapes_of_models.py",
    "tests/ui/test_strange_tokenizers.py",
)
_READ_FOLDERS = ("gptcore/weights/", "gptcore/tokenizers/", "gptcore/language_model", "gptcore/hub")


@dataclass(frozen=True)
class Mutant:
    """One mistake: the characters from `begin` to `end` of a file become `text`."""

    path: str
    begin: int
    end: int
    text: str
    change: str
    line: str

    def applied(self, source: str) -> str:
        """The file with the mistake."""
        return source[: self.begin] + self.text + source[self.end :]

    def rank(self, seed: str) -> str:
        """Its place in the order of a seed; the same while its line is."""
        said = f"{seed}|{self.path}|{self.line}|{self.change}"
        return hashlib.sha256(said.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.path}: {self.line}   [{self.change}]"


class _Finder(ast.NodeVisitor):
    """Collects the mistakes that a Python file offers."""

    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self.found: list[Mutant] = []

    def _at(self, line: int, column: int) -> int:
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        begin = self._at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return begin, self._at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _add(self, begin: int, end: int, text: str, change: str) -> None:
        first = self._source.count("\n", 0, begin)
        line = self._lines[first].strip()
        self.found.append(Mutant(self._path, begin, end, text, change, line))

    def _swap_between(self, left: ast.AST, right: ast.AST, kind: type) -> None:
        """Swaps the operator that stands between two nodes."""
        if kind not in _SWAPPED:
            return
        old, new = _SWAPPED[kind]
        begin = self._span(left)[1]
        between = self._source[begin : self._span(right)[0]]
        place = re.search(r"(?<![\w<>=!*/+-])" + re.escape(old) + r"(?![\w<>=*/])", between)
        if place and "#" not in between:
            self._add(begin + place.start(), begin + place.end(), new, f"{old} to {new}")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = (ast.JoinedStr, ast.Constant, ast.List, ast.Tuple)
        is_text = any(
            isinstance(side, texts) and not isinstance(getattr(side, "value", ""), int | float)
            for side in (node.left, node.right)
        )
        if not is_text:
            self._swap_between(node.left, node.right, type(node.op))
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, right, kind in zip(sides, sides[1:], node.ops, strict=False):
            self._swap_between(left, right, type(kind))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._swap_between(node.values[0], node.values[1], type(node.op))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        begin, _ = self._span(node)
        inner, _ = self._span(node.operand)
        if isinstance(node.op, ast.Not):
            self._add(begin, inner, "", "not dropped")
        elif isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            self._add(begin, inner, "", "minus dropped")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("min", "max") and len(node.args) == 2:
            begin, end = self._span(node)
            kept = self._source[slice(*self._span(node.args[0]))]
            self._add(begin, end, f"({kept})", f"{name} dropped")
        plain = node.args[:2]
        if len(plain) == 2 and all(isinstance(item, ast.Name) for item in plain):
            first, second = (self._span(item) for item in plain)
            texts = [self._source[slice(*span)] for span in (first, second)]
            between = self._source[first[1] : second[0]]
            swapped = f"{texts[1]}{between}{texts[0]}"
            if texts[0] != texts[1]:
                self._add(first[0], second[1], swapped, "arguments swapped")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            called = ast.unparse(node.value.func)
            if not called.startswith(("log", "_log", "print", "warnings", "parser.", "add")):
                self._add(*self._span(node), "None", "call dropped")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.body[0], ast.Raise | ast.Return) and not node.orelse:
            self._add(*self._span(node.test), "False", "guard dropped")
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        is_flag = isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool)
        if is_flag and node.arg != "strict":  # of zip: only another mistake would tell
            begin, end = self._span(node.value)
            self._add(begin, end, str(not node.value.value), "flag turned")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """What an error says is no arithmetic."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for item in node.body:
            self.visit(item)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for item in (*node.body, *node.args.defaults):
            self.visit(item)


def python_mutants(path: str, source: str) -> list[Mutant]:
    """The mistakes that a Python file offers."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


def script_mutants(path: str, source: str) -> list[Mutant]:
    """The mistakes that a JavaScript file offers."""
    found = []
    begin = 0
    for raw in source.splitlines(keepends=True):
        line = raw.strip()
        code = re.sub(r"'[^']*'|//.*", lambda text: " " * len(text[0]), raw)
        if not line.startswith(("//", "*", "/*", "import", "export {")) and "`" not in line:
            for pattern, new in _SCRIPT_SWAPS:
                for place in re.finditer(pattern, code):
                    span = begin + place.start(), begin + place.end()
                    found.append(Mutant(path, *span, new, f"{place[0]} to {new}", line))
            if re.fullmatch(r"[\w.?]+\([^=]*\);", line):
                start = begin + raw.index(line)
                found.append(Mutant(path, start, start + len(line), ";", "call dropped", line))
        begin += len(raw)
    return found


def mutants_of(patterns: Sequence[str]) -> list[Mutant]:
    """All mistakes of an area."""
    files = sorted({file for pattern in patterns for file in ROOT.glob(pattern)})
    found = []
    for file in files:
        path = file.relative_to(ROOT).as_posix()
        if not any(part in f"/{path}" for part in _LEFT_OUT):
            find = python_mutants if file.suffix == ".py" else script_mutants
            found += find(path, file.read_text(encoding="utf-8"))
    return [
        mutant for mutant in found if (mutant.path, mutant.line, mutant.change) not in EQUIVALENT
    ]


def chosen(mutants: Sequence[Mutant], n: int, seed: str) -> list[Mutant]:
    """n mistakes spread over files and kinds: of each file in turn the one of the rarest kind."""
    by_file: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in sorted(mutants, key=lambda item: item.rank(seed)):
        by_file[mutant.path].append(mutant)
    kinds = Counter[str]()
    picked: list[Mutant] = []
    files = sorted(by_file, key=lambda path: by_file[path][0].rank(seed))
    while len(picked) < n and any(by_file.values()):
        for path in files:
            if by_file[path] and len(picked) < n:
                best = min(by_file[path], key=lambda item: kinds[item.change])
                by_file[path].remove(best)
                kinds[best.change] += 1
                picked.append(best)
    return picked


def written(file: Path) -> list[Mutant]:
    """The mistakes of a file; those whose text has changed since are named and left out."""
    found = []
    for item in json.loads(file.read_text(encoding="utf-8")):
        place = ROOT / item["path"]
        source = place.read_text(encoding="utf-8") if place.exists() else ""
        if source.count(item["old"]) != 1:
            print(f"gone      {item['path']}: {item['old'].strip()[:80]!r}")
            continue
        begin = source.index(item["old"])
        span = begin, begin + len(item["old"])
        line = item["old"].strip().splitlines()[0]
        found.append(Mutant(item["path"], *span, item["new"], f"to {item['new'].strip()}", line))
    return found


def area_of(path: str) -> str:
    """The area that a file belongs to."""
    if path.endswith(".js"):
        return "scripts"
    if path.startswith("gptcore/"):
        return "gptcore"
    is_server = path.startswith(("ui/runs/", "ui/state/", "ui/compute/", "ui/server/"))
    return "server" if is_server else "handlers"


def tests_of(path: str, *, browser: bool) -> list[str]:
    """The tests that mirror a file: of its folder and its name, and those that import it."""
    if path.endswith(".js"):
        own = ["tests/ui/view"]
        lens = re.match(r"ui/(?:lenses|rooms)/(\w+)", path)
        name = lens[1] if lens else "page"
        names = (name, "room" if name == "hall" else name, "talks" if name == "hall" else name)
        files = {f"tests/e2e/test_{item}_in_browser.py" for item in names}
        own += ["tests/e2e/test_recorded_script_calls.py", "tests/e2e/test_recorded_drawings.py"]
        return own + sorted(file for file in files if browser and (ROOT / file).exists())
    mirror = ROOT / "tests" / Path(path).parent.as_posix().removeprefix("gptcore/")
    while not mirror.exists() or mirror.name == "handlers":
        mirror = mirror.parent
    is_folder = mirror not in (ROOT / "tests", ROOT / "tests/ui")
    found = importing(path, "tests")
    if is_folder:
        found |= {file.relative_to(ROOT).as_posix() for file in mirror.rglob("test_*.py")}
    named = f"test_{Path(path).stem}.py"
    found |= {file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob(named)}
    if not found:  # nothing imports it but other code, whose tests they are
        users = importing(path, "ui") | importing(path, "gptcore")
        found = set().union(*(importing(user, "tests") for user in users))
    tests = sorted(file for file in found if not _APART & set(Path(file).parts))
    recorded = ["tests/test_recorded_calls.py"]
    if path.startswith("gptcore/"):
        recorded += ["tests/test_recorded_core.py"]
    else:
        recorded += ["tests/ui/test_recorded_answers.py", "tests/ui/test_walks.py"]
    if path.startswith(_READ_FOLDERS):
        recorded += _OF_FOLDERS
    return [*(tests or ["tests/test_app.py"]), *recorded]


@cache
def _texts(folder: str) -> dict[str, str]:
    files = sorted((ROOT / folder).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def importing(path: str, folder: str) -> set[str]:
    """The files of a folder that import a module; of the tests only those with tests in them."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parent, _, last = module.rpartition(".")
    imports = re.compile(
        rf"from {re.escape(module)} import|from {re.escape(parent)} import .*\b{last}\b"
        rf"|import {re.escape(module)}\b"
    )
    return {
        file
        for file, text in _texts(folder).items()
        if imports.search(text) and (folder != "tests" or "/test_" in file)
    }


def _copies(n: int, folder: Path) -> Iterator[Path]:
    """n copies of the checkout; the weights are links."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    for number in range(n):
        copy = folder / str(number) / "checkout"
        copy.mkdir(parents=True)
        if (ROOT.parent / "shared").is_dir():  # what tests read beside the checkout
            (copy.parent / "shared").symlink_to(ROOT.parent / "shared")
        for name in filter(None, names):
            source = ROOT / name
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.exists():
                large = source.suffix in (".safetensors", ".bin")
                target.symlink_to(source) if large else shutil.copy2(source, target)
        yield copy


_sound: set[str] = set()  # tests that pass without a mistake


def is_noticed(mutant: Mutant, copy: Path, *, browser: bool) -> bool:
    """Whether a test fails, or hangs, with this mistake in a copy of the checkout.

    Raises:
        RuntimeError: the test fails without the mistake, too, so that it says nothing.
    """
    file = copy / mutant.path
    source = file.read_text(encoding="utf-8")
    tests = tests_of(mutant.path, browser=browser)
    is_drawn = mutant.path.endswith(".js")
    options = [] if is_drawn else ["-m", "not slow"]
    file.write_text(mutant.applied(source), encoding="utf-8")
    try:
        done = _run(copy, [*options, *tests], (5 if browser else 1) * TIMEOUT)
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(source, encoding="utf-8")
    failed = re.search(r"^FAILED (.*?::.*?)(?: - |$)", done.stdout, re.MULTILINE)
    if failed and failed[1] not in _sound:
        if _run(copy, [failed[1]], 5 * TIMEOUT).returncode:
            raise RuntimeError(f"{failed[1]} fails without a mistake.")
        _sound.add(failed[1])
    return done.returncode not in (0, 5)


def _run(copy: Path, given: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-W", "ignore"]
    command += ["-p", "no:cacheprovider", *given]
    return subprocess.run(
        command, cwd=copy, capture_output=True, text=True, timeout=seconds, check=False
    )


def _work(options: argparse.Namespace) -> list[tuple[str, Mutant]]:
    """The mistakes to make, each with its area."""
    if options.file:
        mutants = [item for item in written(options.file) if item.path.startswith(options.only)]
        return [(area_of(mutant.path), mutant) for mutant in mutants]
    work = []
    for area in options.area or AREAS:
        mutants = [item for item in mutants_of(AREAS[area]) if item.path.startswith(options.only)]
        work += [(area, mutant) for mutant in chosen(mutants, options.each, options.seed)]
    return work


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=40, help="mistakes of an area")
    parser.add_argument("--seed", default="lens", help="another one gives a fresh set")
    parser.add_argument("--area", action="append", choices=list(AREAS), help="these alone")
    parser.add_argument("--only", default="", metavar="PATH", help="files that begin so")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--browser", action="store_true", help="the browser tests of scripts, too")
    parser.add_argument("--from", dest="file", type=Path, help="mistakes in JSON")
    options = parser.parse_args()
    work = _work(options)
    noticed = Counter[str]()
    totals = Counter(area for area, _ in work)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        free: SimpleQueue[Path] = SimpleQueue()
        for copy in _copies(options.workers, Path(folder)):
            free.put(copy)

        def tried(item: tuple[str, Mutant]) -> tuple[str, Mutant, bool]:
            copy = free.get()
            try:
                return *item, is_noticed(item[1], copy, browser=options.browser)
            finally:
                free.put(copy)

        with ThreadPoolExecutor(options.workers) as pool:
            for area, mutant, is_found in pool.map(tried, work):
                noticed[area] += is_found
                print(f"{'noticed ' if is_found else 'survives'}  {mutant}", flush=True)
    print(
        f"\n| area | noticed | of | share |\n|---|---|---|---|   ({time.monotonic() - begin:.0f} s)"
    )
    for area, n in totals.items():
        print(f"| {area} | {noticed[area]} | {n} | {noticed[area] / n:.0%} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
