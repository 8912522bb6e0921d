"""Preflight check for a talk with no network: `python app.py --check`, and `--prefetch gpt2` for what is missing.

With a FILE, `--check` goes through a talk scene by scene; where there is a browser, all of it is rehearsed.
"""

import importlib.util
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from gptcore.analysis import attention_patterns
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import generate
from gptcore.language_model import LanguageModel, bundled_models, damaged_files
from gptcore.machine import device_name
from gptcore.native import library
from ui.lenses.train.handlers.fitting import expected_run
from ui.lenses.train.handlers.presets import PRESETS
from ui.server.talks import Scene, Talk, leaning, slips, stray
from ui.state.model_store import ModelStore, facts

_FONTS = ("IBMPlexSans/IBMPlexSans-Regular.woff2", "IBMPlexMono/IBMPlexMono-Regular.woff2")
_PORTS = range(7860, 7960)  # range in which the server picks a free port
_SLOW, _NEEDED_BYTES = 60.0, 500e6  # tokens a second that a reader can just follow in a long text; space for files
_RUN = 30  # seconds of a training run
_PROMPT, _N_TOKENS = "Once upon a time, there was a little fox who lived in the forest.", 64


@dataclass(frozen=True)
class Finding:
    """One line of the report. An optional item that is not ready is "not here", not "MISSING"."""

    ready: bool
    sentence: str
    needed: bool = False

    @property
    def state(self) -> str:
        """In one word."""
        return "ready" if self.ready else "MISSING" if self.needed else "not here"


def check(models: ModelStore, *, host: str, port: int | None) -> Iterator[Finding]:
    """Tests all that a talk needs, in sequence; `models` never uses the network, port None is the first free one."""
    for name in bundled_models():
        yield _opens(models, name)
    yield _whole()
    for choice in models.choices():
        if choice.name not in bundled_models():
            yield _opens(models, choice.name) if choice.cached else Finding(False, _missing(choice.name))
    yield Finding(True, f"models and training runs compute on {device_name(models.device)}")
    yield from _speed(models)
    yield _training(models.device)
    yield _fonts()
    yield _port(host, port)
    yield _room()


def prefetch(models: ModelStore, name: str, say: Callable[[str], None]) -> str:
    """Downloads a model and opens it once, and says how far it is; returns a summary. Raises the core's errors."""
    return f"{name} is on this machine: {facts(models.get(name, progress=say))}"


def _opens(models: ModelStore, name: str) -> Finding:
    try:
        return Finding(True, f"{name}: {facts(models.get(name))}")
    except GPTCoreError as error:
        return Finding(False, f"{name}: {error}", needed=name in bundled_models())


def _whole() -> Finding:
    damaged = damaged_files()
    if not damaged:
        return Finding(True, "the files of the bundled models are whole")
    names = ", ".join(damaged)
    return Finding(False, f"these files of the bundled models are damaged; get them again: {names}", needed=True)


def _missing(name: str) -> str:
    return f"{name} is not on this machine. Where there is a network: python app.py --prefetch {name}"


def _speed(models: ModelStore) -> Iterator[Finding]:
    """Speed of the first model without other load, after a warm-up pass."""
    lm = models.get(models.default)
    if lm.model.config.n_positions <= _N_TOKENS:
        return
    rate = max(_tokens_per_second(lm) for _ in range(2))
    slow = "" if rate > _SLOW else "; slow to follow: close other programs"
    native = "" if library() is not None else "; without a C compiler (cc), so with torch alone"
    yield Finding(True, f"{models.default} writes {rate:,.0f} tokens a second here{slow}{native}")
    ids = lm.tokenizer.encode(_PROMPT)
    began = time.perf_counter()
    attention_patterns(lm.model, ids)
    yield Finding(True, f"all its attention maps of a sentence take {1e3 * (time.perf_counter() - began):,.0f} ms")


def _training(device: torch.device) -> Finding:
    """Expected result of the first Train preset on this machine."""
    updates, words = expected_run(_RUN, device)
    ends = "it ends in words" if words else "too few for words, so Train takes a smaller model: close other programs"
    return Finding(True, f"a run of {_RUN} s makes about {updates:,} updates here: {ends}")


def _tokens_per_second(lm: LanguageModel) -> float:
    began = time.perf_counter()
    n = sum(1 for _ in generate(lm, _PROMPT, max_new_tokens=_N_TOKENS, seed=1, stop_at_end=False))
    return n / (time.perf_counter() - began)


def _fonts() -> Finding:
    spec = importlib.util.find_spec("gradio")
    folder = Path(spec.origin or "").parent / "templates/frontend/static/fonts" if spec is not None else Path()
    if all((folder / font).is_file() for font in _FONTS):
        return Finding(True, "fonts and scripts come with the packages; the page asks no other host for anything")
    return Finding(False, "the fonts of the page are missing from gradio's package; it shows the system's instead")


def _port(host: str, port: int | None) -> Finding:
    for number in [port] if port is not None else _PORTS:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((host, number))
            except OSError:
                continue
            return Finding(True, f"port {number} is free")
    if port is not None:
        return Finding(False, f"port {port} is taken. Choose another --port, or leave it out.", needed=True)
    return Finding(False, "no port from 7860 to 7959 is free. Choose a --port.", needed=True)


def _room() -> Finding:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    enough = free >= _NEEDED_BYTES
    need = "" if enough else f"; files to save need up to {_NEEDED_BYTES / 1e6:,.0f} MB"
    return Finding(enough, f"{free / 1e9:,.1f} GB are free for temporary files in {folder}{need}")


_APP = Path(__file__).resolve().parents[2] / "app.py"
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the lightest first
_START, _SCENE = 120.0, 60_000.0  # seconds until the app answers, milliseconds until a scene is there
_TEXT = 10_000.0  # milliseconds until a text is there
_UNFOUND = "which is not shown here"
_TEXTS = ("text", "prompt")  # settings that are to be read on the page
# Whether a text can be read on the open page: in a field, or in what the page has written.
_SHOWS = """text => {
  const flat = one => (one ?? '').replace(/[\\s␣⏎]/g, '');  // tokens stand in cells of their own
  const seen = node => node.getClientRects().length > 0;
  const holds = node => flat(typeof node.value === 'string' ? node.value : node.textContent).includes(flat(text));
  const holding = [...document.querySelectorAll('body *')].filter(holds);
  return holding.some(node => seen(node) && ![...node.children].some(holds));
}"""
# Whether what is framed is in the window above the bar, or fills it.
_IN_SIGHT = """() => {
  const target = document.querySelector('.tour-target'), bar = document.querySelector('#tour');
  if (!target) return true;
  const {top, bottom, height} = target.getBoundingClientRect();
  const foot = Math.min(innerHeight, bar ? bar.getBoundingClientRect().top : innerHeight);
  return Math.min(bottom, foot) - Math.max(top, 0) >= Math.min(height, 0.5 * foot);
}"""

# The smallest letters of what is framed in large type, where they are smaller than the back row can read: 20 px on a
# screen of 1280, 24 on one of 1920. [pixels, least, the text]; null for none.
_SMALL = """() => {
  const target = document.querySelector('.tour-target'), least = Math.max(20, innerWidth / 80);
  if (!target || !document.body.classList.contains('present')) return null;
  const texts = document.createTreeWalker(target, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const node = texts.currentNode, holder = node.parentElement, range = document.createRange();
    const isSeen = holder.checkVisibility({visibilityProperty: true, opacityProperty: true});
    if (!node.textContent.trim() || !isSeen) continue;
    range.selectNodeContents(node);
    const {width, height} = range.getBoundingClientRect(), drawn = holder.ownerSVGElement && holder.getScreenCTM();
    const scale = drawn ? Math.hypot(drawn.a, drawn.b) : 1;
    const size = scale * parseFloat(getComputedStyle(holder).fontSize);
    if (width > 1 && height > 1 && size < least - 0.5) found.push([size, least, node.textContent.trim()]);
  }
  return found.sort(([one], [other]) => one - other)[0] ?? null;
}"""


def find_browser() -> str | None:
    """Where Chromium is on this machine; None without one."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def check_talk(talk: Talk, file: str, models: ModelStore) -> Iterator[Finding]:
    """One finding for each scene: what it lacks, or that it is ready; rehearsed where nothing is wrong beforehand."""
    yield from (Finding(False, f"{file}, {sentence}", needed=True) for sentence in stray(talk))
    yield from (Finding(False, f"{file}, {sentence}") for sentence in leaning(talk))
    ready, whole = list[Finding](), not talk.stray
    for number, scene in enumerate(talk.scenes, 1):
        wrong = [Finding(False, f"{file}, {sentence}", needed=True) for sentence in slips(scene)]
        faults = wrong or [_scene(scene, f"scene {number} (line {scene.line})", models)]
        whole = whole and all(one.ready for one in faults)
        ready += faults
    browser = find_browser()
    if not whole or browser is None or importlib.util.find_spec("playwright") is None:
        yield from ready
        why = ": that takes Chromium and `pip install playwright`" if whole else "; fix what is wrong above first"
        yield Finding(False, f"the talk is not rehearsed{why}")
        return
    yield from _rehearsed(talk, file, browser, ready)


def _scene(scene: Scene, name: str, models: ModelStore) -> Finding:
    model = scene.link.get("model", "")
    try:
        opened = f", {models.get(model).name}" if model else ""
    except GPTCoreError as error:
        return Finding(False, f"{name}: {error}", needed=True)
    if scene.link.get("tab") != "train" or scene.link.get("start") != "1":
        return Finding(True, f"{name}: {scene.link.get('tab', '')} {scene.link.get('view', '')}".rstrip() + opened)
    seconds = _seconds(scene)
    if seconds is None:
        return Finding(True, f"{name}: starts a run{opened}")
    updates, words = expected_run(seconds, models.device)
    ends = "it ends in words" if words else "too few for words, so Train takes a smaller model"
    run = f"a run of {seconds:.0f} s, about {updates:,} updates of the first preset"
    return Finding(True, f"{name}: starts {run}: {ends}")


def _seconds(scene: Scene) -> float | None:
    """How long the run of a scene takes, None where that is no number of seconds."""
    preset = PRESETS.get(scene.link.get("preset", ""), next(iter(PRESETS.values())))
    length = scene.link.get("train.length", str(preset["length"]))
    return float(length) if length.isdigit() else None


def _rehearsed(talk: Talk, file: str, browser: str, ready: Sequence[Finding]) -> Iterator[Finding]:
    """Starts the app with the talk, and goes through it in a browser without a window."""
    began = time.perf_counter()
    app = subprocess.Popen(
        [sys.executable, str(_APP), "--offline", "--host", "127.0.0.1", "--talk", file],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        address = _address(app)
        if address is None:
            yield Finding(False, "the app did not start for the rehearsal", needed=True)
            return
        whole = True
        for finding, beforehand in zip(walk(talk, address, browser), ready, strict=False):
            yield finding or beforehand
            whole = whole and finding is None
    finally:
        app.terminate()
        app.wait()
    if whole:
        yield Finding(True, f"{len(talk.scenes)} scenes rehearsed in {time.perf_counter() - began:.0f} s")


def _address(app: subprocess.Popen[str]) -> str | None:
    """The address of the talk, as the app prints it; None where it ends before or takes too long."""
    end = threading.Timer(_START, app.kill)
    end.start()
    try:
        printed = app.stdout if app.stdout is not None else io.StringIO()  # it is a pipe
        for line in printed:
            if "#talk=" in line:
                threading.Thread(target=printed.read, daemon=True).start()  # so that its output never blocks it
                return line.split()[-1]
        return None
    finally:
        end.cancel()


def walk(talk: Talk, address: str, browser: str) -> Iterator[Finding | None]:
    """Goes through a talk in a browser; what each scene does not show, None for one that shows all that it names.

    A scene that never comes ends it.
    """
    from playwright.sync_api import Error, sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"], timeout=_SCENE) as one,
    ):
        page = one.new_page(viewport={"width": 1280, "height": 720})
        page.set_default_timeout(_SCENE)
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address.replace("#", "?present=1#"))
        for number, scene in enumerate(talk.scenes, 1):
            name = f"scene {number} (line {scene.line})"
            try:
                page.locator("#tour .tour-count", has_text=f"{number} of {len(talk.scenes)}").wait_for()
                there = page.locator(".tour-target") if scene.point else page.locator("#tour")
                there.or_(page.locator("#tour .tour-say", has_text=_UNFOUND)).first.wait_for()
                words = page.locator("#tour .tour-say").inner_text()
            except Error:
                yield Finding(False, f"{name}: not there within {_SCENE / 1000:.0f} s", needed=True)
                return
            lacks = [failures[0]] if failures else [words] if _UNFOUND in words else lacking(page, scene)
            yield Finding(False, f"{name}: {lacks[0]}", needed=True) if lacks else None
            failures.clear()
            page.keyboard.press("PageDown")
        page.locator("#tour").wait_for(state="detached")


def lacking(page: Any, scene: Scene) -> list[str]:
    """What the open page does not show of a scene, in sentences."""
    from playwright.sync_api import Error

    faults = []
    for text in filter(None, (" ".join(scene.link.get(name, "").split()) for name in _TEXTS)):
        try:
            page.wait_for_function(_SHOWS, arg=text, timeout=_TEXT)
        except Error:
            faults.append(f"the text of its link, {text[:40]!r}, is not in the view")
    try:
        page.wait_for_function(_IN_SIGHT, timeout=_TEXT)
    except Error:
        faults.append(f"{scene.point!r} is scrolled out of sight")
    if small := page.evaluate(_SMALL):
        size, least, text = small
        faults.append(f"{text[:30]!r} has letters of {size:.0f} px; the back row reads {least:.0f} px and more")
    return faults
