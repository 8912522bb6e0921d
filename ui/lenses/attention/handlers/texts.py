"""Sample texts: an example for each kind of model, and short probes for what activates a head."""

import json
import statistics
from collections.abc import Collection
from pathlib import Path

from ui.services import Services
from ui.shared.inputs import InputError, model_name, whole
from ui.shared.own_text import REPEATING, TEXT, reads

# All written for this project; of different kinds, since heads wake up for different things.
TEXTS = (TEXT, *json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8")), REPEATING)


def is_example(text: object, own: Collection[str]) -> bool:
    """Whether the page, not the visitor, inserted a text, so that a model change may replace it; `own` are inserted
    default texts."""
    return text in {*TEXTS, *own}


def activating_text(services: Services, model: object, layer: object, head: object) -> tuple[str, str]:
    """The text in TEXTS on which a head is most active, and a sentence about it.

    An idle head attends to the first token (attention sink); the chosen text has the least of that.
    """
    lm = services.models.get(model_name(model))
    at_layer = whole(layer, "The layer", low=0, high=lm.model.config.n_layer - 1)
    at_head = whole(head, "The head", low=0, high=lm.model.config.n_head - 1)
    readable = [text for text in TEXTS if reads(lm, text)]
    if not readable:
        raise InputError(f"{lm.name} cannot read any of the texts tried here. Write one of your own.")
    rests = services.now(lambda: services.attention_cache.rests(lm, tuple(readable))[:, at_layer, at_head].tolist())
    best, usual = rests.index(min(rests)), statistics.median_low(rests)
    return readable[best], (
        f"Of {len(readable)} texts this one keeps layer {at_layer}, head {at_head} busiest: {rests[best]:.0%} of its "
        f"attention rests on the first token, {usual:.0%} in the median text."
    )
