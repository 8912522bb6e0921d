"""Progress reporting on the command line: lines or a bar, a JSON-lines log, and TensorBoard if installed."""

import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from gptcore.errors import TrainingError
from gptcore.training.loop import EndEvent, EvalEvent, StepEvent, TrainingEvent

_LINE_EVERY = 50  # updates


class Reporter:
    """Reports a run's events: with a progress bar in a terminal, elsewhere with an occasional line.

    Args:
        log: JSON-lines file, appended to.
        total: updates of the run, for the bar; None when only its time is known.
        tensorboard: folder for TensorBoard, or None.

    Raises:
        TrainingError: TensorBoard is asked for and not installed.
    """

    def __init__(self, log: Path, *, total: int | None, tensorboard: Path | None = None) -> None:
        self._log = log.open("a", encoding="utf-8", buffering=1)  # a line is on disk even if the run is killed
        self._bar = tqdm(total=total, unit="update", dynamic_ncols=True) if sys.stderr.isatty() else None
        self._board = _summary_writer(tensorboard) if tensorboard is not None else None

    def __call__(self, event: TrainingEvent) -> None:
        """Reports one event."""
        if isinstance(event, StepEvent):
            self._step(event)
        elif isinstance(event, EvalEvent):
            measures = {"bits_per_byte": event.score.bits_per_byte, "perplexity": event.score.perplexity}
            line = "held-out {bits_per_byte:.4f} bits per byte, perplexity {perplexity:.2f}".format(**measures)
            self._say(f"step {event.step}: {line}")
            self._write({"step": event.step, "valid_loss": event.score.loss, **measures})
            self._chart(event.step, valid_loss=event.score.loss, bits_per_byte=event.score.bits_per_byte)
        elif isinstance(event, EndEvent):
            used_up = f"the steps are used up after {event.step}" if event.reason == "steps" else "time is up"
            self._say(f"{used_up}")
            self.close()

    def close(self) -> None:
        """Flushes and closes the outputs. Safe to call twice."""
        self._log.flush()
        if self._bar is not None:
            self._bar.close()
        if self._board is not None:
            self._board.close()

    def _step(self, event: StepEvent) -> None:
        self._write(event.__dict__)
        self._chart(event.step, loss=event.loss, learning_rate=event.learning_rate, grad_norm=event.grad_norm)
        rate = event.n_tokens / max(1e-9, event.elapsed)
        if self._bar is not None:
            self._bar.n = event.step
            self._bar.set_postfix_str(f"loss {event.loss:.3f}, {rate:,.0f} tok/s")
        elif event.step % _LINE_EVERY == 0:
            self._say(
                f"step {event.step}  loss {event.loss:.3f}  lr {event.learning_rate:.2e}  "
                f"norm {event.grad_norm:.2f}  {rate:,.0f} tok/s  {event.elapsed:,.0f} s"
            )

    def _say(self, line: str) -> None:
        tqdm.write(line) if self._bar is not None else print(line, flush=True)

    def _write(self, row: dict[str, Any]) -> None:
        self._log.write(json.dumps(row) + "\n")

    def _chart(self, step: int, **values: float) -> None:
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(name, value, step)


def _summary_writer(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise TrainingError(
            "TensorBoard is not installed. `pip install tensorboard`, or leave --tensorboard out."
        ) from None
    return SummaryWriter(str(folder))
