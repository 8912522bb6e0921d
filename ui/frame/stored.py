"""Precomputed examples of the bundled models: computing them would add half a second to the start.

The file holds what `make_example` makes, which a test makes again and compares: `python -m tests.tools.first_page`.
"""

import json
import zlib
from dataclasses import asdict, replace
from functools import reduce
from pathlib import Path
from typing import Any

import torch

from gptcore.language_model import bundled_models
from gptcore.weights.checkpoint import weight_files
from ui.frame.example import PageExample, make_example, writing_form
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.example import AttentionExample
from ui.lenses.generate.handlers.chat import chat_model
from ui.lenses.zero_shot.handlers.example import ZeroShotExample, task_model
from ui.services import Services
from ui.state import token_stream
from ui.state.sessions import Document, NextToken

FILE = Path(__file__).with_name("example.json")
_DRAWN = ("view", "ablation", "lens")  # fields that contain a reading's key, which differs in each process


def page_example(services: Services, file: Path = FILE) -> PageExample:
    """The stored examples if they are of this server's default model, else new ones.

    Raises:
        GPTCoreError: the model cannot be opened, or writes nothing.
    """
    stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if stored["made_of"] != _made_of(services):
        return make_example(services)
    written: dict[str, Any] = stored["document"]
    document = Document(**{**written, "ids": tuple(written["ids"]), "lines": token_stream.parse(written["lines"])})
    logits = torch.tensor([float(logit) for logit in stored["logits"].split()])
    attention = AttentionExample(**stored["attention"])
    return PageExample(
        document=document,
        next_token=NextToken(document.model, document.ids, document.n_prompt, logits),
        sentence=stored["sentence"],
        distribution=stored["distribution"],
        form=writing_form(services),
        chat=stored["chat"],
        attention=_exchanged(attention, {sign: key for key, sign in _signs(services, attention).items()}),
        zero_shot=ZeroShotExample(**stored["zero_shot"]),
    )


def stored_form(services: Services, example: PageExample) -> str:
    """Serialises the examples for the file.

    Args:
        services: by which they were made, with a bundled model as their default.
        example: what was made.
    """
    kept = {name: it for name, it in asdict(example).items() if name not in ("next_token", "form")}
    kept["document"]["lines"] = example.document.stream
    kept["attention"] = asdict(_exchanged(example.attention, _signs(services, example.attention)))
    logits = " ".join(f"{logit:.9g}" for logit in example.next_token.logits.tolist())
    return json.dumps({"made_of": _made_of(services), **kept, "logits": logits}, ensure_ascii=False, indent=1) + "\n"


def _made_of(services: Services) -> dict[str, Any] | None:
    """Cache key of the examples: checksums of the models' files and the text length; None for other models."""
    name, bundled = services.models.default, bundled_models()
    if name not in bundled:
        return None
    sums = {
        f"{model}/{file.name}": zlib.crc32(file.read_bytes())
        for model, folder in (
            (model, bundled[model]) for model in dict.fromkeys((name, task_model(name), chat_model()))
        )
        for file in (folder / "config.json", folder / "tokenizer.json", *weight_files(folder))
    }
    return {"model": name, "max_new_tokens": writing_form(services).max_new_tokens, "crc32": sums}


def _signs(services: Services, attention: AttentionExample) -> dict[str, str]:
    """The key of the text's reading in this process -> its placeholder in the file."""
    return {maps.read(services, None, maps.AttentionForm(services.models.default, attention.text)).key: "(first text)"}


def _exchanged(attention: AttentionExample, by: dict[str, str]) -> AttentionExample:
    """A copy with strings replaced in the fields of _DRAWN."""
    drawn: dict[str, Any] = {
        name: reduce(lambda text, pair: text.replace(*pair), by.items(), getattr(attention, name)) for name in _DRAWN
    }
    return replace(attention, **drawn)
