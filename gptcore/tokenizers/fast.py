"""Byte-level BPE as other people's files describe it: special and added tokens anywhere, another
split, a normalizer.

Run by the `tokenizers` library, so that the ids are those of transformers' AutoTokenizer.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gptcore.errors import TokenizerError
from gptcore.tokenizers.base import (
    ADDED_FILE,
    CONFIG_FILE,
    END_OF_TEXT,
    GENERATION_FILE,
    MAP_FILE,
    SETTINGS_FILE,
    TOKENIZER_FILE,
    Tokenizer,
    check_id,
    check_text,
    write_tokenizer_files,
)
from gptcore.tokenizers.rust import panics_as_errors
from gptcore.tokenizers.vocabulary import unspell

if TYPE_CHECKING:
    import tokenizers


class FastTokenizer(Tokenizer):
    """A tokenizer.json of byte-level BPE, honoured as a whole.

    Args:
        description: text of the tokenizer.json.
        folder: whose other files name the token that ends a document.

    Raises:
        TokenizerError: no byte-level BPE, or a file that the library does not read.
    """

    kind = "bpe"

    def __init__(self, description: str, folder: Path) -> None:
        parsed = json.loads(description)
        kind = parsed["model"].get("type", "BPE")
        decoder = parsed.get("decoder")
        if kind != "BPE" or not _is_byte_level(decoder):
            of = (decoder or {}).get("type", "none")
            raise TokenizerError(
                f"Its {TOKENIZER_FILE} is {kind} with the decoder {of}; byte-level BPE is read "
                "here."
            )
        # One that takes the names of special tokens for text, and one that takes them for the
        # tokens.
        self._plain, self._special = _parsed(description), _parsed(description)
        self._plain.encode_special_tokens = True
        self._description = description
        added = self._special.get_added_tokens_decoder()
        self._bytes = {i: token.content.encode() for i, token in added.items()}
        for token, i in self._special.get_vocab().items():
            if i in self._bytes:
                continue
            try:
                self._bytes[i] = unspell(token)
            except KeyError:  # no spelling of bytes: a name, such as <s>
                self._bytes[i] = token.encode()
        self.vocab_size: int = max(self._bytes) + 1
        if self.vocab_size > 2 * len(self._bytes):
            raise TokenizerError(
                f"Its {TOKENIZER_FILE} has {len(self._bytes):,} tokens, but an id of "
                f"{self.vocab_size - 1:,}: most ids below it would stand for nothing."
            )
        self.without_token: frozenset[int] = frozenset(range(self.vocab_size)) - self._bytes.keys()
        end = _end_token(folder, self._special.get_vocab())
        self.end_id: int | None = None if end is None else self._special.token_to_id(end)

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        with panics_as_errors("Encoding this text"):
            return list(
                (self._special if allow_special else self._plain).encode(check_text(text)).ids
            )

    def token_bytes(self, token_id: int) -> bytes:
        return self._bytes.get(check_id(token_id, self.vocab_size), b"")

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        end = None if self.end_id is None else self._special.id_to_token(self.end_id)
        write_tokenizer_files(folder, self._description, end, n_positions)


def is_plain(parsed: Mapping[str, Any]) -> bool:
    """Whether a tokenizer.json is GPT-2's kind and nothing else: its split, END_OF_TEXT last and
    alone.
    """
    split = parsed.get("pre_tokenizer") or {}
    after = parsed.get("post_processor") or {"type": "ByteLevel"}
    added = {item["content"]: item["id"] for item in parsed.get("added_tokens") or []}
    tokens = {**parsed["model"]["vocab"], **added}
    return (
        parsed.get("normalizer") is None
        and split.get("type") == "ByteLevel"
        and not split.get("add_prefix_space")
        and split.get("use_regex", True)
        and after.get("type") == "ByteLevel"
        and added.keys() <= {END_OF_TEXT}
        and tokens.get(END_OF_TEXT) == len(tokens) - 1
    )


def from_merges(vocabulary: Path, merges: Path, folder: Path) -> FastTokenizer:
    """The older files of a byte-level BPE, with the tokens that added_tokens.json and the settings
    add.
    """
    import tokenizers

    made = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocabulary), str(merges)))
    settings = _table(folder / SETTINGS_FILE)
    before = bool(settings.get("add_prefix_space", False))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=before)
    made.decoder = tokenizers.decoders.ByteLevel()
    listed = settings.get("added_tokens_decoder")
    entries = listed if isinstance(listed, dict) else {}
    added = {int(i): entry["content"] for i, entry in entries.items()}
    added |= {i: text for text, i in _table(folder / ADDED_FILE).items()}
    special = {_name(settings.get(f"{what}_token")) for what in ("bos", "eos", "unk", "pad")} | {
        END_OF_TEXT
    }
    known = made.get_vocab()
    for text in sorted(name for name in special if name is not None and name not in added.values()):
        if text in known:
            added[known[text]] = text
    for i, text in sorted(added.items()):
        made.add_special_tokens([tokenizers.AddedToken(text, special=True, normalized=False)])
        if made.token_to_id(text) != i:
            raise TokenizerError(
                f"The added token {text!r} has the id {i}, which leaves a gap before it."
            )
    return FastTokenizer(made.to_str(), folder)


def _end_token(folder: Path, vocabulary: Mapping[str, int]) -> str | None:
    """The token that ends a document: what the tokenizer's settings or the model's config name, or
    GPT-2's own.
    """
    for file in (SETTINGS_FILE, MAP_FILE):
        name = _name(_table(folder / file).get("eos_token"))
        if name in vocabulary:
            return name
    names = {token_id: name for name, token_id in vocabulary.items()}
    for file in (GENERATION_FILE, CONFIG_FILE):
        ids = _table(folder / file).get("eos_token_id")
        first = ids[0] if isinstance(ids, list) and ids else ids
        if isinstance(first, int) and first in names:
            return names[first]
    return next((name for name in (END_OF_TEXT, "</s>") if name in vocabulary), None)


def _name(token: object) -> str | None:
    """The name of a token that a file gives as a text or with its flags."""
    name = token.get("content") if isinstance(token, dict) else token
    return name if isinstance(name, str) else None


def _table(path: Path) -> dict[str, Any]:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _is_byte_level(decoder: object) -> bool:
    if not isinstance(decoder, dict):
        return False
    if decoder.get("type") == "Sequence":
        return any(map(_is_byte_level, decoder.get("decoders", [])))
    return decoder.get("type") == "ByteLevel"


def _parsed(description: str) -> "tokenizers.Tokenizer":
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_str(description)
    tokenizer.no_truncation()  # as AutoTokenizer does unless it is asked to
    tokenizer.no_padding()
    return tokenizer
