"""What the page does with the model in the picker: opens it, shows its card, and checks what it
computes.
"""

import queue
import re
import threading
from collections.abc import Iterator

from gptcore.analysis.verification import verify
from gptcore.language_model import LanguageModel, bundled_models
from ui.services import Services
from ui.shared import inputs
from ui.shared.sheets import Section, sheet
from ui.state.model_store import base_name, facts

_CARD = "README.md"
_METADATA = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)  # which the Hub reads
# lies in the repository; the page has the curve in its tables
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n*")
_WORDS = {True: "✓ passed", False: "✗ FAILED", None: "– not run"}


def load(services: Services, model: object) -> Iterator[tuple[str, bool]]:
    """Opens a model in a thread of its own; yields (how far it is, or at the end its facts; whether
    it is open).

    Raises:
        GPTCoreError: the model cannot be opened.
    """
    name = inputs.model_name(model)
    if name not in services.models.loaded():
        yield f"Opening {name} …", False
    reports: queue.Queue[str | LanguageModel | Exception] = queue.Queue()

    def work() -> None:
        try:
            reports.put(services.models.get(name, reports.put))
        except Exception as error:
            reports.put(error)

    threading.Thread(target=work, name=f"load-{name}", daemon=True).start()
    while True:
        report = reports.get()
        if isinstance(report, Exception):
            raise report
        if isinstance(report, LanguageModel):
            yield facts(report), True
            return
        yield report, False


def card(model: object) -> str:
    """The card as Markdown, without its title and pictures; for a model from elsewhere, where such
    a card is found.

    Raises:
        InputError: for what is no model's name.
    """
    name = inputs.model_name(model)
    folder = bundled_models().get(base_name(name))
    if folder is None or not (folder / _CARD).is_file():
        return (
            "This model is not bundled with the app, so no card is shown here. "
            "If it is on the Hugging Face Hub, its card is on its page there."
        )
    text = _METADATA.sub("", (folder / _CARD).read_text(encoding="utf-8"))
    return _PICTURE.sub("", text.split("\n", 1)[1]).strip()


def checks(services: Services, session_id: str | None, model: object) -> Iterator[str]:
    """Yields a sheet of the checks so far, which run in sequence; a stop keeps the finished
    ones.
    """
    lm = services.models.get(inputs.model_name(model))
    rows: list[tuple[str, str, str]] = []
    with services.sessions.get(session_id).turn() as run:
        yield _shown(lm.name, rows, "running…")
        for check, _ in services.compute(verify(lm.model)):
            rows.append((_WORDS[check.passed], check.name, check.figure))
            yield _shown(lm.name, rows, "running…")
            if not run.wanted:
                yield _shown(lm.name, rows, "stopped")
                return
    failed = sum(row[0] == _WORDS[False] for row in rows)
    passed = sum(row[0] == _WORDS[True] for row in rows)
    yield _shown(
        lm.name, rows, f"{passed} passed, {failed} failed, {len(rows) - passed - failed} not run"
    )


def _shown(name: str, rows: list[tuple[str, str, str]], state: str) -> str:
    return sheet(
        [Section(f"{name}: {state}", "", ("", "what should hold", "measured"), list(rows))]
    )
