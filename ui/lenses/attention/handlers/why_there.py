"""Attention score attribution: one cell of a map, split by the contents of its two tokens."""

from typing import Annotated

from gptcore.analysis import Attribution, query_key_attribution
from gptcore.errors import GPTCoreError
from ui.conclusions import concludes, quoted, signed
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.payloads import CellRequest
from ui.payloads import Said, fields
from ui.services import Services
from ui.shared.formed import named_part

_SMALL = 0.5  # of a score: about a factor of 1.6 in attention


def why_there(services: Services, request: Annotated[object, CellRequest]) -> Said | None:
    """What draws a head's attention from one token to another, as a sentence. None for an invalid request.

    The score is taken relative to the mean over all visible tokens, because softmax ignores a common offset.
    """
    head = maps.chosen(services, request)
    if head is None:
        return None
    reading, model, (query, key) = head.kept.reading, head.kept.model(), fields(request, "row", "column")
    if not maps.is_place(query, reading.n_tokens) or not maps.is_place(key, reading.n_tokens):
        return None
    if model is None:
        return {"said": "The server no longer has this text. Choose it again."}
    visible = range(query + 1 if reading.causal else reading.n_tokens)
    place, labels = (head.layer, head.head), [head.kept.labels[at] for at in (query, key)]

    def explained() -> str:
        split = query_key_attribution(model, reading.token_ids, *place, query, key, against=visible)
        return conclusion(split, f"{head.layer}.{head.head}", *labels)

    try:
        return {"said": services.now(explained)}
    except GPTCoreError as error:
        return {"said": str(error)}


@concludes("why it looks there")
def conclusion(split: Attribution, head: str, reads: str, looked_at: str) -> str:
    """What draws a head's attention from one token to another.

    Args:
        split: of the score, compared with the mean.
        head: its name.
        reads, looked_at: labels of both tokens.
    """
    above = f"{abs(split.total):.1f} {'above' if split.total > 0 else 'below'} the mean of all that it may look at"
    if abs(split.total) < _SMALL:
        return f"Nothing stands out: the score of {quoted(looked_at)} is {above}."
    sign = 1 if split.total > 0 else -1
    by_key = split.values.sum(0) * sign
    drawn = int(by_key.argmax())
    asking = int((split.values[:, drawn] * sign).argmax())
    share, pair = (signed(float(value)) for value in (split.values[:, drawn].sum(), split.values[asking, drawn]))
    verb = "draws it" if sign > 0 else "keeps it away"
    return (
        f"Head {head} gives {quoted(looked_at)} a score {above}. What {verb} most is "
        f"{_of(split.names[drawn], looked_at)} ({share}), the largest share of it asked for by "
        f"{_of(split.names[asking], reads)} ({pair})."
    )


def _of(name: str, label: str) -> str:
    """A part of what stands at a token, as people name it."""
    word = quoted(label)
    if name == "token":
        return f"the token {word} itself"
    if name == "position":
        return f"the position of {word}"
    if name == "constants":
        return "the biases"
    return f"what {named_part(name)} wrote at {word}"
