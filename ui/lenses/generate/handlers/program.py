"""API handlers of the endpoints /generate and /next_token."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.tokenizers import Tokenizer
from ui.compute.compute_thread import Closed
from ui.lenses.generate.handlers import distribution
from ui.lenses.generate.payloads import Distribution
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import WritingForm
from ui.state.sessions import NextToken

_MOST_BAD_WORDS = 100
_SHARE = 20  # times as long between two states as telling one takes
_EVERY = 0.2  # seconds between two states of a text that is being written


def generate(
    services: Services, model: str, prompt: str, n: int, form: WritingForm, bad_words: object = ""
) -> Iterator[dict[str, Any]]:
    """One or several continuations of a prompt as they are written, with every token's figures.

    Yields:
        {"model", "prompt", "seed", "texts": [str], "tokens": [[{id, text, logprob, rank}]], "ends": [str]}; the ends
        are "" until the last state, and "the server is ending" where that cut a text short.
    """
    lm = services.models.get(inputs.model_name(model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    n_texts = inputs.whole(n, "The number of texts", low=1, high=4)
    seed = check_seed(form.seed)
    words = inputs.strings(bad_words, "bad word", most=_MOST_BAD_WORDS)
    sampling = replace(form.sampling, bad_words_ids=_ids_of(lm.tokenizer, words))
    continuations = [
        TokenSequence(ids, sampling, seed=seed + i, tokenizer=lm.tokenizer, stop=form.stop, n_alternatives=1)
        for i in range(n_texts)
    ]
    tokens: list[list[dict[str, Any]]] = [[] for _ in continuations]

    def state(ends: list[str]) -> dict[str, Any]:
        texts = ["".join(token["text"] for token in row) for row in tokens]
        about = {"model": lm.name, "prompt": prompt, "seed": seed, "texts": texts}
        return {**about, "tokens": [list(row) for row in tokens], "ends": ends}

    due = time.monotonic()
    with services.admission.turn(), suppress(Closed):  # what has been written is told
        for (index, made), _ in services.write(lm, continuations, form.max_new_tokens, use_cache=form.use_cache):
            figures = {"id": made.id, "text": made.text, "logprob": round(made.logprob, 6), "rank": made.rank}
            tokens[index].append(figures)
            if services.ending.is_set():
                break
            if (began := time.monotonic()) > due:
                yield state(["" for _ in continuations])
                told = time.monotonic()
                due = told + max(_EVERY, _SHARE * (told - began))  # on a busy server each state takes longer to tell
    yield state([c.end or "the server is ending" for c in continuations])


def _ids_of(tokenizer: Tokenizer, words: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The ids of words, each as a text begins with it and as it stands behind a space."""
    forms = (form for word in words for form in (word, f" {word.lstrip(' ')}"))
    return tuple(tuple(tokenizer.encode(form)) for form in dict.fromkeys(forms))


def next_token(services: Services, model: str, prompt: str, n_rows: int, sampling: SamplingSettings) -> Distribution:
    """The distribution of the token after a prompt, stage by stage, over the full vocabulary."""
    lm = services.models.get(inputs.model_name(model))
    sampling.check_vocabulary(lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    rows = inputs.whole(n_rows, "The number of rows", low=1, high=1000)

    def read() -> Distribution:
        seen = NextToken(lm.name, tuple(ids), len(ids), last_logits(lm.model, ids))
        return distribution.table(lm.tokenizer, seen, sampling, rows)

    return services.now(read)
