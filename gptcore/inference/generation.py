"""Text generation, one token at a time, for a single prompt or several continuations as one batch."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from gptcore.errors import NOT_NUMBERS, CheckpointError, ContextLengthError, TokenIdError
from gptcore.inference.batch import RunningBatch
from gptcore.inference.packed import WeightFormat
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_length, replayed_start
from gptcore.inference.steering import Steering
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.threads import adapted


def continue_together(
    model: GPT,
    continuations: Sequence[TokenSequence],
    *,
    max_new_tokens: int,
    use_cache: bool = True,
    precision: WeightFormat = "auto",
) -> Iterator[tuple[int, GeneratedToken]]:
    """Several continuations, decoded as one batch.

    Args:
        model: shared, not changed.
        continuations: the sequences to continue.
        max_new_tokens: for each.
        use_cache, precision: see RunningBatch.

    Yields:
        (which continuation, its next token).
    """
    batch = RunningBatch(model, use_cache=use_cache, precision=precision)
    places = {id(continuation): place for place, continuation in enumerate(continuations)}
    for continuation in continuations:
        batch.join(continuation, max_new_tokens)
    while len(batch):
        for continuation, token in batch.step():
            yield places[id(continuation)], token


def generate(
    lm: LanguageModel | GPT,
    prompt: str | Sequence[int],
    *,
    max_new_tokens: int,
    settings: SamplingSettings | None = None,
    stop: Sequence[str] = (),
    stop_at_end: bool = True,
    seed: int | None = None,
    use_cache: bool = True,
    precision: WeightFormat = "auto",
    n_alternatives: int = 5,
    steering: Steering | None = None,
    **sampling: float | None,
) -> Iterator[GeneratedToken]:
    """Continues a prompt, one token at a time.

    Args:
        lm: a language model, or a bare GPT when the prompt is token ids.
        prompt: text or ids; at least one token, at most the model's window.
        max_new_tokens: at least 1. When the window is full, the context restarts from its last half.
        settings: how tokens are chosen; from the softmax itself when left out.
        stop: strings that end the text; they are left out of it.
        stop_at_end: the tokenizer's end-of-text token ends the text.
        seed: the same seed gives the same text; None draws one.
        use_cache: keep a KV cache, or reread the whole context for each token. With "exact" the tokens agree.
        precision: see DecodeEngine.
        n_alternatives: number of top alternatives returned with each token.
        steering: a vector added to the residual stream, see `gptcore.analysis.steering_vector`.
        sampling: fields of the settings by name, such as temperature or top_k.

    Raises:
        TypeError: for an unknown name.
        SamplingError, ContextLengthError, TokenIdError, TokenizerError: before the first token.
    """
    settings = replace(settings or SamplingSettings(), **sampling)  # type: ignore[arg-type]  # checked there
    model, tokenizer = (lm.model, lm.tokenizer) if isinstance(lm, LanguageModel) else (lm, None)
    ids = prompt_ids(lm, prompt)
    model = model if steering is None else steering.applied(model)
    check_length(max_new_tokens)
    settings.check_vocabulary(model.config.vocab_size)
    continuation = TokenSequence(
        ids, settings, seed=seed, tokenizer=tokenizer, stop=stop, stop_at_end=stop_at_end, n_alternatives=n_alternatives
    )
    together = continue_together(
        model, [continuation], max_new_tokens=max_new_tokens, use_cache=use_cache, precision=precision
    )
    return (token for _, token in together)


_EMPTY = "The prompt is empty. Write at least one word for the model to continue."


def prompt_ids(lm: LanguageModel | GPT, prompt: str | Sequence[int]) -> list[int]:
    """The prompt's token ids, checked against the model.

    Raises:
        TokenIdError: no token, an id outside the vocabulary, or text for a bare GPT.
        ContextLengthError: more tokens than the window holds.
    """
    model = lm.model if isinstance(lm, LanguageModel) else lm
    if isinstance(prompt, str):
        if not isinstance(lm, LanguageModel):
            raise TokenIdError("A bare GPT has no tokenizer: give token ids, or a LanguageModel from gptcore.load().")
        ids = text_ids(lm, prompt)
    else:
        ids = [int(token) for token in prompt]
    if not ids:
        raise TokenIdError(_EMPTY)
    limit, vocab_size = model.config.n_positions, model.config.vocab_size
    if len(ids) > limit:
        raise ContextLengthError(f"The prompt has {len(ids):,} tokens; this model reads {limit:,}. Shorten it.")
    outside = [token for token in ids if not 0 <= token < vocab_size]
    if outside:
        raise TokenIdError(f"The token id {outside[0]} is outside this model's vocabulary, 0 to {vocab_size - 1}.")
    return ids


def text_ids(lm: LanguageModel, text: str) -> list[int]:
    """A text's token ids, however many. Raises TokenIdError for none."""
    ids = lm.tokenizer.encode(text, allow_special=True)
    if not ids:
        raise TokenIdError(_EMPTY)
    return ids


@adapted()
@torch.inference_mode()
def last_logits(model: GPT, token_ids: Sequence[int], *, n_prompt: int | None = None) -> Tensor:
    """The model's logits for the token after these, float32 [V] on the CPU.

    If the window is exceeded, it reads the same context as generation from a prompt of n_prompt tokens would.
    """
    start = replayed_start(n_prompt or len(token_ids), len(token_ids), model.config.n_positions)
    with evaluating(model):
        ids = torch.tensor([list(token_ids[start:])], device=model.wte.weight.device)
        logits = model.lm_head(model.hidden_states(ids)[0, -1]).cpu()
    if torch.isnan(logits).any():
        raise CheckpointError(NOT_NUMBERS)
    return logits
