"""Logit attribution: a prediction as a sum over the parts of the model, each checked by
ablation.
"""

from collections.abc import Sequence
from typing import Annotated

from gptcore.analysis import logit_attribution, logits_without
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.conclusions import CANCELS, above_half, concludes, listed, quoted_apart, signed
from ui.lenses.attention.payloads import Part, Why
from ui.lenses.attention.why.formed import model_part, named_part
from ui.payloads import Choice, PairRequest, fields, probability
from ui.services import Services
from ui.shared import inputs
from ui.shared.open_model import answering, open_text

_N_CHOICES = 8
_N_PARTS = 10
_N_NAMED = 3
_HELD = 0.5  # share of its estimate that a part's ablation must reach to confirm the estimate
_SMALL = 0.5  # logits: a smaller difference is no preference


@answering
def why(services: Services, request: Annotated[object, PairRequest]) -> Why:
    """A prediction as a sum over the model's parts; a message where it cannot be.

    Without ids the likeliest next token is explained against the second likeliest.
    """
    lm, text = open_text(services, request)
    high = lm.model.config.vocab_size - 1
    asked = fields(request, "word", "rival")
    word, rival = (
        None if item is None else inputs.whole(item, "The token", low=0, high=high)
        for item in asked
    )
    ids, note = inputs.last_window(lm, text)
    return services.now(lambda: _explained(lm, ids, word, rival, note))


def _explained(
    lm: LanguageModel, ids: list[int], word: int | None, rival: int | None, note: str
) -> Why:
    """Computes the attribution that `why` describes, with a note on the text."""
    chances = logits_without(lm.model, ids, [[]])[0].softmax(-1)  # [V]
    best = chances.topk(min(_N_CHOICES, len(chances))).indices.tolist()
    word = best[0] if word is None else word
    other = next(item for item in [*best, *range(len(chances))] if item != word)
    rival = other if rival is None or rival == word else rival
    attributed = logit_attribution(lm.model, ids, word, rival)
    shares = zip(attributed.names, attributed.values.tolist(), strict=True)
    largest = sorted(shares, key=lambda share: -abs(share[1]))[:_N_PARTS]
    rest = attributed.total - sum(value for _, value in largest)
    where = [model_part(name) for name, _ in largest]
    ablated = [[part] for part in where if part is not None]
    logits = logits_without(lm.model, ids, ablated)  # [N, V]
    changes = iter((logits[:, word] - logits[:, rival] - attributed.total).tolist())
    parts: list[Part] = [
        {
            "name": named_part(name),
            "layer": part and part.layer,
            "head": part and part.head,
            "value": round(value, 3),
            "really": part and round(next(changes), 3),
        }
        for (name, value), part in zip(largest, where, strict=True)
    ]

    def choice(token: int) -> Choice:
        return describe_token(lm.tokenizer, token), probability(chances[token], 4), token

    values = attributed.values.tolist()
    said = conclusion(choice(word)[0], choice(rival)[0], values, parts, lm.model.config.n_layer)
    return {
        "tokens": [describe_token(lm.tokenizer, token) for token in ids],
        "choices": [choice(token) for token in [*best, *({word, rival} - set(best))]],
        "word": choice(word),
        "rival": choice(rival),
        "total": round(attributed.total, 3),
        "parts": parts,
        "rest": (len(attributed.names) - len(largest), round(rest, 3)),
        "said": " ".join(filter(None, (said, note))),
    }


@concludes("why a word")
def conclusion(
    word: object, rival: object, values: Sequence[float], parts: Sequence[Part], n_layer: int
) -> str:
    """Which parts push most towards a word, what works against it, and whether ablating them
    confirms it.

    Args:
        word, rival: labels.
        values: what each part of the model writes for the word rather than the rival, in logits;
            their sum is the difference of both logits.
        parts: those with the largest share: name, layer, value, really.
        n_layer: of the model.
    """
    total = sum(values)
    pair = " rather than ".join(quoted_apart(str(word), str(rival)))
    if abs(total) < _SMALL:
        return f"Nothing stands out: the model hardly prefers {pair} ({signed(total)})."
    sign = 1 if total > 0 else -1
    tried = [(part, part["really"]) for part in parts if part["really"] is not None]
    helping = [(part, real) for part, real in tried if sign * part["value"] > 0][:_N_NAMED]
    cancels = _cancelled([sign * value for value in values], abs(total), sign)
    if not helping:
        return (
            f"{pair}: the lead is {signed(total)} logits. No head or MLP favours it; it comes "
            f"from the embeddings and biases.{cancels}"
        )
    named = listed([f"{part['name']} ({signed(part['value'])})" for part, _ in helping])
    towards = sum(max(0.0, sign * value) for value in values)
    by_helping = sign * sum(part["value"] for part, _ in helping)
    mostly = "mostly " if above_half(by_helping, towards) else "most of all "
    (top, real), (needed, most) = helping[0], min(tried, key=lambda item: sign * item[1])
    first = top["name"]
    value = top["value"]
    if sign * real <= -_HELD * abs(value):
        check = f"Switching {first} off cuts the lead by {abs(real):.1f}."
    elif sign * real < 0:
        check = (
            f"Switching {first} off cuts the lead by only {abs(real):.1f}: "
            f"{_why_less(top, n_layer)}."
        )
    else:
        check = (
            f"Yet switching {first} off does not cut the lead ({signed(real)}): "
            f"{_why_less(top, n_layer)}."
        )
    if needed is not top and sign * most < 0:
        check += f" Of the parts below, switching off {needed['name']} does most ({signed(most)})."
    return f"{pair}: the lead is {signed(total)} logits, {mostly}from {named}.{cancels} {check}"


def _cancelled(values: Sequence[float], total: float, sign: int) -> str:
    """A sentence where much of what pushes towards a word is taken away by other parts; else "".

    Args:
        values: of the parts, positive towards the word.
        total: their sum.
        sign: of what is shown: -1 where the rival leads.
    """
    towards = sum(value for value in values if value > 0)
    against = sum(value for value in values if value < 0)
    if -against < CANCELS * total:
        return ""
    return f" Large parts cancel: {signed(sign * towards)} and {signed(sign * against)} in all."


def _why_less(part: Part, n_layer: int) -> str:
    """Explains why switching a part off changes less than the part's share: the parts after it
    react.
    """
    if part["layer"] is not None and part["layer"] < n_layer - 1:
        return "later layers react to the change"
    if part["head"] is not None:
        return "the MLP after it and the final norm react"
    return "the final norm after it reacts"
