"""What the Train tab's timed presets reach, and what other settings reach in the same time.

    python tests/benchmarks/presets.py [--text anthology FILE ...] [--seconds 30 120] [--only muon]

Every row is a run of the app's own (plan, loop, snapshots and all), at equal wall-clock, one after the other, with
nobody else computing. The last column is the loss on the whole held-out part, in nats a character.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script, from anywhere
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from gptcore.training.memory import keep_freed_memory
from ui.handlers.train.forms import train_form
from ui.handlers.train.plan import make_plan
from ui.handlers.train.presets import PRESETS
from ui.runs import Run
from ui.services import make_services

# What is changed from the preset of 30 seconds.
ROWS: dict[str, dict[str, Any]] = {
    "AdamW, batch 32 x 64, 3e-3": {"optimizer": "adamw"},
    "AdamW, batch 16 x 64, 3e-3": {"optimizer": "adamw", "batch_size": 16},
    "AdamW, batch 32 x 64, 6e-3": {"optimizer": "adamw", "learning_rate": 6e-3},
    "Muon, batch 32 x 64, 3e-3": {"optimizer": "muon"},
    "Muon, batch 16 x 64, 3e-3": {"optimizer": "muon", "batch_size": 16},
    "Muon, batch 24 x 64, 4e-3": {"optimizer": "muon", "batch_size": 24, "learning_rate": 4e-3},
    "Muon, batch 16 x 128, 3e-3": {"optimizer": "muon", "batch_size": 16, "n_positions": 128},
    "Muon, batch 32 x 64, 5e-3": {"optimizer": "muon", "learning_rate": 5e-3},
    "Muon, batch 32 x 64, 3e-3, warm-up 20": {"optimizer": "muon", "warmup_steps": 20},
    "Muon, 6 layers, batch 32 x 64": {"optimizer": "muon", "n_layer": 6},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs="+", default=["anthology"], help="built-in texts or files")
    parser.add_argument("--seconds", type=int, nargs="+", default=[30], choices=(30, 60, 120))
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    options = parser.parse_args()
    keep_freed_memory()
    services = make_services(offline=True)
    for text in options.text:
        from_file = Path(text).is_file()
        where = {"corpus": "yours", "written": Path(text).read_text("utf-8")} if from_file else {"corpus": text}
        for seconds in options.seconds:
            print(f"\n{Path(text).name}, {seconds} s{'':24}updates  tokens/s  precision  held out", flush=True)
            for name, changes in ROWS.items():
                if options.only.lower() in name.lower():
                    one(services, name, {**PRESETS["30 seconds, letters"], **where, "length": str(seconds), **changes})


def one(services, name: str, values: dict[str, Any]) -> None:
    """Runs one row to its end and prints it."""
    run = Run(make_plan(services, train_form(values, services.limits)))
    run.go()
    while not run.wait(1.0):
        pass
    done, facts = run.record, run.record.facts
    print(
        f"{name:40}{done.step:>8,}{done.step * facts.tokens_per_step / done.seconds():>10,.0f}"
        f"{facts.config.precision:>11}{done.final_loss * facts.tokens_per_character:>10.3f}"
        + ("  busy" if done.busy else ""),
        flush=True,
    )


if __name__ == "__main__":
    main()
