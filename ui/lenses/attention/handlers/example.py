"""The initial example of the Attention tab."""

from dataclasses import dataclass

from ui.lenses.attention.handlers import maps
from ui.lenses.attention.heads import ablation
from ui.lenses.attention.layers import lens
from ui.services import Services
from ui.shared.own_text import text_to_read


@dataclass(frozen=True)
class AttentionExample:
    """A finished example for each part of the tab: texts, and the components' values."""

    text: str
    view: str
    ablation: str
    lens: str


def make_attention_example(services: Services) -> AttentionExample:
    """Builds the example by running the handlers once."""
    name = services.models.default
    lm = services.models.get(name)
    text = text_to_read(services, name, lm)
    ids = lm.tokenizer.encode(text)
    text = lm.tokenizer.decode(ids[: lm.model.config.n_positions - 1])
    form = maps.AttentionForm(name, text)
    view = list(maps.views(services, None, form))[-1].value
    return AttentionExample(
        text=text,
        view=view,
        ablation=ablation.switch_off(services, None, form, "", "zero"),
        lens=lens.lens(services, None, form),
    )
