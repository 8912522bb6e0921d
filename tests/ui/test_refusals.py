"""What just fits is taken, and one more is refused: of every refusal at a limit (derived)."""

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest

from gptcore import GPTConfig
from gptcore.analysis import (
    ModelPart,
    activation_bytes,
    count_parameters,
    training_flops,
    weight_bytes,
)
from gptcore.analysis.costs import optimizer_bytes
from gptcore.finetuning.instruction import Message, chat_prompt
from gptcore.tokenizers import CharTokenizer
from gptcore.training import TrainingConfig
from gptcore.weights.checkpoint import save_folder
from tests.tools.refusals import refusals, what_is_said
from tiny import ROOT, make_model
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.pair import patching
from ui.lenses.attention.why import circuit
from ui.lenses.generate.chat import replying
from ui.lenses.generate.compare import probabilities
from ui.lenses.generate.steer import steering
from ui.lenses.parameters.reference import costs
from ui.lenses.train.handlers import assistant, files, input_forms, labelled_lines, plan, texts
from ui.lenses.train.handlers.forms import REPEATED, train_form
from ui.lenses.train.handlers.presets import PRESETS
from ui.lenses.zero_shot.handlers import form as zero_shot
from ui.lenses.zero_shot.handlers import views
from ui.rooms.exercises.handlers import tasks
from ui.rooms.hall.handlers import leading
from ui.runs import dataset_cache
from ui.server import talks
from ui.shared import fields, parts
from ui.state import model_store
from ui.state.limits import Limits

SHAPE = GPTConfig(vocab_size=61, n_positions=64, n_embd=16, n_layer=1, n_head=2)
MEMORY = weight_bytes(SHAPE) + optimizer_bytes(SHAPE)
NAMES = fields.Names(title="Names", most=3)
ROWS = fields.Rows(title="Rows", most=3)


@dataclass(frozen=True)
class Given:
    """What a refusal is tried with."""

    services: Any
    monkeypatch: pytest.MonkeyPatch
    folder: Path  # an empty one

    @property
    def lm(self) -> Any:
        return self.services.models.get("tiny")

    def limited(self, **limits: int) -> Any:
        """The services with other limits."""
        return replace(self.services, limits=replace(self.services.limits, **limits))

    def windowed(self, n_positions: int) -> Any:
        """The tiny model's shape with another window, and no weights."""
        config = replace(self.lm.model.config, n_positions=n_positions)
        return replace(self.lm, model=SimpleNamespace(config=config))

    def set(self, module: object, name: str, value: object) -> None:
        self.monkeypatch.setattr(module, name, value)

    def file(self, n_bytes: int) -> Path:
        path = self.folder / "file.txt"
        path.write_bytes(b"a" * n_bytes)
        return path

    def zipped(self, n_files: int, size: int = 1) -> Path:
        path = self.folder / "model.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for n in range(n_files):
                archive.writestr(f"file {n}", b"0" * size)
        return path


def extracted(given: Given, most_bytes: int, declared: int = 100) -> None:
    """Unpacks a hundred bytes."""
    with zipfile.ZipFile(given.zipped(1, 100)) as archive:
        (member,) = archive.infolist()
        files._extract(archive, {"config.json": member}, given.folder, most_bytes)


def saved_model(given: Given) -> Path:
    """A zip of a model of `SHAPE`."""
    folder = given.folder / "model"
    save_folder(folder, make_model(SHAPE), CharTokenizer(sorted("abcdefgh")))
    return Path(shutil.make_archive(str(folder), "zip", folder))


def measured(given: Given, *, batch: int = 2, length: int = 16, vocabulary: int = 61) -> None:
    """Asks how fast a model is trained, which nobody measures here."""
    given.set(costs, "_training_rate", lambda *_: (1.0, 1))
    shape = replace(SHAPE, vocab_size=vocabulary)
    costs.measure_training(given.services, shape, batch, length, 1)


def labelled(n_labels: int, n_lines: int) -> None:
    lines = (f"label {n % n_labels}, text number {n}" for n in range(n_lines))
    form = input_forms.INPUT_FORMS["classification"]
    labelled_lines.read_lines("\n".join(lines), form)


def task(name: str = "sentiment", template: str = "", **changes: object) -> None:
    values = zero_shot.defaults(name)
    values |= zero_shot.with_template(values, template) if template else {}
    zero_shot.task_form({**values, **changes}, Limits(max_prompt_chars=700))


def rows(*steps: str) -> list[list[str]]:
    """Examples of arithmetic."""
    (first, *_) = zero_shot.defaults("arithmetic")["examples"]
    return [[*first[:2], step] for step in steps]


def repeated(given: Given, window: int) -> None:
    values = {**PRESETS["30 seconds, letters"], "corpus": REPEATED, "n_positions": window}
    plan.make_plan(given.services, train_form(values, given.services.limits))


def prepared(text: str) -> None:
    for _ in dataset_cache.prepare((text,), tokenizer=None, kind="characters", vocab_size=0):
        pass


def models_of(n: int) -> list[PurePosixPath]:
    names = ("config.json", "model.safetensors")
    return [PurePosixPath(f"model {number}", name) for number in range(n) for name in names]


def by(model_bytes: int) -> model_store.ModelStore:
    return model_store.ModelStore(Limits(model_bytes=model_bytes), offline=True, default="x")


UPDATE = MEMORY + activation_bytes(SHAPE, batch_size=2, n_tokens=16)
RUN = MEMORY + activation_bytes(SHAPE, batch_size=2, n_tokens=64, attention_maps=True)
WEIGHTS = model_store._BYTES * count_parameters(SHAPE).total
OPERATIONS = int(training_flops(SHAPE, 16) * 2 * 16)
N_PARAMETERS = count_parameters(SHAPE).total
QUESTION = chat_prompt([Message("User", assistant.PROMPTS[0])])
STORY = "The {} sat down. It ran away. It was happy. Then it slept. The sun was warm.\n\n"
LARGEST = int(probabilities._LARGEST_TYPED)
CIRCUIT = {"model": "tiny", "text": "the cat", "word": 1, "rival": 2}
BATCH = TrainingConfig(batch_size=2)

# What is refused -> what is said, what asks for so many, and pairs of the last number that is
# taken and the first that is not. `x` is a token of its own.
REFUSALS: dict[str, tuple[str, Callable[[Given, int], object], list[tuple[int, int]]]] = {
    "maps.read: len(front + ids) < 2": (
        "a single token",
        lambda given, n: maps.read(given.services, None, maps.AttentionForm("tiny", "x" * n)),
        [(2, 1)],
    ),
    "patching.read_ids: len(ids) > most": (
        "tokens; at most 20 are compared",
        lambda given, n: (
            given.set(patching, "_MOST_TOKENS", 20),
            patching.read_ids(given.services, given.lm, "x" * n, "It"),
        ),
        [(20, 21)],
    ),
    "circuit.circuit_without: not isinstance(off, list) or len(off) > _MOST_OFF": (
        "are switched off at once",
        lambda given, n: (
            given.lm,  # is open now
            circuit.circuit_without(given.services, {**CIRCUIT, "off": [["head", 0, 0, 0]] * n}),
        ),
        [(circuit._MOST_OFF, circuit._MOST_OFF + 1)],
    ),
    "replying.parse: len(turns) > _MOST_TURNS": (
        "turns; at most",
        lambda _, n: replying.parse({"turns": ["a"] * n}),
        [(replying._MOST_TURNS - 1, replying._MOST_TURNS + 1)],
    ),
    "probabilities._typed: not 2 <= len(words) <= _MOST_TYPED": (
        "logits; give 2 to",
        lambda _, n: probabilities._typed("1 " * n),
        [(2, 1), (probabilities._MOST_TYPED, probabilities._MOST_TYPED + 1)],
    ),
    "probabilities._typed: not abs(numbers[-1]) <= _LARGEST_TYPED": (
        "it must be a number from -",
        lambda _, n: probabilities._typed(f"0 {n}"),
        [(LARGEST, LARGEST + 1), (-LARGEST, -LARGEST - 1)],
    ),
    "steering._lines: not lines or len(lines) > MOST_EXAMPLES": (
        "examples; write 1 to",
        lambda _, n: steering._lines("a line\n" * n, "It"),
        [(steering.MOST_EXAMPLES, steering.MOST_EXAMPLES + 1)],
    ),
    "costs.measure_training: needed > limit": (
        "are allowed here for a measurement. Choose a smaller shape, batch or sequence",
        lambda given, n: measured(replace(given, services=given.limited(model_bytes=n))),
        [(2 * UPDATE, 2 * UPDATE - 1)],
    ),
    "costs.measure_training: operations > _MOST_OPERATIONS": (
        "One update of this would take",
        lambda given, n: (given.set(costs, "_MOST_OPERATIONS", n), measured(given)),
        [(OPERATIONS, OPERATIONS - 1)],
    ),
    "costs.measure_training: config.vocab_size < 2 or T < 4": (
        "A measurement needs at least",
        lambda given, n: (measured(given, length=n + 2), measured(given, vocabulary=n)),
        [(2, 1)],
    ),
    "assistant._divided: len(stories) < 2": (
        "different stories of at least",
        lambda _, n: assistant._divided("".join(map(STORY.format, ("cat", "dog", "fox")[:n]))),
        [(2, 1)],
    ),
    "assistant._check_counts: n_train < _HELD_OUT or not n_held_out": (
        "of the examples, and 3 of those held out",
        lambda _, n: assistant._check_counts(n, 3, 64),
        [(assistant._HELD_OUT, assistant._HELD_OUT - 1)],
    ),
    "assistant.preference_plan: len(pairs) < _LEAST_CHOICES": (
        "pairs of a better and a worse answer",
        lambda given, n: assistant.preference_plan(
            given.services, given.lm, [None] * n, SimpleNamespace(seed=1), note=""
        ),
        [(assistant._LEAST_CHOICES, assistant._LEAST_CHOICES - 1)],
    ),
    "assistant._watched: len(prompt) >= shape.n_positions": (
        "A question takes",
        lambda given, n: assistant._watched(
            given.windowed(len(given.lm.tokenizer.encode(QUESTION)) + n), SimpleNamespace(seed=1)
        ),
        [(1, 0)],
    ),
    "files.small_enough: count > most": (
        "this server opens uploads of at most",
        lambda given, n: files.opened_model(
            given.limited(training_parameters=n), None, saved_model(given)
        ),
        [(N_PARAMETERS, N_PARAMETERS - 1)],
    ),
    "files.unpack: n_members > _MOST_MEMBERS": (
        "files; at most",
        lambda given, n: files.unpack(given.zipped(n), given.folder, most_bytes=1000),
        [(files._MOST_MEMBERS, files._MOST_MEMBERS + 1)],
    ),
    "files._extract: sum((member.file_size for member in wanted.values())) > most_bytes": (
        "unpacked, and is too large here",
        extracted,
        [(100, 99)],
    ),
    "files._extract: left < 0": ("unpacked, and is too large here", extracted, [(100, 99)]),
    "files._model_folder: len(topmost) > 1": (
        "several model folders",
        lambda _, n: files._model_folder(models_of(n), "It"),
        [(1, 2)],
    ),
    "input_forms.texts_of: not form.least <= len(texts) <= form.most or not all(texts)": (
        "with a bar | or a tab between them",
        lambda _, n: input_forms.texts_of(
            input_forms.INPUT_FORMS["choice"], "|".join("abcdefgh"[:n]), "It"
        ),
        [(3, 2), (6, 7)],
    ),
    "labelled_lines.read_lines: len(records) > _MOST_RECORDS": (
        "lines; at most 12 are read",
        lambda given, n: (given.set(labelled_lines, "_MOST_RECORDS", 12), labelled(2, n)),
        [(12, 13)],
    ),
    "labelled_lines._checked: not 2 <= len(names) <= MOST_LABELS": (
        "different labels; give 2 to",
        lambda _, n: labelled(n, 60),
        [(2, 1), (labelled_lines.MOST_LABELS, labelled_lines.MOST_LABELS + 1)],
    ),
    "labelled_lines._checked: not _LEAST_LINES <= len(different) <= MOST_LINES": (
        "different labelled lines; give 10 to 30",
        lambda given, n: (given.set(labelled_lines, "MOST_LINES", 30), labelled(2, n)),
        [(10, 9), (30, 31)],
    ),
    "plan.check_size: count > limits.training_parameters": (
        "this server trains at most",
        lambda given, n: plan.check_size(given.limited(training_parameters=n), SHAPE, BATCH),
        [(N_PARAMETERS, N_PARAMETERS - 1)],
    ),
    "plan.check_size: needed > limits.model_bytes // 3": (
        "this server gives a run",
        lambda given, n: plan.check_size(given.limited(model_bytes=n), SHAPE, BATCH),
        [(3 * RUN, 3 * RUN - 1)],
    ),
    "plan._repeated_plan: window < 16": ("repeat need at least 16", repeated, [(16, 15)]),
    "texts.text_of_file: size > limits.training_text_bytes": (
        "this server trains on at most",
        lambda given, n: texts.text_of_file(
            replace(given.services.limits, training_text_bytes=n), given.file(100)
        ),
        [(100, 99)],
    ),
    "texts._own_text: kinds < 2": (
        "repeats one character",
        lambda given, n: texts._own_text(
            given.services.limits, SimpleNamespace(file=None, written="ab"[:n] * 40)
        ),
        [(2, 1)],
    ),
    "form.task_form: len(labels) > MOST_LABELS": (
        "labels; ",
        lambda _, n: task(labels="\n".join(f"label {number}" for number in range(n))),
        [(zero_shot.MOST_LABELS, zero_shot.MOST_LABELS + 1)],
    ),
    "form._examples: sum(map(len, cells)) > most": (
        "is longer than the 700 characters",
        lambda _, n: task(n_examples=1, examples=[["x" * n, "good"]]),
        [(696, 697)],
    ),
    "form._examples: template.chain_of_thought and (not steps) and (len(examples) < n)": (
        "has no steps",
        lambda _, n: task(
            "arithmetic", "Chain of thought", n_examples=n, examples=rows("One step.", "")
        ),
        [(1, 2)],
    ),
    "form._examples: n > len(examples)": (
        "Examples asked for",
        lambda _, n: task(n_examples=n, examples=[["A fine film.", "good"]] * 2),
        [(2, 3)],
    ),
    "views.chosen_models: len(models) > MOST_MODELS": (
        "models are chosen",
        lambda given, n: views.chosen_models(given.services, ["tiny"] * n),
        [(views.MOST_MODELS, views.MOST_MODELS + 1)],
    ),
    "tasks._place: layer >= layers or number >= heads": (
        "2 layers",
        lambda given, n: (tasks._place(f"L{n}H0", given.lm), tasks._place(f"L0H{n + 2}", given.lm)),
        [(1, 2)],
    ),
    "leading._texts: not isinstance(value, (list, tuple)) or len(value) > most": (
        "a list of at most 3 texts",
        lambda _, n: leading._texts(["a"] * n, "It", most=3, longest=5),
        [(3, 4)],
    ),
    "dataset_cache._prepare: len(train) < 3 or len(valid) < 3": (
        "neither part may be under 3",
        lambda _, n: prepared("ab" * (n // 2)),
        [(30, 20)],
    ),
    "dataset_cache._characters_of: len(characters) > _MOST_CHARACTERS": (
        "has at most 5",
        lambda given, n: (
            given.set(dataset_cache, "_MOST_CHARACTERS", 5),
            dataset_cache._characters_of(("abcdefg"[: n - 1],)),  # and a newline
        ),
        [(5, 6)],
    ),
    "talks.read_talk: file.stat().st_size > _MOST_BYTES": (
        "a talk is a short text file",
        lambda given, n: talks.read_talk(given.file(n)),
        [(talks._MOST_BYTES, talks._MOST_BYTES + 1)],
    ),
    "fields.check: len(value) > self.most": (
        "3 are allowed",
        lambda _, n: (NAMES.check(["a"] * n), ROWS.check([["a"]] * n)),
        [(3, 4)],
    ),
    "parts.parts_named: len(parts) > MOST_OFF": (
        "parts are to be switched off",
        lambda _, n: parts.parts_named(",".join(["L0H0"] * n)),
        [(parts.MOST_OFF, parts.MOST_OFF + 1)],
    ),
    "model_store._check_size: needed > limit": (
        "of memory; this server gives models",
        lambda _, n: by(n)._check_size("x", SHAPE),
        [(WEIGHTS, WEIGHTS - 1)],
    ),
}
# Of time, which tests set by clocks of their own; and the checks of all fields.
ELSEWHERE = {
    "training_run._prepare: time.monotonic() - self._prepares_since > preparation.seconds": (
        "lenses/train/test_preparing.py"
    ),
    "patient_start.start: not server.thread.is_alive() or time.monotonic() > deadline": (
        "test_gradio_internals.py"
    ),
    "inputs.text: len(value) > most": "test_inputs.py",
    "inputs.text: len(value) < least or (needs_words and (not value.strip()))": "test_inputs.py",
    "inputs.number: not low <= value <= high": "test_inputs.py",
    "inputs.whole: not low <= value <= high": "test_inputs.py",
    "inputs.stops: len(texts) > _MOST_STOPS": "test_inputs.py",
}


def test_every_refusal_at_a_limit_is_tried_here_or_in_a_test_that_is_named():
    assert set(refusals(ROOT / "ui")) == {*REFUSALS, *ELSEWHERE}
    assert all((ROOT / "tests/ui" / file).is_file() for file in ELSEWHERE.values())


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_just_fits_is_taken_and_one_more_is_refused(refusal, services, monkeypatch, tmp_path):
    said, call, limits = REFUSALS[refusal]
    given = Given(services, monkeypatch, tmp_path)
    for last, first in limits:
        assert said not in what_is_said(lambda last=last: call(given, last)), last
        assert said in what_is_said(lambda first=first: call(given, first)), first


def test_a_part_beyond_the_model_is_left_out_of_a_link(services):
    config = services.models.get("tiny").model.config
    for part, has in (
        (ModelPart(config.n_layer - 1, "mlp"), True),
        (ModelPart(config.n_layer, "mlp"), False),
        (ModelPart(0, "head", config.n_head - 1), True),
        (ModelPart(0, "head", config.n_head), False),
    ):
        assert parts._has(config, part) is has
    assert not parts._has(replace(config, use_mlp=False), ModelPart(0, "mlp"))
