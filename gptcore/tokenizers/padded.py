"""Ids without a token: vocabularies that are padded to a multiple of 64, as nanoGPT and transformers do."""

from collections.abc import Sequence
from pathlib import Path

from gptcore.tokenizers.base import Tokenizer, check_id


class PaddedTokenizer(Tokenizer):
    """A tokenizer for a model that has more ids than the tokenizer has tokens.

    The others decode to nothing; `describe_token` says that they have no token, and none is ever chosen.

    Args:
        inner: the tokenizer.
        vocab_size: V of the model, larger than the tokenizer's.
    """

    def __init__(self, inner: Tokenizer, vocab_size: int) -> None:
        self.inner = inner
        self.kind, self.end_id, self.vocab_size = inner.kind, inner.end_id, vocab_size
        self.without_token = inner.without_token | set(range(inner.vocab_size, vocab_size))

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        return self.inner.encode(text, allow_special=allow_special)

    def decode(self, ids: Sequence[int]) -> str:
        return self.inner.decode([i for i in ids if check_id(i, self.vocab_size) not in self.without_token])

    def token_bytes(self, token_id: int) -> bytes:
        return b"" if check_id(token_id, self.vocab_size) in self.without_token else self.inner.token_bytes(token_id)

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        self.inner.save(folder, n_positions)


def for_model(tokenizer: Tokenizer, vocab_size: int) -> Tokenizer:
    """The tokenizer for a model of so many ids."""
    return PaddedTokenizer(tokenizer, vocab_size) if vocab_size > tokenizer.vocab_size else tokenizer


def plain(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer without the ids that have no token."""
    return tokenizer.inner if isinstance(tokenizer, PaddedTokenizer) else tokenizer
