"""The parts of the drawing: what each computes, what it counts, and the lines of this project that
do it.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gptcore import attention, model
from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from ui.lenses.parameters.handlers.shapes import COMPONENTS, name_of

_ROOT = Path(model.__file__).resolve().parent.parent

_NORM = "(x − mean) / √(variance + ε) · weight + bias"

# Part of the drawing -> (title, formula, the code).
_PARTS: dict[str, tuple[str, str, tuple[Callable[..., object], ...]]] = {
    "token_embedding": ("Token embedding", "x = wte[token id]", (model.GPT.hidden_states,)),
    "position_embedding": (
        "Position embedding",
        "x = x + wpe[place]",
        (model._positions, model.GPT.hidden_states),
    ),
    "attention": (
        "Attention",
        "softmax(q·kᵀ / √D + mask) · v, then c_proj",
        (attention.CausalSelfAttention.forward, attention.attention_weights),
    ),
    "mlp": ("MLP", "c_proj(GELU(c_fc(x)))", (model.MLP.forward, model.activation)),
    "ln_1": ("LayerNorm before or after attention", _NORM, (model.Block.forward,)),
    "ln_2": ("LayerNorm before or after the MLP", _NORM, (model.Block.forward,)),
    "final_norm": ("Final LayerNorm", _NORM, (model.GPT.hidden_states,)),
    "head": ("Output head", "logits = x · lm_headᵀ", (model.GPT.forward,)),
}


def drawn(config: GPTConfig) -> tuple[GPTConfig, dict[str, int], str]:
    """Returns the arguments of `ui.lenses.parameters.drawing.figures.inline`: the shape, its counts
    by component, its name.
    """
    counts = {part.name: part.count for part in count_parameters(config).components}
    return config, counts, name_of(config) or "this shape"


def parts(config: GPTConfig) -> dict[str, dict[str, Any]]:
    """For every part of the drawing: title, formula, count, share, and code as [file:line, text]
    pairs.
    """
    count = count_parameters(config)
    L = config.n_layer
    C = config.n_embd
    components = {
        part.name: (part.numbers, part.count, COMPONENTS[part.name][0]) for part in count.components
    }
    components |= dict.fromkeys(
        ("ln_1", "ln_2"), (f"{L:,}·2·{C:,}", 2 * L * C, "this norm in all blocks")
    )
    known = {}
    for name, (title, formula, functions) in _PARTS.items():
        if (name == "final_norm" and not config.final_norm) or (
            name == "ln_2" and not config.use_mlp
        ):
            continue
        numbers, n, where = components[name]
        counted = f"{numbers} = {n:,} parameters, {_share(n / count.total)} ({where})"
        if name == "head" and not n:
            counted = "no parameters of its own: it is the token embedding's matrix again"
        code = [_source(function) for function in functions]
        known[name] = {"title": title, "formula": formula, "count": counted, "code": code}
    return known


def _share(share: float) -> str:
    """A share of all parameters, with as many digits as it needs not to be 0."""
    return f"{share:.1%}" if share >= 0.001 or share == 0 else f"{100 * share:.2g}%"


def _source(function: Callable[..., object]) -> list[str]:
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").resolve().relative_to(_ROOT)
    return [f"{file.as_posix()}, line {first}", inspect.cleandoc("\n" + "".join(lines))]
