"""What all tokenizers share."""

import codecs
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from gptcore.errors import TokenizerError

END_OF_TEXT = "<|endoftext|>"
CONFIG_FILE = "config.json"  # of the model; it may name the token that ends a document
GENERATION_FILE = "generation_config.json"  # likewise
TOKENIZER_FILE = "tokenizer.json"
SETTINGS_FILE = "tokenizer_config.json"
MAP_FILE = "special_tokens_map.json"
ADDED_FILE = "added_tokens.json"
# Pairs of file names, vocabulary and merges, of older folders and of GPT-1 as it was published.
MERGES_FILES = (("vocab.json", "merges.txt"), ("encoder_bpe_40000.json", "vocab_40000.bpe"))
# All that the readers of a tokenizer open, beside the model's two configs.
TOKENIZER_FILES = (TOKENIZER_FILE, SETTINGS_FILE, MAP_FILE, ADDED_FILE, *sum(MERGES_FILES, ()))


class Tokenizer:
    """Text to token ids and back: what every tokenizer derives from."""

    kind: str  # "gpt2", "gpt1", "bpe" or "char"
    vocab_size: int  # V, ids run from 0 to V - 1
    end_id: int | None = None  # the id that ends a document, or None
    without_token: frozenset[int] = frozenset()  # ids below vocab_size that stand for nothing

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        """Token ids of a text; with allow_special, a written-out end-of-text marker becomes its one
        id.
        """
        raise NotImplementedError

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids; bytes that do not form a complete character become U+FFFD."""
        return b"".join(self.token_bytes(token_id) for token_id in ids).decode(
            "utf-8", errors="replace"
        )

    def token_bytes(self, token_id: int) -> bytes:
        """The UTF-8 bytes that one token adds to the text. Raises TokenizerError outside the
        vocabulary.
        """
        raise NotImplementedError

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        """Saves the tokenizer to a model folder, in files that this project and transformers can
        load.

        Args:
            folder: where.
            n_positions: how long a text the model reads, where transformers' truncation cuts; None
                for anywhere.
        """
        raise NotImplementedError


def write_tokenizer_files(
    folder: Path, description: str, end: str | None, n_positions: int | None
) -> None:
    """Writes tokenizer.json, and the tokenizer_config.json that transformers needs.

    `end` also fills a batch there, and stands for the unknown, of which byte-level BPE has none:
    GPT-2's own settings say so, and CTranslate2 ends without it.
    """
    names = (
        {}
        if end is None
        else dict.fromkeys(("bos_token", "eos_token", "pad_token", "unk_token"), end)
    )
    window = {} if n_positions is None else {"model_max_length": n_positions}
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **names,
        **window,
    }
    (folder / TOKENIZER_FILE).write_text(description, encoding="utf-8")
    (folder / SETTINGS_FILE).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def check_text(text: object) -> str:
    """The text itself, or a TokenizerError for what no tokenizer can encode."""
    if not isinstance(text, str):
        raise TokenizerError(f"A tokenizer encodes text, not {type(text).__name__}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        broken = text[error.start]
        raise TokenizerError(
            f"Character {error.start + 1} is {broken!a}, half of a surrogate pair: no valid "
            "Unicode. Remove it."
        ) from None
    return text


def check_id(token_id: int, vocab_size: int) -> int:
    """The id itself, or a TokenizerError that names the range."""
    if not 0 <= token_id < vocab_size:
        raise TokenizerError(f"There is no token {token_id}; ids run from 0 to {vocab_size - 1}.")
    return token_id


def describe_token(tokenizer: Tokenizer, token_id: int) -> str:
    """A token as a reader should see it: its text, special tokens by name, broken and control bytes
    as <0xE2>.

    An id that has no token is called "(no token 50257)".
    """
    if token_id in tokenizer.without_token:
        return f"(no token {token_id})"
    raw = tokenizer.token_bytes(token_id)
    as_bytes = "".join(f"<0x{byte:02X}>" for byte in raw)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return as_bytes
    visible = all(unicodedata.category(c) != "Cc" or c in "\n\t" for c in text)
    return text if visible else as_bytes


class StreamingText:
    """Turns tokens into text one at a time, holding back bytes until they make a whole
    character.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def push(self, token_id: int) -> str:
        """The characters that this token completes; the end-of-text token adds none."""
        if token_id == self._tokenizer.end_id:
            return self._decoder.decode(b"", final=True)
        return self._decoder.decode(self._tokenizer.token_bytes(token_id))


class PaddedTokenizer(Tokenizer):
    """A tokenizer for a model that has more ids than the tokenizer has tokens, since its vocabulary
    was padded.

    The others decode to nothing; `describe_token` says that they have no token, and none is ever
    chosen.

    Args:
        inner: the tokenizer.
        vocab_size: V of the model, larger than the tokenizer's.
    """

    def __init__(self, inner: Tokenizer, vocab_size: int) -> None:
        self.inner = inner
        self.kind: str = inner.kind
        self.end_id: int | None = inner.end_id
        self.vocab_size: int = vocab_size
        self.without_token: frozenset[int] = inner.without_token | set(
            range(inner.vocab_size, vocab_size)
        )

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        return self.inner.encode(text, allow_special=allow_special)

    def decode(self, ids: Sequence[int]) -> str:
        return self.inner.decode(
            [i for i in ids if check_id(i, self.vocab_size) not in self.without_token]
        )

    def token_bytes(self, token_id: int) -> bytes:
        return (
            b""
            if check_id(token_id, self.vocab_size) in self.without_token
            else self.inner.token_bytes(token_id)
        )

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        self.inner.save(folder, n_positions)


def for_model(tokenizer: Tokenizer, vocab_size: int) -> Tokenizer:
    """The tokenizer for a model of so many ids."""
    return (
        PaddedTokenizer(tokenizer, vocab_size) if vocab_size > tokenizer.vocab_size else tokenizer
    )


def plain(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer without the ids that have no token."""
    return tokenizer.inner if isinstance(tokenizer, PaddedTokenizer) else tokenizer
