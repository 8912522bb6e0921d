"""Which parts of a tokenizer.json run when a stranger has written it.

A tokenizer.json describes a program: a few `Replace` rules multiply a text, and a pattern can take
longer than anyone waits. Of files that come from elsewhere only parts run whose cost is known:
linear in the text.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gptcore.errors import TokenizerError
from gptcore.tokenizers.byte_bpe import GPT2_PATTERN

_NORMALIZERS = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Prepend", "Strip", "StripAccents"}
_SPLITS = {"ByteLevel", "Digits", "Whitespace", "WhitespaceSplit", "Punctuation"}
_AFTER = {"ByteLevel", "TemplateProcessing"}
_MOST_PARTS = 8  # of a sequence
_MOST_ADDED = 16  # tokens that a template adds to a text
_LONGEST_PREPENDED = 8  # characters
_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# The splits that published byte-level models use.
PUBLISHED_PATTERNS = {
    GPT2_PATTERN,
    # GPT-2, as its code has it
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_REST}",  # cl100k, Llama 3
    rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_REST}",  # Qwen 2
}


def check_known_parts(parsed: Mapping[str, Any]) -> None:
    """Raises TokenizerError for a tokenizer.json with a part that is not known to be linear in the
    text, or many.
    """
    kinds = {
        "normalizer": "normalizers",
        "pre_tokenizer": "pretokenizers",
        "post_processor": "processors",
    }
    for name, inner in kinds.items():
        if len(list(_parts(parsed.get(name), inner))) > _MOST_PARTS:
            raise _unknown(name, f"of more than {_MOST_PARTS} parts")
    for part in _parts(parsed.get("normalizer"), "normalizers"):
        kind = part.get("type")
        if kind not in _NORMALIZERS or len(str(part.get("prepend", ""))) > _LONGEST_PREPENDED:
            raise _unknown("normalizer", str(kind))
    for part in _parts(parsed.get("pre_tokenizer"), "pretokenizers"):
        kind = part.get("type")
        pattern = part.get("pattern")
        regex = pattern.get("Regex") if isinstance(pattern, dict) else None
        is_published = kind == "Split" and regex in PUBLISHED_PATTERNS
        if kind not in _SPLITS and not is_published:
            what = f"{kind} by {str(pattern)[:60]}" if kind == "Split" else str(kind)
            raise _unknown("split", what)
    for part in _parts(parsed.get("post_processor"), "processors"):
        added = [
            item
            for side in ("single", "pair")
            for item in part.get(side) or ()
            if "SpecialToken" in item
        ]
        if part.get("type") not in _AFTER or len(added) > _MOST_ADDED:
            raise _unknown("post-processor", str(part.get("type")))


def _parts(part: object, inner: str) -> Iterator[Mapping[str, Any]]:
    """A part, or those of a sequence."""
    if not isinstance(part, Mapping):
        return
    if part.get("type") != "Sequence":
        yield part
        return
    for item in part.get(inner) or ():
        yield from _parts(item, inner)


def _unknown(what: str, name: str) -> TokenizerError:
    return TokenizerError(
        f"Its tokenizer.json has the {what} {name[:80]}, which is not run for uploads. Known "
        "are NFC, NFKC, lower case, stripping, digits apart, and the splits of GPT-2, cl100k "
        "and Qwen 2. Open it on your own machine."
    )
