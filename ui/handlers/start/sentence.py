"""One sentence as a model sees it: its tokens, what could have stood there, what comes next, and who looks where."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

import torch
from torch import Tensor
from torch.distributions import Categorical

from gptcore.analysis import attention_patterns
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import prompt_ids
from gptcore.language_model import LanguageModel
from gptcore.model import evaluating
from gptcore.tokenizers import StreamingText, describe_token
from ui.handlers import inputs
from ui.services import Services
from ui.state.model_store import base_name

MOST_TOKENS = 40  # one sentence or two, of which every arc can be seen
_LONGEST_HELD = 10_000  # characters of JSON
_N_NEXT, _N_OTHERS, _LONGEST_OPENING = 8, 6, 15
_FAINTEST = 0.12  # of a head's attention; fainter looks are everywhere


def opening(services: Services, model: str, prompt: str, held: object = "") -> str:
    """A first sentence as a model sees it, as JSON; a sentence on why where it cannot read it.

    What stands on the page stays: at another moment of the same model's training, token by token; with another model,
    what the visitor has made of it, cut anew, if that model can read it. Else it is the beginning of a prompt, up to
    where the model knows least what comes next in its second half, so that there is something to choose.

    Args:
        services: of the app.
        model: name of the model.
        prompt: what to begin where nothing stays.
        held: JSON of what stands on the page, {model, ids, own}; anything else is nothing.
    """
    try:
        lm = services.models.get(inputs.model_name(model))
        kept = _kept(services, lm, model, held)
        if kept:
            return look(services, model, kept)
        ids = prompt_ids(lm, prompt)[:_LONGEST_OPENING]
        half = len(ids) // 2
        doubt = services.now(lambda: int(Categorical(logits=_read(lm, ids)[0][half:]).entropy().argmax()))
        return look(services, model, ids[: half + doubt + 1])
    except GPTCoreError as error:
        return json.dumps({"message": str(error)})


def _kept(services: Services, lm: LanguageModel, model: str, held: object) -> list[int] | None:
    """The tokens of the sentence on the page for a model that is opened; None where it begins anew."""
    try:
        found = json.loads(held) if isinstance(held, str) and len(held) < _LONGEST_HELD else None
        before, ids, own = (found[name] for name in ("model", "ids", "own")) if isinstance(found, dict) else [None] * 3
    except (ValueError, KeyError, RecursionError):
        return None
    if not isinstance(before, str) or not _are_ids(ids):
        return None
    if base_name(before) == base_name(model):
        return ids if max(ids) < lm.model.config.vocab_size else None
    other = services.opened(before) if own is True else None
    if other is None or max(ids) >= other.model.config.vocab_size:
        return None
    try:
        return lm.tokenizer.encode(other.tokenizer.decode(ids)) or None
    except GPTCoreError:  # characters that this model does not know
        return None


def _are_ids(ids: object) -> TypeGuard[list[int]]:
    return (
        isinstance(ids, list)
        and 0 < len(ids) <= MOST_TOKENS
        and all(type(token) is int and token >= 0 for token in ids)
    )


def guesses(services: Services, request: object) -> str | None:
    """The sentence of so many tokens: [model, ids]. None for nonsense, and for a model that is not open."""
    model, ids = request if isinstance(request, list) and len(request) == 2 else (None, None)
    if not isinstance(model, str) or not _are_ids(ids) or services.opened(model) is None:
        return None
    try:
        return look(services, model, ids)
    except GPTCoreError:
        return None


def look(services: Services, model: str, ids: list[int]) -> str:
    """The sentence as JSON. Raises TokenIdError and ContextLengthError as the model does."""
    lm = services.models.get(model)
    most = min(MOST_TOKENS, lm.model.config.n_positions)
    found = services.now(lambda: _described(lm, model, ids[:most], *_read(lm, ids[:most]), most))
    return json.dumps(found, ensure_ascii=False)


@torch.inference_mode()
def _read(lm: LanguageModel, ids: list[int]) -> tuple[Tensor, Tensor]:
    """(logits [T, V] after every token, [T, T]: the weight with which any head looks from one at another)."""
    patterns = attention_patterns(lm.model, ids)
    with evaluating(lm.model):
        logits = lm.model.lm_head(lm.model.hidden_states(torch.tensor([ids]))[0])
    return logits.float(), patterns.flatten(0, 1).amax(dim=0)


def _described(
    lm: LanguageModel, model: str, ids: list[int], logits: Tensor, looks: Tensor, most: int
) -> dict[str, Any]:
    chances = logits.softmax(dim=-1)
    text, tokens = StreamingText(lm.tokenizer), []
    for place, token in enumerate(ids):
        before = chances[place - 1] if place else None
        tokens.append({
            "id": token, "text": text.push(token), "label": describe_token(lm.tokenizer, token),
            "p": None if before is None else _rounded(before[token]),
            "others": [] if before is None else _likeliest(lm, before, _N_OTHERS),
        })  # fmt: skip
    arcs = [
        [row, column, _rounded(looks[row, column])]
        for row in range(1, len(ids))
        # The first token is where idle heads rest, and the token itself is no other one.
        for column in range(1, row)
        if looks[row, column] >= _FAINTEST
    ]
    return {
        "model": model, "tokens": tokens, "next": _likeliest(lm, chances[-1], _N_NEXT), "arcs": arcs,
        "full": len(ids) >= most, "end": lm.tokenizer.end_id,
        "heads": lm.model.config.n_layer * lm.model.config.n_head,
    }  # fmt: skip


def _likeliest(lm: LanguageModel, chances: Tensor, n: int) -> list[list[str | float | int]]:
    """[label, probability, id] of the likeliest tokens."""
    best = chances.topk(min(n, len(chances)))
    found = zip(best.indices.tolist(), best.values, strict=True)
    return [[describe_token(lm.tokenizer, token), _rounded(chance), token] for token, chance in found]


def _rounded(chance: Tensor) -> float:
    return float(f"{float(chance):.3g}")
