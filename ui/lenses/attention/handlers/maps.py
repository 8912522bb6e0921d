"""Attention maps: a text is run through the model once, then any head can be viewed."""

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
import torch

from gptcore.analysis import HeadScores, head_scores, without_first_key
from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from ui.lenses.attention.handlers import codec
from ui.lenses.attention.handlers.forms import ENDS, IN_FRONT, MODES, RAW, WITHOUT_FIRST
from ui.lenses.attention.heads.roles import conclusion as roles_in_words
from ui.lenses.attention.payloads import (
    AttentionMaps,
    CellRequest,
    HeadRequest,
    ReadingHeader,
    ScoreMap,
    SoftmaxRow,
)
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.head_roles import roles_of, where_tokens_repeat
from ui.shared.inputs import InputError
from ui.shared.open_model import as_json
from ui.shared.sheets import message
from ui.state.attention_cache import CachedAttention

# A larger fp32 array would be too much for a browser; the chosen head alone always fits.
_MOST_ARRAY_BYTES = 48 << 20


@dataclass(frozen=True)
class AttentionForm:
    """The tab's form, unvalidated; `read` checks it."""

    model: object  # its name
    text: object  # what it reads
    mode: object = RAW  # one of MODES; IN_FRONT puts the end-of-text token before the text
    keep: object = "end"  # one of ENDS: which end of a text that is too long


@dataclass(frozen=True)
class StoredReading:
    """A cached reading of a text."""

    key: str  # of the reading in the store
    kept: CachedAttention  # tokens, queries and keys
    note: str  # what was cut, or ""


@dataclass(frozen=True)
class ReadText(StoredReading):
    """The same, with the model (lm) that has read it."""

    lm: LanguageModel


@dataclass(frozen=True)
class MapsView:
    """The component's value, whether the text was truncated to one end, and whether there is
    anything to draw.
    """

    value: str
    cut: bool = False
    drawn: bool = True


def views(services: Services, session_id: str | None, form: AttentionForm) -> Iterator[MapsView]:
    """Yields the component's value: thumbnails of all heads, and the key to request one of them.

    Errors in a text that is being typed appear as the view's message. The heads' scores on repeated
    random tokens take longer than the rest, so a new model yields first without and then with them.
    """
    try:
        seen = read(services, session_id, form)
        profile = services.attention_cache.known_profile(seen.lm)
        cut = bool(seen.note)
        described = partial(
            describe, seen, mode=str(form.mode), text=str(form.text), keep=str(form.keep)
        )
        yield MapsView(services.now(partial(described, profile)), cut)
        if profile is None:
            profile = services.now(lambda: services.attention_cache.profile(seen.lm))
            yield MapsView(services.now(partial(described, profile)), cut)
    except GPTCoreError as error:
        yield MapsView(message(str(error)), drawn=False)


def is_cut(services: Services, session_id: str | None, form: AttentionForm) -> bool:
    """Whether a text is longer than the model reads; False where it cannot be read at all."""
    try:
        return bool(read(services, session_id, form).note)
    except GPTCoreError:
        return False


def read(services: Services, session_id: str | None, form: AttentionForm) -> ReadText:
    """Runs a model on a text, or returns the cached reading; what the visitor generated keeps its
    original tokens.

    Raises:
        InputError and the core's errors, with what to do.
    """
    model = form.model
    mode = form.mode
    keep = form.keep
    if mode not in MODES:
        raise InputError(f"The sink mode is {inputs.named(mode)}; choose {', '.join(MODES)}.")
    if keep not in ENDS:
        raise InputError(f"The end to keep is {inputs.named(keep)}; choose {' or '.join(ENDS)}.")
    lm = services.models.get(inputs.model_name(model))
    written = inputs.text(form.text, "The text", most=services.limits.max_prompt_chars)
    if not written:
        raise InputError("The text is empty. Write at least two words for the heads to look at.")
    document = services.sessions.get(
        session_id
    ).document  # of a generated text: to encode it may give other tokens
    if (
        document is not None
        and document.model == str(model)
        and lm.tokenizer.decode(document.ids) == written
    ):
        ids = list(document.ids)
    else:
        ids = lm.tokenizer.encode(written, allow_special=True)
    front: list[int] = []
    if mode == IN_FRONT:
        if lm.tokenizer.end_id is None:
            raise InputError(
                f"{lm.name} has no end-of-text token to put in front. Choose another sink mode."
            )
        front = [lm.tokenizer.end_id]
    ids, note = _cut(ids, lm.model.config.n_positions - len(front), str(keep))
    if len(front + ids) < 2:
        raise InputError("The text is a single token, which can only look at itself. Write more.")
    key, kept = services.now(lambda: services.attention_cache.read(lm, front + ids))
    return ReadText(key, kept, note, lm)


def describe(
    seen: StoredReading, profile: HeadScores | None, *, mode: str, text: str, keep: str = "end"
) -> str:
    """A reading as JSON of `AttentionMaps`.

    side and thumbs are the codec's, scores and roles of this text; random and elsewhere are scores
    and roles where random tokens repeat, null while unknown, "" for no role; start is [layer,
    head].
    """
    reading = seen.kept.reading
    small = codec.Thumbnails(
        n_maps=reading.n_layer * reading.n_head, causal=reading.causal, signed=False
    )

    def layers() -> Iterator[torch.Tensor]:
        for weights in reading.layers():
            small.add(shown_as(weights, mode))
            yield weights

    scores = head_scores(layers(), reading.token_ids)
    roles = roles_of(scores, reading)
    elsewhere = None if profile is None else where_tokens_repeat(profile)
    value: AttentionMaps = {
        **header(seen, mode, text),
        "keep": keep,
        "signed": False,
        "side": small.side,
        "thumbs": small.packed(),
        "scores": scores.lists(),
        "random": None if profile is None else profile.lists(),
        "roles": roles,
        "elsewhere": elsewhere,
        "said": roles_in_words(roles, elsewhere or []),
        "start": interesting(scores),
    }
    return as_json(value)


def header(seen: StoredReading, mode: str, text: str) -> ReadingHeader:
    """The fields common to all readings."""
    reading = seen.kept.reading
    return {
        "key": seen.key,
        "model": seen.kept.name,
        "text": text,
        "mode": mode,
        "note": seen.note,
        "tokens": list(seen.kept.labels),
        "ids": list(reading.token_ids),
        "L": reading.n_layer,
        "H": reading.n_head,
        "causal": reading.causal,
    }


def interesting(scores: HeadScores) -> list[int]:
    """[layer, head] of the head with the clearest role on this text, other than resting and
    self.
    """
    strength = (
        torch.stack([scores.induction, scores.duplicate * 0.9, scores.previous * 0.9])
        .nan_to_num(0)
        .amax(0)
    )
    return list(divmod(int(strength.argmax()), strength.shape[1]))


@dataclass(frozen=True)
class ChosenHead:
    """One head of a reading, and the display mode."""

    kept: CachedAttention
    layer: int
    head: int
    mode: str

    @property
    def weights(self) -> np.ndarray:
        """The map as the page shows it, float32 [T, T]; NaN where nothing is left to look at."""
        return shown_as(self.kept.reading.head_weights(self.layer, self.head), self.mode)


def chosen(services: Services, request: object) -> ChosenHead | None:
    """The head that a `HeadRequest`, untrusted, names. None if the reading has expired or the
    request is invalid.
    """
    key, layer, head, mode = fields(request, "key", "layer", "head", "mode")
    kept = services.attention_cache.get(key)
    if kept is None or mode not in MODES:
        return None
    if not is_place(layer, kept.reading.n_layer) or not is_place(head, kept.reading.n_head):
        return None
    return ChosenHead(kept, layer, head, mode)


def head_map(services: Services, request: Annotated[object, HeadRequest]) -> str | None:
    """One head's map for the component, packed."""
    head = chosen(services, request)
    if head is None:
        return None
    return services.now(
        lambda: codec.one_map(head.weights, causal=head.kept.reading.causal, signed=False)
    )


def arrays(services: Services, request: Annotated[object, HeadRequest]) -> str | None:
    """A compressed .npz as a data URL.

    Arrays: attention float32 [n_layer, n_head, T, T], or [T, T] of the chosen head when all would
    be too large; tokens, token_ids; layer and head, the chosen ones. Rows with no attention left
    are NaN.
    """
    head = chosen(services, request)
    if head is None:
        return None
    reading = head.kept.reading
    all_fit = reading.n_layer * reading.n_head * reading.n_tokens**2 * 4 <= _MOST_ARRAY_BYTES

    def all_layers() -> np.ndarray:
        return np.stack([shown_as(layer, head.mode) for layer in reading.layers()])

    weights = services.now(all_layers) if all_fit else services.now(lambda: head.weights)
    target = io.BytesIO()
    np.savez_compressed(
        target,
        attention=weights,
        tokens=np.array(head.kept.labels),
        token_ids=np.array(reading.token_ids),
        layer=head.layer,
        head=head.head,
    )
    return f"data:application/zip;base64,{base64.b64encode(target.getvalue()).decode()}"


def steps(services: Services, request: Annotated[object, HeadRequest]) -> ScoreMap | None:
    """The raw scores of every pair, from which one head's map is computed."""
    head = chosen(services, request)
    if head is None:
        return None

    def scored() -> ScoreMap:
        values = head.kept.reading.scores(head.layer, head.head).numpy()
        return {"scores": codec.scores(values), "largest": float(f"{np.abs(values).max():.4g}")}

    return services.now(scored)


def arithmetic(services: Services, request: Annotated[object, CellRequest]) -> SoftmaxRow | None:
    """One row of the softmax with its real numbers, and the products behind one of its scores."""
    head = chosen(services, request)
    if head is None:
        return None
    reading, (query, key) = head.kept.reading, fields(request, "row", "column")
    if not is_place(query, reading.n_tokens) or not is_place(
        key, query + 1 if reading.causal else reading.n_tokens
    ):
        return None
    return services.now(lambda: _softmax_row(head, query, key))


@torch.inference_mode()
def _softmax_row(head: ChosenHead, query: int, key: int) -> SoftmaxRow:
    reading = head.kept.reading
    visible = query + 1 if reading.causal else reading.n_tokens
    q = reading.queries[head.layer][head.head][query]
    keys = reading.keys[head.layer][head.head][:visible]
    dots = keys @ q
    scored = dots * len(q) ** -0.5
    largest = scored.max()
    exps = (scored - largest).exp()
    return {
        "width": len(q),
        "dots": _list(dots),
        "scores": _list(scored),
        "exps": _list(exps),
        "largest": float(largest),
        "sum": float(exps.sum()),
        "weights": _list(exps / exps.sum()),
        "products": _list(q * keys[key]),
    }


def shown_as(weights: torch.Tensor, mode: str) -> np.ndarray:
    """Maps as a mode shows them; NaN where nothing is left to look at."""
    return (without_first_key(weights) if mode == WITHOUT_FIRST else weights).numpy()


def is_place(value: object, n: int) -> bool:
    """Whether an untrusted value is a whole number from 0 to n - 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def _cut(ids: list[int], limit: int, keep: str) -> tuple[list[int], str]:
    if len(ids) <= limit:
        return ids, ""
    n_cut = len(ids) - limit
    kept = ids[:limit] if keep == "beginning" else ids[n_cut:]
    side = "after" if keep == "beginning" else "before"
    return kept, (
        f"The text has {len(ids):,} tokens and this model reads {limit:,}: the {keep} is "
        f"shown, and the {n_cut:,} tokens {side} it are cut."
    )


def _list(values: torch.Tensor) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]
