"""The example that the page opens with: a finished text of the default model, and what each part
shows of it.

It is stored for the bundled models, since computing it would add half a second to the start. The
file holds what `make_example` makes, which a test makes again and compares: `python -m
tests.tools.first_page`.
"""

import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from gptcore.errors import CheckpointError
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.language_model import bundled_models
from gptcore.weights.checkpoint import weight_files
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.example import AttentionExample, make_attention_example
from ui.lenses.generate.chat import replying as chat
from ui.lenses.generate.handlers.strategies import STRATEGIES
from ui.lenses.generate.write import writing
from ui.lenses.start.handlers.sentence import opening
from ui.lenses.zero_shot.handlers.asking import ZeroShotExample, make_zero_shot_example, task_model
from ui.services import Services
from ui.shared.inputs import WritingForm
from ui.shared.own_text import own_text
from ui.state import token_stream
from ui.state.sessions import Document, NextToken

EXAMPLE_END = "an example, written ahead of time"
# A whole story of the mini, chosen among forty seeds.
FORM = WritingForm(STRATEGIES["Combined"], 200, (), 4, use_cache=True, tokens_per_second=0)
FILE = Path(__file__).with_name("example.json")
_KEY = "(first text)"  # in place of the key of the text's reading, which differs in each process


@dataclass(frozen=True)
class PageExample(writing.WritingExample):
    """A finished example for each part of the page; that of Generate is spread out."""

    sentence: str
    attention: AttentionExample
    zero_shot: ZeroShotExample


def writing_form(services: Services) -> WritingForm:
    """Returns the settings that write the example: the tab's first ones, within the vocabulary of
    the default model and the server's limits.
    """
    vocab_size = services.models.get(services.models.default).model.config.vocab_size
    return FORM.within(vocab_size, services.limits.max_new_tokens)


def make_example(services: Services) -> PageExample:
    """Builds the example by running the handlers once."""
    visitor = "example"
    name = services.models.default
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
    about = token_stream.stats(
        n=len(session.document.ids) - session.document.n_prompt, end=EXAMPLE_END
    )
    document = session.document.noted(about)
    return PageExample(
        document=document,
        next_token=session.next_token,
        sentence=opening(services, name),
        form=form,
        distribution=views[-1].distribution or "",
        chat=chat.example(services),
        attention=make_attention_example(services),
        zero_shot=make_zero_shot_example(services),
    )


def page_example(services: Services, file: Path = FILE) -> PageExample:
    """The stored examples if they are of this server's default model, else new ones.

    Raises:
        GPTCoreError: the model cannot be opened, or writes nothing.
    """
    text = file.read_text(encoding="utf-8")
    stored: dict[str, Any] = json.loads(text)
    if stored["made_of"] != _made_of(services):
        return make_example(services)
    stored = json.loads(text.replace(_KEY, _key(services, stored["attention"]["text"])))
    written: dict[str, Any] = stored["document"]
    document = Document(
        **{**written, "ids": tuple(written["ids"]), "lines": token_stream.parse(written["lines"])}
    )
    logits = torch.tensor([float(logit) for logit in stored["logits"].split()])
    return PageExample(
        document=document,
        next_token=NextToken(
            document.model, document.ids[: stored["n_read"]], document.n_prompt, logits
        ),
        form=writing_form(services),
        **{name: stored[name] for name in ("sentence", "distribution", "chat")},
        attention=AttentionExample(**stored["attention"]),
        zero_shot=ZeroShotExample(**stored["zero_shot"]),
    )


def stored_form(services: Services, example: PageExample) -> str:
    """Serialises the examples, made by these services with a bundled model as their default, for
    the file.
    """
    kept = {name: it for name, it in asdict(example).items() if name not in ("next_token", "form")}
    kept["document"]["lines"] = example.document.stream
    logits = " ".join(f"{logit:.9g}" for logit in example.next_token.logits.tolist())
    n_read = len(example.next_token.ids)
    stored = {"made_of": _made_of(services), **kept, "n_read": n_read, "logits": logits}
    text = json.dumps(stored, ensure_ascii=False, indent=1) + "\n"
    return text.replace(_key(services, example.attention.text), _KEY)


def _made_of(services: Services) -> dict[str, Any] | None:
    """Cache key of the examples: checksums of the models' files and the text length; None for other
    models.
    """
    name = services.models.default
    bundled = bundled_models()
    if name not in bundled:
        return None
    sums = {
        f"{model}/{file.name}": zlib.crc32(file.read_bytes())
        for model, folder in (
            (model, bundled[model])
            for model in dict.fromkeys((name, task_model(name), chat.chat_model()))
        )
        for file in (folder / "config.json", folder / "tokenizer.json", *weight_files(folder))
    }
    return {"model": name, "max_new_tokens": writing_form(services).max_new_tokens, "crc32": sums}


def _key(services: Services, text: str) -> str:
    """The key of a text's reading by the default model in this process."""
    return maps.read(services, None, maps.AttentionForm(services.models.default, text)).key
