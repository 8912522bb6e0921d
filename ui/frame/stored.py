"""Precomputed examples of the bundled models: computing them would add half a second to the start.

The file holds what `make_example` makes, which a test makes again and compares: `python -m tests.tools.first_page`.
"""

import json
import zlib
from dataclasses import asdict
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
_KEY = "(first text)"  # in place of the key of the text's reading, which differs in each process


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
    document = Document(**{**written, "ids": tuple(written["ids"]), "lines": token_stream.parse(written["lines"])})
    logits = torch.tensor([float(logit) for logit in stored["logits"].split()])
    return PageExample(
        document=document,
        next_token=NextToken(document.model, document.ids, document.n_prompt, logits),
        form=writing_form(services),
        **{name: stored[name] for name in ("sentence", "distribution", "chat")},
        attention=AttentionExample(**stored["attention"]),
        zero_shot=ZeroShotExample(**stored["zero_shot"]),
    )


def stored_form(services: Services, example: PageExample) -> str:
    """Serialises the examples, made by these services with a bundled model as their default, for the file."""
    kept = {name: it for name, it in asdict(example).items() if name not in ("next_token", "form")}
    kept["document"]["lines"] = example.document.stream
    logits = " ".join(f"{logit:.9g}" for logit in example.next_token.logits.tolist())
    text = json.dumps({"made_of": _made_of(services), **kept, "logits": logits}, ensure_ascii=False, indent=1) + "\n"
    return text.replace(_key(services, example.attention.text), _KEY)


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


def _key(services: Services, text: str) -> str:
    """The key of a text's reading by the default model in this process."""
    return maps.read(services, None, maps.AttentionForm(services.models.default, text)).key
