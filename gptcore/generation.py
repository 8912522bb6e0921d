"""Text from a model, one token at a time: a ladder from one choice to several continuations together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from gptcore.decoding import CachedDecoder, Decoder, Precision, UncachedDecoder
from gptcore.errors import NOT_NUMBERS, CheckpointError, ContextLengthError, SamplingError, TokenIdError
from gptcore.generated import Alternative, GeneratedToken
from gptcore.language_model import LanguageModel
from gptcore.model import GPT
from gptcore.sampling import SamplingSettings, candidates, penalise, sample
from gptcore.stopping import StopMatcher
from gptcore.tokenizers import StreamingText, Tokenizer

MAX_SEED = 2**63 - 1


def context_start(n_tokens: int, previous_start: int, n_positions: int) -> int:
    """Where the model's context begins in a text of n_tokens.

    Learned positions cannot slide. When the window is full, reading starts again from its last half, with or
    without a KV cache, so both see the same context.
    """
    if n_tokens - previous_start <= n_positions:
        return previous_start
    return n_tokens - max(1, n_positions // 2)


def replayed_start(n_prompt: int, n_tokens: int, n_positions: int) -> int:
    """Where the context begins for the token after n_tokens, had all but the prompt been written one by one."""
    start = 0
    for length in range(n_prompt, n_tokens + 1):
        start = context_start(length, start, n_positions)
    return start


class Continuation:
    """One text being written: its tokens, controls and random numbers.

    Args:
        prompt_ids: at least one token; the last n_written of them were written earlier under the same seed,
            so that writing token by token gives the same text as writing at once.
        settings: sampling controls.
        seed: of its own generator; None draws one.
        tokenizer: for text, the end-of-text token and stop strings; None writes ids only.
        stop: strings that end the text; they are left out of it.
        stop_at_end: the end-of-text token ends the text.
        n_alternatives: how many of the model's favourites each token carries.
    """

    def __init__(
        self,
        prompt_ids: Sequence[int],
        settings: SamplingSettings,
        *,
        seed: int | None,
        tokenizer: Tokenizer | None = None,
        stop: Sequence[str] = (),
        stop_at_end: bool = True,
        n_alternatives: int = 5,
        n_written: int = 0,
    ) -> None:
        self.ids = list(prompt_ids)
        self.n_prompt = len(self.ids) - n_written
        self.settings = settings
        self.seed = check_seed(seed)
        self.start = 0
        self.end = ""
        self._generator = torch.Generator().manual_seed(self.seed)
        self._n_alternatives = n_alternatives
        self._end_id = tokenizer.end_id if tokenizer is not None else None
        self._stop_at_end = stop_at_end
        self._text = StreamingText(tokenizer) if tokenizer is not None else None
        written = ""
        for token_id in self.ids[self.n_prompt :]:  # each took one random number, and may end inside a character
            torch.rand((), generator=self._generator, dtype=torch.float64)
            written += self._text.push(token_id) if self._text else ""
        self._matcher = StopMatcher(check_stop(stop, tokenizer), written)

    @property
    def n_new(self) -> int:
        """Tokens written so far."""
        return len(self.ids) - self.n_prompt

    @property
    def done(self) -> bool:
        """Whether `end` says why no more will come: "length", "end-of-text" or "stop"."""
        return bool(self.end)

    def choose(self, logits: Tensor, *, is_last: bool) -> list[GeneratedToken]:
        """Takes one token; returns those that may be shown now, usually that one.

        Args:
            logits: float [V], after everything in `ids`.
            is_last: no more will be asked for.
        """
        logits = logits.float().cpu()
        favourites = logits.topk(min(max(1, self._n_alternatives), len(logits)))
        best, values = favourites.indices.tolist(), favourites.values.tolist()
        total = values[0] + math.log(max(1e-30, float((logits - values[0]).exp().sum())))
        if not math.isfinite(total):
            raise CheckpointError(NOT_NUMBERS)
        adjusted = penalise(logits, self.settings, self.ids, n_new=self.n_new, end_id=self._end_id)
        choices = candidates(adjusted, self.settings)
        place = sample(choices, self._generator)
        token_id = int(choices.ids[place])
        self.ids.append(token_id)
        chosen = float(logits[token_id])
        above = sum(value > chosen for value in values)
        token = GeneratedToken(
            id=token_id,
            text=self._text.push(token_id) if self._text else "",
            logprob=chosen - total,
            rank=1 + (above if above < len(values) else int((logits > chosen).sum())),
            sampling_probability=float(choices.probabilities[place]),
            n_candidates=len(choices.ids),
            alternatives=tuple(Alternative(i, v - total) for i, v in zip(best, values, strict=True))[
                : self._n_alternatives
            ],
            context_start=self.start,
        )
        tokens, n_cut = self._matcher.push(token)
        if n_cut is not None:
            self.end = "stop"
            del self.ids[len(self.ids) - n_cut :]
        elif token_id == self._end_id and self._stop_at_end:
            self.end = "end-of-text"
        elif is_last:
            self.end = "length"
        if self.end:
            tokens += self._matcher.flush()
            tokens[-1:] = [replace(last, end=self.end) for last in tokens[-1:]]
        return tokens


def continue_together(
    model: GPT,
    continuations: Sequence[Continuation],
    *,
    max_new_tokens: int,
    use_cache: bool = True,
    precision: Precision = "auto",
) -> Iterator[tuple[int, GeneratedToken]]:
    """Several continuations of prompts of one length, decoded as one batch.

    Args:
        model: shared, not changed.
        continuations: their prompts have the same number of tokens.
        max_new_tokens: for each.
        use_cache: keep keys and values, or read everything again for each token.
        precision: see CachedDecoder; without a cache everything is exact.

    Yields:
        (which continuation, its next token).
    """
    if len({len(c.ids) for c in continuations}) > 1:
        raise TokenIdError("Continuations that are decoded together need prompts of the same number of tokens.")
    n_positions = model.config.n_positions
    for continuation in continuations:
        continuation.settings.check_vocabulary(model.config.vocab_size)
        continuation.start = replayed_start(continuation.n_prompt, len(continuation.ids) - 1, n_positions)
    decoder: Decoder = UncachedDecoder(model)
    if use_cache:
        decoder = CachedDecoder(model, batch_size=len(continuations), precision=precision)
    for n_done in range(max_new_tokens):
        logits = next_logits(decoder, continuations, n_positions)  # [B, V]
        for index, continuation in enumerate(continuations):
            if continuation.done:  # keeps its place in the batch
                continue
            for token in continuation.choose(logits[index], is_last=n_done == max_new_tokens - 1):
                yield index, token
        if all(continuation.done for continuation in continuations):
            return


def next_logits(decoder: Decoder, continuations: Sequence[Continuation], n_positions: int) -> Tensor:
    """Logits after the continuations' last tokens, float32 [B, V]; reads again from half a window when it is full."""
    n_tokens, previous = max(len(continuation.ids) for continuation in continuations), continuations[0].start
    start = context_start(n_tokens, previous, n_positions)
    for continuation in continuations:
        continuation.start = start
    if start == previous and decoder.length == n_tokens - start - 1 and decoder.length > 0:
        return decoder.step(torch.tensor([continuation.ids[-1] for continuation in continuations]))
    return decoder.prefill(
        torch.tensor([_padded(continuation.ids, n_tokens)[start:] for continuation in continuations])
    )


def _padded(ids: list[int], n_tokens: int) -> list[int]:
    """A finished text's tokens, filled up to the length of those still being written; nobody reads what follows."""
    return ids + ids[-1:] * (n_tokens - len(ids))


def generate(
    lm: LanguageModel | GPT,
    prompt: str | Sequence[int],
    *,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    repetition_penalty: float = 1.0,
    no_repeat_ngram_size: int = 0,
    min_new_tokens: int = 0,
    stop: Sequence[str] = (),
    stop_at_end: bool = True,
    seed: int | None = None,
    use_cache: bool = True,
    precision: Precision = "auto",
    n_alternatives: int = 5,
) -> Iterator[GeneratedToken]:
    """Continues a prompt, one token at a time.

    Args:
        lm: a language model, or a bare GPT when the prompt is token ids.
        prompt: text or ids; at least one token, at most the model's window.
        max_new_tokens: at least 1. Past the window the model reads on from its last half.
        temperature, top_k, top_p, min_p, repetition_penalty, no_repeat_ngram_size, min_new_tokens:
            see SamplingSettings.
        stop: strings that end the text; they are left out of it.
        stop_at_end: the tokenizer's end-of-text token ends the text.
        seed: the same seed gives the same text; None draws one.
        use_cache: keep keys and values, or read everything again for each token. In "exact" the tokens agree.
        precision: see CachedDecoder.
        n_alternatives: the model's favourites that come with each token.

    Raises:
        SamplingError, ContextLengthError, TokenIdError, TokenizerError: before the first token.
    """
    settings = SamplingSettings(
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        repetition_penalty=repetition_penalty,
        no_repeat_ngram_size=no_repeat_ngram_size,
        min_new_tokens=min_new_tokens,
    )
    model, tokenizer = (lm.model, lm.tokenizer) if isinstance(lm, LanguageModel) else (lm, None)
    ids = prompt_ids(lm, prompt)
    check_length(max_new_tokens)
    settings.check_vocabulary(model.config.vocab_size)
    continuation = Continuation(
        ids, settings, seed=seed, tokenizer=tokenizer, stop=stop, stop_at_end=stop_at_end, n_alternatives=n_alternatives
    )
    together = continue_together(
        model, [continuation], max_new_tokens=max_new_tokens, use_cache=use_cache, precision=precision
    )
    return (token for _, token in together)


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
        ids = lm.tokenizer.encode(prompt, allow_special=True)
    else:
        ids = [int(token) for token in prompt]
    if not ids:
        raise TokenIdError("The prompt is empty. Write at least one word for the model to continue.")
    limit, vocab_size = model.config.n_positions, model.config.vocab_size
    if len(ids) > limit:
        raise ContextLengthError(f"The prompt has {len(ids):,} tokens; this model reads {limit:,}. Shorten it.")
    outside = [token for token in ids if not 0 <= token < vocab_size]
    if outside:
        raise TokenIdError(f"The token id {outside[0]} is outside this model's vocabulary, 0 to {vocab_size - 1}.")
    return ids


@torch.inference_mode()
def last_logits(model: GPT, token_ids: Sequence[int], *, n_prompt: int | None = None) -> Tensor:
    """The model's logits for the token after these, float32 [V].

    Of more tokens than the window holds, it reads those that generation from n_prompt tokens on would read.
    """
    start = replayed_start(n_prompt or len(token_ids), len(token_ids), model.config.n_positions)
    logits = UncachedDecoder(model).prefill(torch.tensor([list(token_ids[start:])]))[0]
    if torch.isnan(logits).any():
        raise CheckpointError(NOT_NUMBERS)
    return logits


def check_length(max_new_tokens: object) -> None:
    """Raises SamplingError unless it is a whole number of at least 1."""
    if isinstance(max_new_tokens, bool) or not isinstance(max_new_tokens, int) or max_new_tokens < 1:
        raise SamplingError(f"max_new_tokens is {max_new_tokens!r}; it must be a whole number of at least 1.")


def check_seed(seed: int | None) -> int:
    """The seed itself, or a random one for None. Raises SamplingError outside 0 to 2**63 - 1."""
    if seed is None:
        return int(torch.randint(2**31, ()))
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise SamplingError(f"The seed is {seed!r}; it must be a whole number from 0 to {MAX_SEED}.")
    return seed


def check_stop(stop: Sequence[str], tokenizer: Tokenizer | None) -> list[str]:
    """The stop strings. Raises SamplingError for empty ones, or where there is no text to find them in."""
    if isinstance(stop, str):
        stop = [stop]
    if any(not isinstance(text, str) or not text for text in stop):
        raise SamplingError("A stop string is empty; every one must have at least one character.")
    if stop and tokenizer is None:
        raise SamplingError("Stop strings need a tokenizer: give a LanguageModel from gptcore.load().")
    return list(stop)
