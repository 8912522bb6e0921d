"""Records the runs that three forms of Train open with: `python -m tests.tools.recorded_runs` (four
minutes).
"""

import hashlib
import json

from gptcore.language_model import BUNDLED, DEFAULT_MODEL, SUMS
from ui.lenses.train.handlers import assistant, watching
from ui.lenses.train.handlers.files import EXAMPLES
from ui.lenses.train.handlers.forms import label_form, tune_form
from ui.lenses.train.handlers.input_forms import example_lines
from ui.lenses.train.handlers.labels import label_plan
from ui.lenses.train.handlers.plan import tuning_plan
from ui.lenses.train.handlers.presets import GPT1_TUNING
from ui.runs.run_json import write_run
from ui.runs.run_state import RunState
from ui.services import Services, make_services

_TUNE = {
    "corpus": "python_reference", "written": "", "file": None, "n_positions": 128, "batch_size": 8,
    "length": "60", "max_steps": 200, "epochs": 2, "learning_rate": 5e-4, "prompt": "The ",
    "optimizer": "adamw", "warmup_steps": 20, "weight_decay": 0.1, "seed": 1,
}  # fmt: skip
_LABELS = {
    **GPT1_TUNING,
    "input_form": "classification",
    "labelled": example_lines("classification"),
    "batch_size": 16,
    "length": "steps",
    "max_steps": 150,
    "learning_rate": 5e-4,
    "prompt": "the ",
}


def record(services: Services, kind: str) -> RunState:
    """One of EXAMPLES, learned here and now."""
    if kind == "tune":
        workspace = watching.further(
            services, None, DEFAULT_MODEL, tune_form(_TUNE, services.limits), tuning_plan
        )
    elif kind == "assistant":
        form = assistant.AssistantForm(seed=3)
        workspace = watching.further(services, None, DEFAULT_MODEL, form, assistant.teaching_plan)
    else:
        workspace = watching.further(
            services, None, DEFAULT_MODEL, label_form(_LABELS, services.limits), label_plan
        )
    if workspace.run is None or workspace.current is None or not workspace.run.wait(3600):
        raise RuntimeError("The run has not ended.")
    return workspace.current


def weights_digest(name: str) -> str:
    """What tells the weights of a bundled model from those of an earlier one: a hash of the
    checksums of its files.
    """
    lines = (BUNDLED / SUMS).read_text(encoding="utf-8").splitlines()
    own = sorted(line for line in lines if line.partition("  ")[2].startswith(f"{name}/model"))
    return hashlib.sha256("\n".join(own).encode()).hexdigest()


def main() -> None:
    """Writes the recordings."""
    services = make_services(offline=True)
    for kind, file in EXAMPLES.items():
        made = record(services, kind)
        told = {
            **json.loads(write_run(made)),
            "made_from": {DEFAULT_MODEL: weights_digest(DEFAULT_MODEL)},
        }
        file.write_text(json.dumps(told, ensure_ascii=False) + "\n", encoding="utf-8")
        print(
            f"{file.name}: {made.step} updates, {file.stat().st_size / 1e3:.0f} kB, "
            f"{made.snapshots[-1].text[:60]!r}"
        )
    services.close()


if __name__ == "__main__":
    main()
