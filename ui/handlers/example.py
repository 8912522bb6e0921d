"""What is on screen before anybody does anything: a finished text of the default model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gptcore.generation import last_logits, prompt_ids
from gptcore.threads import release_threads
from ui.handlers import generate, score
from ui.handlers.attention_example import AttentionExample, make_attention_example
from ui.handlers.strategies import STRATEGIES
from ui.handlers.zero_shot_example import ZeroShotExample, make_zero_shot_example
from ui.services import Services
from ui.sessions import Document, NextToken

PROMPT = "Once upon a time, there was a little fox who lived in the forest."
SCORED = "The cat sat on the mat. The cat sat on the mat. The cat sat on the refrigerator."
# The length ends at a word after which the mini has many ideas, so that the chart has something to show.
VALUES: dict[str, Any] = {
    **STRATEGIES["Combined"],
    "max_new_tokens": 102,
    "stop": "",
    "use_cache": True,
    "tokens_per_second": 0,
    "seed": 7,
}


@dataclass(frozen=True)
class Example:
    """A finished example for each part of the page, computed and not stored."""

    document: Document
    next_token: NextToken
    stream: str
    distribution: str
    values: dict[str, Any]
    scored_text: str
    scored: str
    attention: AttentionExample
    zero_shot: ZeroShotExample


def make_example(services: Services) -> Example:
    """Runs the handlers once, as a visitor would."""
    visitor, name = "example", services.models.default
    lm = services.models.get(name)
    prompt, text = PROMPT, SCORED
    if lm.tokenizer.kind == "char":  # its alphabet may lack any letter of the usual example
        prompt = text = lm.tokenizer.decode([i % lm.tokenizer.vocab_size for i in range(8)])
    prompt = lm.tokenizer.decode(lm.tokenizer.encode(prompt)[: max(1, lm.model.config.n_positions // 2)])
    with services.slots:  # the first pass of a process is slow; the example's figures are not
        last_logits(lm.model, prompt_ids(lm, prompt))
    views = list(generate.write(services, visitor, name, prompt, _fitting(VALUES, lm.model.config.vocab_size)))
    session = services.sessions.get(visitor)
    assert session.document is not None and session.next_token is not None
    services.sessions.forget(visitor)
    scored, attention = score.score(services, name, text), make_attention_example(services)
    asked = make_zero_shot_example(services)
    release_threads()
    return Example(
        document=session.document,
        next_token=session.next_token,
        stream="".join(session.document.records),
        distribution=views[-1].distribution or "",
        values=_fitting(VALUES, lm.model.config.vocab_size),
        scored_text=text,
        scored=scored,
        attention=attention,
        zero_shot=asked,
    )


def _fitting(values: dict[str, Any], vocab_size: int) -> dict[str, Any]:
    return {**values, "top_k": min(values["top_k"], vocab_size)}
