"""The parts of an attribution as people name them, and when a preference formed over a model's
checkpoints.
"""

import re
from collections.abc import Sequence

from gptcore.analysis import Attribution, ModelPart
from ui.conclusions import concludes, head_tag, quoted_apart, signed
from ui.payloads import Formed, FormedPart

_N_PARTS = 6
_SMALL = 0.5  # of a logit: a smaller difference is no preference
_TAKEN = 0.5  # share of its final value from which a part counts as formed
_PART = re.compile(r"L(\d+)(?:H(\d+)| MLP)")
_PLAIN = {"token": "the last token itself", "position": "its position", "constants": "biases"}


def model_part(name: str) -> ModelPart | None:
    """The part that an attribution names, or None for what is no head and no MLP."""
    match = _PART.fullmatch(name)
    if match is None:
        return None
    layer, head = match.groups()
    return (
        ModelPart(int(layer), "mlp") if head is None else ModelPart(int(layer), "head", int(head))
    )


def named_part(name: str) -> str:
    """A part of an attribution as people name it."""
    part = model_part(name)
    if part is None:
        return _PLAIN[name]
    return (
        f"the MLP of layer {part.layer}"
        if part.kind == "mlp"
        else head_tag(part.layer, part.head or 0)
    )


def described(
    history: Sequence[Attribution], steps: Sequence[int | None], pair: Sequence[str]
) -> Formed:
    """Builds the payload of what the largest parts wrote at every checkpoint.

    Args:
        history: attribution of the same logit difference at every checkpoint; at least one.
        steps: updates before each; None for the finished model.
        pair: the token and its rival, as people read them.
    """
    names = history[-1].names
    # by part, then by checkpoint
    values = list(zip(*(item.values.tolist() for item in history), strict=True))
    largest = sorted(range(len(names)), key=lambda index: -max(map(abs, values[index])))[:_N_PARTS]
    short = [[round(value, 3) for value in row] for row in values]
    parts: list[FormedPart] = [
        {"name": named_part(names[index]), "values": short[index]} for index in largest
    ]
    totals = [round(item.total, 3) for item in history]
    return {
        "steps": list(steps),
        "total": totals,
        "parts": parts,
        "said": conclusion(parts, totals, steps, pair),
    }


@concludes("when a preference formed")
def conclusion(
    parts: Sequence[FormedPart],
    totals: Sequence[float],
    steps: Sequence[int | None],
    pair: Sequence[str],
) -> str:
    """When a model began to prefer a word, and when the part that writes most for it had formed.

    Args:
        parts: name and values at each checkpoint.
        totals: the difference of both logits at each.
        steps: updates at each; None for the finished model.
        pair: labels of both words.
    """
    final = totals[-1]
    sign = 1 if final > 0 else -1
    word, other = pair[::sign]  # the preferred one first
    named = " rather than ".join(quoted_apart(word, other))
    if abs(final) < _SMALL:
        return f"Nothing stands out: in the end it hardly prefers {named} ({signed(abs(final))})."
    since = _since([sign * total for total in totals], _SMALL)
    sentence = f"It {'came to prefer' if since else 'preferred'} {named} {_when(since, steps)}"
    helping = [part for part in parts if sign * part["values"][-1] > _SMALL]
    if not helping:
        return f"{sentence}; no single part writes much for it."
    first = max(helping, key=lambda part: sign * part["values"][-1])
    values = [sign * value for value in first["values"]]
    there = _since(values, _TAKEN * values[-1])
    writer = f"{first['name']} ({signed(sign * values[-1])})"
    return f"{sentence}; its main source, {writer}, took over {_when(there, steps)}."


def _since(values: Sequence[float], least: float) -> int:
    """The first index from which all values exceed the minimum."""
    below = [index for index, value in enumerate(values) if value <= least]
    return min(below[-1] + 1 if below else 0, len(values) - 1)


def _when(index: int, steps: Sequence[int | None]) -> str:
    if index == 0:
        return "from the beginning"
    step = steps[index]
    before = steps[index - 1]
    end = "the end" if step is None else f"{step:,}"
    return f"between update {before:,} and {end}"
