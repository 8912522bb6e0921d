"""Model shape: validation of the page's controls, and the parameter breakdown."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gptcore.analysis import ParameterCount, count_parameters, tensor_shapes
from gptcore.config import PRESETS, GPTConfig
from gptcore.formatting import percent
from gptcore.model import GPT
from ui.conclusions import concludes
from ui.lenses.parameters.payloads import Breakdown, BreakdownRow
from ui.payloads import within_json
from ui.services import Services
from ui.shared import inputs
from ui.shared.fields import (
    Choice,
    Flag,
    Number,
    Values,
    Whole,
    declared,
    fields_of,
    parsed,
    values_of,
)

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


def _size(title: str, info: str, end: int, about: str, *, low: int = 1, noun: str = "") -> Whole:
    return Whole(
        title=title,
        info=info,
        help=about,
        low=low,
        high=_LARGEST,
        step=1,
        end=end,
        noun=noun,
        group="sizes",
    )


def _switch(title: str, noun: str, about: str) -> Flag:
    return Flag(title=title, noun=noun, help=about, group="switches")


@dataclass(frozen=True, kw_only=True)
class ShapeForm:
    """The shape of a model, by the names of GPTConfig's fields; as it opens, GPT-2's."""

    vocab_size: int = declared(_size("Vocabulary", "V, tokens", 100_000, "V."), 50_257)
    n_positions: int = declared(_size("Window", "P, tokens", 8192, "window in tokens."), 1024)
    n_layer: int = declared(
        _size("Layers", "L, blocks", 96, "blocks.", noun="The number of layers"), 12
    )
    n_head: int = declared(
        _size(
            "Heads",
            "H, in a layer",
            128,
            "heads in a block; divides n_embd.",
            noun="The number of heads",
        ),
        12,
    )
    n_embd: int = declared(_size("Width", "C, channels", 12_288, "C, width."), 768)
    n_inner: int = declared(
        _size(
            "Inner",
            "F; 0: 4 × C",
            49_152,
            "width inside the MLP; 0 means four times n_embd.",
            low=0,
            noun="The inner width",
        ),
        0,
    )
    tie_word_embeddings: bool = declared(
        _switch(
            "head tied to the embedding",
            "Weight tying",
            "the output head is the token embedding again.",
        ),
        True,
    )
    attention_bias: bool = declared(
        _switch("biases in attention", "Biases in attention", "biases in attention."), True
    )
    use_mlp: bool = declared(_switch("MLPs", "MLPs", "MLPs in the blocks."), True)
    use_positions: bool = declared(_switch("positions", "Positions", "learned positions."), True)
    norm_position: str = declared(
        Choice(
            title="Norm",
            noun="The place of the norm",
            help='"pre" (GPT-2) or "post" (GPT-1).',
            id="norm",
            options={"pre": "before (GPT-2)", "post": "after (GPT-1)"},
        ),
        "pre",
    )
    activation_function: str = declared(
        Choice(
            title="Activation",
            id="activation",
            listed=True,
            group="more",
            options={"gelu_new": "GELU, tanh form", "gelu": "GELU, exact", "relu": "ReLU"},
        ),
        "gelu_new",
    )
    dropout: float = declared(
        Number(title="Dropout", low=0, high=0.99, step=0.05, end=0.5, group="more"), 0.1
    )

    @property
    def config(self) -> GPTConfig:
        """Of this shape. Raises ConfigError for one that cannot be."""
        fields: dict[str, Any] = {**values_of(self), "n_inner": self.n_inner or None}
        dropout = fields.pop("dropout")
        return GPTConfig(**fields, embd_pdrop=dropout, attn_pdrop=dropout, resid_pdrop=dropout)


def shape(values: Values) -> GPTConfig:
    """The config of the controls. Raises InputError or ConfigError with the value, the limit and
    the way out.
    """
    return parsed(ShapeForm, values).config


def controls_of(config: GPTConfig) -> dict[str, Any]:
    """The values of the controls for a config: what `shape` takes."""
    settings = {name: getattr(config, name) for name in fields_of(ShapeForm) if name != "dropout"}
    inner = 0 if config.inner_dim == 4 * config.n_embd else config.inner_dim
    return {**settings, "dropout": config.resid_pdrop, "n_inner": inner}


def known_shape(services: Services, name: object, model: object) -> GPTConfig:
    """The config of a preset, or of the model in the picker when no preset is named."""
    if isinstance(name, str) and name in PRESETS:
        return PRESETS[name]
    return services.models.get(inputs.model_name(model)).model.config


def name_of(config: GPTConfig) -> str:
    """The preset that has this shape, or ""."""
    wanted = controls_of(config)
    free = {"dropout": wanted["dropout"]}  # which does not change the shape
    return next(
        (name for name, preset in PRESETS.items() if {**controls_of(preset), **free} == wanted), ""
    )


def breakdown(config: GPTConfig) -> str:
    """JSON of a `Breakdown`: components with formulas, numbers, counts and shares, down to the
    tensor.
    """
    count = count_parameters(config)
    tensors: dict[str, list[tuple[str, list[int], int]]] = {}
    for component, name, dimensions in tensor_shapes(config, layers=range(1)):
        times = config.n_layer if name.startswith("h.") else 1
        tensors.setdefault(component, []).append(
            (name.replace("h.0.", "h.*."), list(dimensions), times)
        )
    agrees, check = check_against_the_module(config, count)
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
        "name": name_of(config),
        "agrees": agrees,
        "check": check,
        "said": conclusion([(row["name"].split(":")[0], row["count"]) for row in rows]),
        "fewer": (
            f"{count.total - count.position_embedding:,} without the position table, as nanoGPT "
            f"and many lessons count (get_num_params); {count.without_embeddings:,} without any "
            "embedding table"
        ),
        "rows": rows,
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_against_the_module(config: GPTConfig, count: ParameterCount) -> tuple[bool | None, str]:
    """Builds the model without memory for its weights, and compares every tensor's shape with the
    formulas.
    """
    if config.n_layer > _MOST_BUILT or count.total >= 2**61:
        return (
            None,
            f"Not compared with a real model: {config.n_layer:,} layers of this size are not "
            "built here.",
        )
    with torch.device("meta"):
        real = {name: tuple(parameter.shape) for name, parameter in GPT(config).named_parameters()}
    listed = {name: dimensions for _, name, dimensions in tensor_shapes(config)}
    total = sum(math.prod(dimensions) for dimensions in real.values())
    agrees = listed == real and total == count.total
    found = (
        f"{'matches' if agrees else 'DOES NOT match'} the real model: {len(real):,} tensors with "
        f"{total:,} parameters"
    )
    return agrees, f"{found}, built just now without weights"


def side_by_side(config: GPTConfig) -> dict[str, dict[str, int]]:
    """Counts by component of all presets, and of the shape at hand when it is none of them."""
    presets = {
        name: preset
        for name, preset in PRESETS.items()
        if name not in ("nano", "char-day19", "induction")
    }
    if name_of(config) not in presets:
        presets[name_of(config) or "this shape"] = config
    counts = {name: count_parameters(preset).components for name, preset in presets.items()}
    titles = {name: title.partition(":")[0] for name, (title, _) in COMPONENTS.items()}
    return within_json(
        {name: {titles[part.name]: part.count for part in parts} for name, parts in counts.items()}
    )


# The fields of the shape by their names in links.
FIELDS = tuple(f"shape.{name}" for name in fields_of(ShapeForm))
# whose shape it is: until its fields are filled in, another one's stands there
ORIGIN = "shape_from|model"
NEEDS = (*FIELDS, ORIGIN)


def shape_of(values: Sequence[object]) -> GPTConfig:
    """The config of the values of FIELDS. Raises as `shape` does."""
    return shape(dict(zip(fields_of(ShapeForm), values, strict=True)))


@concludes("shares")
def conclusion(counts: Sequence[tuple[str, int]]) -> str:
    """Names the two parts that hold most of a model's parameters.

    Args:
        counts: name and parameters of each part.
    """
    total = sum(count for _, count in counts)
    (first, most), (second, next_most) = sorted(counts, key=lambda part: -part[1])[:2]
    named = f"{first} holds {percent(most / total)} of the {total:,} parameters"
    return f"{named}, {second} {percent(next_most / total)}."
