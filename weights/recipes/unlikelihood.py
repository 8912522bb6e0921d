"""Unlearning to go round in circles: a model's own continuations, and their repetitions made less
likely.

Source: Welleck et al. 2020, "Neural Text Generation With Unlikelihood Training", section 5.2
(sequence level); there the continuations are greedy and only runs of tokens count, here they are
drawn, and doubled words count as well.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gptcore.errors import TrainingError
from gptcore.kv_cache import KVCache
from gptcore.model import GPT, evaluating
from gptcore.tokenizers import Tokenizer

_RUN = 4  # tokens: a run that has been there before is a repetition
_NEAR = 8  # tokens: a pair of them, or a word, that comes again so soon is one, too
_WORD_LETTERS = 4  # shorter words come again in every text
_TEMPERATURE = 0.8
_TOP_K = 50
_PROMPT = 16  # tokens of the text that are continued


class Unlikelihood:
    """The loss on the text, and beside it -log(1 - p) of every token by which the model repeats
    itself when it writes.

    Args:
        writer: the model that learns, as it is without other processes around it.
        tokenizer: tells which tokens are words.
        runs: weight of tokens that end a run which has been there; sums are divided by all tokens
            that were written.
        doubled: weight of doubled words, which are rarer and heard at once.
        n_texts: continuations written at every update, of as many rows of the batch, as long as the
            window.

    Raises:
        TrainingError: weights that are not positive, or no texts.
    """

    def __init__(
        self, writer: GPT, tokenizer: Tokenizer, *, runs: float, doubled: float, n_texts: int = 4
    ) -> None:
        if not (runs >= 0 and doubled >= 0 and runs + doubled > 0) or n_texts < 1:
            raise TrainingError(
                f"Weights of {runs} and {doubled} for repetitions, and {n_texts} texts: give a "
                "weight above 0 and at least one text."
            )
        self._writer = writer
        self.runs = runs
        self.doubled = doubled
        self.n_texts = n_texts
        texts = [tokenizer.decode([token]) for token in range(tokenizer.vocab_size)]
        self._is_word = torch.tensor([_is_telling(text) for text in texts])  # [V]

    def __call__(self, model: nn.Module, inputs: Tensor, targets: Tensor) -> Tensor:
        """Nats per token; inputs and targets int64 [B, T]. What is written is drawn by torch's own
        generator.
        """
        own = _continued(self._writer, inputs[: self.n_texts, :_PROMPT])  # [n, T]
        run, doubled = repetitions(own, self._is_word.to(own.device))
        again = (self.runs * run + self.doubled * doubled)[:, _PROMPT:]  # [n, T - prompt]
        logits = model(own[:, :-1]).logits[:, _PROMPT - 1 :].float()  # [n, T - prompt, V]
        # log p
        chosen = -F.cross_entropy(logits.transpose(1, 2), own[:, _PROMPT:], reduction="none")
        unlikely = -torch.log1p(-chosen.exp().clamp(max=1 - 1e-6)) * again
        return model(inputs, targets).loss + unlikely.sum() / again.numel()


def _is_telling(token: str) -> bool:
    """Whether a token is a word of some length, or the rest of one."""
    word = token.lstrip()
    return word.isalpha() and (len(word) >= _WORD_LETTERS or (word == token and len(word) > 1))


def repetitions(token_ids: Tensor, is_word: Tensor) -> tuple[Tensor, Tensor]:
    """Where a text repeats itself.

    Args:
        token_ids: int64 [B, T].
        is_word: bool [V], tokens that are words of some length, or the rest of one.

    Returns:
        (run, doubled), bool [B, T] both: tokens that end a run of four that the row has had before;
        and words that were there one or two tokens before, or end a pair that was there less than
        eight tokens before.
    """
    T = token_ids.shape[1]
    # [B, T, T]: is t the same as the earlier s
    same = (token_ids[:, :, None] == token_ids[:, None, :]).tril(-1)
    run = same.clone()
    for back in range(1, _RUN):
        run[:, back:, back:] &= same[:, :-back, :-back]
        run[:, :back], run[:, :, :back] = False, False
    pair = torch.zeros_like(same)
    pair[:, 1:, 1:] = same[:, 1:, 1:] & same[:, :-1, :-1]
    distance = torch.arange(T, device=token_ids.device)[:, None] - torch.arange(
        T, device=token_ids.device
    )
    near = (pair & (distance < _NEAR)) | (same & (distance <= 2))
    return run.any(-1), near.any(-1) & is_word[token_ids]


@torch.no_grad()
def _continued(model: GPT, prompts: Tensor) -> Tensor:
    """Prompts int64 [n, P] as the model goes on with them, to the end of its window: int64 [n,
    T].
    """
    config = model.config
    kind = model.wte.weight
    cache = KVCache(config, batch_size=len(prompts), device=prompts.device, dtype=kind.dtype)
    ids = prompts
    new = prompts
    with evaluating(model), torch.autocast(kind.device.type, enabled=False):
        while ids.shape[1] < config.n_positions:
            hidden = model.hidden_states(new, cache=cache)[:, -1]  # [n, C]
            scores, tokens = model.lm_head(hidden).float().topk(min(_TOP_K, config.vocab_size))
            drawn = torch.multinomial((scores / _TEMPERATURE).softmax(-1), 1)
            new = tokens.gather(1, drawn)  # [n, 1]
            ids = torch.cat([ids, new], dim=1)
    return ids
