"""Model shape: validation of the page's controls, and the parameter breakdown."""

from __future__ import annotations

import json
import math
from typing import Any

import torch

from gptcore.analysis import ParameterCount, count_parameters, tensor_shapes
from gptcore.config import PRESETS, GPTConfig
from gptcore.model import GPT
from ui import conclusions
from ui.lenses.parameters.payloads import Breakdown, BreakdownRow
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.numbers import within_json

# The controls by the names of GPTConfig's fields, in the order of the page.
SIZES = ("vocab_size", "n_positions", "n_layer", "n_head", "n_embd", "n_inner")
CHOICES = {"norm_position": ("pre", "post"), "activation_function": ("gelu_new", "gelu", "relu")}
SWITCHES = ("tie_word_embeddings", "attention_bias", "use_mlp", "use_positions")
NAMES = {
    "vocab_size": "The vocabulary", "n_positions": "The window", "n_layer": "The number of layers",
    "n_head": "The number of heads", "n_embd": "The width", "n_inner": "The inner width",
    "norm_position": "The place of the norm", "activation_function": "The activation",
}  # fmt: skip
COMPONENTS = {
    "token_embedding": ("Token embedding", "wte"),
    "position_embedding": ("Position embedding", "wpe"),
    "attention": ("Attention: queries, keys, values, output", "attn"),
    "mlp": ("MLP: up and down", "mlp"),
    "block_norms": ("LayerNorms in the blocks", "ln_1, ln_2"),
    "final_norm": ("Final LayerNorm", "ln_f"),
    "head": ("Output head", "lm_head"),
}
_LARGEST = 10**12
# Building empty modules for more blocks than this would be too slow for the page.
_MOST_BUILT = 200


def shape(values: dict[str, object]) -> GPTConfig:
    """The config of the controls. Raises InputError or ConfigError with the value, the limit and the way out.

    Args:
        values: SIZES as whole numbers (n_inner 0 means four times the width), SWITCHES as true or false, one of each
            of CHOICES, and dropout as a share; activation_function and dropout may be left out.
    """
    sizes = {
        name: inputs.whole(values[name], NAMES[name], low=0 if name == "n_inner" else 1, high=_LARGEST)
        for name in SIZES
    }
    switches = {name: inputs.flag(values[name], name) for name in SWITCHES}
    chosen = {name: values.get(name, "gelu_new") for name in CHOICES}
    for name, known in CHOICES.items():
        if chosen[name] not in known:
            raise InputError(f"{NAMES[name]} is {str(chosen[name])[:40]!r}; choose {' or '.join(known)}.")
    dropout = inputs.number(values.get("dropout", 0.1), "The dropout", low=0, high=0.99)
    dropouts = {"embd_pdrop": dropout, "attn_pdrop": dropout, "resid_pdrop": dropout}
    fields: dict[str, Any] = {**sizes, **switches, **chosen, **dropouts, "n_inner": sizes["n_inner"] or None}
    return GPTConfig(**fields)


def controls_of(config: GPTConfig) -> dict[str, Any]:
    """The values of the controls for a config: what `shape` takes."""
    found = {name: getattr(config, name) for name in (*SIZES, *SWITCHES, *CHOICES)}
    return {
        **found,
        "dropout": config.resid_pdrop,
        "n_inner": 0 if config.inner_dim == 4 * config.n_embd else config.inner_dim,
    }


def known_shape(services: Services, name: object, model: object) -> GPTConfig:
    """The config of a preset, or of the model in the picker when no preset is named."""
    if isinstance(name, str) and name in PRESETS:
        return PRESETS[name]
    return services.models.get(inputs.model_name(model)).model.config


def name_of(config: GPTConfig) -> str:
    """The preset that has this shape, or ""."""
    wanted = controls_of(config)
    return next((name for name, preset in PRESETS.items() if {**controls_of(preset), **_untold(wanted)} == wanted), "")


def _untold(controls: dict[str, Any]) -> dict[str, Any]:
    """The controls that a preset's name leaves open: dropout does not change the shape."""
    return {"dropout": controls["dropout"]}


def breakdown(config: GPTConfig) -> str:
    """JSON of a `Breakdown`: components with formulas, numbers, counts and shares, down to the tensor."""
    count = count_parameters(config)
    tensors: dict[str, list[tuple[str, list[int], int]]] = {}
    for component, name, dimensions in tensor_shapes(config, layers=range(1)):
        times = config.n_layer if name.startswith("h.") else 1
        tensors.setdefault(component, []).append((name.replace("h.0.", "h.*."), list(dimensions), times))
    agrees, said = check_against_the_module(config, count)
    rows: list[BreakdownRow] = [
        {
            "name": COMPONENTS[part.name][0],
            "module": COMPONENTS[part.name][1],
            "formula": part.formula,
            "numbers": part.numbers,
            "count": part.count,
            "share": part.count / count.total,
            "tensors": tensors.get(part.name, []),
        }
        for part in count.components
    ]
    value: Breakdown = {
        "config": config.to_dict(),
        "total": count.total,
        "said": conclusions.shares([(row["name"].split(":")[0], row["count"]) for row in rows]),
        "name": name_of(config),
        "agrees": agrees,
        "check": said,
        "rows": rows,
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_against_the_module(config: GPTConfig, count: ParameterCount) -> tuple[bool | None, str]:
    """Builds the model without memory for its weights, and compares every tensor's shape with the formulas."""
    if config.n_layer > _MOST_BUILT or count.total >= 2**61:
        return None, f"Not compared with a real model: {config.n_layer:,} layers of this size are not built here."
    with torch.device("meta"):
        real = {name: tuple(parameter.shape) for name, parameter in GPT(config).named_parameters()}
    listed = {name: dimensions for _, name, dimensions in tensor_shapes(config)}
    total = sum(math.prod(dimensions) for dimensions in real.values())
    agrees = listed == real and total == count.total
    word = "matches" if agrees else "DOES NOT match"
    return (
        agrees,
        f"{word} the real model: {len(real):,} tensors with {total:,} parameters, built just now without weights",
    )


def treemap(config: GPTConfig) -> dict[str, list[Any]]:
    """ids, labels, parents and values of a tree: the model, its parts, its blocks, and what is in a block."""
    tree: dict[str, list[Any]] = {"ids": [], "labels": [], "parents": [], "values": []}

    def add(identity: str, label: str, parent: str, value: int) -> None:
        for name, entry in (("ids", identity), ("labels", label), ("parents", parent), ("values", value)):
            tree[name].append(entry)

    count = count_parameters(config)
    add("model", "the model", "", count.total)
    for name in ("token_embedding", "position_embedding", "final_norm", "head"):
        if getattr(count, name):
            add(name, COMPONENTS[name][0], "model", getattr(count, name))
    block: dict[str, int] = {}
    for component, _, dimensions in tensor_shapes(config, layers=range(1)):
        if component in ("attention", "mlp", "block_norms"):
            block[component] = block.get(component, 0) + math.prod(dimensions)
    drawn = min(config.n_layer, 48)
    add("blocks", f"{config.n_layer:,} blocks", "model", sum(block.values()) * config.n_layer)
    for layer in range(drawn):
        add(f"h.{layer}", f"block {layer}", "blocks", sum(block.values()))
        for name, size in block.items():
            add(f"h.{layer}.{name}", COMPONENTS[name][0].partition(":")[0], f"h.{layer}", size)
    if config.n_layer > drawn:
        add(
            "more",
            f"blocks {drawn} to {config.n_layer - 1:,}",
            "blocks",
            sum(block.values()) * (config.n_layer - drawn),
        )
    return within_json(tree)


def side_by_side(config: GPTConfig) -> dict[str, dict[str, int]]:
    """Counts by component of all presets, and of the shape at hand when it is none of them."""
    found = {name: preset for name, preset in PRESETS.items() if name not in ("nano", "char-day19", "induction")}
    if name_of(config) not in found:
        found[name_of(config) or "this shape"] = config
    return within_json(
        {
            name: {COMPONENTS[part.name][0].partition(":")[0]: part.count for part in count_parameters(one).components}
            for name, one in found.items()
        }
    )
