"""What a rehearsal has seen: a contact sheet of pictures, and a handout to print."""

import base64
import html
import io
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from gptcore.errors import GPTCoreError
from ui.server.talks import Scene
from ui.shared.qr import qr_svg

# pixels of a picture on the sheet
_WIDTH = 640
_HEIGHT = 360
_LINE = 22  # pixels of a line of a caption
_WRAP = 130  # letters of it
_STEPS = ("press", "start", "hide", "once")  # of a talk's links: a reader presses for himself
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
  body {{ max-width: 190mm; margin: 10mm auto; font-family: sans-serif; color: #111; }}
  section {{ display: grid; grid-template-columns: 1fr 32mm; gap: 2mm 6mm; }}
  section {{ margin-bottom: 8mm; break-inside: avoid; }}
  h2, p {{ grid-column: 1 / -1; margin: 0; }}
  img {{ width: 100%; border: 1px solid #999; }}
  svg {{ width: 32mm; }}
</style>
<h1>{title}</h1>
{scenes}
</html>
"""


@dataclass(frozen=True)
class ScenePictures:
    """A scene as it was seen."""

    scene: Scene
    pictures: tuple[bytes, ...]  # PNG, one of each screen


@dataclass
class Sheet:
    """Pictures of all scenes."""

    rows: list[ScenePictures] = field(default_factory=list)

    def save(self, file: Path) -> None:
        """Writes all pictures, with the scenes' sentences, as one PNG. Raises OSError where it
        cannot be written.
        """
        from PIL import Image, ImageDraw, ImageFont

        captions = [
            textwrap.wrap(f"{n}. {row.scene.say}", _WRAP) or [""]
            for n, row in enumerate(self.rows, 1)
        ]
        heights = [_HEIGHT + _LINE * len(lines) + _LINE for lines in captions]
        sheet = Image.new("RGB", (2 * _WIDTH + 10, max(1, sum(heights))), "white")
        draw = ImageDraw.Draw(sheet)
        font = ImageFont.load_default(size=16)
        top = 0
        for row, lines, row_height in zip(self.rows, captions, heights, strict=True):
            for number, text in enumerate(lines):
                draw.text((4, top + _LINE * number), text, fill="black", font=font)
            for column, picture in enumerate(row.pictures):
                place = (column * (_WIDTH + 10), top + _LINE * len(lines))
                with Image.open(io.BytesIO(picture)) as opened:
                    sheet.paste(opened.convert("RGB").resize((_WIDTH, _HEIGHT)), place)
            top += row_height
        sheet.save(file, "PNG")

    def save_handout(self, file: Path, title: str, address: str) -> None:
        """Writes a page to print: picture, sentence and QR code of each scene.

        Args:
            address: where readers find the app, such as https://lens.example.org; "" leaves the
                codes out.

        Raises:
            GPTCoreError: an address that is none.
            OSError: the file cannot be written.
        """
        check_address(address)
        scenes = [_section(number, row, address) for number, row in enumerate(self.rows, 1)]
        file.write_text(
            _PAGE.format(title=html.escape(title), scenes="\n".join(scenes)), encoding="utf-8"
        )


def check_address(address: str) -> None:
    """Checks where readers find the app, "" for nowhere. Raises GPTCoreError."""
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise GPTCoreError(
            f"The address is {address!r}; give one such as https://lens.example.org."
        )


def _section(number: int, row: ScenePictures, address: str) -> str:
    settings = {name: value for name, value in row.scene.link.items() if name not in _STEPS}
    code = qr_svg(f"{address.rstrip('/')}/?{urlencode(settings)}") if address else None
    picture = base64.b64encode(row.pictures[0]).decode() if row.pictures else ""
    return (
        f"<section><h2>{number}</h2><img alt='' "
        f"src='data:image/png;base64,{picture}'>{code or '<span></span>'}"
        f"<p>{html.escape(row.scene.say)}</p></section>"
    )
