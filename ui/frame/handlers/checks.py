"""The checks on the model in the picker, as a table that grows while they run."""

from collections.abc import Iterator

from gptcore.analysis.verification import verify
from ui.services import Services
from ui.shared import inputs
from ui.shared.sheets import Section, sheet

_WORDS = {True: "✓ passed", False: "✗ FAILED", None: "– not run"}


def checks(services: Services, session_id: str | None, model: object) -> Iterator[str]:
    """Yields a sheet of the checks so far, which run in sequence; a stop keeps the finished ones."""
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
    yield _shown(lm.name, rows, f"{passed} passed, {failed} failed, {len(rows) - passed - failed} not run")


def _shown(name: str, rows: list[tuple[str, str, str]], state: str) -> str:
    return sheet([Section(f"{name}: {state}", "", ("", "what should hold", "measured"), list(rows))])
