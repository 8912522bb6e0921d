"""Byte-level BPE run by tiktoken: GPT-2's own vocabulary, and vocabularies trained here."""

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import tiktoken

from gptcore.errors import TokenizerError
from gptcore.tokenizers.base import (
    END_OF_TEXT,
    Tokenizer,
    check_id,
    check_text,
    write_tokenizer_files,
)
from gptcore.tokenizers.rust import panics_as_errors
from gptcore.tokenizers.vocabulary import learn_vocabulary, spell, unspell

# The pre-split of the GPT-2 release: contractions, words with one leading space, numbers, signs,
# space.
GPT2_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


# White space as Rust's patterns have it: Python's without four control characters.
_LONG_RUN = re.compile(r"[^\S\x1c-\x1f]{100000,}")


class ByteBPE(Tokenizer):
    """Byte-level byte-pair encoding: any Unicode text goes in and comes back unchanged.

    Args:
        encoding: tiktoken's merge table, whose one special token is END_OF_TEXT.
        kind: "gpt2" for OpenAI's vocabulary, "bpe" for one trained here.
    """

    def __init__(self, encoding: tiktoken.Encoding, *, kind: str = "bpe") -> None:
        self.kind = kind
        self.vocab_size: int = encoding.n_vocab
        self.end_id: int | None = encoding.encode_single_token(END_OF_TEXT)
        self._encoding = encoding

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        check_text(text)
        with panics_as_errors("Encoding this text"):
            if allow_special:
                parts = text.split(END_OF_TEXT)
                ids = self._ordinary(parts[0])
                for part in parts[1:]:
                    ids += [self.end_id, *self._ordinary(part)]
                return ids
            return self._ordinary(text)

    def _ordinary(self, text: str) -> list[int]:
        """The ids of a text without special tokens.

        tiktoken's pattern overflows its stack on a million blanks in a row. Such a run is one piece
        by GPT-2's split, but for its last blank, which goes with what follows; so the parts give
        what the whole would.
        """
        ids = list[int]()
        start = 0
        for run in _LONG_RUN.finditer(text):
            is_last = run.end() == len(text)
            end = run.end() if is_last else run.end() - 1
            ids += self._encoding.encode_ordinary(text[start : run.start()])
            ids += self._encoding._encode_single_piece(text[run.start() : end])
            start = end
        return ids + self._encoding.encode_ordinary(text[start:])

    def token_bytes(self, token_id: int) -> bytes:
        return self._encoding.decode_single_token_bytes(check_id(token_id, self.vocab_size))

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        import tokenizers

        ranks = {self.token_bytes(i): i for i in range(self.vocab_size) if i != self.end_id}
        vocabulary = {spell(token): rank for token, rank in ranks.items()} | {
            END_OF_TEXT: self.vocab_size - 1
        }
        merges = [(spell(left), spell(right)) for left, right in _merges(ranks)]
        made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=merges))
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = tokenizers.decoders.ByteLevel()
        made.add_special_tokens(
            [tokenizers.AddedToken(END_OF_TEXT, special=True, normalized=False)]
        )
        write_tokenizer_files(folder, made.to_str(), END_OF_TEXT, n_positions)

    @classmethod
    def from_vocabulary(
        cls, vocabulary: dict[str, int], *, name: str, kind: str = "bpe"
    ) -> "ByteBPE":
        """Builds a tokenizer from a parsed vocab.json or tokenizer.json: {token in GPT-2's
        spelling: id}.
        """
        try:
            ranks = {
                unspell(token): rank for token, rank in vocabulary.items() if token != END_OF_TEXT
            }
        except KeyError as error:
            raise TokenizerError(
                f"The vocabulary {name} has the character {error}, which maps to no byte."
            ) from None
        if sorted(ranks.values()) != list(range(len(ranks))) or vocabulary.get(END_OF_TEXT) != len(
            ranks
        ):
            raise TokenizerError(
                f"The ids of the vocabulary {name} are not 0 to {len(ranks) - 1} with "
                f"{END_OF_TEXT} last."
            )
        if sum(len(token) == 1 for token in ranks) != 256:
            raise TokenizerError(
                f"The vocabulary {name} lacks some of the 256 single bytes; its file is damaged."
            )
        special = {END_OF_TEXT: len(ranks)}
        table = tiktoken.Encoding(
            name, pat_str=GPT2_PATTERN, mergeable_ranks=ranks, special_tokens=special
        )
        return cls(table, kind=kind)

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        *,
        vocab_size: int,
        name: str = "trained-here",
        digits_apart: bool = False,
    ) -> "ByteBPE":
        """Learns merges from texts with the `tokenizers` library.

        Args:
            texts: documents; read once.
            vocab_size: V, with the 256 bytes and the end-of-text token, so at least 257.
            name: its name in tiktoken.
            digits_apart: learn no merge of two digits, so that every number is read digit by digit.

        Raises:
            TokenizerError: vocab_size is too small, or the texts hold too few pairs to fill it.
        """
        _check_size(vocab_size)
        with panics_as_errors("Learning a vocabulary from this text"):
            learned = learn_vocabulary(texts, vocab_size - 1, digits_apart=digits_apart)
        return cls.from_learned(learned, vocab_size=vocab_size, name=name)

    @classmethod
    def from_learned(
        cls, learned: dict[str, int], *, vocab_size: int, name: str = "trained-here"
    ) -> "ByteBPE":
        """Builds a tokenizer from what `learn_vocabulary` returned. Raises TokenizerError as
        `train`.
        """
        if len(learned) != vocab_size - 1:
            raise TokenizerError(
                f"The text has only enough different words for {len(learned) + 1} tokens, not "
                f"{vocab_size}. Choose a smaller vocabulary or give more text."
            )
        return cls.from_vocabulary(learned | {END_OF_TEXT: len(learned)}, name=name)


def _check_size(vocab_size: int) -> None:
    if vocab_size < 257:
        raise TokenizerError(
            f"A byte-level vocabulary needs at least 257 entries, not {vocab_size}."
        )


def _merges(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """The pair that makes each longer token, in order of rank: its parts after merging all lower
    ranks.
    """
    merges = []
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            pairs = [ranks.get(left + right, rank) for left, right in pairwise(parts)]
            best = min(range(len(pairs)), key=pairs.__getitem__)
            if pairs[best] >= rank:
                break
            parts[best : best + 2] = [parts[best] + parts[best + 1]]
        if len(parts) == 2:
            merges.append((parts[0], parts[1]))
    return merges
