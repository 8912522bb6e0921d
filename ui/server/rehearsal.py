"""Rehearsal of a talk: `python app.py --check FILE` goes through it scene by scene, in a browser
where there is one.

Each scene is looked at on a screen of 1280 x 720 and on one of 1920 x 1080; `--sheet` and
`--handout` keep pictures.
"""

import importlib.util
import io
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from gptcore.errors import GPTCoreError
from ui.lenses.train.handlers.fitting import expected_run
from ui.lenses.train.handlers.presets import PRESETS
from ui.server.handout import ScenePictures, Sheet
from ui.server.preflight import Finding
from ui.server.talks import Scene, Talk, context_warnings, scene_warnings, text_warnings
from ui.state.model_store import ModelStore

_SCREENS = ((1280, 720), (1920, 1080))  # pixels
_APP = Path(__file__).resolve().parents[2] / "app.py"
# the lightest first
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# seconds until the app answers, milliseconds until a scene is there
_START = 120.0
_SCENE = 60_000.0
_TEXT = 10_000.0  # milliseconds until a text is there
_GROWING = 2_000.0  # milliseconds until letters have their size
_UNFOUND = "which is not shown here"
_TEXTS = ("text", "prompt")  # settings that are to be read on the page
# Whether a text can be read on the open page: in a field, or in what the page has written.
_SHOWS = """text => {
  const flat = one => (one ?? '').replace(/[\\s␣⏎]/g, '');  // tokens stand in cells of their own
  const seen = node => node.getClientRects().length > 0;
  const read = node => typeof node.value === 'string' ? node.value : node.textContent;
  const holds = node => flat(read(node)).includes(flat(text));
  const holding = [...document.querySelectorAll('body *')].filter(holds);
  return holding.some(node => seen(node) && ![...node.children].some(holds));
}"""
# Whether the open tab shows answers to what it asks now, and the page stands still.
_STILL = """async () => {
  const open = [...document.querySelectorAll('#tabs :is([aria-busy=true], [data-stale])')];
  const waits = open.some(one => one.closest('.lens-component')?.querySelector('.tour-target') ||
    one.closest('.tour-target'));
  const frame = () => new Promise(requestAnimationFrame);
  const places = [];
  for (let i = 0; i < 10; i++) {
    places.push(scrollY);
    await frame();
  }
  const isFading = document.getAnimations().some(
    one => one.playState === 'running' && one.effect.getTiming().iterations !== Infinity);
  return !waits && !isFading && new Set(places).size === 1;
}"""
# Whether what is framed is in the window above the bar, or fills it.
_IN_SIGHT = """() => {
  const target = document.querySelector('.tour-target'), bar = document.querySelector('#tour');
  if (!target) return true;
  const {top, bottom, height} = target.getBoundingClientRect();
  const foot = Math.min(innerHeight, bar ? bar.getBoundingClientRect().top : innerHeight);
  return Math.min(bottom, foot) - Math.max(top, 0) >= Math.min(height, 0.5 * foot);
}"""

# The smallest letters of what is framed in large type, where they are smaller than the back row can
# read: 20 px on a screen of 1280, 24 on one of 1920. [pixels, least, the text]; null for none.
_SMALL = """() => {
  const target = document.querySelector('.tour-target'), least = Math.max(20, innerWidth / 80);
  if (!target || !document.body.classList.contains('present')) return null;
  const texts = document.createTreeWalker(target, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const node = texts.currentNode, holder = node.parentElement, range = document.createRange();
    const isSeen = holder.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const isForReaders = holder.offsetWidth === 1; // a heading for screen readers
    if (!node.textContent.trim() || !isSeen || isForReaders) continue;
    range.selectNodeContents(node);
    const {width, height} = range.getBoundingClientRect();
    const drawn = holder.ownerSVGElement && holder.getScreenCTM();
    const scale = drawn ? Math.hypot(drawn.a, drawn.b) : 1;
    const size = scale * parseFloat(getComputedStyle(holder).fontSize);
    const isSmall = width > 1 && height > 1 && size < least - 0.5;
    if (isSmall) found.push([size, least, node.textContent.trim()]);
  }
  return found.sort(([one], [other]) => one - other)[0] ?? null;
}"""


def find_browser() -> str | None:
    """Returns the path of Chromium on this machine; None without one."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def check_talk(
    talk: Talk, file: str, models: ModelStore, sheet: Sheet | None = None
) -> Iterator[Finding]:
    """Yields what is wrong with each scene, or that it is ready, in the order of the file.

    Where there is a browser all scenes are rehearsed, also those with warnings: one hides no other.
    """
    texts = [
        (line, Finding(False, f"{file}, {sentence}", needed=True))
        for line, sentence in text_warnings(talk)
    ]
    by_context = dict(context_warnings(talk))
    browser = find_browser()
    can_rehearse = browser is not None and importlib.util.find_spec("playwright") is not None
    began = time.perf_counter()
    is_whole = not texts
    rehearsed = _rehearsed(talk, file, browser if can_rehearse else None, sheet)
    with closing(rehearsed):
        for number, scene in enumerate(talk.scenes, 1):
            name = f"scene {number} (line {scene.line})"
            while texts and texts[0][0] < scene.line:
                yield texts.pop(0)[1]
            if scene.line in by_context:
                yield Finding(False, f"{file}, {by_context[scene.line]}")
            faults = [
                Finding(False, f"{file}, {sentence}", needed=True)
                for sentence in scene_warnings(scene)
            ]
            faults += [
                Finding(False, f"{name}: {sentence}", needed=True)
                for sentence in next(rehearsed, ())
            ]
            faults = faults or [_scene(scene, name, models)]
            is_whole = is_whole and all(fault.ready for fault in faults)
            yield from faults
    yield from (finding for _, finding in texts)
    if not can_rehearse:
        yield Finding(
            False, "the talk is not rehearsed: that takes Chromium and `pip install playwright`"
        )
    elif is_whole:
        yield Finding(
            True, f"{len(talk.scenes)} scenes rehearsed in {time.perf_counter() - began:.0f} s"
        )


def _scene(scene: Scene, name: str, models: ModelStore) -> Finding:
    model = scene.link.get("model", "")
    try:
        opened = f", {models.get(model).name}" if model else ""
    except GPTCoreError as error:
        return Finding(False, f"{name}: {error}", needed=True)
    if scene.link.get("tab") != "train" or scene.link.get("start") != "1":
        return Finding(
            True,
            f"{name}: {scene.link.get('tab', '')} {scene.link.get('view', '')}".rstrip() + opened,
        )
    seconds = _seconds(scene)
    if seconds is None:
        return Finding(True, f"{name}: starts a run{opened}")
    updates, words = expected_run(seconds, models.device)
    ends = "it ends in words" if words else "too few for words, so Train takes a smaller model"
    run = f"a run of {seconds:.0f} s, about {updates:,} updates of the first preset"
    return Finding(True, f"{name}: starts {run}: {ends}")


def _seconds(scene: Scene) -> float | None:
    """Returns the length of a scene's run in seconds, None where that is no number of seconds."""
    preset = PRESETS.get(scene.link.get("preset", ""), next(iter(PRESETS.values())))
    length = scene.link.get("train.length", str(preset["length"]))
    return float(length) if length.isdigit() else None


def _rehearsed(
    talk: Talk, file: str, browser: str | None, sheet: Sheet | None
) -> Generator[Sequence[str], None, None]:
    """Starts the app with the talk and goes through it in a browser without a window; yields each
    scene's faults.

    Without a browser it yields nothing.
    """
    if browser is None:
        return
    app = subprocess.Popen(
        [sys.executable, str(_APP), "--offline", "--host", "127.0.0.1", "--talk", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        address = _address(app)
        if address is None:
            yield ["the app did not start for the rehearsal"]
            return
        yield from walk(talk, address, browser, sheet)
    finally:
        app.terminate()
        app.wait()


def _address(app: subprocess.Popen[str]) -> str | None:
    """The address of the talk, as the app prints it; None where it ends before or takes too
    long.
    """
    end = threading.Timer(_START, app.kill)
    end.start()
    try:
        printed = app.stdout if app.stdout is not None else io.StringIO()  # it is a pipe
        for line in printed:
            if "#talk=" in line:
                threading.Thread(
                    target=printed.read, daemon=True
                ).start()  # so that its output never blocks it
                return line.split()[-1]
        return None
    finally:
        end.cancel()


def walk(
    talk: Talk, address: str, browser: str, sheet: Sheet | None = None
) -> Iterator[Sequence[str]]:
    """Goes through a talk in a browser; yields what each scene does not show, in sentences.

    A scene that never comes ends it.
    """
    from playwright.sync_api import Error, sync_playwright

    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=browser, args=["--no-sandbox"], timeout=_SCENE
        ) as one,
    ):
        page = one.new_page(viewport=_viewport(_SCREENS[0]))
        page.set_default_timeout(_SCENE)
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address.replace("#", "?present=1#"))
        for number, scene in enumerate(talk.scenes, 1):
            try:
                page.locator(
                    "#tour .tour-count", has_text=f"{number} of {len(talk.scenes)}"
                ).wait_for()
                there = page.locator(".tour-target") if scene.point else page.locator("#tour")
                there.or_(page.locator("#tour .tour-say", has_text=_UNFOUND)).first.wait_for()
                page.locator(f'#tour[data-done="{number - 1}"]').wait_for()
                words = page.locator("#tour .tour-say").inner_text()
            except Error:
                yield [f"not there within {_SCENE / 1000:.0f} s"]
                return
            pictures = list[bytes]()
            faults = [failures[0]] if failures else [words] if _UNFOUND in words else []
            for screen in _SCREENS:
                page.set_viewport_size(_viewport(screen))
                with suppress(Error):  # a figure that goes on moving, as of a run
                    page.wait_for_function(_STILL, timeout=_TEXT)
                if not faults:
                    faults = [
                        f"{fault} (at {screen[0]} x {screen[1]})" for fault in lacking(page, scene)
                    ]
                pictures.append(page.screenshot())
            page.set_viewport_size(_viewport(_SCREENS[0]))
            if sheet is not None:
                sheet.rows.append(ScenePictures(scene, tuple(pictures)))
            yield faults
            failures.clear()
            page.keyboard.press("PageDown")
        page.locator("#tour").wait_for(state="detached")


def _viewport(screen: tuple[int, int]) -> Any:
    width, height = screen
    return {"width": width, "height": height}


def lacking(page: Any, scene: Scene) -> list[str]:
    """Lists, in sentences, what the open page does not show of a scene."""
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
    with suppress(Error):  # letters grow for a moment when large type begins
        page.wait_for_function(f"() => ({_SMALL})() === null", timeout=_GROWING)
    if small := page.evaluate(_SMALL):
        size, least, text = small
        faults.append(
            f"{text[:30]!r} has letters of {size:.0f} px; the back row reads {least:.0f} px "
            "and more"
        )
    return faults
