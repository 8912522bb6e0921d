"""A sequence being written: which token comes next, what may be shown of it, and when it ends."""

import math
import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from gptcore.errors import NOT_NUMBERS, CheckpointError, SamplingError
from gptcore.inference.gpu_sampling import Controls, controls_of, fits
from gptcore.inference.sampling import candidates, penalise, sample, uniform_number
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.token import Alternative, GeneratedToken
from gptcore.threads import sharing
from gptcore.tokenizers import StreamingText, Tokenizer

MAX_SEED = 2**63 - 1


def context_start(n_tokens: int, previous_start: int, n_positions: int) -> int:
    """Returns the index at which the model's context begins in a text of n_tokens.

    Learned positions cannot slide. When the window is full, reading starts again from its last
    half, with or without a KV cache, so both see the same context.
    """
    if n_tokens - previous_start <= n_positions:
        return previous_start
    return n_tokens - max(1, n_positions // 2)


def replayed_start(n_prompt: int, n_tokens: int, n_positions: int) -> int:
    """Returns the index at which the context for the next token begins, if all tokens after the
    prompt were generated one by one.
    """
    start = 0
    for length in range(n_prompt, n_tokens + 1):
        start = context_start(length, start, n_positions)
    return start


class TokenSequence:
    """One text being written: its tokens, controls and random numbers.

    Args:
        prompt_ids: at least one token; the last n_written of them were written earlier under the
            same seed, so that writing token by token gives the same text as writing at once.
        settings: sampling controls.
        seed: of its own generator; None draws one.
        tokenizer: for text, the end-of-text token and stop strings; None writes ids only.
        stop: strings that end the text, where they begin after `settings.min_new_tokens` new
            tokens; they are left out of it.
        stop_at_end: the end-of-text token ends the text.
        n_alternatives: number of top alternatives stored with each token.
        look_ahead: runs one step past the end, so that `next_logits` needs no second pass.

    Attributes:
        next_logits: the logits after the last token, float32 [V]; None before the end, after a stop
            string, and where they are not wanted.
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
        look_ahead: bool = False,
    ) -> None:
        self.ids: list[int] = list(prompt_ids)
        self.n_prompt: int = len(self.ids) - n_written
        self.settings = settings
        self.seed: int = check_seed(seed)
        self.start = 0
        self.end: str = ""
        self._look_ahead = look_ahead
        self.next_logits: Tensor | None = None
        self._generator = torch.Generator().manual_seed(self.seed)
        self._uniforms = deque[float]()  # drawn already, of the next tokens
        self.n_alternatives = n_alternatives
        self._end_id = tokenizer.end_id if tokenizer is not None else None
        self._without_token = tokenizer.without_token if tokenizer is not None else frozenset()
        self._stop_at_end = stop_at_end
        self._text = StreamingText(tokenizer) if tokenizer is not None else None
        written = ""
        # Each took one random number, and may end inside a character.
        for index, token_id in enumerate(self.ids[self.n_prompt :]):
            uniform_number(self._generator)
            text = self._text.push(token_id) if self._text else ""
            written += text if index >= settings.min_new_tokens else ""
        self.stop: list[str] = check_stop(stop, tokenizer)
        self._matcher = StopMatcher(self.stop, written)

    @property
    def n_new(self) -> int:
        """Tokens written so far."""
        return len(self.ids) - self.n_prompt

    @property
    def done(self) -> bool:
        """Whether `end` says why no more will come: "length", "end-of-text" or "stop"."""
        return bool(self.end)

    @property
    def complete(self) -> bool:
        """Whether it is done, and its `next_logits` are known where they are wanted."""
        return self.done and not (self._look_ahead and self.next_logits is None)

    def keep_logits(self, logits: Tensor) -> None:
        """Keeps the logits after the last token, float [V]. Raises CheckpointError where they are
        no numbers.
        """
        if torch.isnan(logits).any():
            raise CheckpointError(NOT_NUMBERS)
        self.next_logits = logits.float().cpu().clone()  # its own memory: it outlives the batch's

    def take_over(self, ids: Sequence[int], end: str) -> None:
        """Takes over the state of a copy generated elsewhere from the same seed; chooses no more
        tokens.
        """
        self.ids = list(ids)
        self.end = end
        self._look_ahead = False

    @sharing(1)
    def choose(self, logits: Tensor, *, is_last: bool) -> list[GeneratedToken]:
        """Samples one token; returns the tokens that may be shown now, usually just this one.

        Args:
            logits: float [V], after everything in `ids`.
            is_last: this is the last token requested.
        """
        return self.take(self._chosen(logits.float().cpu()), is_last=is_last)

    def controls(self, ahead: int = 0) -> Controls | None:
        """Returns the inputs of GPU sampling for the next token, or for the token `ahead` steps
        later; None where only the CPU can sample.
        """
        if self._without_token or not fits(self.settings, self.n_alternatives):
            return None
        return controls_of(self.settings, self._uniform(ahead))

    def _uniform(self, ahead: int = 0) -> float:
        """The random number of the next token, or of the one `ahead` of it."""
        while len(self._uniforms) <= ahead:
            self._uniforms.append(uniform_number(self._generator))
        return self._uniforms[ahead]

    def _chosen(self, logits: Tensor) -> GeneratedToken:
        """Chooses on the host, from float32 [V]; without the text."""
        # one number of a tensor, and a tensor's length, take as long as a small operation
        plain = logits.numpy()
        end = self._end_id
        none = self._without_token
        adjusted = penalise(
            logits, self.settings, self.ids, n_new=self.n_new, end_id=end, without_token=none
        )
        wanted = max(2, self.n_alternatives, (self.settings.top_k or 0) + 1)
        largest = logits.topk(min(wanted, len(plain)))
        n = min(max(1, self.n_alternatives), len(plain))
        best = largest.indices[:n].tolist()
        values = largest.values[:n].tolist()
        # twice as fast as logsumexp
        total = values[0] - float(logits.log_softmax(dim=0).numpy()[best[0]])
        if not math.isfinite(total):
            raise CheckpointError(NOT_NUMBERS)
        choices = candidates(
            adjusted, self.settings, largest=largest if adjusted is logits else None
        )
        index = sample(choices, self._uniform())
        likeliest = [Alternative(i, v - total) for i, v in zip(best, values, strict=True)]
        token_id = int(choices.ids.numpy()[index])
        chosen = float(plain[token_id])
        above = sum(value > chosen for value in values)
        rank = 1 + (above if above < len(values) else int(np.count_nonzero(plain > chosen)))
        chance = float(choices.probabilities.numpy()[index])
        shown = tuple(likeliest[: self.n_alternatives])
        return GeneratedToken(token_id, "", chosen - total, rank, chance, len(choices.ids), shown)

    def take(self, chosen: GeneratedToken, *, is_last: bool) -> list[GeneratedToken]:
        """Appends a token that was chosen, and gives it its text; returns and raises as `choose`
        does.
        """
        if not math.isfinite(chosen.logprob):
            raise CheckpointError(NOT_NUMBERS)
        self.ids.append(chosen.id)
        self._uniforms.popleft()
        text = self._text.push(chosen.id) if self._text else ""
        counts = self.n_new > self.settings.min_new_tokens
        tokens, n_cut = self._matcher.push(
            replace(chosen, text=text, context_start=self.start), counts=counts
        )
        if n_cut is not None:
            self.end = "stop"
            self._look_ahead = False
            del self.ids[len(self.ids) - n_cut :]
        elif chosen.id == self._end_id and self._stop_at_end:
            self.end = "end-of-text"
        elif is_last:
            self.end = "length"
        if self.end:
            tokens += self._matcher.flush()
            tokens[-1:] = [replace(last, end=self.end) for last in tokens[-1:]]
        return tokens


def check_length(max_new_tokens: object) -> None:
    """Raises SamplingError unless it is a whole number of at least 1."""
    if (
        isinstance(max_new_tokens, bool)
        or not isinstance(max_new_tokens, int)
        or max_new_tokens < 1
    ):
        raise SamplingError(
            f"max_new_tokens is {max_new_tokens!r}; it must be a whole number of at least 1."
        )


def check_seed(seed: int | None) -> int:
    """The seed itself, or a random one for None. Raises SamplingError outside 0 to 2**63 - 1."""
    if seed is None:
        return secrets.randbelow(2**31)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise SamplingError(
            f"The seed is {seed!r}; it must be a whole number from 0 to {MAX_SEED}."
        )
    return seed


def check_stop(stop: Sequence[str], tokenizer: Tokenizer | None) -> list[str]:
    """The stop strings. Raises SamplingError for empty ones, or where there is no text to find them
    in.
    """
    if isinstance(stop, str):
        stop = [stop]
    if any(not isinstance(text, str) or not text for text in stop):
        raise SamplingError("A stop string is empty; every one must have at least one character.")
    if stop and tokenizer is None:
        raise SamplingError(
            "Stop strings need a tokenizer: give a LanguageModel from gptcore.load()."
        )
    return list(stop)


class StopMatcher:
    """Releases tokens, but holds back those that may belong to a stop string, also across several
    tokens.

    Args:
        stop: the strings to look for.
        written: text that is already shown; a stop string may begin in it.
    """

    def __init__(self, stop: Sequence[str], written: str) -> None:
        self._stop = list(stop)
        self._longest = max((len(text) for text in stop), default=1)
        self._before = self._end_of(written)
        self._held: list[GeneratedToken] = []

    def push(
        self, token: GeneratedToken, *, counts: bool = True
    ) -> tuple[list[GeneratedToken], int | None]:
        """Takes a token.

        Args:
            token: the next one.
            counts: False for one in which no stop string may begin or end.

        Returns:
            The tokens now known to be safe, and None; or, when a stop string is complete, the
            tokens before it, the last one cut where it begins, and the number of dropped tokens.
        """
        if not counts:
            self._before = ""
            return [*self.flush(), token], None
        self._held.append(token)
        text = self._before + "".join(held.text for held in self._held)
        starts = [text.find(stop) for stop in self._stop if stop in text]
        if starts:
            return self._cut(min(starts) - len(self._before))
        safe = next(
            (p for p in range(len(text)) if any(stop.startswith(text[p:]) for stop in self._stop)),
            len(text),
        )
        n_safe = 0
        end = len(self._before)
        for held in self._held:
            if end + len(held.text) > safe:
                break
            n_safe = n_safe + 1
            end = end + len(held.text)
        if self._stop and n_safe:  # hold one back to carry the end reason if a stop string follows
            n_safe, end = n_safe - 1, end - len(self._held[n_safe - 1].text)
        released = self._held[:n_safe]
        self._held = self._held[n_safe:]
        self._before = self._end_of(text[:end])
        return released, None

    def _end_of(self, text: str) -> str:
        """The end of a text, as much as may belong to a stop string that goes on behind it."""
        return text[max(0, len(text) - self._longest + 1) :]

    def flush(self) -> list[GeneratedToken]:
        """Releases the held tokens once generation has ended."""
        held = self._held
        self._held = []
        return held

    def _cut(self, length: int) -> tuple[list[GeneratedToken], int]:
        held = self.flush()
        kept = []
        for token in held:
            if length <= 0:
                break
            kept.append(replace(token, text=token.text[:length]))
            length -= len(token.text)
        return kept, len(held) - len(kept)
