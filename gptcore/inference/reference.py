"""Generation in as few lines as it takes: read this first, then `engine`, which does it faster and
for many texts.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from gptcore.inference.sequence import context_start
from gptcore.kv_cache import KVCache
from gptcore.model import GPT, evaluating


def generate(
    model: GPT,
    prompt: Sequence[int],
    n_new: int,
    *,
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
) -> Iterator[int]:
    """Continues a prompt of token ids by n_new tokens.

    The same seed gives the same tokens as `gptcore.generate` with precision="exact", where top_k or
    top_p cuts. Without a cut, that one sorts only the likely tokens, so a random number may find
    another of the unlikely ones.
    """
    generator = torch.Generator().manual_seed(seed)
    ids = list(prompt)
    start = 0
    cache = KVCache(model.config)
    logits = prefill(model, ids, cache)
    for _ in range(n_new):
        ids.append(sample(logits, temperature, top_k, top_p, generator))
        yield ids[-1]
        moved = context_start(len(ids), start, model.config.n_positions)
        full = moved != start
        start = moved
        logits = prefill(model, ids[start:], cache) if full else decode(model, ids[-1], cache)


def prefill(model: GPT, token_ids: Sequence[int], cache: KVCache) -> Tensor:
    """Reads a context in one pass and fills the cache with its keys and values; the logits after
    it, float32 [V].
    """
    cache.clear()
    return _read(model, token_ids, cache)


def decode(model: GPT, token_id: int, cache: KVCache) -> Tensor:
    """Reads one more token, which attends to the cached ones; the logits after it, float32 [V]."""
    return _read(model, [token_id], cache)


@torch.inference_mode()
def _read(model: GPT, token_ids: Sequence[int], cache: KVCache) -> Tensor:
    with evaluating(model):
        hidden = model.hidden_states(torch.tensor([list(token_ids)]), cache=cache)  # [1, T, C]
        return model.lm_head(hidden[0, -1])


def sample(
    logits: Tensor, temperature: float, top_k: int, top_p: float, generator: torch.Generator
) -> int:
    """One token id from logits, float32 [V]: temperature, then top-k, then top-p; temperature 0
    takes the likeliest.
    """
    uniform = torch.rand((), generator=generator, dtype=torch.float64)
    if temperature == 0:
        return int(logits.argmax())
    scaled, order = (logits.double() / temperature).sort(descending=True, stable=True)
    p = scaled[: top_k or None].softmax(dim=0)
    before = p.cumsum(dim=0) - p
    kept = p[before < top_p] if top_p < 1 else p  # the smallest set that reaches top_p
    cumulative = kept.cumsum(dim=0)
    index = int(torch.searchsorted(cumulative, uniform * cumulative[-1], right=True))
    return int(order[min(index, len(kept) - 1)])
