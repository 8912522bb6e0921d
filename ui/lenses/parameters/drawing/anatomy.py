"""Live experiments for the page: the numbers of a figure, and one paragraph with what they show."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gptcore.analysis import count_parameters
from gptcore.analysis import experiments as run
from gptcore.config import PRESETS, GPTConfig
from gptcore.language_model import LanguageModel
from gptcore.model import activation
from ui.conclusions import decimal
from ui.lenses.parameters.drawing import norms
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.own_text import readable_text
from ui.shared.sheets import Section

# Small enough to run live, deep enough to show the effect of depth.
_SMALL = GPTConfig(vocab_size=512, n_positions=64, n_embd=128, n_layer=24, n_head=4)


@dataclass(frozen=True)
class Experiment:
    """The result of an experiment: its figure, a paragraph and tables."""

    figure: str  # name of the function in ui.lenses.parameters.drawing.anatomy_figures.
    arguments: dict[str, Any]  # for it
    text: str  # one paragraph, with the figures just measured
    tables: tuple[Section, ...] = ()  # results shown as tables


def experiment(services: Services, model: object, name: object) -> Experiment:
    """Runs one of EXPERIMENTS with the model in the picker. Raises InputError for an unknown
    name.
    """
    if not isinstance(name, str) or name not in EXPERIMENTS:
        raise InputError(
            f"There is no experiment {str(name)[:60]!r}; choose {', '.join(EXPERIMENTS)}."
        )
    lm = services.models.get(inputs.model_name(model))
    return services.measure(lambda: EXPERIMENTS[name](lm))


def _activations(lm: LanguageModel) -> Experiment:
    curves = run.activation_curves()
    error = float((curves.values["gelu"] - curves.values["gelu_new"]).abs().max())
    lowest = float(curves.values["gelu"].min())
    flat = _flat_point()
    x = torch.linspace(-6, 6, 1201)
    by_hand = run.gelu_by_hand(x)
    theirs = torch.nn.functional.gelu(x, approximate="tanh")
    arguments = {
        "x": _array(curves.x),
        "values": {name: _array(v) for name, v in curves.values.items()},
        "slopes": {name: _array(v) for name, v in curves.slopes.items()},
        "gate": _array(curves.gate),
    }
    return Experiment(
        "activations",
        arguments,
        "ReLU cuts everything below zero, and lets no gradient through there. GELU multiplies "
        "its input by a soft gate, Φ(x), the share of a normal distribution below x: it dips "
        f"to {lowest:.3f}, is smooth at zero, and its slope is 0 at one point alone, x = "
        f"{flat:.4f}. GPT-1 and GPT-2 use the tanh approximation, which differs from the exact "
        f"one by at most {error:.1e}.",
        (
            _properties(),
            _by_hand("GELU", "0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", by_hand, theirs),
        ),
    )


def _flat_point() -> float:
    """Computes the x at which GELU's slope Φ(x) + x·φ(x) is 0, by Newton's method."""
    x = -0.75
    for _ in range(20):
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        slope = 0.5 * (1 + math.erf(x / math.sqrt(2))) + x * density
        x -= slope / (density * (2 - x * x))
    return x


def _properties() -> Section:
    """Values and slopes of ReLU and GELU at a few places, computed."""
    x = torch.tensor([-3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 3.0]).requires_grad_(True)
    rows = []
    for label, name in (("ReLU", "relu"), ("GELU, exact", "gelu"), ("GELU, tanh", "gelu_new")):
        y = activation(name, x)
        (slopes,) = torch.autograd.grad(y.sum(), x)
        for what, values in (("value", y), ("slope", slopes)):
            rows.append((f"{label}: {what}", *(decimal(value, 3) for value in values.tolist())))
    columns = ("", *(f"x = {value:g}".replace("-", "−") for value in x.tolist()))
    text = (
        "ReLU's gate is 0 or 1; GELU's is Φ(x). A neuron that ReLU has shut has the slope 0 "
        "and learns nothing more. At 0 itself ReLU has no slope; programs take 0."
    )
    return Section("Hard gate and soft gate", text, columns, rows)


def _by_hand(name: str, formula: str, ours: Tensor, theirs: Tensor) -> Section:
    """A function written out term by term beside torch's own."""
    worst = float((ours - theirs).abs().max())
    rows = [
        ("by hand", formula, f"{float(ours.mean()):.6f}"),
        ("torch", f"torch.nn.functional, {ours.numel():,} values", f"{float(theirs.mean()):.6f}"),
        ("largest difference", "rounding of 32-bit numbers", f"{worst:.1e}"),
    ]
    return Section(f"{name} by hand", "", ("", "how", "mean"), rows)


def _layer_norm(lm: LanguageModel) -> Experiment:
    layer = lm.model.config.n_layer // 2
    ids = lm.tokenizer.encode(readable_text(lm))[: lm.model.config.n_positions]
    example = run.layer_norm_example(lm.model, ids, layer)
    low = float(example.deviation.min())
    high = float(example.deviation.max())
    norm = lm.model.blocks[layer].ln_1
    by_hand = run.layer_norm_by_hand(
        example.before, norm.weight.cpu(), norm.bias.cpu(), norm.eps
    ).detach()
    arguments = {
        name: _array(getattr(example, name)) for name in ("before", "after", "mean", "deviation")
    }
    return Experiment(
        "layer_norm",
        arguments,
        f"The residual stream of {lm.name} before layer {layer}, on the Attention tab's "
        f"example. Its standard deviation goes from {low:.2f} to {high:.2f} between tokens, "
        "and single channels stick out. LayerNorm subtracts each token's mean, divides by its "
        "deviation, and then scales and shifts every channel by weights that were learned: "
        "attention sees numbers of one size, whatever piled up in the stream.",
        (
            _by_hand(
                "LayerNorm", "(x − mean) / √(variance + ε) · weight + bias", by_hand, example.after
            ),
        ),
    )


def _two_norms(lm: LanguageModel) -> Experiment:
    norms = run.two_norms()
    arguments = {name: _array(getattr(norms, name)) for name in ("before", "by_batch", "by_layer")}
    return Experiment(
        "two_norms",
        arguments,
        "Four tokens of six channels. BatchNorm makes every column (a channel over the batch) "
        "mean 0 and deviation 1, LayerNorm every row (a token over its channels). Replace the "
        f"last token by another one, and the first moves by {norms.moved_by_batch:.2f} on "
        f"average under BatchNorm and by {norms.moved_by_layer:.2f} under LayerNorm. That is "
        "why a GPT uses the second: a token's numbers must not depend on what else is in the "
        "batch, texts differ in length, and when it writes there is a batch of one.",
    )


def _mask(lm: LanguageModel) -> Experiment:
    leaks = run.future_leak(replace(_SMALL, n_layer=4))
    without = leaks[False][:-1]
    return Experiment(
        "leak",
        {"with_mask": _array(leaks[True]), "without": _array(leaks[False])},
        "Two texts that differ in their last token alone, in the same random model. With the "
        "causal mask no earlier prediction moves, to the last bit. Without it every one does, "
        f"by {float(without.mean()):.2f} on average: the model could read the answer instead "
        "of predicting it, and its training loss would mean nothing.",
    )


def _norm_position(lm: LanguageModel) -> Experiment:
    made = norms.recorded()
    last = {name: run["last"] for name, run in made["runs"].items()}
    pre = last[norms.PRE]
    sentence = (
        f"The same GPT of {made['layers']} layers, {made['width']} wide, on the built-in "
        f"stories, {made['updates']} updates at a rate of {made['rate']:g}, recorded: only the "
        "place of the norm and the warm-up differ. Without a warm-up, pre-norm ends at "
        f"{pre[0]:.2f} nats a letter; post-norm {norms.verdict(made)}. Xiong et al. 2020 "
        "explained it: post-norm needs a warm-up, as GPT-1 had, and pre-norm, as in GPT-2, "
        "does not. Shallow models do not show it. In the Train tab the preset “Norm before or "
        "after, no warm-up” runs the race live."
    )
    curves = {
        name: np.array(made["runs"][name]["curve"])
        for name in (norms.PRE, norms.POST, norms.WARMED)
    }
    rows = [(norms.TITLES[name], *(f"{loss:.2f}" for loss in last[name])) for name in curves]
    seeds = ("", *(f"seed {seed}" for seed in range(1, len(pre) + 1)))
    ends = Section(
        "Three seeds", "Training loss, mean of the last 20 updates, nats a letter.", seeds, rows
    )
    lines = {norms.TITLES[name]: curve for name, curve in curves.items()}
    return Experiment(
        "losses", {"lines": lines, "every": made["every"]}, sentence, (ends, _gradients())
    )


def _gradients() -> Section:
    """The measure of Xiong et al. on random models, computed."""
    norms = run.gradient_by_depth(replace(_SMALL, n_layer=12))
    titles = {"pre": "pre-norm (GPT-2)", "post": "post-norm (GPT-1)"}
    rows = [
        (title, *(f"{float(norms[name][end]):.2f}" for end in (0, -1)))
        for name, title in titles.items()
    ]
    text = (
        "Norm of the mean gradient of the MLP's second matrix in a random model of 12 layers, "
        "128 wide, computed now. Xiong et al. report that post-norm's is large near the "
        "output; in a decoder as small as this one it is not. Pre-norm's early blocks have "
        "more, as Shleifer et al. 2021 (NormFormer) report."
    )
    return Section(
        "Gradients before training", text, ("", "first block", "last block"), rows, folded=True
    )


def _tying(lm: LanguageModel) -> Experiment:
    config = lm.model.config
    tied = count_parameters(replace(config, tie_word_embeddings=True))
    untied = count_parameters(replace(config, tie_word_embeddings=False))
    table = tied.token_embedding
    return Experiment(
        "tying",
        {"tied": tied.total, "untied": untied.total, "table": table},
        f"{lm.name} with one table at both ends has {tied.total:,} parameters, with two "
        f"{untied.total:,}: the table is {table / tied.total:.0%} of the tied model. Tying "
        "assumes that tokens with similar input vectors should also get similar output scores "
        "(Press and Wolf 2017).",
        (_tied_elsewhere(),),
    )


def _tied_elsewhere() -> Section:
    """Tabulates the parameters that one table instead of two saves in models of other sizes and
    vocabularies.
    """
    rows = []
    for title, name in (
        ("65 letters (char-day19)", "char-day19"),
        ("GPT-1", "gpt1"),
        ("GPT-2 small", "gpt2"),
        ("GPT-2 XL", "gpt2-xl"),
    ):
        tied, untied = (
            count_parameters(replace(PRESETS[name], tie_word_embeddings=tie))
            for tie in (True, False)
        )
        saved = untied.total - tied.total
        shape = f"{PRESETS[name].vocab_size:,} · {PRESETS[name].n_embd:,} = {saved:,}"
        rows.append((title, tied.total, untied.total, shape, f"{saved / untied.total:.1%}"))
    text = (
        "Much where the vocabulary is large and the model small; next to nothing with 65 letters."
    )
    return Section(
        "What tying saves elsewhere",
        text,
        ("model", "tied", "untied", "the second table", "saved"),
        rows,
    )


def _scaling(lm: LanguageModel) -> Experiment:
    sizes = run.stream_by_depth(_SMALL)
    scaled = _array(sizes[True])
    plain = _array(sizes[False])
    return Experiment(
        "by_depth",
        {
            "lines": {
                "residual projections scaled by 1/√(2·layers)": scaled,
                "all weights N(0, 0.02)": plain,
            }
        },
        "Every block adds two more terms. Without scaling the stream of a random 24-layer "
        f"model grows {plain[-1] / plain[0]:.1f} times on the way up; with GPT-2's scaled "
        f"initialisation {scaled[-1] / scaled[0]:.1f} times (GPT-2 paper, section 2.3).",
    )


def _positions(lm: LanguageModel) -> Experiment:
    similarity = _array(run.position_similarity(lm.model))
    near = float(np.mean(np.diag(similarity, 1)))
    far = float(np.mean(np.diag(similarity, len(similarity) // 2)))
    return Experiment(
        "positions",
        {"similarity": similarity, "window": lm.model.config.n_positions},
        f"The position embeddings of {lm.name}, compared with each other. Nobody told the "
        "model that 5 comes after 4: each place has a vector of its own. Neighbours have a "
        f"similarity of {decimal(near)}, positions half a window apart {decimal(far)}. What is "
        "not random here was learned.",
    )


EXPERIMENTS: dict[str, Callable[[LanguageModel], Experiment]] = {
    "GELU against ReLU": _activations,
    "LayerNorm on a real activation": _layer_norm,
    "BatchNorm against LayerNorm": _two_norms,
    "What the causal mask does": _mask,
    "Pre-norm against post-norm": _norm_position,
    "Weight tying": _tying,
    "Scaled initialisation": _scaling,
    "Learned positions": _positions,
}


def _array(values: Tensor) -> np.ndarray:
    return values.detach().float().numpy()
