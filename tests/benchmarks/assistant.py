"""What Train's "Assistant" reaches in a few minutes on this machine, stage by stage.

    python tests/benchmarks/assistant.py held_out_stories.txt [--seconds 60 90] [--model mini] [--measured 200]

The app's own plans, with nobody else computing: instruction tuning, answers that the rule pairs, preference tuning.
Each model answers instructions made of held-out stories and is scored on the stories themselves, in bits per byte.
"""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script, from anywhere
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from gptcore.corpora import read_documents
from gptcore.finetuning.answering import evaluate_instructions
from gptcore.finetuning.instruction import Instruction, instructions
from gptcore.inference.scoring import score_documents
from gptcore.language_model import LanguageModel
from gptcore.machine import keep_freed_memory
from gptcore.training.data import encoded
from ui.lenses.train.handlers.assistant import AssistantForm, preference_plan, teaching_plan, write_preferences
from ui.runs.plan import Plan
from ui.runs.training_run import TrainingRun
from ui.services import Services, make_services


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stories", help="held-out stories, separated by the end-of-text token")
    parser.add_argument("--seconds", type=float, nargs=2, default=(60.0, 90.0), help="of the two trainings")
    parser.add_argument("--model", default="mini")
    parser.add_argument("--measured", type=int, default=200, help="held-out instructions")
    options = parser.parse_args()
    keep_freed_memory()
    services = make_services(offline=True)
    held_out = read_documents(options.stories)
    asked = [one for one in instructions(held_out, 6 * options.measured, seed=7) if one.words][: options.measured]
    print(f"{'':14}  seconds  updates  all words  words   ends  repeated  length  bits per byte", flush=True)

    lm = services.models.get(options.model)
    told(services, "before", lm, asked, held_out, 0.0, 0)
    first, second = options.seconds
    began = time.perf_counter()
    lm, updates = trained(services, lm, teaching_plan(services, lm, AssistantForm(length="120", most_seconds=first)))
    told(services, "instructions", lm, asked, held_out, time.perf_counter() - began, updates)
    began = time.perf_counter()
    form, pairs = AssistantForm(length="120", most_seconds=second), []
    for _, pairs in write_preferences(services, lm, form):  # noqa: B007 - the last ones count
        pass
    writing = time.perf_counter() - began
    lm, updates = trained(services, lm, preference_plan(services, lm, pairs, form, note=""))
    told(services, "preferences", lm, asked, held_out, time.perf_counter() - began, updates)
    print(f"of these {writing:.0f} s for {len(pairs)} pairs")


def trained(services: Services, lm: LanguageModel, plan: Plan) -> tuple[LanguageModel, int]:
    """The model after a run of the app's, and its updates."""
    run = TrainingRun(plan, services.compute_thread)
    run.go()
    while not run.wait(1.0):
        pass
    made = run.record.language_model
    assert made is not None, run.record.reason
    return replace(made, name=lm.name), run.record.step


def told(
    services: Services,
    name: str,
    lm: LanguageModel,
    asked: list[Instruction],
    held_out: list[str],
    seconds: float,
    updates: int,
) -> None:
    """Prints a stage's figures, measured in the thread that trains: another's workers would slow it."""
    start = lm.tokenizer.end_id or 0
    score = services.now(lambda: evaluate_instructions(lm, asked))
    plain = services.now(lambda: score_documents(lm.model, encoded(held_out, lm.tokenizer), start_id=start))
    print(
        f"{name:14}{seconds:>9.0f}{updates:>9,}{score['all_words']:>11.1%}{score['words']:>7.0%}{score['ends']:>7.1%}"
        f"{score['repeated']:>10.1%}{score['n_words']:>8.0f}{plain.bits_per_byte:>15.4f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
