"""Presets of the Train tab, and what is said of them."""

from dataclasses import replace
from typing import Any

from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from ui.lenses.train.handlers.forms import TrainForm
from ui.lenses.train.handlers.texts import REPEATED
from ui.shared.fields import values_of
from ui.state.limits import Limits

# Radford et al. 2018, section 4.1: what they fine-tuned with.
GPT1_TUNING: dict[str, Any] = {
    "batch_size": 32,
    "length": "epochs",
    "epochs": 3,
    "learning_rate": 6.25e-5,
    "auxiliary_weight": 0.5,
}
WATCHED_ITEMS = 24  # of each task, at every snapshot
# Of a model; another tab can send it here.
SHAPE = ("n_layer", "n_head", "n_embd", "n_positions")

STORY_WRITER = "A story writer in 30 seconds"
_TWO_MINUTES = TrainForm(length="120", warmup_steps=100)
_FORMS: dict[str, TrainForm] = {
    "30 seconds, letters": TrainForm(),
    # Thirty and fifty epochs on two fast cores: without strong weight decay, and noise, they
    # memorise the text.
    "2 minutes, letters": replace(_TWO_MINUTES, weight_decay=1.0),
    "2 minutes, word pieces": replace(
        _TWO_MINUTES, tokenizer="bpe", vocab_size=384, weight_decay=0.7, noise=0.15
    ),
    STORY_WRITER: TrainForm(
        corpus="stories",
        tokenizer="bpe",
        vocab_size=4096,
        n_layer=6,
        n_head=7,
        n_embd=336,
        n_positions=256,
        batch_size=64,
        dropout=0.1,
        weight_decay=0.3,
        prompt="Once upon a time",
    ),
    "Tasks appear": replace(
        _TWO_MINUTES,
        corpus="tasks",
        tokenizer="bpe",
        vocab_size=2048,
        n_positions=128,
        batch_size=16,
        tasks=True,
        prompt="Tom lost his hat. Lily found it in the garden.\nQ: Who found the hat?\nA:",
    ),
    "The lesson's GPT: 4 layers x 128": TrainForm(
        attention_bias=False,
        dropout=0.1,
        length="60",
        optimizer="adamw",
        learning_rate=1e-3,
        warmup_steps=100,
    ),
    "GPT-1's recipe, scaled down": TrainForm(
        tokenizer="bpe",
        norm_position="post",
        dropout=0.1,
        weight_decay=0.01,
        length="epochs",
        epochs=30,
        optimizer="adamw",
        learning_rate=1.5e-3,
        warmup_steps=100,
        beta2=0.999,
    ),
    "Norm before or after, no warm-up": TrainForm(
        n_layer=12,
        n_embd=64,
        n_positions=32,
        batch_size=16,
        optimizer="adamw",
        learning_rate=1e-3,
        warmup_steps=0,
        length="60",
        rival="norm",
    ),
    "Induction heads form": TrainForm(
        corpus=REPEATED,
        n_layer=2,
        n_embd=64,
        batch_size=64,
        length="60",
        optimizer="adamw",
        learning_rate=1e-3,
        warmup_steps=0,
        weight_decay=0.0,
        beta2=0.98,
        seed=0,
        prompt="kitten kitten kitt",
    ),
}
PRESETS: dict[str, dict[str, Any]] = {name: values_of(form) for name, form in _FORMS.items()}

# Notes under presets that come from a document.
NOTES = {
    STORY_WRITER: (
        "The shape of the bundled mini, and 21,891 stories that it wrote, in word pieces made "
        "from them. A graphics card reads all of them about 13 times in half a minute (43 "
        "million tokens on an H200, 1.48 nats held out) and then writes stories. A processor "
        "needs an hour or more: it learns words in the same time. A text of your own should "
        "have a megabyte or more."
    ),
    "2 minutes, word pieces": (
        "A token is nearly two characters, so the model looks almost twice as far back as with "
        "letters, and it reads this short text many times. Noise keeps it from learning it by "
        "heart: one token in seven that it reads is another one of the batch, which also "
        "raises the training loss, above the held-out one at first. For a text of a megabyte: "
        "no noise, decay 0.3, a vocabulary of 512, windows of 128, batches of 16."
    ),
    "The lesson's GPT: 4 layers x 128": (
        "Window 64, 4 layers, 4 heads, 128 wide, no biases in attention, dropout 0.1: with the "
        "65 characters of Shakespeare 807,808 parameters. Paste a text of your own below, or "
        "take the built-in one, which has a few characters more. Attention itself has no "
        "dropout here: it would halve the speed."
    ),
    "GPT-1's recipe, scaled down": (
        "GPT-1 in small: 12 layers become 4, 768 channels 128, 512 tokens 64, 40,478 token "
        "types 512, batches of 64 become 32, 100 passes 30, and 2,000 updates of warm-up 100. "
        "The peak of 2.5e-4 becomes 1.5e-3, 6 times as high, since the model is 6 times "
        "narrower. As in the paper: norm after each sum, dropout 0.1 (but not in attention), "
        "decay 0.01, AdamW with beta2 0.999, a cosine to 0."
    ),
    "Norm before or after, no warm-up": (
        "Twelve narrow layers, the norm before each part as in GPT-2, against the same with "
        "the norm after each sum as in GPT-1. Without a warm-up the second is stuck at the "
        "unigram baseline; give both 100 updates of it, and it learns."
    ),
    "Tasks appear": (
        f"At every snapshot {WATCHED_ITEMS} items of each task, in combinations that the text "
        "never shows, are put to the model. An answer is right if its every token is the first "
        "guess; chance is almost 0. A slow or busy machine gets less far in two minutes; "
        "choose the maximum there."
    ),
}


def offered(limits: Limits) -> list[str]:
    """The presets whose models this server trains."""
    shapes = {
        name: {item: values[item] for item in (*SHAPE, "vocab_size")}
        for name, values in PRESETS.items()
    }
    most = limits.training_parameters
    return [
        name for name, shape in shapes.items() if count_parameters(GPTConfig(**shape)).total <= most
    ]
