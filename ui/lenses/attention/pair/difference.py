"""Attention difference of two texts of equal length, or of two models of the same shape, for every
head.
"""

from typing import Annotated

import numpy as np

from gptcore.formatting import percent
from ui.conclusions import concludes, head_tag, listed
from ui.lenses.attention.handlers import codec, maps
from ui.lenses.attention.handlers.maps import ReadText, chosen, header
from ui.lenses.attention.payloads import AttentionMaps, HeadRequest
from ui.services import Services
from ui.shared.inputs import InputError
from ui.shared.open_model import answering

_BETWEEN = ":"
# heads that are named, and the least share of attention that they must have moved
_N_NAMED = 3
_MOVED = 0.05


@answering
def compare(
    services: Services,
    session_id: str | None,
    model_a: object,
    text_a: object,
    model_b: object,
    text_b: object,
) -> AttentionMaps:
    """The component's value for A minus B, or a message if they cannot be compared.

    Keys as in `attention.describe`, with signed true, a key that joins both readings, and as scores
    only "changed": the share of each head's attention that moved, averaged over query tokens, 0 to
    1 (total variation).
    """
    a = maps.read(services, session_id, maps.AttentionForm(model_a, text_a))
    b = maps.read(services, session_id, maps.AttentionForm(model_b, text_b))
    check(a, b)
    return services.now(lambda: _describe(a, b, str(text_a)))


def check(a: ReadText, b: ReadText) -> None:
    """Raises InputError unless the maps of both can be subtracted."""
    left = a.kept.reading
    right = b.kept.reading
    if (left.n_layer, left.n_head) != (right.n_layer, right.n_head):
        raise InputError(
            f"{a.lm.name} has {left.n_layer} layers of {left.n_head} heads and {b.lm.name} "
            f"{right.n_layer} of {right.n_head}. Choose two models of one shape."
        )
    if left.n_tokens != right.n_tokens:
        raise InputError(
            f"Text A has {left.n_tokens} tokens and text B {right.n_tokens}; maps can be "
            f"subtracted when both have the same number. A is {_tokens(a)}. B is {_tokens(b)}."
        )
    if left.causal != right.causal:
        raise InputError(
            "One of the models sees the future and the other does not; their maps cannot be "
            "subtracted."
        )


def head_difference(services: Services, request: Annotated[object, HeadRequest]) -> str | None:
    """One head's difference, packed; the key joins both readings. None for an invalid request."""
    if not isinstance(request, dict) or not isinstance(request.get("key"), str):
        return None
    first, _, second = request["key"].partition(_BETWEEN)
    a, b = (chosen(services, {**request, "key": key}) for key in (first, second))
    if a is None or b is None or a.kept.reading.n_tokens != b.kept.reading.n_tokens:
        return None
    causal = a.kept.reading.causal
    return services.now(lambda: codec.one_map(a.weights - b.weights, causal=causal, signed=True))


def _describe(a: ReadText, b: ReadText, text: str) -> AttentionMaps:
    left = a.kept.reading
    right = b.kept.reading
    small = codec.Thumbnails(n_maps=left.n_layer * left.n_head, causal=left.causal, signed=True)
    changed = []
    for mine, theirs in zip(left.layers(), right.layers(), strict=True):
        change = (mine - theirs).numpy()  # [n_head, T, T]
        small.add(change)
        changed.append([round(float(v), 4) for v in 0.5 * np.abs(change).sum(-1).mean(-1)])
    best = int(np.argmax(changed))
    return {
        **header(a, maps.RAW, text),
        "key": a.key + _BETWEEN + b.key,
        "tokens": [
            x if x == y else f"{x} / {y}" for x, y in zip(a.kept.labels, b.kept.labels, strict=True)
        ],
        "note": " ".join(dict.fromkeys(filter(None, [a.note, b.note]))),
        "signed": True,
        "side": small.side,
        "thumbs": small.packed(),
        "scores": {"changed": changed},
        "said": conclusion(changed),
        "start": list(divmod(best, left.n_head)),
    }


@concludes("two texts compared")
def conclusion(changed: list[list[float]]) -> str:
    """Names the heads whose attention moved most, from the share that moved by layer and head."""
    ranked = sorted(
        (
            (share, layer, head)
            for layer, row in enumerate(changed)
            for head, share in enumerate(row)
        )
    )[::-1]
    clear = [
        f"{head_tag(layer, head)} ({percent(share)})"
        for share, layer, head in ranked[:_N_NAMED]
        if share >= _MOVED
    ]
    if not clear:
        return (
            f"Nothing stands out: no head moves more than {percent(ranked[0][0])} of its attention."
        )
    usual = ranked[len(ranked) // 2][0]
    return (
        f"Attention moves most in {listed(clear)}; in the median head, {percent(usual)} of it "
        "moves."
    )


def _tokens(seen: ReadText) -> str:
    return " ".join(f"[{label}]" for label in seen.kept.labels[:40]) + (
        " …" if len(seen.kept.labels) > 40 else ""
    )
