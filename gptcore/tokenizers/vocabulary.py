"""GPT-2's spelling of bytes, and learning byte-level merges from texts; imports nothing of this
package.

As a program, it learns in a process of its own, which can be killed; a call into the `tokenizers`
library cannot:

    python vocabulary.py 512 < texts.json > vocabulary.json
"""

import json
import re
import sys
from collections.abc import Iterable


def _byte_characters() -> dict[str, int]:
    """GPT-2's table of one printable character for each byte, as vocab files spell tokens."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    table = {chr(byte): byte for byte in printable}
    others = (byte for byte in range(256) if byte not in set(printable))
    table.update({chr(256 + offset): byte for offset, byte in enumerate(others)})
    return table


CHARACTER_TO_BYTE = _byte_characters()
_BYTE_TO_CHARACTER = {byte: character for character, byte in CHARACTER_TO_BYTE.items()}

# No language has words of this many letters, and merges are learned within words.
_ENDLESS = re.compile(r"\S{200}")
_ENDLESS_BLANK = re.compile(r"(\s{200})\s+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)(?=\d)")


def spell(token: bytes) -> str:
    """Writes a token as vocab files do."""
    return "".join(_BYTE_TO_CHARACTER[byte] for byte in token)


def unspell(token: str) -> bytes:
    """Returns the bytes of a token as vocab files spell it. Raises KeyError for a character of no
    byte.
    """
    return bytes(CHARACTER_TO_BYTE[character] for character in token)


def learn_vocabulary(
    texts: Iterable[str], n_tokens: int, *, digits_apart: bool = False
) -> dict[str, int]:
    """Learns merges from texts with the `tokenizers` library.

    Args:
        texts: documents; read once.
        n_tokens: size of the vocabulary, with the 256 bytes.
        digits_apart: learn no merge of two digits, so that every number is read digit by digit.

    Returns:
        {token in GPT-2's spelling: id}; fewer tokens than `n_tokens` where the texts hold too few
        pairs.
    """
    import tokenizers

    learned = tokenizers.Tokenizer(tokenizers.models.BPE())
    learned.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=n_tokens, initial_alphabet=sorted(CHARACTER_TO_BYTE), show_progress=False
    )
    if digits_apart:
        texts = (_BETWEEN_DIGITS.sub(" ", text) for text in texts)
    learned.train_from_iterator(map(_with_short_words, texts), trainer)
    return learned.get_vocab()


def _with_short_words(text: str) -> str:
    """Divides endless words and cuts endless runs of blanks: learning takes steps quadratic in the
    length of either.
    """
    return _ENDLESS_BLANK.sub(r"\1", _ENDLESS.sub(r"\g<0> ", text))


if __name__ == "__main__":
    vocabulary: dict[str, int] = learn_vocabulary(json.load(sys.stdin), int(sys.argv[1]))
    json.dump(vocabulary, sys.stdout)
