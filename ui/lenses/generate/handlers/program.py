"""API handlers of the endpoints /generate and /next_token."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling_settings import CONTROLS
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import DEFAULT_MODEL
from ui.compute.compute_thread import Closed
from ui.lenses.generate.handlers import distribution
from ui.services import Services
from ui.shared import inputs
from ui.state.sessions import NextToken

_NEUTRAL = {name: control.neutral for name, control in CONTROLS.items()}
_SHARE = 20  # times as long between two states as telling one takes
_EVERY = 0.2  # seconds between two states of a text that is being written


def generate(
    services: Services,
    prompt: str,
    max_new_tokens: int = 50,
    stop: str | list[str] = "",
    seed: int | None = None,
    n: int = 1,
    use_cache: bool = True,
    model: str = DEFAULT_MODEL,
    **sampling: float,
) -> Iterator[dict[str, Any]]:
    """Continues a prompt, and answers while it writes: a client's `submit` iterates, `predict` waits for the end.

    Args:
        prompt: text to continue.
        max_new_tokens: tokens to write at most.
        stop: stop strings: a list, or a text with one a line, in which \\n stands for a newline.
        seed: the same seed gives the same text; null draws one.
        n: how many texts, 1 to 4.
        use_cache: keep keys and values between tokens.
        model: a name from the page's list.

    Returns:
        model, prompt, seed, texts, tokens (id, text, natural logprob, rank) and ends, one each a text.
    """
    controls = {**_NEUTRAL, **sampling, "max_new_tokens": max_new_tokens, "stop": stop, "seed": seed}
    form = inputs.writing_form({**controls, "use_cache": use_cache, "tokens_per_second": 0}, services.limits)
    lm = services.models.get(inputs.model_name(model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    n_texts = inputs.whole(n, "The number of texts", low=1, high=4)
    drawn = check_seed(form.seed)
    continuations = [
        TokenSequence(ids, form.sampling, seed=drawn + i, tokenizer=lm.tokenizer, stop=form.stop, n_alternatives=1)
        for i in range(n_texts)
    ]
    tokens: list[list[dict[str, Any]]] = [[] for _ in continuations]

    def state(ends: list[str]) -> dict[str, Any]:
        texts = ["".join(token["text"] for token in row) for row in tokens]
        about = {"model": lm.name, "prompt": prompt, "seed": drawn, "texts": texts}
        return {**about, "tokens": [list(row) for row in tokens], "ends": ends}

    due = time.monotonic()
    with services.admission.turn(), suppress(Closed):  # what has been written is told
        for token in services.write(lm, continuations, form.max_new_tokens, use_cache=form.use_cache):
            made = token.made
            figures = {"id": made.id, "text": made.text, "logprob": round(made.logprob, 6), "rank": made.rank}
            tokens[token.text].append(figures)
            if services.ending.is_set():
                break
            if (began := time.monotonic()) > due:
                yield state(["" for _ in continuations])
                told = time.monotonic()
                due = told + max(_EVERY, _SHARE * (told - began))  # on a busy server each state takes longer to tell
    yield state([c.end or "the server is ending" for c in continuations])


def next_token(
    services: Services, prompt: str, n_rows: int = 20, model: str = DEFAULT_MODEL, **sampling: float
) -> dict[str, Any]:
    """The distribution of the token after a prompt, stage by stage, exact over the full vocabulary.

    Args:
        prompt: text to continue.
        n_rows: how many of the most likely tokens to list, 1 to 1000.
        model: a name from the page's list.

    Returns:
        vocab_size; stages (name, candidates left, entropy in bits, probability removed); rows (token id, label
        and a probability for each stage).
    """
    controls = inputs.sampling({**_NEUTRAL, **sampling})
    lm = services.models.get(inputs.model_name(model))
    controls.check_vocabulary(lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    rows = inputs.whole(n_rows, "The number of rows", low=1, high=1000)

    def read() -> dict[str, Any]:
        seen = NextToken(lm.name, tuple(ids), len(ids), last_logits(lm.model, ids))
        return {**distribution.table(lm.tokenizer, seen, controls, rows)}

    return services.now(read)
