"""N-gram baselines: reference lines for a model's loss."""

import numpy as np


def ngram_losses(train: np.ndarray, valid: np.ndarray, vocab_size: int) -> tuple[float, float]:
    """Held-out losses of a unigram and a bigram model.

    Counts come from the training text. The unigram model uses add-one smoothing; the bigram model is interpolated with
    it by Witten-Bell smoothing (Witten and Bell 1991).

    Args:
        train: integers [N], what is counted.
        valid: integers [M], what is predicted; M >= 2.
        vocab_size: V.

    Returns:
        (unigram, bigram) loss in nats per token of valid[1:].
    """
    train, valid = np.asarray(train, dtype=np.int64), np.asarray(valid, dtype=np.int64)
    counts = np.bincount(train, minlength=vocab_size) + 1.0
    unigram = counts / counts.sum()  # [V]
    single = float(-np.log(unigram[valid[1:]]).mean())
    keys, times = np.unique(train[:-1] * vocab_size + train[1:], return_counts=True)
    seen = np.bincount(train[:-1], minlength=vocab_size)  # [V], how often a token has a successor
    kinds = np.bincount(keys // vocab_size, minlength=vocab_size)  # [V], number of distinct successors
    wanted = valid[:-1] * vocab_size + valid[1:]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    times_seen = np.where(keys[place] == wanted, times[place], 0)
    before = valid[:-1]
    weight = kinds[before] * unigram[valid[1:]]
    total = seen[before] + kinds[before]
    probability = np.where(total > 0, (times_seen + weight) / np.maximum(total, 1), unigram[valid[1:]])
    return single, float(-np.log(probability).mean())
