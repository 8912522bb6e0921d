"""The endpoints /generate and /next_token."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import DEFAULT_MODEL, LanguageModel
from ui.compute.compute_thread import Closed
from ui.lenses.generate.handlers import distribution
from ui.lenses.generate.handlers.forms import SamplingFields, WritingFields
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import MODEL, SEED, Endpoint, StopStrings, needed, spelled_out, written
from ui.shared.fields import Whole, declared, taken, values_of
from ui.state.sessions import NextToken

_SHARE = 20  # times as long between two states as telling one takes
_EVERY = 0.2  # seconds between two states of a text that is being written
_PROMPT = written("Prompt", "text to continue.")
_STOP = StopStrings(
    title="Stop strings",
    help=r"stop strings: a list, or a text with one a line, in which \n stands for a newline.",
)


@dataclass(frozen=True, kw_only=True)
class GenerateRequest:
    """The request of a program to /generate."""

    prompt: str = needed(_PROMPT)
    max_new_tokens: int = taken(WritingFields, "max_new_tokens", 50)
    sampling: SamplingFields = spelled_out(SamplingFields)
    stop: str | list[str] = declared(_STOP, "")
    seed: int | None = declared(SEED, None)
    n: int = declared(
        Whole(
            title="Texts", noun="The number of texts", help="how many texts, 1 to 4.", low=1, high=4
        ),
        1,
    )
    use_cache: bool = taken(WritingFields, "use_cache")
    model: str = declared(MODEL, DEFAULT_MODEL)


@dataclass(frozen=True, kw_only=True)
class NextTokenRequest:
    """The request of a program to /next_token."""

    prompt: str = needed(_PROMPT)
    sampling: SamplingFields = spelled_out(SamplingFields, leave_out=["min_new_tokens"])
    n_rows: int = declared(
        Whole(
            title="Rows",
            noun="The number of rows",
            help="how many of the most likely tokens to list, 1 to 1000.",
            low=1,
            high=1000,
        ),
        20,
    )
    model: str = declared(MODEL, DEFAULT_MODEL)


def generate(services: Services, request: GenerateRequest) -> Iterator[dict[str, Any]]:
    """Continues a prompt, and answers while it writes: a client's `submit` iterates, `predict`
    waits for the end.

    Returns:
        model, prompt, seed, texts, tokens (id, text, natural logprob, rank) and ends, one each a
        text.
    """
    values = {**values_of(request.sampling), **values_of(request), "tokens_per_second": 0}
    form = inputs.writing_form(values, services.limits)
    lm = services.models.get(inputs.model_name(request.model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    ids = _prompt_ids(services, lm, request.prompt)
    drawn = check_seed(form.seed)
    continuations = [
        TokenSequence(
            ids,
            form.sampling,
            seed=drawn + i,
            tokenizer=lm.tokenizer,
            stop=form.stop,
            n_alternatives=1,
        )
        for i in range(request.n)
    ]
    tokens: list[list[dict[str, Any]]] = [[] for _ in continuations]

    def state(ends: list[str]) -> dict[str, Any]:
        texts = ["".join(token["text"] for token in row) for row in tokens]
        about = {"model": lm.name, "prompt": request.prompt, "seed": drawn, "texts": texts}
        return {**about, "tokens": [list(row) for row in tokens], "ends": ends}

    due = time.monotonic()
    with services.admission.turn(), suppress(Closed):  # what has been written is told
        for token in services.write(
            lm, continuations, form.max_new_tokens, use_cache=request.use_cache
        ):
            made = token.made
            figures = {
                "id": made.id,
                "text": made.text,
                "logprob": round(made.logprob, 6),
                "rank": made.rank,
            }
            tokens[token.text].append(figures)
            if services.ending.is_set():
                break
            if (began := time.monotonic()) > due:
                yield state(["" for _ in continuations])
                told = time.monotonic()
                # on a busy server each state takes longer to tell
                due = told + max(_EVERY, _SHARE * (told - began))
    yield state([c.end or "the server is ending" for c in continuations])


def next_token(services: Services, request: NextTokenRequest) -> dict[str, Any]:
    """The distribution of the token after a prompt, stage by stage, exact over the full vocabulary.

    Returns:
        vocab_size; stages (name, candidates left, entropy in bits, probability removed); rows
        (token id, label and a probability for each stage).
    """
    controls = inputs.sampling(values_of(request.sampling))
    lm = services.models.get(inputs.model_name(request.model))
    controls.check_vocabulary(lm.model.config.vocab_size)
    ids = _prompt_ids(services, lm, request.prompt)

    def read() -> dict[str, Any]:
        seen = NextToken(lm.name, tuple(ids), len(ids), last_logits(lm.model, ids))
        return {**distribution.table(lm.tokenizer, seen, controls, request.n_rows)}

    return services.now(read)


def _prompt_ids(services: Services, lm: LanguageModel, prompt: str) -> list[int]:
    return prompt_ids(
        lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    )


ENDPOINTS = (
    Endpoint("generate", GenerateRequest, generate),
    Endpoint("next_token", NextTokenRequest, next_token),
)
