"""Ablation: the next-token distribution with parts of the model switched off, for one visitor and one pass."""

from collections.abc import Iterator
from typing import Any, cast

from gptcore.analysis import ModelPart, divergence, effects, logits_without
from gptcore.analysis.ablation import Replacement
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.maps import AttentionForm, ReadText
from ui.lenses.attention.payloads import Ablation, AblationRow, Effects
from ui.payloads import rounded
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, as_json
from ui.state.token_stream import label

REPLACEMENTS = ("zero", "mean")
_N_ROWS, _MOST_OFF = 12, 2_000


@answering
def switch_off(
    services: Services,
    session_id: str | None,
    form: AttentionForm,
    off: object,
    replacement: object,
    *,
    example: bool = False,
) -> Ablation:
    """The next-token distribution before and after; errors become its message.

    Args:
        form: what is read, and how; the end-of-text token in front is part of it.
        off: list of [layer, "head" | "attention" | "mlp", head or null].
        replacement: "zero", or "mean" over the text.
        example: these parts are an example; they are dropped when the visitor chooses one.
    """
    seen = maps.read(services, session_id, form)
    parts, how = parts_of(off), _replacement(replacement)
    return {**services.now(lambda: _changed(seen, parts, how)), "example": example}


def try_all(services: Services, session_id: str | None, form: AttentionForm, replacement: object) -> Iterator[str]:
    """Ablates each part alone, layer by layer, and measures what it does to the next token.

    Yields:
        JSON of `Effects`. A stop keeps the results so far.
    """
    how = _replacement(replacement)
    seen = maps.read(services, session_id, form)
    effects_of: dict[str, tuple[float, float]] = {}
    total = seen.lm.model.config.n_layer
    with services.sessions.get(session_id).turn() as run:
        steps = effects(seen.lm.model, seen.kept.reading.token_ids, replacement=cast(Replacement, how))
        for (layer, by_part), _ in services.compute(steps):
            for part, one in by_part.items():
                key = f"{part.layer},{part.kind},{'' if part.head is None else part.head}"
                effects_of[key] = rounded(one.bits, 4), rounded(one.change, 4)
            done = Effects(of=_of(seen, how), effects=effects_of, done=layer + 1, total=total, stopped=False)
            yield as_json(done)
            if not run.wanted:
                yield as_json({**done, "stopped": True})
                return


def parts_of(off: object) -> list[ModelPart]:
    """Validates an untrusted list of parts. Raises InputError."""
    if not isinstance(off, list) or len(off) > _MOST_OFF:
        raise InputError(f"The parts to switch off must be a list of at most {_MOST_OFF:,}.")
    parts = []
    for entry in off:
        if not isinstance(entry, list) or len(entry) != 3 or entry[1] not in ("head", "attention", "mlp"):
            raise InputError(f"{str(entry)[:60]!r} is not a part; write [layer, 'head' | 'attention' | 'mlp', head].")
        layer = inputs.whole(entry[0], "The layer", low=0, high=100_000)
        head = inputs.whole(entry[2], "The head", low=0, high=100_000) if entry[1] == "head" else None
        parts.append(ModelPart(layer, entry[1], head))
    return parts


def _changed(seen: ReadText, parts: list[ModelPart], how: str) -> Ablation:
    """What `switch_off` describes, as plain values."""
    config, ids = seen.lm.model.config, seen.kept.reading.token_ids
    logits = logits_without(seen.lm.model, ids, [[], parts], replacement=cast(Replacement, how))
    before, after = logits.log_softmax(-1)  # each [V]
    n_rows = min(_N_ROWS, len(before))
    first = before.topk(n_rows).indices.tolist()
    lifted = [token for token in after.topk(min(4, n_rows)).indices.tolist() if token not in first]
    return {
        "of": _of(seen, how),
        "note": seen.note,
        "L": config.n_layer,
        "H": config.n_head,
        "mlp": config.use_mlp,
        "off": [(part.layer, part.kind, part.head) for part in parts],
        "divergence": round(float(divergence(before, after)), 4),
        "rows": [
            AblationRow(id=token, label=label(seen.lm.tokenizer, token), before=rounded(p, 5), after=rounded(q, 5))
            for token in first[: n_rows - len(lifted)] + lifted
            for p, q in [(before[token].exp(), after[token].exp())]
        ],
    }


def fitting(services: Services, model: object, off: object) -> list[list[Any]]:
    """The listed parts that the model has: another model may have fewer layers or heads."""
    config = services.models.get(inputs.model_name(model)).model.config
    return [
        [part.layer, part.kind, part.head]
        for part in parts_of(off)
        if part.layer < config.n_layer
        and (part.head is None or part.head < config.n_head)
        and (part.kind != "mlp" or config.use_mlp)
    ]


def _replacement(value: object) -> str:
    if value not in REPLACEMENTS:
        raise InputError(f"The replacement is {str(value)[:60]!r}; choose zero or mean.")
    return str(value)


def _of(seen: ReadText, how: str) -> str:
    """What effects belong to: a text as a model read it, and what took the part's place."""
    return f"{seen.key},{how}"
