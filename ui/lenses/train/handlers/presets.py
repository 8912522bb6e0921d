"""Options of the Train tab: fields, presets, lengths, optimisers, and "break it" options."""

from __future__ import annotations

from typing import Any

from gptcore.training.config import OptimizerName
from ui.lenses.train.handlers.texts import REPEATED

# How long a run is: seconds, "cap" for as long as the server allows, a number of updates, or of passes over the text.
LENGTHS = ("30", "60", "120", "cap", "steps", "epochs")
FIELDS = (
    "corpus", "written", "file", "data_set", "tokenizer", "vocab_size", "n_layer", "n_head", "n_embd", "n_positions",
    "batch_size", "attention_bias", "norm_position", "length", "max_steps", "epochs", "optimizer", "learning_rate",
    "warmup_steps", "dropout", "noise", "weight_decay", "beta2", "seed", "prompt", "trick", "rival", "tasks",
)  # fmt: skip
TUNING_FIELDS = (
    "corpus", "written", "file", "data_set", "n_positions", "batch_size", "length", "max_steps", "epochs",
    "optimizer", "learning_rate", "warmup_steps", "weight_decay", "seed", "prompt",
)  # fmt: skip
LABEL_FIELDS = (
    "input_form", "labelled", "batch_size", "length", "max_steps", "epochs", "learning_rate", "auxiliary_weight",
    "prompt",
)  # fmt: skip
# Radford et al. 2018, section 4.1: what they fine-tuned with.
GPT1_TUNING: dict[str, Any] = {
    "batch_size": 32, "length": "epochs", "epochs": 3, "learning_rate": 6.25e-5, "auxiliary_weight": 0.5,
}  # fmt: skip
WATCHED_ITEMS = 24  # of each task, at every snapshot
# What another tab can send here.
SENT = ("n_layer", "n_head", "n_embd", "n_positions")

_TEXT: dict[str, Any] = {
    "corpus": "anthology", "written": "", "file": None, "data_set": "", "tokenizer": "char", "vocab_size": 512,
    "n_layer": 4, "n_head": 4, "n_embd": 128, "n_positions": 64, "batch_size": 32, "attention_bias": True,
    "norm_position": "pre", "length": "30", "max_steps": 1000, "epochs": 3,
    "optimizer": "muon", "learning_rate": 3e-3, "warmup_steps": 50, "dropout": 0.0, "noise": 0.0,
    "weight_decay": 0.1, "beta2": 0.95, "seed": 1, "prompt": "The ", "trick": "none", "rival": "none", "tasks": False,
}  # fmt: skip
PRESETS: dict[str, dict[str, Any]] = {
    "30 seconds, letters": _TEXT,
    # Thirty and fifty epochs on two fast cores: without strong weight decay, and noise, they memorise the text.
    "2 minutes, letters": {**_TEXT, "length": "120", "warmup_steps": 100, "weight_decay": 1.0},
    "2 minutes, word pieces": {
        **_TEXT, "length": "120", "tokenizer": "bpe", "vocab_size": 384, "warmup_steps": 100, "weight_decay": 0.7,
        "noise": 0.15,
    },
    "Tasks appear": {
        **_TEXT, "corpus": "tasks", "tokenizer": "bpe", "vocab_size": 2048, "n_positions": 128, "batch_size": 16,
        "length": "120", "warmup_steps": 100, "tasks": True,
        "prompt": "Tom lost his hat. Lily found it in the garden.\nQ: Who found the hat?\nA:",
    },
    "The lesson's GPT: 4 layers x 128": {
        **_TEXT, "attention_bias": False, "dropout": 0.1, "length": "60", "optimizer": "adamw",
        "learning_rate": 1e-3, "warmup_steps": 100,
    },
    "GPT-1's recipe, scaled down": {
        **_TEXT, "tokenizer": "bpe", "norm_position": "post", "dropout": 0.1, "weight_decay": 0.01, "length": "epochs",
        "epochs": 30, "optimizer": "adamw", "learning_rate": 1.5e-3, "warmup_steps": 100, "beta2": 0.999,
    },
    "Norm before or after, no warm-up": {
        **_TEXT, "n_layer": 12, "n_embd": 64, "n_positions": 32, "batch_size": 16, "optimizer": "adamw",
        "learning_rate": 1e-3, "warmup_steps": 0, "length": "60", "rival": "norm",
    },
    "Induction heads form": {
        **_TEXT, "corpus": REPEATED, "n_layer": 2, "n_embd": 64, "batch_size": 64, "length": "60",
        "optimizer": "adamw", "learning_rate": 1e-3,
        "warmup_steps": 0, "weight_decay": 0.0, "beta2": 0.98, "seed": 0, "prompt": "kitten kitten kitt",
    },
}  # fmt: skip

# Notes under presets that come from a document.
NOTES = {
    "2 minutes, word pieces": (
        "A token is nearly two characters, so the model looks almost twice as far back as with letters, and it reads "
        "this short text many times. Noise keeps it from learning it by heart: one token in seven that it reads is "
        "another one of the batch, which also raises the training loss, above the held-out one at first. For a text of "
        "a megabyte: no noise, decay 0.3, a vocabulary of 512, windows of 128, batches of 16."
    ),
    "The lesson's GPT: 4 layers x 128": (
        "Window 64, 4 layers, 4 heads, 128 wide, no biases in attention, dropout 0.1: with the 65 characters of "
        "Shakespeare 807,808 parameters. Paste a text of your own below, or take the built-in one, which has a few "
        "characters more. Attention itself has no dropout here: it would halve the speed."
    ),
    "GPT-1's recipe, scaled down": (
        "GPT-1 in small: 12 layers become 4, 768 channels 128, 512 tokens 64, 40,478 token types 512, batches of 64 "
        "become 32, 100 passes 30, and 2,000 updates of warm-up 100. The peak of 2.5e-4 becomes 1.5e-3, 6 times as "
        "high, since the model is 6 times narrower. As in the paper: norm after each sum, dropout 0.1 (but not in "
        "attention), decay 0.01, AdamW with beta2 0.999, a cosine to 0."
    ),
    "Norm before or after, no warm-up": (
        "Twelve narrow layers, the norm before each part as in GPT-2, against the same with the norm after each sum as "
        "in GPT-1. Without a warm-up the second is stuck at the unigram baseline; give both 100 updates of it, and it "
        "learns."
    ),
    "Tasks appear": (
        f"At every snapshot {WATCHED_ITEMS} items of each task, in combinations that the text never shows, are put to "
        "the model. An answer is right if its every token is the first guess; chance is almost 0. A slow or "
        "busy machine gets less far in two minutes; choose the maximum there."
    ),
}

OPTIMIZERS: dict[OptimizerName, str] = {"adamw": "AdamW", "muon": "Muon"}

# "Break it" options: (label, what to expect and why).
TRICKS: dict[str, tuple[str, str]] = {
    "none": ("nothing", ""),
    "no_warmup": (
        "no warm-up",
        "The first updates are the largest, while AdamW knows least about the size of the gradient. Watch the "
        "gradient norm of the first steps: small models survive this, large ones often do not.",
    ),
    "lr_x100": (
        "learning rate × 100",
        "Every step overshoots. The loss gets stuck near the unigram baseline: the model learns which letters "
        "are frequent, and nothing more. In larger models the loss can become NaN; the run then stops and "
        "keeps the last good model.",
    ),
    "no_positions": (
        "no positions",
        "Without position embeddings a token knows what stands before it, but only the causal mask hints at "
        "the order. The loss ends higher.",
    ),
    "no_mask": (
        "no causal mask",
        "Every token sees the next one, so the model copies instead of predicting: the training loss falls "
        "towards 0, and the sample is junk, since there is nothing to copy when it writes.",
    ),
    "no_scaling": (
        "no residual scaling",
        "The projections into the residual stream start at full size instead of 1/√(2L) of it. In a few "
        "layers the effect is small: the first gradient norms are larger.",
    ),
    "one_batch": (
        "one batch only",
        "The same batch again and again: the training loss falls to 0 while the held-out loss turns up. It "
        "memorises the batch, which also shows that the code can learn.",
    ),
    "post_norm": (
        "post-norm, no warm-up",
        "GPT-1's order, norm after each sum, without a warm-up. With larger initial weights than these, "
        "post-norm's gradients are large near the output at first (Xiong et al. 2020), which is why it is trained "
        "with one. In a few layers it is only slower; with twelve it gets stuck: see the preset “Norm before or "
        "after, no warm-up”.",
    ),
}

# Rivals for a race: the same seed and batches, with one difference.
RIVALS: dict[str, str] = {
    "none": "nobody",
    "optimizer": "the other optimiser",
    "rate": "a fifth of the learning rate",
    "norm": "the norm after each sum, as in GPT-1",
    "no_mlp": "no MLPs",
    "deeper": "twice the layers, narrower",
    "healthy": "the same, not broken",
}
