"""Opening a model, with progress while its files are downloaded."""

import queue
import threading
from collections.abc import Iterator

from gptcore.language_model import LanguageModel
from ui.services import Services
from ui.shared import inputs
from ui.state.model_store import facts


def load(services: Services, model: object) -> Iterator[tuple[str, bool]]:
    """Opens a model in a thread of its own; yields (how far it is, or at the end its facts; whether it is open).

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
