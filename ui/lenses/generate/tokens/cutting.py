"""Tokenizer views: one text under several tokenizers, its BPE merges, and merges learned from a
text.
"""

import json
from functools import cache
from pathlib import Path
from typing import Annotated

from gptcore.errors import GPTCoreError
from gptcore.tokenizers import ByteBPE, GPT1Tokenizer, Tokenizer, describe_token, load_tokenizer
from gptcore.tokenizers.base import plain
from gptcore.tokenizers.merging import Merge, learn_merges, merges_of, split_words
from ui.lenses.generate.payloads import (
    LearnRequest,
    Merges,
    MergesRequest,
    RecordedCut,
    TokenizerRow,
)
from ui.payloads import TextRequest, fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering
from ui.state.model_store import title_of

MOST_CHARS = 1_000
MOST_LEARNED_CHARS = 20_000
MOST_MERGES = 300

# Names of tokenizers -> (title, what kind it is).
_KINDS = {
    "gpt2": ("GPT-2", "byte-level BPE, learned from web pages"),
    "gpt1": ("GPT-1", "BPE on lower-case words, learned from books"),
    "mini": ("mini", "byte-level BPE, learned from children's stories"),
    "shakespeare-char": ("characters", "one token a character, those of Shakespeare"),
}
_OF_MODELS = {
    "gpt2": "GPT-2's byte-level BPE",
    "gpt1": "GPT-1's BPE on lower-case words",
    "bpe": "byte-level BPE of its own",
    "char": "one token a character, of its own",
}
_FETCHED = {"gpt2": "gpt2", "gpt1": "gpt1"}  # not bundled: name -> what --prefetch calls it
# made by tests/tools/recorded_cuts.py
RECORDED_CUTS = Path(__file__).with_name("recorded_cuts.json")
_EVERY = (ByteBPE, GPT1Tokenizer)  # tokenizers that can encode any character


@answering
def cut(services: Services, request: Annotated[object, TextRequest]) -> list[TokenizerRow]:
    """A text under the model's own tokenizer and every other; a tokenizer that fails gets a
    message.
    """
    text, model = fields(request, "text", "model")
    text = inputs.text(text, "The text", most=MOST_CHARS, least=1)
    model = inputs.model_name(model)
    own = _cut(services, model, text)
    known = [_cut(services, name, text) for name in _KINDS if name != model]
    # Many models share a tokenizer, as those of GPT-2's sizes.
    others = [row for row in known if "tokens" not in row or _cuts(row) != _cuts(own)]
    return [{**own, "picked": True}, *others]


@answering
def steps(services: Services, request: Annotated[object, MergesRequest]) -> Merges:
    """The pre-token words of a text, and the merges in order."""
    name, text = fields(request, "tokenizer", "text")
    tokenizer = plain(_tokenizer(services, name))
    if not isinstance(tokenizer, ByteBPE):
        raise InputError(
            "Only byte-level tokenizers can be shown merge by merge, such as GPT-2's and mini's."
        )
    text = inputs.text(text, "The text", most=MOST_CHARS, least=1)
    return _shown(split_words(text), merges_of(text, tokenizer))


@answering
def learned(services: Services, request: Annotated[object, LearnRequest]) -> Merges:
    """The words of a text's beginning, and what byte-pair encoding learns from the text."""
    text, n_merges = fields(request, "text", "merges")
    text = inputs.text(text, "The text to learn from", most=MOST_LEARNED_CHARS, needs_words=True)
    n = inputs.whole(n_merges, "The number of merges", low=1, high=MOST_MERGES)
    words = split_words(text[:MOST_CHARS])
    return _shown(words, services.measure(lambda: learn_merges(text, n)))


def _cut(services: Services, name: str, text: str) -> TokenizerRow:
    """One tokenizer's row."""
    title, what = _KINDS.get(name, (title_of(name), ""))
    row: TokenizerRow = {"name": name, "title": title, "what": what}
    try:
        tokenizer = _tokenizer(services, name)
        row["what"] = what if name in _KINDS else _OF_MODELS[tokenizer.kind]
        ids = tokenizer.encode(text, allow_special=True)
    except GPTCoreError as error:
        if kept := _recorded().get(name, {}).get(text):
            return {
                **row,
                **kept,
                "what": f"{what}; recorded, since its vocabulary is not on this machine",
            }
        return {**row, "message": str(error)}
    return {**row, **cut_by(tokenizer, text, ids), "steps": isinstance(plain(tokenizer), ByteBPE)}


def cut_by(tokenizer: Tokenizer, text: str, ids: list[int]) -> RecordedCut:
    """One row: the tokens as [label, id, bytes in hex], their count, and the decoded text."""
    back = tokenizer.decode(ids)
    n_words = max(1, len(text.split()))
    return {
        "vocabulary": tokenizer.vocab_size,
        "tokens": [
            (describe_token(tokenizer, i), i, tokenizer.token_bytes(i).hex(" ")) for i in ids
        ],
        "per_word": round(len(ids) / n_words, 2),
        "back": None if back == text else back,
    }


@cache
def _recorded() -> dict[str, dict[str, RecordedCut]]:
    """Loads the recorded tokens of the page's examples under GPT-1 and GPT-2: tokenizer -> text ->
    the result of `cut_by`.
    """
    return json.loads(RECORDED_CUTS.read_text(encoding="utf-8"))


def _cuts(row: TokenizerRow) -> tuple[object, object]:
    return row.get("vocabulary"), [token_id for _, token_id, _ in row.get("tokens", [])]


def _tokenizer(services: Services, name: object) -> Tokenizer:
    """By its name here, or that of a model.

    Raises:
        GPTCoreError: no such model, or files of GPT-1's or GPT-2's tokenizer that are not on this
            machine, since a text must not wait for them.
    """
    name = inputs.model_name(name)
    if name not in _FETCHED:
        return services.models.get(name).tokenizer
    try:
        return load_tokenizer(name, offline=True)
    except GPTCoreError:
        how = f"python app.py --prefetch {_FETCHED[name]}"
        raise InputError(
            f"{_KINDS[name][0]}'s vocabulary is not on this machine. With a network, {how} "
            "downloads it."
        ) from None


def _shown(words: list[bytes], merges: list[Merge]) -> Merges:
    """Bytes as characters with the same codes, because JSON has no bytes."""
    return {
        "words": [word.decode("latin-1") for word in words],
        "merges": [(m.left.decode("latin-1"), m.right.decode("latin-1"), m.count) for m in merges],
    }
