"""Sample texts: an example for each kind of model, and short probes for what activates a head."""

import statistics
from collections.abc import Collection

from gptcore.errors import TokenizerError
from gptcore.language_model import LanguageModel
from ui.services import Services
from ui.shared.inputs import InputError, model_name, whole
from ui.shared.own_text import REPEATING, TEXT

# All written for this project; of different kinds, since heads wake up for different things.
TEXTS = (
    TEXT,
    "When Lily and Max went to the park, Max gave a red ball to Lily. When Lily and Max went home, Lily gave",
    "The cat sat on the mat. The dog sat on the rug. The cat looked at the dog.",
    'Tom said, "I like red apples." Anna said, "I like green apples." Then Tom said,',
    "One, two, three, four, five, six, seven, eight, nine, ten, one, two, three,",
    "The key to the old wooden boxes in the corner of the rooms is made of gold.",
    "It rained. It rained and it rained. It rained all day and all night.",
    "Why did the little boy cry? Because he had lost his mother's ring in the snow.",
    "red blue red blue red blue red blue red blue red",
    "Mr. Brown and Mrs. Green met Mr. White. Mr. Brown bowed to Mrs. Green.",
    "She took the bread, the butter, the cheese and the milk out of the big basket.",
    "def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b",
    "Once there was a king. The king had a son. The son had a horse. The horse had a",
    "Dear Ben,\nthank you for the letter.\nYours, Mia\n\nDear Mia,\nthank you for the",
    "the end of the day at the side of the road by the light of the moon",
    "Paris is in France. Rome is in Italy. Madrid is in Spain. Berlin is in",
    "(a (b (c) d) e) (f (g (h) i) j) (k (l (m) n",
    "!!! ??? ... !!! ??? ... !!! ??? ...",
    "Not big but small, not hot but cold, not old but young, not sad but",
    "The dog that chased the cat that ate the mouse was tired and the mouse",
    "A happy girl, a sad boy, a tall man, an old woman, a tiny baby, a happy",
    "aaaa bbbb aaaa bbbb aaaa bbbb",
    "abc xyz abc xyz abc xyz abc",
    "one two three four five one two three four five one two",
    "kitten mitten kitten mitten kitten",
    REPEATING,
)


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
    readable = [text for text in TEXTS if _fits(lm, text)]
    if not readable:
        raise InputError(f"{lm.name} cannot read any of the texts tried here. Write one of your own.")
    rests = services.now(lambda: services.attention_cache.rests(lm, tuple(readable))[:, at_layer, at_head].tolist())
    best, usual = rests.index(min(rests)), statistics.median_low(rests)
    return readable[best], (
        f"Of {len(readable)} texts this one keeps layer {at_layer}, head {at_head} busiest: {rests[best]:.0%} of its "
        f"attention rests on the first token, {usual:.0%} in the median text."
    )


def _fits(lm: LanguageModel, text: str) -> bool:
    try:
        return 4 <= len(lm.tokenizer.encode(text)) <= lm.model.config.n_positions
    except TokenizerError:
        return False
