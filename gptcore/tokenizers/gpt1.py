"""GPT-1's 40,478-entry BPE over lower-cased words, run by the `tokenizers` library."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gptcore.errors import TokenizerError
from gptcore.tokenizers.base import Tokenizer, check_id, check_text, write_tokenizer_files
from gptcore.tokenizers.rust import panics_as_errors

if TYPE_CHECKING:
    import tokenizers

WORD_END = "</w>"
UNKNOWN = "<unk>"


class GPT1Tokenizer(Tokenizer):
    """Lower-cases, strips accents, splits at spaces and punctuation, then merges inside words.

    Decoding puts a space after every word, so text does not round-trip. The 2018 code split words
    with spaCy and repaired text with ftfy first; this is the BERT-style split that transformers
    uses in their place. The two agree on lower-case words with free-standing punctuation. Source:
    openai/finetune-transformer-lm, text_utils.py.
    """

    kind = "gpt1"

    def __init__(self, tokenizer: "tokenizers.Tokenizer") -> None:
        self._tokenizer = tokenizer
        self.vocab_size: int = tokenizer.get_vocab_size()

    @classmethod
    def from_files(cls, vocabulary: Path, merges: Path) -> "GPT1Tokenizer":
        """From OpenAI's encoder_bpe_40000.json and vocab_40000.bpe, or the Hub's vocab.json and
        merges.txt.
        """
        import tokenizers

        return cls.from_merges(*tokenizers.models.BPE.read_file(str(vocabulary), str(merges)))

    @classmethod
    def from_merges(
        cls, vocab: dict[str, int], pairs: Sequence[tuple[str, str]]
    ) -> "GPT1Tokenizer":
        """Builds a tokenizer from vocabulary and merges alone; pre-tokenisation is ours, whatever a
        file says.
        """
        import tokenizers

        if not vocab:
            raise TokenizerError("The vocabulary is empty; a tokenizer needs at least one token.")
        if UNKNOWN not in vocab:
            raise TokenizerError(
                f"The vocabulary has no {UNKNOWN}, which stands for characters that it does "
                "not have."
            )
        model = tokenizers.models.BPE(
            vocab=vocab, merges=list(pairs), unk_token=UNKNOWN, end_of_word_suffix=WORD_END
        )
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        return cls(tokenizer)

    def encode(self, text: str, *, allow_special: bool = False) -> list[int]:
        with panics_as_errors("Encoding this text"):
            return self._tokenizer.encode(check_text(text), add_special_tokens=False).ids

    def decode(self, ids: Sequence[int]) -> str:
        return super().decode(ids).rstrip(" ")

    def token_bytes(self, token_id: int) -> bytes:
        token = self._tokenizer.id_to_token(check_id(token_id, self.vocab_size)) or ""
        return token.replace(WORD_END, " ").encode("utf-8")

    def save(self, folder: Path, n_positions: int | None = None) -> None:
        import tokenizers

        self._tokenizer.decoder = tokenizers.decoders.BPEDecoder(suffix=WORD_END)
        write_tokenizer_files(folder, self._tokenizer.to_str(), None, n_positions)
