"""Services around a tiny model: handlers are tested without Gradio, a network or the bundled weights."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gptcore import GPTConfig, LanguageModel
from gptcore.tokenizers import ByteBPE
from tiny import make_model
from ui.admission import Admission
from ui.computing import Computing
from ui.jobs import Jobs
from ui.limits import Limits
from ui.model_store import ModelStore
from ui.preparations import Preparations
from ui.readings import ReadingStore
from ui.services import Services
from ui.sessions import SessionStore
from ui.writers import Writers

TEXT = "the cat sat on the mat and the dog ran to the cat. " * 20


@pytest.fixture(scope="session")
def tiny_lm() -> LanguageModel:
    tokenizer = ByteBPE.train([TEXT], vocab_size=270)
    return LanguageModel(
        make_model(GPTConfig(vocab_size=270, n_positions=32, n_embd=32, n_layer=2, n_head=4)), tokenizer, "tiny"
    )


@pytest.fixture
def services(tiny_lm) -> Iterator[Services]:
    limits = Limits(max_new_tokens=150, max_prompt_chars=500, max_score_chars=500)
    computing, measuring = Computing("computing"), Computing("measuring")
    jobs = Jobs(computing, limits)
    store = ModelStore(
        limits, offline=True, default="tiny", loader=lambda *_, **__: tiny_lm, trained=jobs.language_model
    )
    readings = ReadingStore(limits.reading_bytes)
    made = Services(
        store,
        SessionStore(limits),
        limits,
        computing,
        measuring,
        Writers(computing),
        Admission(limits.texts_at_once),
        Admission(limits.heavy_at_once, "computation"),
        readings,
        jobs,
        Preparations(),
    )
    yield made
    made.close()
