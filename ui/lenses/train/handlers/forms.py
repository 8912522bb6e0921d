"""Validation of the Train tab's three forms; input from browsers and programs is untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gptcore.training import TrainingConfig
from gptcore.training.config import OptimizerName
from ui.lenses.train.handlers.input_forms import InputForm, input_form, texts_of
from ui.lenses.train.handlers.presets import LENGTHS, OPTIMIZERS, RIVALS, SENT, TRICKS
from ui.lenses.train.handlers.texts import REPEATED, TextSource
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.state.limits import Limits

Values = Mapping[str, object]
# Muon's steps are larger than AdamW's: one control moves both. tests/benchmarks/presets.py compares.
_MUON_RATIO = 7.0
_MOST_LABELS, _MOST_LINES, _MOST_PROMPT = 20, 20_000, 500
_LABELS_DECAY = 0.01  # Radford et al. 2018, section 4.1
_UNLIMITED = 10_000_000  # updates of a run by the clock
# Config changes of the "break it" options and rivals.
_SWITCHES: dict[str, dict[str, bool | str]] = {
    "no_positions": {"use_positions": False},
    "no_mask": {"causal": False},
    "no_scaling": {"residual_scaling": False},
    "post_norm": {"norm_position": "post"},
    "norm": {"norm_position": "post"},
    "no_mlp": {"use_mlp": False},
}


@dataclass(frozen=True)
class Shape:
    """Of a model to be trained from scratch."""

    n_layer: int
    n_head: int
    n_embd: int
    n_positions: int


@dataclass(frozen=True)
class TrainForm:
    """A run from scratch.

    Attributes:
        source: of the text.
        tokenizer, vocab_size: to make; the size counts for "bpe".
        shape: of the model.
        dropout: on embeddings and residual branches, in training.
        noise: share of input tokens that others replace, in training.
        config: of the training, with what is broken on purpose in it.
        prompt: of the samples.
        trick: what is broken, by TRICKS.
        switches: of GPTConfig, that are set otherwise.
        tasks: test tasks at every snapshot.
        epochs: passes over the text; None where the config says how long it is.
    """

    source: TextSource
    tokenizer: Literal["char", "bpe"]
    vocab_size: int
    shape: Shape
    dropout: float
    noise: float
    config: TrainingConfig
    prompt: str
    trick: str
    switches: Mapping[str, bool | str]
    tasks: bool
    epochs: float | None


@dataclass(frozen=True)
class TuneForm:
    """Training the picked model further on a text, in windows of so many tokens at most; epochs as in TrainForm."""

    source: TextSource
    window: int
    config: TrainingConfig
    prompt: str
    epochs: float | None


@dataclass(frozen=True)
class LabelForm:
    """Learning labels: their names, and (which label, texts) of every line; epochs as in TrainForm.

    Attributes:
        form: how a line becomes token sequences.
        auxiliary_weight: lambda, how much the text's own loss counts beside the labels'.
    """

    form: InputForm
    names: Sequence[str]
    lines: Sequence[tuple[int, tuple[str, ...]]]
    config: TrainingConfig
    prompt: str
    epochs: float | None
    auxiliary_weight: float


def train_form(values: Values, limits: Limits) -> TrainForm:
    """The form of a run from scratch, by FIELDS.

    Raises:
        InputError, TrainingError: a field that cannot be used, with its value, the limit and the way out.
    """
    trick = values["trick"]
    if not isinstance(trick, str) or trick not in TRICKS:
        raise InputError(f"{str(trick)[:40]!r} is not a “break it” option. Choose {', '.join(TRICKS)}.")
    kind: Literal["char", "bpe"] | None = next((k for k in ("char", "bpe") if k == values["tokenizer"]), None)
    if kind is None:
        raise InputError(f"The tokenizer is {str(values['tokenizer'])[:40]!r}; choose char or bpe.")
    norm = values["norm_position"]
    if norm not in ("pre", "post"):
        raise InputError(f"The norm's place is {str(norm)[:40]!r}; choose pre or post.")
    bias = inputs.flag(values["attention_bias"], "Biases in attention")
    if values["length"] == "epochs" and values["corpus"] == REPEATED:
        raise InputError("Repeated random sequences have no end, so there are no epochs. Choose a time or steps.")
    return TrainForm(
        source=_source(values),
        tokenizer=kind,
        vocab_size=inputs.whole(values["vocab_size"], "The vocabulary", low=257, high=16_384) if kind == "bpe" else 0,
        shape=shape_of(values),
        dropout=inputs.number(values["dropout"], "The dropout", low=0, high=0.9),
        noise=inputs.number(values.get("noise", 0.0), "The noise", low=0, high=0.9),
        config=_schedule(values, limits, trick),
        prompt=_prompt(values),
        trick=trick,
        switches={"attention_bias": bias, "norm_position": norm, **_SWITCHES.get(trick, {})},
        epochs=_epochs(values),
        tasks=inputs.flag(values["tasks"], "Watch tasks"),
    )


def rival_form(values: Values, limits: Limits) -> TrainForm | None:
    """The form of the run that races against `train_form`'s, or None.

    Raises:
        InputError, TrainingError: as train_form, or an unknown rival.
    """
    name, form = values["rival"], train_form(values, limits)
    if not isinstance(name, str) or name not in RIVALS:
        raise InputError(f"{str(name)[:40]!r} is not a rival. Choose {', '.join(RIVALS)}.")
    if name == "none":
        return None
    made = _rival(name, form, values, limits)
    if made == form or (name == "no_mlp" and form.source.name == REPEATED):  # those have no MLP anyway
        raise InputError(f"A run against {RIVALS[name]!r} would compare two equal runs. Choose another rival.")
    return made


def _rival(name: str, form: TrainForm, values: Values, limits: Limits) -> TrainForm:
    if name == "healthy":
        return train_form({**values, "trick": "none"}, limits)
    if name in _SWITCHES:
        return replace(form, switches={**form.switches, **_SWITCHES[name]})
    if name == "optimizer":
        other = next(one for one in OPTIMIZERS if one != form.config.optimizer)
        return replace(form, config=replace(form.config, optimizer=other))
    if name == "rate":
        rate = form.config.learning_rate / 5
        return replace(form, config=replace(form.config, learning_rate=rate, muon_learning_rate=_MUON_RATIO * rate))
    narrower = max(1, round(form.shape.n_embd / 2**0.5 / form.shape.n_head)) * form.shape.n_head
    return replace(form, shape=replace(form.shape, n_layer=2 * form.shape.n_layer, n_embd=narrower))


def tune_form(values: Values, limits: Limits) -> TuneForm:
    """The form of training a model further, by TUNING_FIELDS. Raises as train_form."""
    window = inputs.whole(values["n_positions"], "The window", low=4, high=8192)
    return TuneForm(_source(values), window, _tuning_schedule(values, limits), _prompt(values), _epochs(values))


def label_form(values: Values, limits: Limits) -> LabelForm:
    """The form of learning labels, by LABEL_FIELDS. Raises as train_form."""
    form = input_form(values["input_form"])
    names, lines = read_lines(values["labelled"], form, most=limits.training_text_bytes)
    weight = inputs.number(values["auxiliary_weight"], "Lambda", low=0, high=10)
    config = replace(_tuning_schedule(values, limits), weight_decay=_LABELS_DECAY)
    return LabelForm(form, names, lines, config, _prompt(values), _epochs(values), weight)


def shape_of(values: Values) -> Shape:
    """A shape, by SENT. Raises InputError for one that is too large to train here."""
    ranges = {
        "n_layer": ("The number of layers", 1, 24),
        "n_head": ("The number of heads", 1, 32),
        "n_embd": ("The width", 4, 1024),
        "n_positions": ("The window", 4, 1024),
    }
    return Shape(*(inputs.whole(values[n], ranges[n][0], low=ranges[n][1], high=ranges[n][2]) for n in SENT))


def read_lines(written: object, form: InputForm, *, most: int) -> tuple[list[str], list[tuple[int, tuple[str, ...]]]]:
    """(labels in order, (which label, texts) of every line): a label, a tab or a comma, what the form wants.

    Raises:
        InputError: invalid lines, fewer than two labels, or too few lines of one.
    """
    text = inputs.text(written, "The labelled lines", most=most, least=1)
    rows: list[tuple[str, tuple[str, ...]]] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip():
            continue
        label, mark, rest = line.partition("\t") if "\t" in line else line.partition(",")
        if not mark or not label.strip() or not rest.strip():
            raise InputError(f"Line {number} is {line[:40]!r}; write a label, a tab or a comma, and {form.line}.")
        rows.append((label.strip(), texts_of(form, rest, f"Line {number}")))
    if not 10 <= len(rows) <= _MOST_LINES:
        raise InputError(f"There are {len(rows)} labelled lines; give 10 to {_MOST_LINES:,}.")
    names = _answer_numbers(rows) if form.answers_compete else sorted({label for label, _ in rows})
    if not 2 <= len(names) <= _MOST_LABELS:
        raise InputError(f"There are {len(names)} different labels; give 2 to {_MOST_LABELS}, each with several lines.")
    return names, [(names.index(label), texts) for label, texts in rows]


def _answer_numbers(rows: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """ "1" to the number of answers, the same on every line. Raises InputError for a line with others."""
    n = len(rows[0][1]) - 1
    names = [str(number) for number in range(1, n + 1)]
    for number, (label, texts) in enumerate(rows, 1):
        if len(texts) - 1 != n:
            raise InputError(
                f"Line {number} has {len(texts) - 1} answers; the first has {n}. Give each line the same number."
            )
        if label not in names:
            raise InputError(f"Line {number} has the label {label[:20]!r}; write the right answer's number, 1 to {n}.")
    return names


def _source(values: Values) -> TextSource:
    file = values["file"]
    return TextSource(
        values["corpus"] if isinstance(values["corpus"], str) else str(values["corpus"])[:40],
        written=values["written"],
        file=file if isinstance(file, str) and file else None,
        data_set=values["data_set"],
    )


def _prompt(values: Values) -> str:
    return inputs.text(values["prompt"], "The sample prompt", most=_MOST_PROMPT)


def _tuning_schedule(values: Values, limits: Limits) -> TrainingConfig:
    """Defaults of the shorter forms: AdamW, a short warm-up, the usual weight decay, the first seed."""
    open_fields = {
        "optimizer": "adamw",
        "warmup_steps": 20,
        "weight_decay": 0.1,
        "seed": 1,
        "corpus": "",
        **values,
    }
    return _schedule(open_fields, limits, "none")


def _epochs(values: Values) -> float | None:
    """Epochs, if the length is given in epochs."""
    if values["length"] != "epochs":
        return None
    return inputs.number(values["epochs"], "The number of epochs", low=0.01, high=1000)


def _schedule(values: Values, limits: Limits, trick: str) -> TrainingConfig:
    """The form's length, rates and batch."""
    length, cap = str(values["length"]), limits.training_seconds
    if length not in LENGTHS:
        raise InputError(f"The length is {str(length)[:40]!r}; choose {', '.join(LENGTHS)}.")
    budget = None if length in ("steps", "epochs") else min(cap, float(length) if length != "cap" else cap)
    steps = inputs.whole(values["max_steps"], "The number of steps", low=1, high=1_000_000)
    rate = inputs.number(values["learning_rate"], "The learning rate", low=1e-7, high=10.0)
    warmup = inputs.whole(values["warmup_steps"], "The warm-up", low=0, high=100_000)
    optimizer: OptimizerName | None = next((name for name in OPTIMIZERS if name == values["optimizer"]), None)
    repeated = values["corpus"] == REPEATED
    if optimizer is None:
        raise InputError(f"The optimiser is {str(values['optimizer'])[:40]!r}; choose {' or '.join(OPTIMIZERS)}.")
    decay = inputs.number(values["weight_decay"], "The weight decay", low=0, high=10)
    rate *= 100 if trick == "lr_x100" else 1
    return TrainingConfig(
        max_steps=steps if budget is None else _UNLIMITED,
        time_budget=budget,
        batch_size=inputs.whole(values["batch_size"], "The batch", low=1, high=512),
        optimizer=optimizer,
        learning_rate=rate,
        muon_learning_rate=_MUON_RATIO * rate,
        warmup_steps=0 if trick in ("no_warmup", "post_norm") else warmup,
        schedule="constant" if repeated else "cosine",
        weight_decay=0.0 if repeated else decay,
        beta2=0.98 if repeated else inputs.number(values.get("beta2", 0.95), "Beta 2", low=0, high=0.9999),
        seed=inputs.whole(values["seed"], "The seed", low=0, high=2**31 - 1),
    )
