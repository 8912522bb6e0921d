"""Character-level tokenizer, used by the lesson models."""

from collections.abc import Sequence
from pathlib import Path

from gptcore.errors import TokenizerError
from gptcore.tokenizers.base import Tokenizer, check_id, check_text, write_tokenizer_files

_BLANKS = {" ": "a space", "\n": "a line break", "\t": "a tab"}


class CharTokenizer(Tokenizer):
    """Every character of a known alphabet is one token; ids follow the alphabet's order.

    Args:
        characters: the alphabet, each character once.

    Raises:
        TokenizerError: an empty alphabet, or a character twice.
    """

    kind = "char"

    def __init__(self, characters: Sequence[str]) -> None:
        if (
            not characters
            or len(set(characters)) != len(characters)
            or any(len(c) != 1 for c in characters)
        ):
            raise TokenizerError(
                "A character vocabulary needs at least one character, and each only once."
            )
        self.characters: list[str] = list(characters)
        self.vocab_size: int = len(self.characters)
        self._ids = {character: index for index, character in enumerate(self.characters)}

    @classmethod
    def train(cls, text: str) -> "CharTokenizer":
        """The alphabet of a text, in code point order."""
        return cls(sorted(set(check_text(text))))

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        """Ids of the characters. Raises TokenizerError naming every character outside the
        alphabet.
        """
        ids = [self._ids.get(character) for character in check_text(text)]
        if None in ids:
            unknown = sorted({c for c in text if c not in self._ids})
            shown = ", ".join(_BLANKS.get(character, repr(character)) for character in unknown[:10])
            more = f" and {len(unknown) - 10} more" if len(unknown) > 10 else ""
            sample = "".join(c for c in self.characters if c.isprintable() and not c.isspace())[:80]
            blanks = [_BLANKS[c] for c in self.characters if c in _BLANKS]
            raise TokenizerError(
                f"This model knows {self.vocab_size} characters, but not {shown}{more}. Remove "
                f"or replace them. It knows {', '.join(filter(None, [*blanks, sample]))}"
            )
        return [i for i in ids if i is not None]

    def token_bytes(self, token_id: int) -> bytes:
        return self.characters[check_id(token_id, self.vocab_size)].encode("utf-8")

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        import tokenizers

        made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocab=self._ids, unk_token="<unk>"))
        made.pre_tokenizer = tokenizers.pre_tokenizers.Split(
            tokenizers.Regex(r"[\s\S]"), "isolated"
        )
        made.decoder = tokenizers.decoders.Fuse()
        write_tokenizer_files(folder, made.to_str(), None, n_positions)
