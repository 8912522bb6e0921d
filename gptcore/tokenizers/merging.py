"""Byte-pair encoding step by step: the merges that tokenise a text, and the merges learned from a
text.

For teaching; `ByteBPE` gives the same results, encoding with tiktoken and training with the
`tokenizers` library. Source: Sennrich et al. 2016, algorithm 1; on bytes as in the GPT-2 paper,
section 2.2.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from gptcore.tokenizers.base import check_text
from gptcore.tokenizers.byte_bpe import ByteBPE
from gptcore.tokenizers.vocabulary import CHARACTER_TO_BYTE, unspell

Pair = tuple[bytes, bytes]


@dataclass(frozen=True)
class Merge:
    """A merge of two adjacent tokens.

    Attributes:
        left, right: their bytes.
        count: how often they were merged, in the text that is tokenised or in the training text.
    """

    left: bytes
    right: bytes
    count: int


def split_words(text: str) -> list[bytes]:
    """The pieces that merges never cross, by GPT-2's rule, as UTF-8. Raises TokenizerError for
    broken Unicode.
    """
    from tokenizers import pre_tokenizers

    rule = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return [unspell(word) for word, _ in rule.pre_tokenize_str(check_text(text))]


def merges_of(text: str, tokenizer: ByteBPE) -> list[Merge]:
    """The merges that turn a text's bytes into its tokens, in the order of their ranks."""
    ranks = _ranks(tokenizer)
    words = [_bytes_of(word) for word in split_words(text)]
    merges = []
    while True:
        pairs = Counter(
            pair for word in words for pair in pairwise(word) if pair[0] + pair[1] in ranks
        )
        if not pairs:
            return merges
        best = min(pairs, key=lambda pair: ranks[pair[0] + pair[1]])
        words = [merged(word, best) for word in words]
        merges.append(Merge(*best, pairs[best]))


def learn_merges(text: str, n_merges: int) -> list[Merge]:
    """Learns the first merges from a text: each step merges the most frequent pair of adjacent
    tokens.

    Args:
        text: the training text.
        n_merges: maximum number of merges; fewer once every word is one token.

    Returns:
        The merges in order. Ties go to the pair whose tokens were there first.
    """
    words = Counter(split_words(text))
    parts = {word: _bytes_of(word) for word in words}
    spelled = sorted(CHARACTER_TO_BYTE)  # the order in which trained vocabularies number the bytes
    born = {unspell(character): index for index, character in enumerate(spelled)}
    merges: list[Merge] = []
    while len(merges) < n_merges:
        pairs = Counter[Pair]()
        for word, count in words.items():
            for pair in pairwise(parts[word]):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], born[pair[0]], born[pair[1]]))
        merges.append(Merge(*best, pairs[best]))
        joined = best[0] + best[1]
        born.setdefault(joined, len(born))
        parts = {
            word: merged(part, best) if joined in word else part for word, part in parts.items()
        }
    return merges


def merged(word: Sequence[bytes], pair: Pair) -> list[bytes]:
    """A word with every occurrence of a pair merged, from left to right."""
    result: list[bytes] = []
    at = 0
    while at < len(word):
        if tuple(word[at : at + 2]) == pair:
            result.append(pair[0] + pair[1])
            at += 2
        else:
            result.append(word[at])
            at += 1
    return result


def _bytes_of(word: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in word]


@lru_cache(maxsize=4)
def _ranks(tokenizer: ByteBPE) -> Mapping[bytes, int]:
    """Every token's bytes and its rank, which is its id; the end-of-text token is no merge."""
    return {
        tokenizer.token_bytes(rank): rank
        for rank in range(tokenizer.vocab_size)
        if rank != tokenizer.end_id
    }
