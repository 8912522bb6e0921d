"""Activation steering: the same text with and without a vector added to the residual stream, and
its cost.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from gptcore.analysis import steering_vector
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.inference.steering import Steering
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from ui.conclusions import concludes, decimal, minus, signed
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.sheets import Section, message, sheet
from ui.shared.streaming import stream_text
from ui.state import token_stream
from ui.state.sessions import Turn

MOST_STRENGTH = 6.0
MOST_EXAMPLES = 20
ENDED = "Stopped; what was written is kept."
SOUND = 0.3  # nats per token: below this cost the text is still coherent
STRENGTHS = (-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
_N_TOKENS = 80
_LEAST_WORD = 3
# two token streams, JSON of `ui.shared.sheets`, a conclusion in words
SHOWN = ("plain", "steered", "costs", "said")
_SAMPLING = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)

# Short texts of two kinds, towards and away, written for this project.
EXAMPLES: dict[str, tuple[list[str], list[str]]] = json.loads(
    Path(__file__).with_name("steering_examples.json").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class SteeringForm:
    """The view's form, unvalidated; `parsed` checks it."""

    towards: object  # texts, one a line
    away: object
    strength: object  # how many times the vector is added
    depth: object  # number of blocks before it; 0 for the middle of the model
    seed: object  # of both texts

    def parsed(self, lm: LanguageModel) -> tuple[Steering, float, int]:
        """The vector, its strength and the seed. Raises InputError, and what `steering_vector`
        does.
        """
        n_layer = lm.model.config.n_layer
        sides = [
            _lines(side, name)
            for side, name in ((self.towards, "Towards"), (self.away, "Away from"))
        ]
        strength = inputs.number(
            self.strength, "The strength", low=-MOST_STRENGTH, high=MOST_STRENGTH
        )
        depth = inputs.whole(self.depth, "The depth", low=0, high=n_layer) or (n_layer + 1) // 2
        seed = inputs.whole(self.seed, "The seed", low=0, high=2**31 - 1)
        return steering_vector(lm, sides[0], sides[1], depth), strength, seed


def steer(
    services: Services, session_id: str | None, model: object, prompt: object, form: SteeringForm
) -> Iterator[dict[str, str]]:
    """Continues a prompt unsteered, then steered, with the same random numbers; then measures the
    cost.

    Yields what is new, by SHOWN.
    """
    try:
        lm = services.models.get(inputs.model_name(model))
        text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
        ids = prompt_ids(lm, text)
        with services.sessions.get(
            session_id
        ).turn() as run:  # first: what is asked later ends this, not the other way
            steering, strength, seed = services.measure(lambda: form.parsed(lm))
            steered = LanguageModel(
                steering.scaled(strength).applied(lm.model), lm.tokenizer, lm.name
            )
            written: list[list[int]] = []
            yield {"plain": "", "steered": "", "said": ""}
            for side, one in (("plain", lm), ("steered", steered)):
                sequence = TokenSequence(ids, _SAMPLING, seed=seed, tokenizer=lm.tokenizer)
                yield from ({side: stream} for stream in _write(services, run, one, sequence, text))
                written.append([*ids, *sequence.ids[len(ids) :]])
                if not run.wanted:
                    yield {"said": ENDED}
                    return
            words = {*_words(str(form.towards))} - {*_words(str(form.away))}
            counts = [
                sum(word in words for word in _words(lm.tokenizer.decode(item[len(ids) :])))
                for item in written
            ]
            costs = services.measure(
                lambda: _costs(lm.model, steering, [*STRENGTHS, strength], written[0], len(ids))
            )
        yield {"costs": _sheet(costs, strength), "said": conclusion(costs, strength, counts)}
    except GPTCoreError as error:
        yield {"plain": "", "steered": "", "costs": message(str(error)), "said": ""}


def _lines(value: object, name: str) -> list[str]:
    written = inputs.text(value, name, most=4_000, needs_words=True)
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    if not lines or len(lines) > MOST_EXAMPLES:
        raise InputError(
            f"{name} has {len(lines)} examples; write 1 to {MOST_EXAMPLES}, one a line."
        )
    return lines


def _write(
    services: Services, run: Turn, lm: LanguageModel, sequence: TokenSequence, prompt: str
) -> Iterator[str]:
    stream = token_stream.prompt(prompt).json
    for update in stream_text(services, run, lm, [sequence], _N_TOKENS):
        if update.waiting:
            yield stream + token_stream.waiting(update.waiting).json
            continue
        for made in update.made:
            stream += token_stream.token(lm.tokenizer, made).json
        yield stream


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if len(word) >= _LEAST_WORD]


@torch.inference_mode()
def _costs(
    model: GPT,
    steering: Steering,
    strengths: Sequence[float],
    token_ids: Sequence[int],
    n_prompt: int,
) -> dict[float, float]:
    """Cost of steering by strength: added loss of the steered model on its own plain text, nats per
    token.
    """
    ids = torch.tensor(
        [list(token_ids[-model.config.n_positions :])], device=model.wte.weight.device
    )
    n_scored = max(1, min(len(token_ids) - n_prompt, ids.shape[1] - 1))
    targets = ids[0, -n_scored:]

    def surprise(model: GPT) -> float:
        with evaluating(model):
            logprobs = model(ids).logits[0, -n_scored - 1 : -1].log_softmax(-1)
        return -float(logprobs.gather(1, targets[:, None]).mean())

    plain = surprise(model)
    return {s: surprise(steering.scaled(s).applied(model)) - plain for s in sorted({*strengths})}


def _sheet(costs: dict[float, float], strength: float) -> str:
    rows = [
        (f"×{minus(s)}", signed(cost, 2), "yes" if cost <= SOUND else "no")
        for s, cost in costs.items()
    ]
    text = "How much less the steered model expects the text on the left, in nats per token."
    columns = ("strength", "nats per token", f"readable, at most {SOUND}?")
    source = "Turner et al. 2023; measured here on the text on the left"
    return sheet(
        [Section("What it costs", text, columns, rows, [list(costs).index(strength)], source)]
    )


@concludes("steering")
def conclusion(costs: dict[float, float], strength: float, counts: Sequence[int]) -> str:
    """Describes the effect of steering on one text, and whether the text is still sound.

    Args:
        costs: nats a token by strength.
        strength: the one that is asked for.
        counts: words of the kind steered to, in the plain and in the steered text.
    """
    plain, steered = counts
    times = "once" if steered == 1 else f"{steered} times"
    did = (
        f"Words from the first list appear {times} with steering and {plain} without."
        if plain != steered
        else "Nothing stands out: words from the first list appear as often without steering "
        f"({plain})."
    )
    return f"{did} {_cost_in_words(costs, strength)}"


def _cost_in_words(costs: dict[float, float], strength: float) -> str:
    """Whether the steered text is still readable, and up to which strength."""
    if strength == 0:
        return "At strength 0 nothing is added, so it costs nothing."
    at = f"At ×{minus(strength)} the writing"
    cost = costs[strength]
    amount = f"({decimal(cost)} nats per token)"
    if cost <= 0:
        effect = f"{at} does not get worse {amount}."
    elif cost <= SOUND:
        effect = f"{at} gets slightly worse {amount} but stays readable."
    else:
        effect = f"{at} gets much worse {amount}."
    readable: list[float] = []
    for other in sorted((other for other in costs if other * strength > 0), key=abs):
        if costs[other] > SOUND:  # beyond it, a strength that costs less by chance does not count
            break
        readable.append(other)
    if not readable:
        return f"{effect} No strength tried on this side stays readable."
    return f"{effect} It stays readable up to about ×{minus(readable[-1])}."
