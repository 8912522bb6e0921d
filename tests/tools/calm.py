"""Measures how calm every view of the page is, and takes its picture.

python -m tests.tools.calm [FOLDER] [--size NAME ...]

Each view is opened in a fresh load, in eight windows. The table says how many things can be clicked
or typed into on its first screen, in its own part of it (header, tabs and footer apart), and what
is wrong with its layout. With FOLDER, a picture of each view is written there, and one sheet of all
of them for each window.
"""

import argparse
import sys
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from layout import faults, things

from browser import COUNT_REQUESTS, settled
from serving import served_page
from ui.server.rehearsal import find_browser
from ui.views import TABS

# Name -> width, height and what the address says of the looks.
SIZES = {
    "320": (320, 640, {"__theme": "light"}),
    "390": (390, 844, {"__theme": "light"}),
    "390-dark": (390, 844, {"__theme": "dark"}),
    "768": (768, 1024, {"__theme": "light"}),
    "1024": (1024, 768, {"__theme": "light"}),
    "1280": (1280, 720, {"__theme": "light"}),
    "1280-dark": (1280, 720, {"__theme": "dark"}),
    "1920-large": (1920, 1080, {"__theme": "light", "present": "1"}),
}
MOST_THINGS = (
    45  # wanted on the first screen of a view, as tests/e2e/test_access_in_browser.py has it
)
_COLUMNS = 4
_THUMBNAIL = 640


def places() -> list[tuple[str, dict[str, str]]]:
    """Each view of the page -> the pieces of a link that opens it."""
    found = []
    for tab in TABS:
        for view in tab.views:
            pieces = {"tab": tab.name, "view": view.title}
            found.append((f"{tab.name}-{view.name}", pieces))
        if not tab.views:
            found.append((tab.name, {"tab": tab.name}))
    return found


def measure(page: Page, address: str) -> tuple[int, list[str]]:
    """Opens a view: the things on its first screen, and the faults of its layout."""
    page.goto(address)
    page.locator("#tabs .lens-component:visible").first.wait_for()
    settled(page)
    return things(page, "#tabs > .tabitem"), faults(page)


def visit(
    browser: Browser, server: str, size: str, folder: Path | None
) -> dict[str, tuple[int, list[str]]]:
    """Each view in one window: things and faults; pictures go to the folder."""
    width, height, looks = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=width < 600
    )
    page = context.new_page()
    page.add_init_script(COUNT_REQUESTS)
    found = {}
    for name, pieces in places():
        found[name] = measure(page, f"{server}?{urlencode(pieces | looks)}")
        if folder:
            page.screenshot(path=folder / f"{size}-{name}.png")
    context.close()
    if folder:
        sheet(folder, size).save(folder / f"{size}.png")
    return found


def sheet(folder: Path, size: str) -> Image.Image:
    """All pictures of one window on one."""
    images = [Image.open(folder / f"{size}-{name}.png").convert("RGB") for name, _ in places()]
    width = min(_THUMBNAIL, images[0].width)
    height = round(images[0].height * width / images[0].width)
    rows = -(-len(images) // _COLUMNS)
    made = Image.new("RGB", (_COLUMNS * (width + 8), rows * (height + 8)), "gray")
    for index, image in enumerate(images):
        row, column = divmod(index, _COLUMNS)
        made.paste(image.resize((width, height)), (column * (width + 8), row * (height + 8)))
    return made


def main(arguments: list[str]) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--size", nargs="*", choices=SIZES, default=list(SIZES))
    given = parser.parse_args(arguments)
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
    table = {}
    with served_page() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        for size in given.size:
            table[size] = visit(browser, server, size, given.folder)
        browser.close()
    print("view".ljust(28), *(size.rjust(11) for size in table))
    for name, _ in places():
        print(name.ljust(28), *(str(found[name][0]).rjust(11) for found in table.values()))
    for size, found in table.items():
        for name, (count, wrong) in found.items():
            for fault in [
                *wrong,
                *([f"{count} things, {MOST_THINGS} wanted"] if count > MOST_THINGS else []),
            ]:
                print(f"{size}, {name}: {fault}")


if __name__ == "__main__":
    main(sys.argv[1:])
