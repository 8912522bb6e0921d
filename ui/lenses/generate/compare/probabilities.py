"""Effect of temperature, top-k and top-p on one distribution, side by side from the same logits."""

import math
import re
from collections.abc import Mapping
from typing import Annotated

import torch
from torch import Tensor

from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling import candidates
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.lenses.generate.payloads import ProbabilitiesRequest, SamplingProbabilities
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, open_text

N_TOKENS = 8
N_COLUMNS = 3
_MOST_K = 1_000_000  # of typed logits, none of which it cuts then
# logits of a visitor's own, all of them shown
_MOST_TYPED = 40
_LARGEST_TYPED = 1e4
# points of the curve: every one up to here, and as many more, evenly on a logarithmic scale
_DENSE = 200


@answering
def probabilities(
    services: Services, request: Annotated[object, ProbabilitiesRequest]
) -> SamplingProbabilities:
    """Probabilities of the likeliest tokens under three temperatures and three values of k; a
    message if none can be.

    The logits are a model's after a text, or a visitor's own, typed in.
    """
    temperatures, ks, written = fields(request, "temperature", "top_k", "logits")
    typed = _typed(inputs.text(written, "The list of logits", most=1_000))
    settings = [
        SamplingSettings(temperature=t) for t in _three(temperatures, "Temperature", 0, 100)
    ]
    if typed is not None:
        # of fewer, k keeps all
        limits = [min(int(k), len(typed)) for k in _three(ks, "Top-k", 1, _MOST_K)]
        return _described(typed, {i: f"token {i}" for i in range(len(typed))}, settings, limits)
    lm, text = open_text(services, request)
    limits = [int(k) for k in _three(ks, "Top-k", 1, lm.model.config.vocab_size)]
    return services.now(lambda: _after(lm, prompt_ids(lm, text), settings, limits))


def _typed(text: str) -> Tensor | None:
    """Logits as people write them, such as "3, 2, 0.5" or "[3.0 2.0 0.5]"; None where nothing is
    written.
    """
    words = [word for word in re.split(r"[,;\s\[\]()]+", text.replace("−", "-")) if word]
    if not words:
        return None
    if not 2 <= len(words) <= _MOST_TYPED:
        raise InputError(
            f"There are {len(words)} logits; give 2 to {_MOST_TYPED}, such as 3, 2, 0.5."
        )
    numbers = []
    for word in words:
        try:
            numbers.append(float(word))
        except ValueError:
            numbers.append(math.nan)
        if not abs(numbers[-1]) <= _LARGEST_TYPED:
            limit = f"{_LARGEST_TYPED:,.0f}"
            raise InputError(
                f"A logit is {word[:20]!r}; it must be a number from -{limit} to {limit}."
            )
    return torch.tensor(numbers)


def _after(
    lm: LanguageModel, ids: list[int], temperatures: list[SamplingSettings], ks: list[int]
) -> SamplingProbabilities:
    logits = last_logits(lm.model, ids)
    shown = logits.float().topk(min(N_TOKENS, len(logits))).indices.tolist()
    labels = {token: describe_token(lm.tokenizer, token) for token in shown}
    return _described(logits, labels, temperatures, ks)


def _described(
    logits: Tensor, labels: Mapping[int, str], temperatures: list[SamplingSettings], ks: list[int]
) -> SamplingProbabilities:
    """The probabilities of the tokens that have labels, the likeliest first."""
    chances = logits.float().softmax(dim=-1)
    shown = torch.tensor(sorted(labels, key=lambda token: -float(logits[token])))
    curve = chances.sort(descending=True).values.double().cumsum(dim=0)
    n = len(curve)
    places = sorted(
        {*range(1, min(_DENSE, n) + 1), *(round(n ** (i / _DENSE)) for i in range(_DENSE + 1))}
    )
    return {
        "tokens": [labels[token] for token in shown.tolist()],
        "temperature": [
            (temperature.temperature, _probabilities_of(logits, temperature, shown))
            for temperature in temperatures
        ],
        "top_k": [(k, _probabilities_of(logits, SamplingSettings(top_k=k), shown)) for k in ks],
        "curve": [(place, float(f"{float(curve[place - 1]):.5g}")) for place in places],
        "vocabulary": len(chances),
    }


def _probabilities_of(logits: Tensor, settings: SamplingSettings, shown: Tensor) -> list[float]:
    left = candidates(logits, settings)
    kept = torch.zeros(len(logits)).index_put((left.ids,), left.probabilities)
    return [float(f"{p:.4g}") for p in kept[shown].tolist()]


def _three(values: object, name: str, low: float, high: float) -> list[float]:
    if not isinstance(values, list) or len(values) != N_COLUMNS:
        raise InputError(f"{name} needs {N_COLUMNS} values, one for each column.")
    numbers = []
    for index, value in enumerate(values, 1):
        where = f"{name} in column {index}"
        if value is None:
            raise InputError(f"{where} is empty. Give a number.")
        check = inputs.whole if name == "Top-k" else inputs.number
        numbers.append(float(check(value, where, low=int(low), high=int(high))))
    return numbers
