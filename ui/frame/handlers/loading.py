"""Opening a model, with progress while its files are downloaded."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from gptcore.language_model import LanguageModel
from ui.services import Services
from ui.shared import inputs
from ui.state.model_store import facts


@dataclass(frozen=True)
class LoadStep:
    """What to show while a model is opened; `facts` is set once, at the end."""

    progress: str = ""
    facts: str | None = None


def load(services: Services, model: object) -> Iterator[LoadStep]:
    """Opens a model in a thread of its own and reports what it does.

    Raises:
        GPTCoreError: the model cannot be opened.
    """
    name = inputs.model_name(model)
    if name not in services.models.loaded():
        yield LoadStep(f"Opening {name} …")
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
            yield LoadStep(facts=facts(report))
            return
        yield LoadStep(report)
