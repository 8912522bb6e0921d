"""Batched greedy decoding of answers."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from gptcore.kv_cache import KVCache
from gptcore.language_model import LanguageModel
from gptcore.model import evaluating
from gptcore.tokenizers import Tokenizer


@torch.inference_mode()
def greedy_answers(
    lm: LanguageModel, prompts: Sequence[Sequence[int]], *, max_new_tokens: int, stop: Sequence[str] = ("\n",)
) -> list[str]:
    """Greedy continuation of each prompt, up to a stop string.

    Args:
        lm: of any kind.
        prompts: token ids, each at most a window.
        max_new_tokens: maximum; fewer if the longest prompt reaches the end of the window.
        stop: strings that end an answer and are left out of it; not before its first visible character.

    Raises:
        ContextLengthError, TokenIdError: as the model does.
    """
    model, n = lm.model, len(prompts)
    longest, device = max(map(len, prompts)), model.wte.weight.device
    # Left padding, so that all rows continue in the same column.
    ids = torch.tensor([[0] * (longest - len(prompt)) + list(prompt) for prompt in prompts], device=device)  # [B, T]
    real = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=device)
    n_steps = min(max_new_tokens, model.config.n_positions - longest + 1)
    cache = KVCache(model.config, batch_size=n, capacity=longest + n_steps, device=device)
    written: list[list[int]] = [[] for _ in prompts]
    found: list[str | None] = [None] * n
    with evaluating(model):
        for _ in range(n_steps):
            hidden = model.hidden_states(ids, attention_mask=real, cache=cache)  # [B, T, C]
            ids = model.lm_head(hidden[:, -1:]).argmax(-1)  # [B, 1]
            real = torch.cat([real, torch.ones_like(ids)], dim=1)
            for row, token in enumerate(ids[:, 0].tolist()):
                if found[row] is None:
                    written[row].append(token)
                    found[row] = _ended(written[row], lm.tokenizer, stop)
            if None not in found:
                break
    return [lm.tokenizer.decode(row) if text is None else text for row, text in zip(written, found, strict=True)]


def _ended(ids: Sequence[int], tokenizer: Tokenizer, stop: Sequence[str]) -> str | None:
    """The complete answer if these tokens end it, else None."""
    if ids[-1] == tokenizer.end_id:
        return tokenizer.decode(ids[:-1])
    text = tokenizer.decode(ids)
    start = len(text) - len(text.lstrip())
    cuts = [place for string in stop if (place := text.find(string, start)) >= 0]
    return text[: min(cuts)] if cuts else None
