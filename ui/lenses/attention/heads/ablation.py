"""Ablation: the next-token distribution with parts of the model switched off, for one visitor and
one pass.
"""

from collections.abc import Iterator
from typing import cast

from gptcore.analysis import ModelPart, divergence, effects, logits_without
from gptcore.analysis.ablation import Replacement
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.maps import AttentionForm, ReadText
from ui.lenses.attention.payloads import Ablation, AblationRow, Effects
from ui.payloads import probability, rounded
from ui.services import Services
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, as_json
from ui.shared.parts import fitting, parts_named
from ui.state.token_stream import label

REPLACEMENTS = ("zero", "mean")
EXAMPLE = ModelPart(0, "attention")
_N_ROWS = 12


@answering
def switch_off(
    services: Services,
    session_id: str | None,
    form: AttentionForm,
    off: object,
    replacement: object,
) -> Ablation:
    """The next-token distribution before and after; errors become its message.

    Args:
        form: what is read, and how; the end-of-text token in front is part of it.
        off: the parts by their names, as `parts_named` takes them; those that the model lacks are
            left out. "" for an example, which gives way to the first part that the visitor
            switches.
        replacement: "zero", or "mean" over the text.
    """
    seen = maps.read(services, session_id, form)
    how = _replacement(replacement)
    is_example = off == ""
    parts = [EXAMPLE] if is_example else parts_named(off)
    kept = fitting(seen.lm.model.config, parts)
    return {**services.now(lambda: _changed(seen, kept, how)), "example": is_example}


def try_all(
    services: Services, session_id: str | None, form: AttentionForm, replacement: object
) -> Iterator[str]:
    """Ablates each part alone, layer by layer, and measures what it does to the next token.

    Yields:
        JSON of `Effects`. A stop keeps the results so far.
    """
    how = _replacement(replacement)
    seen = maps.read(services, session_id, form)
    effects_of: dict[str, tuple[float, float]] = {}
    total = seen.lm.model.config.n_layer
    with services.sessions.get(session_id).turn() as run:
        steps = effects(
            seen.lm.model, seen.kept.reading.token_ids, replacement=cast(Replacement, how)
        )
        for (layer, by_part), _ in services.compute(steps):
            for part, item in by_part.items():
                key = f"{part.layer},{part.kind},{'' if part.head is None else part.head}"
                effects_of[key] = rounded(item.bits, 4), rounded(item.change, 4)
            done = Effects(
                of=_of(seen, how), effects=effects_of, done=layer + 1, total=total, stopped=False
            )
            yield as_json(done)
            if not run.wanted:
                yield as_json({**done, "stopped": True})
                return


def _changed(seen: ReadText, parts: list[ModelPart], how: str) -> Ablation:
    """Computes the ablation that `switch_off` describes, as plain values."""
    config = seen.lm.model.config
    ids = seen.kept.reading.token_ids
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
            AblationRow(
                id=token,
                label=label(seen.lm.tokenizer, token),
                before=probability(p, 5),
                after=probability(q, 5),
            )
            for token in first[: n_rows - len(lifted)] + lifted
            for p, q in [(before[token].exp(), after[token].exp())]
        ],
    }


def _replacement(value: object) -> str:
    if value not in REPLACEMENTS:
        raise InputError(f"The replacement is {str(value)[:60]!r}; choose zero or mean.")
    return str(value)


def _of(seen: ReadText, how: str) -> str:
    """Returns the key of the effects: the text as a model read it, and the replacement of the part
    that is switched off.
    """
    return f"{seen.key},{how}"
