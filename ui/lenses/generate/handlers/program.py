"""API handlers of the endpoints /generate and /next_token."""

from __future__ import annotations

from typing import Any

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence, check_seed
from ui.lenses.generate.handlers import distribution
from ui.lenses.generate.payloads import Distribution
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import WritingForm
from ui.state.sessions import NextToken


def generate(services: Services, model: str, prompt: str, n: int, form: WritingForm) -> dict[str, Any]:
    """One or several continuations of a prompt, with every token's figures.

    Returns:
        {"model", "prompt", "seed", "texts": [str], "tokens": [[{id, text, logprob, rank}]], "ends": [str]}
    """
    lm = services.models.get(inputs.model_name(model))
    form.sampling.check_vocabulary(lm.model.config.vocab_size)
    ids = prompt_ids(lm, inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1))
    n_texts = inputs.whole(n, "The number of texts", low=1, high=4)
    seed = check_seed(form.seed)
    continuations = [
        TokenSequence(ids, form.sampling, seed=seed + i, tokenizer=lm.tokenizer, stop=form.stop, n_alternatives=1)
        for i in range(n_texts)
    ]
    tokens: list[list[dict[str, Any]]] = [[] for _ in continuations]
    with services.admission.turn():
        for (index, made), _ in services.write(lm, continuations, form.max_new_tokens, use_cache=form.use_cache):
            figures = {"id": made.id, "text": made.text, "logprob": round(made.logprob, 6), "rank": made.rank}
            tokens[index].append(figures)
    texts = ["".join(token["text"] for token in row) for row in tokens]
    return {
        "model": lm.name,
        "prompt": prompt,
        "seed": seed,
        "texts": texts,
        "tokens": tokens,
        "ends": [c.end for c in continuations],
    }


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
