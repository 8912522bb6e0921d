"""Guessing game: people against a model predict the next letter of a held-out text.

Source: Shannon 1951, "Prediction and Entropy of Printed English": from how many guesses each letter takes one can bound
the entropy of a text, for people and models alike. The page computes that bound.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Annotated

import torch
from torch import Tensor

from gptcore.corpora import corpus
from gptcore.errors import GPTCoreError
from gptcore.language_model import LanguageModel
from gptcore.model import evaluating
from gptcore.training import split
from ui.handlers import inputs
from ui.payloads import fields
from ui.payloads.common import Guess
from ui.payloads.start import GuessedPart, Passage, PassageRequest
from ui.services import Services

N_PASSAGES = 12
_LONGEST, _SHORTEST, _GIVEN = 220, 120, 36  # characters of a passage; characters shown at first
_N_BEST = 5
_WORD = re.compile(r"[A-Za-z]+")


@cache
def passages() -> tuple[str, ...]:
    """Paragraph openings from the anthology's held-out texts."""
    found = []
    for document in split(corpus("anthology"))[1]:
        for paragraph in document.split("\n\n")[1:]:
            text = " ".join(paragraph.split())
            if len(text) >= _SHORTEST and "  " not in text and "\n" not in paragraph:
                end = text.rfind(" ", 0, _LONGEST)
                found.append(text if len(text) <= _LONGEST else text[:end])
    return tuple(found[:: max(1, len(found) // N_PASSAGES)][:N_PASSAGES])


def passage(services: Services, request: Annotated[object, PassageRequest]) -> Annotated[str, Passage] | None:
    """A passage to guess, and how a model guesses it; a message where the model cannot read it. None for an invalid
    request."""
    model, number = fields(request, "model", "number")
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    text = passages()[number % len(passages())]
    try:
        lm = services.models.get(inputs.model_name(model))
        by_letter = lm.tokenizer.kind == "char"
        names = _letters(lm) if by_letter else _words(lm)
        parts = services.now(lambda: _guessed(lm, text, names))
    except GPTCoreError as error:
        return json.dumps({"message": str(error)}, ensure_ascii=False)
    kind = "letters" if by_letter else "words"
    found: Passage = {
        "text": text, "kind": kind, "name": lm.name, "choices": len(set(names) - {""}), "parts": parts,
    }  # fmt: skip
    return json.dumps(found, ensure_ascii=False)


def _guessed(lm: LanguageModel, text: str, names: list[str]) -> list[GuessedPart]:
    """What is to be guessed of a text, with the model's own guesses; names: of its tokens, "" for no candidate."""
    ids = lm.tokenizer.encode(text)[: lm.model.config.n_positions]
    with torch.inference_mode(), evaluating(lm.model):
        chances = lm.model(torch.tensor([ids])).logits[0].float().softmax(-1)  # [T, V]
    by_letter = lm.tokenizer.kind == "char"
    parts, at = list[GuessedPart](), 0
    for place, token in enumerate(ids):
        piece = lm.tokenizer.decode([token])
        begin, at = at, at + len(piece)
        name = names[token]
        whole = by_letter or (name and _is_word(text, begin + 1, at))
        if place and begin >= _GIVEN and whole and text[begin:at] == piece:
            p, rank, best = _ranked(chances[place - 1], names, name)
            parts.append({"from": begin if by_letter else begin + 1, "to": at, "p": p, "rank": rank, "best": best})
    return parts


def _letters(lm: LanguageModel) -> list[str]:
    """The case-folded character of every token."""
    return [lm.tokenizer.decode([token]).lower() for token in range(lm.tokenizer.vocab_size)]


def _words(lm: LanguageModel) -> list[str]:
    """The case-folded word of every token that begins one; "" for all others."""
    texts = [lm.tokenizer.decode([token]) for token in range(lm.tokenizer.vocab_size)]
    return [text[1:].lower() if text.startswith(" ") and _WORD.fullmatch(text[1:]) else "" for text in texts]


def _is_word(text: str, begin: int, end: int) -> bool:
    """Whether the span is a whole word."""
    return bool(_WORD.fullmatch(text[begin:end])) and not text[end : end + 1].isalpha()


def _ranked(chances: Tensor, names: list[str], name: str) -> tuple[float, int, list[Guess]]:
    """The probability and the rank of what stands there, and the best guesses; cases of a letter count together."""
    merged: dict[str, float] = {}
    order = chances.argsort(descending=True).tolist()
    for token, chance in zip(order, chances[order].tolist(), strict=True):
        if names[token]:
            merged[names[token]] = merged.get(names[token], 0.0) + chance
    total = sum(merged.values())
    ranked = sorted(merged, key=lambda one: -merged[one])
    best = [(one, _rounded(merged[one] / total)) for one in ranked[:_N_BEST]]
    return _rounded(merged[name] / total), 1 + ranked.index(name), best


def _rounded(chance: float) -> float:
    return float(f"{chance:.3g}")
