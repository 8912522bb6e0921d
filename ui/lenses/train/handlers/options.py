"""What can be broken in a run, what it can race against, and how long it can be."""

from gptcore.training.config import OptimizerName

# How long a run is: seconds, "cap" for as long as the server allows, a number of updates, or of passes over the text.
LENGTHS = {"30": "30 s", "60": "60 s", "120": "2 min", "cap": "maximum", "steps": "steps", "epochs": "epochs"}
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
        "GPT-1's order, norm after each sum, without a warm-up. With larger initial weights than these, post-norm's "
        "gradients are large near the output at first (Xiong et al. 2020), which is why it is trained with one. In a "
        "few layers it is only slower; with twelve it gets stuck: see the preset “Norm before or after, no warm-up”.",
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
