"""Parts of a model that are switched off, by their names in links: "L5H6,L0-attention,L2-mlp"."""

import re
from collections.abc import Sequence

from gptcore.analysis import ModelPart
from gptcore.config import GPTConfig
from ui.conclusions import head_name, head_tag
from ui.shared import inputs
from ui.shared.inputs import InputError

NONE = "none"  # in place of a list: nothing is switched off
MOST_OFF = 2_000  # parts
LONGEST_OFF = 20_000  # characters of their names
_NAME = re.compile(r"L(\d{1,5})(?:H(\d{1,5})|-(attention|mlp))")


def parts_named(names: object) -> list[ModelPart]:
    """Parses untrusted names of parts; NONE stands for no part. Raises InputError."""
    text = inputs.text(names, "The list of parts to switch off", most=LONGEST_OFF)
    if text == NONE:
        return []
    parts = [_part_named(name.strip()) for name in text.split(",")]
    if len(parts) > MOST_OFF:
        raise InputError(f"{len(parts):,} parts are to be switched off; {MOST_OFF:,} are allowed.")
    return parts


def fitting(config: GPTConfig, parts: Sequence[ModelPart]) -> list[ModelPart]:
    """The parts that a model has: another one may have fewer layers or heads, or no MLPs."""
    return [part for part in parts if _has(config, part)]


def name_of(part: ModelPart) -> str:
    """The name of a part in a link."""
    return (
        head_tag(part.layer, part.head) if part.head is not None else f"L{part.layer}-{part.kind}"
    )


def in_words(part: ModelPart, *, alone: bool = True) -> str:
    """A part as sentences name it; one of several has a name without a comma."""
    if part.head is not None:
        return (head_name if alone else head_tag)(part.layer, part.head)
    return f"layer {part.layer}’s {'MLP' if part.kind == 'mlp' else 'attention'}"


def _part_named(name: str) -> ModelPart:
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            f"{name[:60]!r} is no part of a model. Write L5H6 for a head, or L5-attention, or "
            "L5-mlp."
        )
    layer, head, kind = match.groups()
    if head is not None:
        return ModelPart(int(layer), "head", int(head))
    return ModelPart(int(layer), "attention" if kind == "attention" else "mlp")


def _has(config: GPTConfig, part: ModelPart) -> bool:
    if part.layer >= config.n_layer:
        return False
    if part.kind == "mlp":
        return config.use_mlp
    return part.head is None or part.head < config.n_head
