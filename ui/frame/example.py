"""Initial example of the page: a finished text of the default model."""

from dataclasses import dataclass

from gptcore.errors import CheckpointError
from gptcore.inference.generation import last_logits, prompt_ids
from ui.lenses.attention.handlers.example import AttentionExample, make_attention_example
from ui.lenses.generate.handlers import chat, writing
from ui.lenses.generate.handlers.strategies import STRATEGIES
from ui.lenses.start.handlers.sentence import opening
from ui.lenses.zero_shot.handlers.example import ZeroShotExample, make_zero_shot_example
from ui.services import Services
from ui.shared.inputs import WritingForm
from ui.shared.own_text import own_text
from ui.state import token_stream

EXAMPLE_END = "an example, written ahead of time"
# A whole story of the mini, chosen among forty seeds.
FORM = WritingForm(STRATEGIES["Combined"], 200, (), 4, use_cache=True, tokens_per_second=0)


@dataclass(frozen=True)
class PageExample(writing.WritingExample):
    """A finished example for each part of the page; that of Generate is spread out."""

    sentence: str
    attention: AttentionExample
    zero_shot: ZeroShotExample


def writing_form(services: Services) -> WritingForm:
    """How the example is written: by the tab's first settings."""
    vocab_size = services.models.get(services.models.default).model.config.vocab_size
    return FORM.within(vocab_size, services.limits.max_new_tokens)


def make_example(services: Services) -> PageExample:
    """Builds the example by running the handlers once."""
    visitor, name = "example", services.models.default
    lm = services.models.get(name)
    prompt = own_text(services, name, lm)
    # The first pass of a process is slow; the example's figures are not.
    services.now(lambda: last_logits(lm.model, prompt_ids(lm, prompt)))
    form = writing_form(services)
    views = list(writing.write(services, visitor, name, prompt, form))
    session = services.sessions.get(visitor)
    if session.document is None or session.next_token is None:
        raise CheckpointError(f"{name} wrote no first text. Choose another model with --model.")
    services.sessions.forget(visitor)
    # The stored rate was measured at another time and load, so it is left out.
    about = token_stream.stats(n=len(session.document.ids) - session.document.n_prompt, end=EXAMPLE_END)
    document = session.document.noted(about)
    return PageExample(
        document=document, next_token=session.next_token, sentence=opening(services, name), form=form,
        distribution=views[-1].distribution or "", chat=chat.example(services),
        attention=make_attention_example(services), zero_shot=make_zero_shot_example(services),
    )  # fmt: skip
