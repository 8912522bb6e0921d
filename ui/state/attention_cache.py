"""LRU cache of queries and keys, shared by all visitors: any head's map is drawn from them."""

import hashlib
import secrets
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gptcore.analysis import HeadScores, QueriesAndKeys, read_attention, repeated_token_scores
from gptcore.language_model import LanguageModel
from gptcore.machine import return_freed_memory
from gptcore.model import GPT
from gptcore.tokenizers import describe_token


@dataclass(frozen=True)
class CachedAttention:
    """Cached reading of a text by a model."""

    name: str  # of the model
    labels: tuple[str, ...]  # the tokens as a reader should see them
    reading: QueriesAndKeys  # queries and keys


class AttentionCache:
    """LRU cache of readings under secret, unguessable keys.

    Args:
        max_bytes: for one reading, and for all of them together.
        seconds: lifetime of an unused reading.
        clock: seconds from any start.
    """

    def __init__(
        self,
        max_bytes: int,
        seconds: float = float("inf"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.max_bytes = max_bytes
        self._seconds = seconds
        self._clock = clock
        self._secret = secrets.token_bytes(16)
        self._lock = threading.Lock()  # guards the tables, never held while a model reads
        # the least recently used one first
        self._entries: OrderedDict[str, CachedAttention] = OrderedDict()
        self._used: dict[str, float] = {}
        # two models may share a name
        self._keys: weakref.WeakKeyDictionary[GPT, str] = weakref.WeakKeyDictionary()
        self._profiles: weakref.WeakKeyDictionary[GPT, HeadScores] = weakref.WeakKeyDictionary()

    def read(self, lm: LanguageModel, ids: Sequence[int]) -> tuple[str, CachedAttention]:
        """A text's reading and its key; runs the model on a cache miss.

        Raises:
            MemoryLimitError: the text is too long to be kept for this model.
        """
        with self._lock:
            key = self._key(self._keys.setdefault(lm.model, secrets.token_hex(8)), ids)
            known = self._look_up(key)
        if known is not None:
            return key, known
        reading = read_attention(lm.model, ids, max_bytes=self.max_bytes)
        labels = tuple(describe_token(lm.tokenizer, token) for token in ids)
        kept = CachedAttention(lm.name, labels, reading)
        with self._lock:
            self._keep(key, kept)
        return key, kept

    def put(self, kept: CachedAttention) -> str:
        """Caches a reading from elsewhere, such as a recording, and returns its key."""
        key = self._key(kept.name, kept.reading.token_ids)
        with self._lock:
            self._keep(key, kept)
        return key

    def get(self, key: object) -> CachedAttention | None:
        """The reading of a key, or None if it is unknown or evicted."""
        with self._lock:
            return self._look_up(key) if isinstance(key, str) else None

    def reap(self) -> None:
        """Evicts readings that have not been used for a while."""
        with self._lock:
            too_old = self._clock() - self._seconds
            n = len(self._entries)
            while self._entries and self._used[next(iter(self._entries))] < too_old:
                self._drop_oldest()
            dropped = n - len(self._entries)
        if dropped:
            return_freed_memory()

    def known_profile(self, lm: LanguageModel) -> HeadScores | None:
        """The scores on repeated random tokens, if they have been measured."""
        with self._lock:
            return self._profiles.get(lm.model)

    def profile(self, lm: LanguageModel) -> HeadScores:
        """Returns the scores of the model's heads on repeated random tokens, measured once for each
        model.
        """
        known = self.known_profile(lm)
        if known is None:
            known = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id)
            with self._lock:
                self._profiles[lm.model] = known
        return known

    def _key(self, model: str, ids: Sequence[int]) -> str:
        return hashlib.sha256(self._secret + repr((model, tuple(ids))).encode()).hexdigest()[:24]

    def _keep(self, key: str, kept: CachedAttention) -> None:
        self._entries[key] = kept
        self._look_up(key)
        while sum(entry.reading.n_bytes for entry in self._entries.values()) > self.max_bytes:
            self._drop_oldest()

    def _look_up(self, key: str) -> CachedAttention | None:
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
            self._used[key] = self._clock()
        return entry

    def _drop_oldest(self) -> None:
        key, _ = self._entries.popitem(last=False)
        del self._used[key]

    def __len__(self) -> int:
        return len(self._entries)
