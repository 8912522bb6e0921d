"""What the Train tab's timed presets reach, and what other settings reach in the same time.

    python tests/benchmarks/presets.py [--text anthology FILE ...] [--seconds 30 120] [--only ROW ...]

Every row is a run of the app's own (plan, loop, snapshots and all), at equal wall-clock, one after the other, with
nobody else computing. The last column is the loss on the whole held-out part, in nats a character.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script, from anywhere
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from gptcore.machine import keep_freed_memory
from ui.lenses.train.handlers.forms import train_form
from ui.lenses.train.handlers.plan import make_plan
from ui.lenses.train.handlers.presets import PRESETS
from ui.runs.training_run import TrainingRun
from ui.services import make_services

_MUON, _ADAMW = {"optimizer": "muon"}, {"optimizer": "adamw"}
_LONGER = {"batch_size": 16, "n_positions": 128}


def _row(vocabulary: int, decay: float, noise: float = 0.0, *, longer: bool = False) -> tuple[str, dict[str, Any]]:
    """A row of word pieces, or of letters where the vocabulary is 0."""
    name = f"{f'{vocabulary} pieces' if vocabulary else 'letters'}, decay {decay:g}, noise {noise:g}"
    tokens = {"tokenizer": "bpe", "vocab_size": vocabulary} if vocabulary else {}
    values = {**_MUON, **tokens, "weight_decay": decay, "noise": noise, **(_LONGER if longer else {})}
    return name + (", batch 16 x 128" if longer else ""), values


# Noise and decay keep a model from learning a short text by heart.
_MUON_ROWS = (
    _row(0, 0.1), _row(0, 1), _row(0, 3), _row(0, 1, longer=True), _row(0, 1.5, longer=True), _row(0, 1, 0.1),
    _row(0, 0.5, 0.15), _row(512, 0.1), _row(512, 1), _row(512, 3), _row(512, 1, 0.1), _row(512, 1.5, 0.2),
    _row(512, 0.5, 0.25), _row(512, 1, 0.25, longer=True), _row(384, 0.1), _row(384, 1, 0.2), _row(384, 0.5, 0.15),
    _row(384, 0.7, 0.15), _row(384, 0.7, 0.1), _row(320, 1, 0.1), _row(512, 0.3, longer=True),
    _row(512, 0.3, 0.05, longer=True), _row(512, 0.5, longer=True), _row(1024, 0.3, longer=True),
    _row(384, 0.5, longer=True),
)  # fmt: skip
# What is changed from the preset of 30 seconds.
ROWS: dict[str, dict[str, Any]] = {
    "AdamW": _ADAMW,
    "AdamW, batch 16": {**_ADAMW, "batch_size": 16},
    "AdamW, 6e-3": {**_ADAMW, "learning_rate": 6e-3},
    "AdamW, dropout 0.2": {**_ADAMW, "dropout": 0.2},
    "Muon, batch 16": {**_MUON, "batch_size": 16},
    "Muon, batch 24, 4e-3": {**_MUON, "batch_size": 24, "learning_rate": 4e-3},
    "Muon, 5e-3": {**_MUON, "learning_rate": 5e-3},
    "Muon, warm-up 20": {**_MUON, "warmup_steps": 20},
    "Muon, 6 layers": {**_MUON, "n_layer": 6},
    "Muon, dropout 0.1, decay 1": {**_MUON, "dropout": 0.1, "weight_decay": 1.0},
    "Muon, dropout 0.2, decay 1": {**_MUON, "dropout": 0.2, "weight_decay": 1.0},
    **dict(_MUON_ROWS),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs="+", default=["anthology"], help="built-in texts or files")
    parser.add_argument("--seconds", type=int, nargs="+", default=[30], choices=(30, 60, 120))
    parser.add_argument("--only", nargs="+", default=list(ROWS), choices=list(ROWS), metavar="ROW", help="some rows")
    options = parser.parse_args()
    keep_freed_memory()
    services = make_services(offline=True)
    for text in options.text:
        from_file = Path(text).is_file()
        where = {"corpus": "yours", "written": Path(text).read_text("utf-8")} if from_file else {"corpus": text}
        for seconds in options.seconds:
            print(f"\n{Path(text).name}, {seconds} s{'':24}updates  tokens/s  precision  held out", flush=True)
            for name in options.only:
                preset = PRESETS["30 seconds, letters"]
                one(services, name, {**preset, **where, "length": str(seconds), **ROWS[name]})


def one(services, name: str, values: dict[str, Any]) -> None:
    """Runs one row to its end and prints it."""
    run = TrainingRun(make_plan(services, train_form(values, services.limits)), services.compute_thread)
    run.go()
    while not run.wait(1.0):
        pass
    done, facts = run.record, run.record.facts
    print(
        f"{name:40}{done.step:>8,}{done.step * facts.tokens_per_step / done.seconds():>10,.0f}"
        f"{facts.config.precision:>11}{done.final_loss * facts.tokens_per_character:>10.3f}"
        + ("  busy" if done.processor_share < 0.7 else ""),
        flush=True,
    )


if __name__ == "__main__":
    main()
