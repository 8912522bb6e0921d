"""The Train tab's forms: every setting of each, declared once, and what a run takes from them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from gptcore.corpora import CORPORA
from gptcore.finetuning.classification import AUXILIARY_WEIGHT
from gptcore.training import TrainingConfig
from gptcore.training.config import OptimizerName
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, InputForm, example_lines
from ui.lenses.train.handlers.labelled_lines import LabelledLines, read_lines
from ui.lenses.train.handlers.texts import MOST_TEXT, REPEATED, YOURS, OnText
from ui.shared import inputs
from ui.shared.fields import Choice, Flag, Number, Text, Values, Whole, declared, parsed
from ui.shared.inputs import InputError
from ui.state.limits import Limits

# How long a run is: seconds, "cap" for as long as the server allows, a number of updates, or of
# passes over the text.
LENGTHS = {
    "30": "30 s",
    "60": "60 s",
    "120": "2 min",
    "cap": "maximum",
    "steps": "steps",
    "epochs": "epochs",
}
OPTIMIZERS: dict[OptimizerName, str] = {"adamw": "AdamW", "muon": "Muon"}

# Settings that are spoiled on purpose: (label, what to expect and why).
TRICKS: dict[str, tuple[str, str]] = {
    "none": ("none", ""),
    "no_warmup": (
        "no warm-up",
        "The first updates are the largest, while AdamW knows least about the size of the "
        "gradient. Watch the gradient norm of the first steps: small models survive this, "
        "large ones often do not.",
    ),
    "lr_x100": (
        "learning rate × 100",
        "Every step overshoots. The loss gets stuck near the unigram baseline: the model "
        "learns which letters are frequent, and nothing more. In larger models the loss can "
        "become NaN; the run then stops and keeps the last good model.",
    ),
    "no_positions": (
        "no positions",
        "Without position embeddings a token knows what stands before it, but only the causal "
        "mask hints at the order. The loss ends higher.",
    ),
    "no_mask": (
        "no causal mask",
        "Every token sees the next one, so the model copies instead of predicting: the "
        "training loss falls towards 0, and the sample is junk, since there is nothing to copy "
        "when it writes.",
    ),
    "no_scaling": (
        "no residual scaling",
        "The projections into the residual stream start at full size instead of 1/√(2L) of it. "
        "In a few layers the effect is small: the first gradient norms are larger.",
    ),
    "one_batch": (
        "one batch only",
        "The same batch again and again: the training loss falls to 0 while the held-out loss "
        "turns up. It memorises the batch, which also shows that the code can learn.",
    ),
    "post_norm": (
        "post-norm, no warm-up",
        "GPT-1's order, norm after each sum, without a warm-up. With larger initial weights "
        "than these, post-norm's gradients are large near the output at first (Xiong et al. "
        "2020), which is why it is trained with one. In a few layers it is only slower; with "
        "twelve it gets stuck: see the preset “Norm before or after, no warm-up”.",
    ),
}

# Rivals for a race: the same seed and batches, with one difference.
RIVALS: dict[str, str] = {
    "none": "no other run",
    "optimizer": "the other optimiser",
    "rate": "a fifth of the learning rate",
    "norm": "the norm after each sum, as in GPT-1",
    "no_mlp": "no MLPs",
    "deeper": "twice the layers, narrower",
    "healthy": "the same run, not spoiled",
}


# Muon's steps are larger than AdamW's: one control moves both (compared in
# tests/benchmarks/history.md).
_MUON_RATIO = 7.0
MOST_SEED = 2**31 - 1
_LABELS_DECAY = 0.01  # Radford et al. 2018, section 4.1
_UNLIMITED = 10_000_000  # updates of a run by the clock
_TEXTS = {name: corpus.title for name, corpus in CORPORA.items()}
_OWN_TEXTS = {YOURS: "Your own text"}
# Changes of the model's configuration by what is broken.
_SWITCHES: dict[str, dict[str, bool | str]] = {
    "no_positions": {"use_positions": False},
    "no_mask": {"causal": False},
    "no_scaling": {"residual_scaling": False},
    "post_norm": {"norm_position": "post"},
}
# Changes of a form by what it races against.
_RIVALS: dict[str, dict[str, Any]] = {
    "healthy": {"trick": "none"},
    "norm": {"norm_position": "post"},
    "no_mlp": {"use_mlp": False},
}


def _number(title: str, low: float, high: float, info: str = "", **more: Any) -> Number:
    return Number(title=title, low=low, high=high, info=info, **more)


def _whole(title: str, low: int, high: int, info: str = "", **more: Any) -> Whole:
    return Whole(title=title, low=low, high=high, info=info, **more)


_size = partial(_whole, step=1, group="shape")
_REPEATED = {REPEATED: "Repeated random sequences"}
_CORPUS = Choice(title="Text", options={**_TEXTS, **_OWN_TEXTS}, listed=True, of_data=True)
_LENGTH = Choice(
    title="Length",
    options=LENGTHS,
    info="the learning rate reaches 0 when time is up",
    help=(
        '"30", "60" or "120" seconds, "cap" for the maximum that this server allows, "steps" for '
        'max_steps, "epochs" for the preset\'s passes over the text.'
    ),
)
_STEPS = _whole(
    "Steps",
    1,
    1_000_000,
    "updates",
    help='updates, when the length is "steps".',
    id="steps",
    noun="The number of steps",
    only=("length", "steps"),
    group="length",
)
_EPOCHS = _number(
    "Epochs",
    0.01,
    1000,
    "passes over the text",
    noun="The number of epochs",
    only=("length", "epochs"),
    group="length",
)
_RATE = _number(
    "Learning rate",
    1e-7,
    10.0,
    f"peak; Muon uses {_MUON_RATIO:g} times this",
    help="peak; null takes the preset's.",
    id="rate",
    group="rates",
)
_OPTIMIZER = Choice(
    title="Optimiser",
    options=OPTIMIZERS,  # type: ignore[arg-type] - narrower names
    info="Muon makes every matrix's step orthogonal, so that all directions learn alike (Jordan et "
    "al. 2024).",
    help='"adamw" or "muon"; null takes the preset\'s.',
)
_WARMUP = _whole("Warm-up", 0, 100_000, "updates", id="warmup", group="rates")
_DECAY = _number("Weight decay", 0, 10, "of matrices", id="decay", group="rates")
_SEED = _whole("Seed", 0, MOST_SEED, help="of the initial weights and the batches.", group="rates")
_PROMPT = Text(title="Sample prompt", most=500, id="prompt")


@dataclass(frozen=True, kw_only=True)
class Run:
    """The fields that all training forms share."""

    length: str = declared(_LENGTH, "30")
    max_steps: int = declared(_STEPS, 1000)
    epochs: float = declared(_EPOCHS, 3)
    learning_rate: float = declared(_RATE, 3e-3)
    batch_size: int = declared(_size("Batch", 1, 512, "B, windows"), 32)
    prompt: str = declared(_PROMPT, "The ")
    most_seconds: float = math.inf  # that this server gives a run

    @property
    def passes(self) -> float | None:
        """Passes over the text; None where the config says how long the run is."""
        return self.epochs if self.length == "epochs" else None

    def _config(self, **others: Any) -> TrainingConfig:
        """Builds the config from the run's length, rate and batch, with settings of one form."""
        by_clock = self.length not in ("steps", "epochs")
        seconds = float(self.length) if self.length.isdigit() else math.inf
        rate = others.pop("learning_rate", self.learning_rate)
        return TrainingConfig(
            max_steps=_UNLIMITED if by_clock else self.max_steps,
            time_budget=min(self.most_seconds, seconds) if by_clock else None,
            batch_size=self.batch_size,
            learning_rate=rate,
            muon_learning_rate=_MUON_RATIO * rate,
            **others,
        )


@dataclass(frozen=True, kw_only=True)
class TrainForm(Run, OnText):
    """A run from scratch."""

    corpus: str = declared(
        replace(_CORPUS, options={**_TEXTS, **_REPEATED, **_OWN_TEXTS}), "anthology"
    )
    tokenizer: Literal["char", "bpe"] = declared(
        Choice(
            title="Tokens",
            noun="The tokenizer",
            options={"char": "characters", "bpe": "byte-pair encoding"},
            of_data=True,
        ),
        "char",
    )
    vocab_size: int = declared(
        _size("Vocabulary", 257, 16_384, "V, tokens", only=("tokenizer", "bpe"), of_data=True), 512
    )
    n_layer: int = declared(_size("Layers", 1, 24, "L, blocks", noun="The number of layers"), 4)
    n_head: int = declared(_size("Heads", 1, 32, "H, in a layer", noun="The number of heads"), 4)
    n_embd: int = declared(_size("Width", 4, 1024, "C, channels", step=4), 128)
    n_positions: int = declared(
        _size(
            "Window",
            4,
            1024,
            "T, tokens",
            help="window in tokens, shorter than the text; null takes the preset's.",
            step=4,
        ),
        64,
    )
    attention_bias: bool = declared(
        Flag(title="biases in attention", noun="Biases in attention", id="bias", group="switches"),
        True,
    )
    norm_position: str = declared(
        Choice(title="Norm", noun="The norm's place", id="norm", group="switches",
               options={"pre": "before (GPT-2)", "post": "after (GPT-1)"}), "pre",
    )  # fmt: skip
    optimizer: OptimizerName = declared(_OPTIMIZER, "muon")
    warmup_steps: int = declared(_WARMUP, 50)
    dropout: float = declared(_number("Dropout", 0, 0.9, "share switched off", group="rates"), 0.0)
    noise: float = declared(_number("Noise", 0, 0.9, "share replaced", group="rates"), 0.0)
    weight_decay: float = declared(_DECAY, 0.1)
    beta1: float = declared(
        _number("Beta 1", 0, 0.9999, "of AdamW", noun="Beta 1", group="rates"), 0.9
    )
    beta2: float = declared(
        _number("Beta 2", 0, 0.9999, "of AdamW", noun="Beta 2", group="rates"), 0.95
    )
    seed: int = declared(_SEED, 1)
    trick: str = declared(
        Choice(
            title="Spoil one setting",
            noun="The spoiled setting",
            options={name: label for name, (label, _) in TRICKS.items()},
            listed=True,
        ),
        "none",
    )
    rival: str = declared(
        Choice(title="Compare with", noun="The rival", options=RIVALS, listed=True,
               info="same seed, same batches, one thing changed"), "none",
    )  # fmt: skip
    tasks: bool = declared(
        Flag(
            title="Test tasks at every snapshot",
            noun="Watch tasks",
            info="last words, questions and summaries of made-up texts, from prompts alone",
        ),
        False,
    )
    use_mlp: bool = True  # which only a rival takes away

    def __post_init__(self) -> None:
        if self.length == "epochs" and self.corpus == REPEATED:
            raise InputError(
                "Repeated random sequences have no end, so there are no epochs. Choose a time "
                "or steps."
            )
        if self.n_embd % self.n_head:
            width = f"The width is {self.n_embd}"
            raise InputError(
                f"{width}, which cannot be divided among {self.n_head} heads. Choose a multiple."
            )

    @property
    def switches(self) -> Mapping[str, bool | str]:
        """Of GPTConfig, that this form sets."""
        told = {
            "attention_bias": self.attention_bias,
            "norm_position": self.norm_position,
            "use_mlp": self.use_mlp,
        }
        return {**told, **_SWITCHES.get(self.trick, {})}

    @property
    def config(self) -> TrainingConfig:
        """Of the training, with what is broken on purpose in it."""
        repeated = self.corpus == REPEATED
        return self._config(
            learning_rate=self.learning_rate * (100 if self.trick == "lr_x100" else 1),
            optimizer=self.optimizer,
            warmup_steps=0 if self.trick in ("no_warmup", "post_norm") else self.warmup_steps,
            schedule="constant" if repeated else "cosine",
            weight_decay=0.0 if repeated else self.weight_decay,
            beta1=self.beta1,
            beta2=0.98 if repeated else self.beta2,
            seed=self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class TuneForm(Run, OnText):
    """Training the picked model further on a text, in windows of so many tokens at most."""

    corpus: str = declared(_CORPUS, "anthology")
    n_positions: int = declared(_whole("Window", 4, 8192, "tokens", id="window"), 128)
    batch_size: int = declared(_whole("Batch", 1, 512, id="batch"), 8)
    length: str = declared(replace(_LENGTH, info=""), "60")
    max_steps: int = declared(_STEPS, 200)
    epochs: float = declared(_EPOCHS, 2)
    learning_rate: float = declared(replace(_RATE, info="peak", group=""), 0.0002)
    optimizer: OptimizerName = declared(replace(_OPTIMIZER, info=""), "adamw")
    warmup_steps: int = declared(_WARMUP, 20)
    weight_decay: float = declared(_DECAY, 0.1)
    seed: int = declared(_SEED, 1)
    prompt: str = declared(replace(_PROMPT, placeholder="the first words of the text"), "")

    @property
    def config(self) -> TrainingConfig:
        """Of the training."""
        return self._config(
            optimizer=self.optimizer,
            warmup_steps=self.warmup_steps,
            weight_decay=self.weight_decay,
            seed=self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class LabelForm(Run):
    """Learning labels."""

    input_form: str = declared(
        Choice(
            title="Input form",
            options={name: form.title for name, form in INPUT_FORMS.items()},
            listed=True,
            info="one model for four kinds of task (GPT-1, figure 1)",
            id="form",
            of_data=True,
        ),
        next(iter(INPUT_FORMS)),
    )
    labelled: str = declared(
        Text(
            title="Labelled lines",
            noun="The text of labelled lines",
            most=MOST_TEXT,
            lines=6,
            id="lines",
            info="label, tab or comma, then the form's texts, separated by |; a fifth is held out",
            of_data=True,
        ),
        example_lines(next(iter(INPUT_FORMS))),
    )
    batch_size: int = declared(_whole("Batch", 1, 512, id="batch"), 16)
    length: str = declared(replace(_LENGTH, info=""), "30")
    max_steps: int = declared(_STEPS, 200)
    epochs: float = declared(_EPOCHS, 3)
    learning_rate: float = declared(
        replace(_RATE, info="peak; the paper's is 6.25e-5, for 117 M parameters", group=""), 0.0005
    )
    auxiliary_weight: float = declared(
        _number(
            "λ",
            0,
            1,
            "L3 = L2 + λ·L1: weight of the text's own loss next to the labels'",
            step=0.05,
            id="lambda",
            noun="Lambda",
        ),
        AUXILIARY_WEIGHT,
    )
    prompt: str = declared(_PROMPT, "the ")
    read: LabelledLines | None = None  # what the labelled lines hold

    @property
    def form(self) -> InputForm:
        """The input form, which turns a line into token sequences."""
        return INPUT_FORMS[self.input_form]

    @property
    def config(self) -> TrainingConfig:
        """Of the training."""
        return self._config(optimizer="adamw", warmup_steps=20, weight_decay=_LABELS_DECAY, seed=1)


def train_form(values: Values, limits: Limits) -> TrainForm:
    """The form of a run from scratch. Raises InputError for a field that cannot be used."""
    return parsed(TrainForm, values, most_seconds=limits.training_seconds)


def rival_of(form: TrainForm) -> TrainForm | None:
    """The form of the run that races against this one, or None. Raises InputError where both would
    be equal.
    """
    if form.rival == "none":
        return None
    made = replace(form, **_changes(form))
    without = form.rival == "no_mlp" and form.corpus == REPEATED  # those have no MLP anyway
    if without or _effect(made) == _effect(form):
        raise InputError(
            f"A run against {RIVALS[form.rival]!r} would compare two equal runs. Choose "
            "another rival."
        )
    return made


def _changes(form: TrainForm) -> dict[str, Any]:
    if form.rival == "optimizer":
        return {"optimizer": next(item for item in OPTIMIZERS if item != form.optimizer)}
    if form.rival == "rate":
        return {"learning_rate": form.learning_rate / 5}
    if form.rival == "deeper":
        narrower = max(1, round(form.n_embd / 2**0.5 / form.n_head)) * form.n_head
        return {"n_layer": 2 * form.n_layer, "n_embd": narrower}
    return _RIVALS[form.rival]


def _effect(form: TrainForm) -> tuple[object, ...]:
    """Returns all properties of a run that a rival may change, to compare two forms by."""
    return form.config, form.switches, form.n_layer, form.n_embd, form.trick


def tune_form(values: Values, limits: Limits) -> TuneForm:
    """The form of training a model further. Raises InputError for a field that cannot be used."""
    return parsed(TuneForm, values, most_seconds=limits.training_seconds)


def label_form(values: Values, limits: Limits) -> LabelForm:
    """The form of learning labels. Raises InputError for a field, or lines, that cannot be used."""
    form = parsed(LabelForm, values, most_seconds=limits.training_seconds)
    most = limits.training_text_bytes
    text = inputs.text(form.labelled, "The labelled lines", most=most, needs_words=True)
    return replace(form, read=read_lines(text, form.form))
