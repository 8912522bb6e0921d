"""When a preference formed: logit attribution by part at every checkpoint of a training run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

from gptcore.analysis import LogitAttribution, logit_attribution
from gptcore.errors import GPTCoreError
from gptcore.language_model import MOMENT
from gptcore.tokenizers import describe_token
from ui.conclusions import quoted
from ui.handlers import inputs
from ui.handlers.attention.why import named_part
from ui.handlers.open_model import open_model, refused
from ui.payloads import fields
from ui.payloads.attention import Formed, FormedPart, PairRequest
from ui.services import Services
from ui.state.model_store import base_name, moments

_N_PARTS = 6
_SMALL = 0.5  # of a logit
_TAKEN = 0.5  # share of its final value from which a part counts as formed


def formed(services: Services, request: Annotated[object, PairRequest]) -> Annotated[str, Formed]:
    """How a preference formed over a model's checkpoints; a message where it cannot be, "" without checkpoints."""
    try:
        model, text, *pair = fields(request, "model", "text", "word", "rival")
        lm = open_model(services, model)
        base = base_name(str(model))
        kept = moments(base)
        if not kept:
            return json.dumps({"message": ""})
        high = lm.model.config.vocab_size - 1
        word, rival = (inputs.whole(one, "The token", low=0, high=high) for one in pair)
        written = inputs.text(text, "The text", most=services.limits.max_prompt_chars, least=1)
        ids, _ = inputs.last_window(lm, written)
        names = [*(f"{base}{MOMENT}{step}" for step in kept), base]
        found = []
        for name in names:
            one = services.models.get(name).model
            found.append(services.now(lambda one=one: logit_attribution(one, ids, word, rival)))
        labels = [describe_token(lm.tokenizer, token) for token in (word, rival)]
        return json.dumps(described(found, [*kept, None], labels), ensure_ascii=False)
    except GPTCoreError as error:
        return refused(error)


def described(found: Sequence[LogitAttribution], steps: Sequence[int | None], pair: Sequence[str]) -> Formed:
    """What each part wrote at every checkpoint.

    Args:
        found: attribution of the same logit difference at every checkpoint; at least one.
        steps: updates before each; None for the finished model.
        pair: the token and its rival, as people read them.
    """
    names = found[-1].names
    values = [[float(one.values[place]) for one in found] for place in range(len(names))]
    largest = sorted(range(len(names)), key=lambda place: -max(map(abs, values[place])))[:_N_PARTS]
    parts: list[FormedPart] = [
        {"name": named_part(names[place]), "values": [round(value, 3) for value in values[place]]} for place in largest
    ]
    totals = [round(one.total, 3) for one in found]
    return {"steps": list(steps), "total": totals, "parts": parts, "said": conclusion(parts, totals, steps, pair)}


def conclusion(
    parts: Sequence[FormedPart], totals: Sequence[float], steps: Sequence[int | None], pair: Sequence[str]
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
    named = f"{quoted(word)} rather than {quoted(other)}"
    if abs(final) < _SMALL:
        return f"Nothing stands out: in the end it hardly prefers {named} ({abs(final):+.1f})."
    since = _since([sign * total for total in totals], 0)
    said = f"It {'came to prefer' if since else 'preferred'} {named} {_when(since, steps)}"
    helping = [part for part in parts if sign * part["values"][-1] > _SMALL]
    if not helping:
        return f"{said}; no single part writes much for it."
    first = max(helping, key=lambda part: sign * part["values"][-1])
    values = [sign * value for value in first["values"]]
    there = _since(values, _TAKEN * values[-1])
    writer = f"{first['name']} ({sign * values[-1]:+.1f})"
    return f"{said}; its main source, {writer}, took over {_when(there, steps)}."


def _since(values: Sequence[float], least: float) -> int:
    """The first index from which all values exceed the minimum."""
    below = [place for place, value in enumerate(values) if value <= least]
    return min(below[-1] + 1 if below else 0, len(values) - 1)


def _when(place: int, steps: Sequence[int | None]) -> str:
    if place == 0:
        return "from the beginning"
    step, before = steps[place], steps[place - 1]
    end = "the end" if step is None else f"{step:,}"
    return f"between update {before:,} and {end}"
