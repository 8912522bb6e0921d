"""The four input forms of GPT-1's figure 1, learned by the mini on their made-up sets.

python tests/benchmarks/input_forms.py [--updates 300]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ui.lenses.train.handlers import labels, watching
from ui.lenses.train.handlers.forms import label_form
from ui.lenses.train.handlers.input_forms import INPUT_FORMS
from ui.lenses.train.handlers.label_sets import example_lines
from ui.lenses.train.handlers.presets import GPT1_TUNING
from ui.services import make_services


def main() -> None:
    """Learns and prints one line a form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=300)
    updates = parser.parse_args().updates
    services = make_services(model="mini", offline=True)
    for name in INPUT_FORMS:
        changes = {"batch_size": 16, "learning_rate": 5e-4, "length": "steps", "max_steps": updates, "prompt": "the "}
        values = {**GPT1_TUNING, **changes, "input_form": name, "labelled": example_lines(name)}
        bench = watching.learn_labels(services, None, "mini", label_form(values, services.limits))
        if bench.run is not None:
            bench.run.wait(3600)
        for record in bench.runs:
            print(f"{name}: {labels.verdict(record)}", flush=True)


if __name__ == "__main__":
    main()
