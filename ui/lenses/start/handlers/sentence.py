"""One sentence as a model sees it: its tokens, their alternatives, the next token, and the attention."""

import json
from typing import Annotated, TypeGuard

from torch import Tensor

from gptcore.analysis import trace
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import StreamingText, describe_token
from ui.lenses.start.payloads import GuessesRequest, Sentence, SentenceToken
from ui.payloads import TextRequest, fields, rounded
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, as_json, open_model
from ui.shared.own_text import own_text
from ui.state.machine import described, likeliest
from ui.state.model_store import base_name

MOST_TOKENS = 400  # on the page; tokens outside the context window are shown but not read
_MOST_CHARS = 4_000
_CANNOT_READ = "This model does not know all characters of your sentence. Here is one that it can read; yours is kept."
_LONGEST_HELD = 20_000  # characters of JSON
_N_NEXT, _N_OTHERS = 8, 6
_FAINTEST = 0.12  # of a head's attention; weaker links are too common to draw
_ARCS_EACH = 5  # from a token


@answering
def opening(services: Services, model: str, held: object = "") -> Sentence:
    """The initial sentence as a model sees it; a message if the model cannot read it.

    The sentence on the page stays: for another checkpoint of the same model, token by token; for another model, the
    visitor's own sentence is re-tokenised, if possible. Otherwise it is the model's default text.

    Args:
        held: JSON of the sentence on the page, {model, ids, own}; anything else is ignored.
    """
    lm = services.models.get(inputs.model_name(model))
    try:
        on_page = json.loads(held) if isinstance(held, str) and len(held) < _LONGEST_HELD else None
    except (ValueError, RecursionError):
        on_page = None
    cut_by, ids, own = fields(on_page, "model", "ids", "own")
    if not isinstance(cut_by, str) or not _are_ids(ids):
        own = False
    elif kept := _kept(services, lm, model, cut_by, ids, is_own=own is True):
        return described_text(services, model, kept)
    note = _CANNOT_READ if own is True else ""
    return described_text(services, model, text_ids(lm, own_text(services, model, lm))[-MOST_TOKENS:], note=note)


def _kept(
    services: Services, lm: LanguageModel, model: str, cut_by: str, ids: list[int], *, is_own: bool
) -> list[int] | None:
    """The page's sentence, cut by some model, as tokens of a newly opened one; None to start from its default text."""
    if base_name(cut_by) == base_name(model):
        return ids if max(ids) < lm.model.config.vocab_size else None
    other = services.opened(cut_by) if is_own else None
    if other is None or max(ids) >= other.model.config.vocab_size:
        return None
    try:
        return lm.tokenizer.encode(other.tokenizer.decode(ids)) or None
    except GPTCoreError:  # characters outside the model's vocabulary
        return None


def _are_ids(ids: object) -> TypeGuard[list[int]]:
    return (
        isinstance(ids, list)
        and 0 < len(ids) <= MOST_TOKENS
        and all(type(token) is int and token >= 0 for token in ids)
    )


def guesses(services: Services, request: Annotated[object, GuessesRequest]) -> Annotated[str, Sentence] | None:
    """The text of these tokens. None for an invalid request, and for a model that is not open."""
    model, ids, at = fields(request, "model", "ids", "at")
    if not isinstance(model, str) or not _are_ids(ids) or services.opened(model) is None:
        return None
    if at is not None and not (type(at) is int and 0 <= at < len(ids)):
        return None
    try:
        return as_json(described_text(services, model, ids, at))
    except GPTCoreError:
        return None


@answering
def typed(services: Services, request: Annotated[object, TextRequest]) -> Sentence:
    """A text being typed; a message where the model cannot read it, or is not open."""
    model, text = fields(request, "model", "text")
    lm, written = open_model(services, model), inputs.text(text, "Your sentence", most=_MOST_CHARS)
    if not written:
        raise InputError("Type a word, and see what comes next.")
    return described_text(services, model, text_ids(lm, written)[-MOST_TOKENS:])


def described_text(
    services: Services, model: str, ids: list[int], at: int | None = None, *, note: str = ""
) -> Sentence:
    """The text, inspected at one position, with a note if it differs from the visitor's.

    Raises:
        TokenIdError, ContextLengthError: as the model does.
    """
    lm = services.models.get(model)
    return {**services.now(lambda: _described(lm, model, ids, at)), "note": note}


def _described(lm: LanguageModel, model: str, ids: list[int], at: int | None) -> Sentence:
    """Reads a text beyond the window from half a window before its end."""
    window = lm.model.config.n_positions
    first = 0 if len(ids) <= window else len(ids) - max(1, window // 2)
    at = len(ids) - 1 if at is None else max(at, first)
    traced = trace(lm.model, ids[first:], at - first)
    chances, looks = traced.logits.softmax(dim=-1), traced.attended
    text, tokens = StreamingText(lm.tokenizer), list[SentenceToken]()
    for place, token in enumerate(ids, start=-first):
        before = chances[place - 1] if place > 0 else None
        tokens.append({
            "id": token, "text": text.push(token), "label": describe_token(lm.tokenizer, token),
            "p": None if before is None else rounded(before[token]),
            "others": [] if before is None else likeliest(lm, before, _N_OTHERS),
        })  # fmt: skip
    return {
        "model": model, "text": lm.tokenizer.decode(ids), "tokens": tokens, "next": likeliest(lm, chances[-1], _N_NEXT),
        "arcs": _arcs(looks, first), "end": lm.tokenizer.end_id, "first": first, "full": len(ids) >= MOST_TOKENS,
        "heads": lm.model.config.n_layer * lm.model.config.n_head,
        "unit": "letter" if lm.tokenizer.kind == "char" else "word", "machine": described(lm, ids[first:], traced),
    }  # fmt: skip


def _arcs(looks: Tensor, first: int) -> list[tuple[int, int, float]]:
    """[from, to, weight] of the strongest attention links of every token."""
    arcs = []
    for row in range(2, len(looks)):
        # Excludes the attention sink (first token) and the token itself.
        best = looks[row, 1:row].topk(min(_ARCS_EACH, row - 1))
        for column, weight in zip(best.indices.tolist(), best.values, strict=True):
            if weight >= _FAINTEST:
                arcs.append((first + row, first + column + 1, rounded(weight)))
    return arcs
