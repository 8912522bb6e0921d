"""Trains all bundled models anew within an hour on one GPU: `python -m weights.recipes.plan --help`.

Each stage is one command that also runs alone; a stage that is done is not run again, and one that was interrupted goes
on from its checkpoint. The teachers' settings follow what training with little text wants: dropout, strong weight decay
and several models averaged (Kim et al. 2025, "Pre-training under infinite compute"). The student reads texts of theirs,
too: on those they have learned nothing by heart.
"""

import argparse
import math
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from multiprocessing.pool import ThreadPool
from pathlib import Path

import torch

_TEXTS = (
    "tinystories_train.txt", "tinystories_more.txt", "tinystories_extra.txt", "simple_stories.txt",
    "tinystories_valid.txt", "tinyshakespeare.txt",
)  # fmt: skip
_STORIES, _SHARES = _TEXTS[:3], (0.22, 0.18, 0.32)  # of what the mini reads
_TEACHERS = 3
_HERE, _BUNDLED = Path(__file__).parent / "shapes", Path(__file__).parents[1]
_REPEATED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."
_UNLEARNING = (
    "--batch-size", "16", "--optimizer", "adamw", "--learning-rate", "1e-4", "--warmup-steps", "20", "--weight-decay",
    "0.05", "--max-steps", "90", "--against-doubling", "60",
)  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """A command of the plan.

    Attributes:
        name: to choose it by.
        command: module and arguments for this Python's `-m`.
        makes: what is there once it is done: a model folder, or a file.
        prints: what it prints is kept in `makes`, a file.
        work_dir: where its checkpoints are; None for stages without.
    """

    name: str
    command: tuple[str, ...]
    makes: Path
    prints: bool = False
    work_dir: Path | None = None

    @property
    def line(self) -> str:
        """The command as one types it."""
        return shlex.join(["python", "-m", *self.command]) + (
            f" > {shlex.quote(str(self.makes))}" if self.prints else ""
        )

    @property
    def done(self) -> bool:
        """Whether its result is there; both appear whole or not at all."""
        return self.makes.is_file() or (self.makes / "config.json").is_file()


@dataclass(frozen=True)
class Scale:
    """How much of everything.

    Attributes:
        minutes: for all trainings together.
        updates: for each training instead, to try the plan.
        pages: of the synthetic web, a seed.
        batch: sequences in a batch of the large trainings.
        device: that computes.
    """

    minutes: float
    updates: int | None
    pages: int
    batch: int
    device: str

    def length(self, share: float) -> tuple[str, ...]:
        """Options for a training that takes a share of the minutes."""
        if self.updates is not None:
            return ("--max-steps", str(self.updates), "--warmup-steps", "1")
        seconds = str(round(60 * self.minutes * share))
        return ("--time-budget", seconds, "--max-steps", "1000000", "--warmup-steps", "100", "--checkpoint-every", "60")

    def tuning(self, share: float) -> tuple[str, ...]:
        """The same for `gptcore.finetuning`."""
        if self.updates is not None:
            return ("--updates", str(self.updates))
        return ("--seconds", str(round(60 * self.minutes * share)))


def stages(data: Path, out: Path, scale: Scale) -> list[Stage]:
    """The plan: mini with its teachers, world, the small models, the assistant.

    Args:
        data: folder with the texts in `_TEXTS`.
        out: folder for everything it makes; the models are in `out / "weights"`.
        scale: how much of everything.
    """
    plan = _Plan(data, out, scale)
    plan.mini()
    plan.world()
    plan.small_models()
    plan.assistant()
    return plan.stages


class _Plan:
    """Builds the stages; see `stages`."""

    def __init__(self, data: Path, out: Path, scale: Scale) -> None:
        self.stages: list[Stage] = []
        self._data, self._texts, self._models, self._work = data, out / "texts", out / "weights", out / "work"
        self._scale = scale
        self._stories = [str(data / name) for name in _STORIES]
        self._valid = str(data / "tinystories_valid.txt")
        self._large = (
            "--optimizer", "muon", "--batch-size", str(scale.batch), "--learning-rate", "3e-3", "--muon-learning-rate",
            "0.02", "--eval-every", "500",
        )  # fmt: skip

    def mini(self) -> None:
        """Three teachers, texts that two of them write, a student that learns from all three on all of it, and the mean
        of it with two copies that unlearned to repeat themselves."""
        openings = self._text("openings", "weights.recipes.openings", *self._stories)
        shares = zip(self._stories, _SHARES, strict=True)
        reading = [
            *(f"--corpus={story}={share}" for story, share in shares),
            f"--corpus={self._data / 'simple_stories.txt'}=0.08", f"--corpus={openings}=0.20", "--from-beginnings",
            openings, "--valid", self._valid, "--copies", "0.03",
        ]  # fmt: skip
        shaped = ("--tokenizer", str(_BUNDLED / "mini"), *reading, *self._large)
        teachers = [f"teacher-{seed}" for seed in range(1, _TEACHERS + 1)]
        for seed, name in enumerate(teachers, 1):
            self._train(
                name, 0.10, "--config", str(_HERE / "teacher.json"), *shaped, "--dropout", "0.1", "--weight-decay",
                "0.3", "--seed", str(seed),
            )  # fmt: skip
        own = [self._written(f"own-{seed}", name, seed) for seed, name in enumerate(teachers[:2], 1)]
        self._train(
            "student", 0.20, "--config", str(_HERE / "student.json"), *shaped, "--weight-decay", "0.1",
            "--seed", "11", *(f"--corpus={file}=0.16" for file in own), "--text-share", "0.15",
            *(f"--teacher={self._models / name}" for name in teachers),
        )  # fmt: skip
        for seed, weight in ((21, "5"), (22, "2.5")):
            self._train(
                f"unlearned-{seed}", None, "--from-model", str(self._models / "student"), *reading, *_UNLEARNING,
                "--against-repetition", weight, "--own-texts",
                "32" if self._scale.updates is None else "1", "--seed", str(seed),
            )  # fmt: skip
        mixed = (("student", 0.2), ("unlearned-21", 0.4), ("unlearned-22", 0.4))
        mean = (f"{self._models / name}={share}" for name, share in mixed)
        made = self._models / "mini"
        self.stages.append(Stage("mini", ("weights.recipes.averaging", *mean, "--out", str(made)), made))

    def world(self) -> None:
        """Pages of the synthetic web and in everyday language, and a model that reads them."""
        pages, some = str(self._scale.pages), str(max(1, self._scale.pages // 4))
        held = str(max(1, self._scale.pages // 500))
        written = [
            self._text(f"web-{seed}", "weights.recipes.pages", "--pages", pages, "--seed", seed)
            for seed in ("101", "102")
        ]
        written += [
            self._text(f"web-{task}", "weights.recipes.pages", "--pages", some, "--seed", "107", "--task", task)
            for task in ("question", "sentiment", "arithmetic")
        ]
        told = ("--seed", "108", "--apart", *(option for story in self._stories for option in ("--stories", story)))
        written += [
            self._text(f"statements-{task}", "weights.recipes.pages", "--pages", some, "--task", task, *told)
            for task in ("question", "cloze")
        ]
        written.append(self._text("everyday", "weights.recipes.everyday", "--pages", some))
        written += [
            self._text(f"everyday-{kind}", "weights.recipes.everyday", "--pages", some, "--only", kind)
            for kind in ("worded", "labels", "facts", "towns")
        ]
        valid = self._text("web-valid", "weights.recipes.pages", "--pages", held, "--seed", "999")
        self._train(
            "world", 0.25, "--config", str(_BUNDLED / "world" / "config.json"), "--tokenizer", str(_BUNDLED / "world"),
            *(f"--corpus={file}" for file in written), "--valid", valid, *self._large, "--weight-decay", "0.05",
            "--copies", "0.02", "--from-beginnings", "--seed", "1",
        )  # fmt: skip

    def small_models(self) -> None:
        """Characters of Shakespeare and of the anthology, and random characters that repeat."""
        characters = ("--tokenizer", "char", "--hold-out", "0.1", "--seed", "1")
        self._train(
            "shakespeare-char", 0.07, "--config", str(_BUNDLED / "shakespeare-char" / "config.json"), *characters,
            f"--corpus={self._data / 'tinyshakespeare.txt'}", *self._large, "--dropout", "0.1", "--weight-decay", "0.1",
        )  # fmt: skip
        self._train(
            "anthology", 0.03, "--config", str(_BUNDLED / "anthology" / "config.json"), *characters, "--corpus",
            "anthology", "--optimizer", "muon", "--batch-size", "32", "--learning-rate", "3e-3", "--weight-decay",
            "1.0",
        )  # fmt: skip
        self._train(
            "induction", 0.02, "--preset", "induction", "--repeated", _REPEATED, "--periods", "4", "32", "--batch-size",
            "64", "--learning-rate", "1e-3", "--beta2", "0.98", "--weight-decay", "0", "--schedule", "constant",
        )  # fmt: skip

    def assistant(self) -> None:
        """The student after instructions and two rounds of preferences beside plain stories, and the mean of that with
        the model after instructions alone; then small talk beside its own stories, and the mean with what it was."""
        tuned, work, updates = self._models / "tuned", self._work / "assistant", self._scale.updates
        amount = "--rounds 2 --asked 400 --answers 8 --pairs 3 --instructions 60000"
        manners = "--instructions 40000 --own-stories 2500"
        if updates is not None:  # an untrained model writes no better answer
            amount = "--rounds 0 --measured 4 --instructions 40"
            manners = "--measured 4 --instructions 40 --own-stories 4"
        command = (
            "gptcore.finetuning", "--model", str(self._models / "student"),
            *(f"--stories={one}" for one in self._stories), "--valid", self._valid, "--plain-share", "0.12",
            "--batch-size", "16", "--plain-rows", "8", "--plain-weight", "4", "--own-weight", "0.5", "--beta", "0.1",
            "--preference-learning-rate", "1.5e-4", "--teacher", str(self._models / "mini"), "--device",
            self._scale.device, *amount.split(), *self._scale.tuning(0.05), "--out", str(tuned), "--work-dir",
            str(work),
        )  # fmt: skip
        self.stages.append(Stage("tuned", command, tuned, work_dir=work))
        preferred = self._mean("preferred", f"{tuned}=0.6", f"{work / 'instructed'}=0.4")
        mannered, at_manners = self._models / "mannered", self._work / "manners"
        command = (
            "gptcore.finetuning", "--model", str(preferred), *(f"--stories={one}" for one in self._stories), "--valid",
            self._valid, "--talk-share", "1.2", "--plain-share", "0.12", "--batch-size", "16", "--rounds", "0",
            "--device", self._scale.device, *manners.split(), *self._scale.tuning(0.03), "--out", str(mannered),
            "--work-dir", str(at_manners),
        )  # fmt: skip
        self.stages.append(Stage("mannered", command, mannered, work_dir=at_manners))
        self._mean("assistant", f"{mannered}=0.7", f"{preferred}=0.3")

    def _mean(self, name: str, *parts: str) -> Path:
        """Adds a stage that makes the mean of models, each with its weight; returns its folder."""
        made = self._models / name
        self.stages.append(Stage(name, ("weights.recipes.averaging", *parts, "--out", str(made)), made))
        return made

    def _text(self, name: str, *command: str) -> str:
        """Adds a stage that prints a text; returns its file."""
        file = self._texts / f"{name}.txt"
        self.stages.append(Stage(name, command, file, prints=True))
        return str(file)

    def _written(self, name: str, model: str, seed: int) -> str:
        """Adds a stage in which a model writes texts, as tokens; returns its file."""
        file, few = self._texts / f"{name}.npy", self._scale.updates is not None
        command = (
            "weights.recipes.writing", "--model", str(self._models / model), "--out", str(file), "--seed", str(seed),
            "--tokens", "1" if few else "3000000", "--batch-size", "48" if few else "1024", "--device",
            self._scale.device,
        )  # fmt: skip
        self.stages.append(Stage(name, command, file))
        return str(file)

    def _train(self, name: str, share: float | None, *options: str) -> None:
        """Adds a training that takes a share of the minutes, or as long as its options say."""
        made, work, scale = self._models / name, self._work / name, self._scale
        length = () if share is None and scale.updates is None else scale.length(share or 0.0)
        compiled = ("--compile",) if scale.device.startswith("cuda") else ()
        command = (
            "weights.recipes.training", *options, *compiled, "--device", scale.device, "--precision", "auto", *length,
            "--out", str(made), "--work-dir", str(work),
        )  # fmt: skip
        self.stages.append(Stage(name, command, made, work_dir=work))


def run(plan: Sequence[Stage]) -> int:
    """Runs what is not done yet, texts next to each other together; the exit status of the first that fails, or 0."""
    groups = [(prints, list(group)) for prints, group in groupby(plan, key=lambda stage: stage.prints)]
    with ThreadPool(os.cpu_count()) as pool:
        for prints, group in groups:
            statuses = pool.imap(_run, group) if prints else map(_run, group)
            if failed := next((status for status in statuses if status != 0), 0):
                return failed
    return 0


def _run(stage: Stage) -> int:
    """Runs one stage, unless it is done; its exit status."""
    if stage.done:
        print(f"{stage.name}: there already", flush=True)
        return 0
    print(f"{stage.name}: {stage.line}", flush=True)
    began = time.monotonic()
    stage.makes.parent.mkdir(parents=True, exist_ok=True)
    status = _printed(stage) if stage.prints else _status(stage)
    if status != 0:
        print(f"error: {stage.name} ended with status {status}. The same command goes on from here.", file=sys.stderr)
        return status
    print(f"{stage.name}: {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _status(stage: Stage) -> int:
    again = () if stage.work_dir is None else ("--resume",)
    return subprocess.run([sys.executable, "-m", *stage.command, *again], check=False).returncode


def _printed(stage: Stage) -> int:
    partial = stage.makes.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        status = subprocess.run([sys.executable, "-m", *stage.command], stdout=file, check=False).returncode
    if status == 0:
        partial.replace(stage.makes)
    return status


def main(arguments: list[str] | None = None) -> int:
    """Runs the plan, or prints it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.plan", description=__doc__)
    parser.add_argument("--data", required=True, type=Path, help=f"folder with {', '.join(_TEXTS)}")
    parser.add_argument("--out", required=True, type=Path, help="folder for all that it makes; the same one goes on")
    parser.add_argument("--minutes", type=float, default=60.0, help="of all trainings together")
    parser.add_argument("--updates", type=int, help="of each training instead: to try the plan")
    parser.add_argument("--pages", type=int, default=260_000, help="of the synthetic web, for each of two seeds")
    parser.add_argument("--batch-size", type=int, default=64, help="of the large trainings")
    parser.add_argument("--only", nargs="+", metavar="STAGE", help="these stages alone")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dry-run", action="store_true", help="print the commands and run none")
    options = parser.parse_args(arguments)
    numbers = (options.minutes, 1 if options.updates is None else options.updates, options.pages, options.batch_size)
    if not all(0 < number < math.inf for number in numbers):
        parser.error("minutes, updates, pages and batch size must be above 0, and finite")
    missing = [name for name in _TEXTS if not (options.data / name).is_file()]
    if missing:
        parser.error(f"{options.data} lacks {', '.join(missing)}")
    scale = Scale(options.minutes, options.updates, options.pages, options.batch_size, options.device)
    plan = stages(options.data, options.out, scale)
    unknown = set(options.only or ()) - {stage.name for stage in plan}
    if unknown:
        parser.error(f"no stage is called {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in plan)}")
    plan = [stage for stage in plan if options.only is None or stage.name in options.only]
    if options.dry_run:
        print("\n".join(stage.line for stage in plan))
        return 0
    return run(plan)


if __name__ == "__main__":
    sys.exit(main())
