"""Text generation, one token at a time, for a single prompt or several continuations as one
batch.
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from gptcore.errors import NOT_NUMBERS, CheckpointError, ContextLengthError, TokenIdError
from gptcore.inference.batch import RunningBatch
from gptcore.inference.packed import WeightFormat
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_length, check_seed, replayed_start
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
    indices = {id(continuation): index for index, continuation in enumerate(continuations)}
    for continuation in continuations:
        batch.join(continuation, max_new_tokens)
    while len(batch):
        for continuation, token in batch.step():
            yield indices[id(continuation)], token


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
        prompt: text or ids, at least one token and at most the model's window.
        max_new_tokens: at least 1. When the window is full, the context restarts from its last
            half.
        settings: how tokens are chosen; from the softmax itself when left out.
        stop: strings that end the text and are left out of it, after `min_new_tokens`.
        stop_at_end: the tokenizer's end-of-text token ends the text.
        seed: the same seed gives the same text; None draws one.
        use_cache: keep a KV cache, or reread the whole context for each token. With "exact" the
            tokens agree.
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
        ids,
        settings,
        seed=seed,
        tokenizer=tokenizer,
        stop=stop,
        stop_at_end=stop_at_end,
        n_alternatives=n_alternatives,
    )
    numbered_tokens = continue_together(
        model,
        [continuation],
        max_new_tokens=max_new_tokens,
        use_cache=use_cache,
        precision=precision,
    )
    return (token for _, token in numbered_tokens)


def generate_batch(
    lm: LanguageModel | GPT,
    prompts: Sequence[str | Sequence[int]],
    *,
    max_new_tokens: int,
    seed: int | None = None,
    settings: SamplingSettings | None = None,
    stop: Sequence[str] = (),
    stop_at_end: bool = True,
    precision: WeightFormat = "auto",
    **sampling: float | None,
) -> list[list[GeneratedToken]]:
    """Continues several prompts as one batch; each gets the text that `generate` writes with its
    seed.

    Args:
        lm: a language model, or a bare GPT when the prompts are token ids.
        prompts: texts or ids of any lengths; at least one.
        max_new_tokens: for each.
        seed: of the first prompt; each further one takes the next number. None draws one.
        settings, stop, stop_at_end, precision, sampling: as in `generate`.

    Returns:
        The new tokens of each prompt, in the order of the prompts.

    Raises:
        TypeError, SamplingError, ContextLengthError, TokenIdError, TokenizerError: as `generate`,
        and for no prompt.
    """
    if isinstance(prompts, str | bytes) or not isinstance(prompts, Sequence) or not prompts:
        raise TokenIdError(
            "generate_batch takes a list of prompts, at least one; for a single text take generate."
        )
    settings = replace(settings or SamplingSettings(), **sampling)  # type: ignore[arg-type]  # checked there
    model, tokenizer = (lm.model, lm.tokenizer) if isinstance(lm, LanguageModel) else (lm, None)
    check_length(max_new_tokens)
    settings.check_vocabulary(model.config.vocab_size)
    first = check_seed(seed)
    sequences = [
        TokenSequence(
            prompt_ids(lm, prompt),
            settings,
            seed=first + index,
            tokenizer=tokenizer,
            stop=stop,
            stop_at_end=stop_at_end,
        )
        for index, prompt in enumerate(prompts)
    ]
    written: list[list[GeneratedToken]] = [[] for _ in prompts]
    for index, token in continue_together(
        model, sequences, max_new_tokens=max_new_tokens, precision=precision
    ):
        written[index].append(token)
    return written


_EMPTY = "The prompt is empty. Write at least one word for the model to continue."


def prompt_ids(lm: LanguageModel | GPT, prompt: str | Sequence[int]) -> list[int]:
    """The prompt's token ids, checked against the model.

    Raises:
        TokenIdError: no token, an id outside the vocabulary, text for a bare GPT, or neither a text
        nor ids. ContextLengthError: more tokens than the window holds.
    """
    model = lm.model if isinstance(lm, LanguageModel) else lm
    if isinstance(prompt, str):
        if not isinstance(lm, LanguageModel):
            raise TokenIdError(
                "A bare GPT has no tokenizer: give token ids, or a LanguageModel from "
                "gptcore.load()."
            )
        ids = text_ids(lm, prompt)
    else:
        ids = _whole_numbers(prompt)
    if not ids:
        raise TokenIdError(_EMPTY)
    limit = model.config.n_positions
    vocab_size = model.config.vocab_size
    if len(ids) > limit:
        raise ContextLengthError(
            f"The prompt has {len(ids):,} tokens; this model reads {limit:,}. Shorten it."
        )
    outside = [token for token in ids if not 0 <= token < vocab_size]
    if outside:
        raise TokenIdError(
            f"The token id {outside[0]} is outside this model's vocabulary, 0 to {vocab_size - 1}."
        )
    return ids


def _whole_numbers(prompt: Iterable[object]) -> list[int]:
    """Converts a prompt of integers to token ids. Raises TokenIdError for anything else."""
    if isinstance(prompt, bytes):
        raise TokenIdError("The prompt is bytes; give a text: prompt.decode().")
    try:
        given = list(prompt)
    except TypeError:
        raise TokenIdError(
            f"The prompt is {type(prompt).__name__}; give a text or a list of token ids."
        ) from None
    if any(isinstance(token, str | list | tuple) for token in given):
        raise TokenIdError(
            "The prompt is a list of texts; for several prompts take generate_batch(lm, [...])."
        )
    try:
        return [operator.index(token) for token in given]  # type: ignore[arg-type]  # a TypeError where it is no number
    except TypeError:
        wrong = next((token for token in given if not hasattr(token, "__index__")), given[0])
        raise TokenIdError(f"A token id is {wrong!r}; ids are whole numbers.") from None


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

    If the window is exceeded, it reads the same context as generation from a prompt of n_prompt
    tokens would.
    """
    start = replayed_start(n_prompt or len(token_ids), len(token_ids), model.config.n_positions)
    with evaluating(model):
        ids = torch.tensor([list(token_ids[start:])], device=model.wte.weight.device)
        logits = model.lm_head(model.hidden_states(ids)[0, -1]).cpu()
    if torch.isnan(logits).any():
        raise CheckpointError(NOT_NUMBERS)
    return logits
