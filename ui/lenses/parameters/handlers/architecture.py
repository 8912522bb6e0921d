"""The parts of the drawing: what each computes, what it counts, and the lines of this project that do it."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gptcore import attention, model
from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from ui.lenses.parameters.handlers.shapes import COMPONENTS, name_of

_ROOT = Path(model.__file__).resolve().parent.parent

# Part of the drawing -> (title, formula, component it belongs to, the code).
_PARTS: dict[str, tuple[str, str, str, tuple[Callable[..., object], ...]]] = {
    "token_embedding": ("Token embedding", "x = wte[token id]", "token_embedding", (model.GPT.hidden_states,)),
    "position_embedding": (
        "Position embedding",
        "x = x + wpe[place]",
        "position_embedding",
        (model._positions, model.GPT.hidden_states),
    ),
    "attention": (
        "Attention",
        "softmax(q·kᵀ / √D + mask) · v, then c_proj",
        "attention",
        (attention.CausalSelfAttention.forward, attention.attention_weights),
    ),
    "mlp": ("MLP", "c_proj(GELU(c_fc(x)))", "mlp", (model.MLP.forward, model.activation)),
    "ln_1": (
        "LayerNorm before or after attention",
        "(x − mean) / √(variance + ε) · weight + bias",
        "ln_1",
        (model.Block.forward,),
    ),
    "ln_2": (
        "LayerNorm before or after the MLP",
        "(x − mean) / √(variance + ε) · weight + bias",
        "ln_2",
        (model.Block.forward,),
    ),
    "final_norm": (
        "Final LayerNorm",
        "(x − mean) / √(variance + ε) · weight + bias",
        "final_norm",
        (model.GPT.hidden_states,),
    ),
    "head": ("Output head", "logits = x · lm_headᵀ", "head", (model.GPT.forward,)),
}


def drawn(config: GPTConfig) -> tuple[GPTConfig, dict[str, int], str]:
    """What `ui.lenses.parameters.figures.architecture.inline` takes: the shape, its counts by component, its name."""
    counts = {part.name: part.count for part in count_parameters(config).components}
    return config, counts, name_of(config) or "this shape"


def parts(config: GPTConfig) -> dict[str, dict[str, Any]]:
    """For every part of the drawing: title, formula, count, share, and code as [file:line, text] pairs."""
    count = count_parameters(config)
    components = {part.name: (part.numbers, part.count, COMPONENTS[part.name][0]) for part in count.components}
    one_norm = (
        f"{config.n_layer:,}·2·{config.n_embd:,}",
        2 * config.n_layer * config.n_embd,
        "this norm in all blocks",
    )
    components |= {"ln_1": one_norm, "ln_2": one_norm}
    known = {}
    for name, (title, formula, component, functions) in _PARTS.items():
        if (name == "final_norm" and not config.final_norm) or (name == "ln_2" and not config.use_mlp):
            continue
        numbers, n, where = components[component]
        known[name] = {
            "title": title,
            "formula": formula,
            "count": f"{numbers} = {n:,} parameters, {_share(n / count.total)} ({where})"
            if n or component != "head"
            else "no parameters of its own: it is the token embedding's matrix again",
            "code": [_source(function) for function in functions],
        }
    return known


def _share(share: float) -> str:
    """A share of all parameters, with as many digits as it needs not to be 0."""
    return f"{share:.1%}" if share >= 0.001 or share == 0 else f"{100 * share:.2g}%"


def _source(function: Callable[..., object]) -> list[str]:
    lines, first = inspect.getsourcelines(function)
    file = Path(inspect.getsourcefile(function) or "").resolve().relative_to(_ROOT)
    return [f"{file.as_posix()}, line {first}", inspect.cleandoc("\n" + "".join(lines))]
