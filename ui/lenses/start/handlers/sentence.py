"""One sentence as a model sees it: its tokens, their alternatives, the next token, and the
attention.
"""

import json
from collections.abc import Sequence
from typing import Annotated, TypeGuard

import torch
from torch import Tensor

from gptcore.analysis import ModelPart, logits_without, trace
from gptcore.errors import GPTCoreError
from gptcore.formatting import percent
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import StreamingText, describe_token
from ui.conclusions import concludes, listed, quoted, quoted_apart
from ui.lenses.start.payloads import (
    Drawn,
    GuessesRequest,
    OtherRequest,
    Sentence,
    SentenceToken,
    TypedRequest,
)
from ui.payloads import Choice, fields, probability, rounded
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, as_json, open_model
from ui.shared.own_text import own_text
from ui.shared.parts import NONE, fitting, in_words, name_of, parts_named
from ui.state.machine import described, likeliest
from ui.state.model_store import base_name

MOST_TOKENS = 400  # on the page; tokens outside the context window are shown but not read
_MOST_CHARS = 4_000
# a token's label, its probability in the whole model, and with parts switched off
Guess = tuple[str, float, float]
_CANNOT_READ = (
    "This model does not know all characters of your sentence. Here is one that it can read; yours "
    "is kept."
)
_LONGEST_HELD = 20_000  # characters of JSON
_N_NEXT = 8
_N_OTHERS = 6
_FAINTEST = 0.12  # of a head's attention; weaker links are too common to draw
_ARCS_EACH = 5  # from a token
_STEP = 0.05  # of the temperature's handle
HOTTEST = 2.0  # its end
_N_NAMED = 3  # parts at most that a sentence names
# of the whole model's likeliest tokens, shown also where they have become unlikely without a part
_N_KEPT = 3


@answering
def opening(services: Services, model: str, held: object = "") -> Sentence:
    """The initial sentence as a model sees it; a message if the model cannot read it.

    The sentence on the page stays: for another checkpoint of the same model, token by token; for
    another model, the visitor's own sentence is re-tokenised, if possible. Otherwise it is the
    model's default text.

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
    return described_text(
        services, model, text_ids(lm, own_text(services, model, lm))[-MOST_TOKENS:], note=note
    )


def _kept(
    services: Services, lm: LanguageModel, model: str, cut_by: str, ids: list[int], *, is_own: bool
) -> list[int] | None:
    """The page's sentence, cut by some model, as tokens of a newly opened one; None to start from
    its default text.
    """
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


def guesses(
    services: Services, request: Annotated[object, GuessesRequest]
) -> Annotated[str, Sentence] | None:
    """The text of these tokens. None for an invalid request, and for a model that is not open."""
    model, ids, at, without = fields(request, "model", "ids", "at", "without")
    if not isinstance(model, str) or not _are_ids(ids) or services.opened(model) is None:
        return None
    if at is not None and not (type(at) is int and 0 <= at < len(ids)):
        return None
    try:
        return as_json(described_text(services, model, ids, at, without=without))
    except GPTCoreError:
        return None


def another(
    services: Services, request: Annotated[object, OtherRequest]
) -> Annotated[str, Drawn] | None:
    """The token on which a draw has fallen among those that are not shown. None for an invalid
    request.
    """
    model, ids, without, temperature = fields(request, "model", "ids", "without", "temperature")
    shown, share = fields(request, "shown", "share")
    lm = services.opened(model)
    if (
        lm is None
        or not _are_ids(ids)
        or not _are_ids(shown)
        or max(shown) >= lm.model.config.vocab_size
    ):
        return None
    try:
        heat = inputs.number(temperature, "The temperature", low=_STEP, high=HOTTEST)
        part = inputs.number(share, "The share", low=0, high=1)
        parts = fitting(lm.model.config, parts_named(without))
        token, p = services.now(lambda: _drawn_beyond(lm, ids, parts, heat, shown, part))
    except GPTCoreError:
        return None
    return as_json(Drawn(id=token, label=describe_token(lm.tokenizer, token), p=p))


def _drawn_beyond(
    lm: LanguageModel,
    ids: list[int],
    parts: list[ModelPart],
    temperature: float,
    shown: list[int],
    share: float,
) -> tuple[int, float]:
    """(the token, its probability) of a draw among all tokens but those shown."""
    read = ids[inputs.first_read(lm, len(ids)) :]
    chances = (logits_without(lm.model, read, [parts])[0] / temperature).softmax(-1)
    others = chances.clone()
    others[shown] = 0.0
    sums = others.double().cumsum(-1)
    token = int(torch.searchsorted(sums, share * float(sums[-1]), right=True))
    if token >= len(others) or float(others[token]) == 0.0:  # at the very end of all shares
        token = int(others.nonzero()[-1]) if bool(others.any()) else int(chances.argmax())
    return token, probability(chances[token])


@answering
def typed(services: Services, request: Annotated[object, TypedRequest]) -> Sentence:
    """A text being typed; a message where the model cannot read it, or is not open."""
    model, text, without = fields(request, "model", "text", "without")
    lm = open_model(services, model)
    written = inputs.text(text, "Your sentence", most=_MOST_CHARS)
    if not written:
        raise InputError("Type a word, and see what comes next.")
    return described_text(services, model, text_ids(lm, written)[-MOST_TOKENS:], without=without)


def described_text(
    services: Services,
    model: str,
    ids: list[int],
    at: int | None = None,
    *,
    note: str = "",
    without: object = None,
) -> Sentence:
    """The text, inspected at one position, with a note if it differs from the visitor's.

    Args:
        without: names of parts that are switched off, as `parts_named` takes them; those that the
            model lacks are left out. None switches nothing off.

    Raises:
        TokenIdError, ContextLengthError: as the model does. InputError: names that are none.
    """
    lm = services.models.get(model)
    parts = fitting(lm.model.config, parts_named(NONE if without is None else without))
    cut = inputs.cut_note(lm, len(ids))
    return {
        **services.now(lambda: _described(lm, model, ids, at, parts)),
        "note": " ".join(filter(None, [note, cut])),
    }


def _described(
    lm: LanguageModel, model: str, ids: list[int], at: int | None, parts: list[ModelPart]
) -> Sentence:
    first = inputs.first_read(lm, len(ids))
    at = len(ids) - 1 if at is None else max(at, first)
    whole = trace(lm.model, ids[first:], at - first)
    traced = trace(lm.model, ids[first:], at - first, without=parts) if parts else whole
    chances = traced.logits.softmax(dim=-1)
    looks = traced.attended
    before = whole.logits[-1].softmax(dim=-1)
    rows = _rows(before, chances[-1])
    logprobs = traced.logits[-1].log_softmax(dim=-1)
    machine = described(lm, ids[first:], traced, drawn=whole)
    if parts:
        machine["said"] = without_parts(
            [in_words(part, alone=len(parts) == 1) for part in parts],
            *_best(lm, whole.logits[at - first], traced.logits[at - first]),
            "" if at == len(ids) - 1 else describe_token(lm.tokenizer, ids[at]),
        )
    text = StreamingText(lm.tokenizer)
    tokens = list[SentenceToken]()
    for index, token in enumerate(ids, start=-first):
        expected = chances[index - 1] if index > 0 else None
        tokens.append({
            "id": token, "text": text.push(token), "label": describe_token(lm.tokenizer, token),
            "p": None if expected is None else probability(expected[token]),
            "others": [] if expected is None else likeliest(lm, expected, _N_OTHERS),
        })  # fmt: skip
    was = [probability(before[token]) for token in rows if parts]
    return {
        "model": model,
        "text": lm.tokenizer.decode(ids),
        "tokens": tokens,
        "next": [_choice(lm, token, chances[-1]) for token in rows],
        "without": [name_of(part) for part in parts],
        "was": was,
        "scores": [rounded(logprobs[token], 6) for token in rows],
        "log_sums": log_sums(logprobs),
        "arcs": _arcs(looks, first),
        "end": lm.tokenizer.end_id,
        "first": first,
        "full": len(ids) >= MOST_TOKENS,
        "heads": lm.model.config.n_layer * lm.model.config.n_head,
        "unit": "letter" if lm.tokenizer.kind == "char" else "word",
        "machine": machine,
    }


def log_sums(logprobs: Tensor) -> list[float]:
    """At each step of the temperature's handle above 0, log Σ exp(logprobs / temperature).
    logprobs: float [V].
    """
    steps = round(HOTTEST / _STEP)
    temperatures = _STEP * torch.arange(1, steps + 1, dtype=torch.float64)  # [S]
    return [
        rounded(total, 8) for total in (logprobs.double() / temperatures[:, None]).logsumexp(-1)
    ]


def _rows(before: Tensor, after: Tensor) -> list[int]:
    """The tokens that are shown, in the whole model's order: all that top-k can keep, and the whole
    model's first ones.

    before, after: float [V], probabilities in the whole model, and with parts switched off.
    """
    n = min(_N_NEXT, len(before))
    shown = {*after.topk(n).indices.tolist(), *before.topk(min(_N_KEPT, n)).indices.tolist()}
    return sorted(shown, key=lambda token: -float(before[token]))


def _choice(lm: LanguageModel, token: int, chances: Tensor) -> Choice:
    return describe_token(lm.tokenizer, token), probability(chances[token]), token


def _best(lm: LanguageModel, before: Tensor, after: Tensor) -> tuple[Guess, Guess]:
    """(label, chance with all parts, chance without some) of the whole model's first guess, and of
    the other's.
    """
    chances = torch.stack([before, after]).softmax(-1)  # [2, V]

    def of(token: int) -> Guess:
        return (
            describe_token(lm.tokenizer, token),
            float(chances[0, token]),
            float(chances[1, token]),
        )

    return of(int(before.argmax())), of(int(after.argmax()))


@concludes("without parts")
def without_parts(parts: Sequence[str], guess: Guess, now: Guess, after: str = "") -> str:
    """Describes the change of the first guess where parts are switched off.

    Args:
        parts: in words.
        guess: the whole model's first guess: its label, its probability with all parts, and without
            these.
        now: the same of the first guess without them.
        after: the token that is looked at; "" for the last.
    """
    off = listed(parts) if len(parts) <= _N_NAMED else f"{len(parts)} parts"
    where = f"After {quoted(after)}, without {off}" if after else f"Without {off}"
    label, had, has = guess
    verb = "falls" if has < had else "rises"
    change = f"{verb} from {percent(had)} to {percent(has)}"
    if percent(had) == percent(has):
        change = f"keeps its {percent(has)}"
    if label == now[0]:
        return f"{where}, {quoted(label)} stays the first guess: it {change}."
    had_led, leads = quoted_apart(label, now[0])
    return f"{where}, {had_led} {change}, and {leads} takes first place with {percent(now[2])}."


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
