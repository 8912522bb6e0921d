"""Services around a tiny model: handlers are tested without Gradio, a network or the bundled weights."""

from collections.abc import Iterator

import pytest

from gptcore import GPTConfig, LanguageModel
from gptcore.tokenizers import ByteBPE
from tiny import DEVICE, make_model
from ui.compute.admission import AdmissionQueue
from ui.compute.compute_thread import ComputeThread
from ui.compute.scheduler import Scheduler
from ui.runs.run_manager import RunManager
from ui.services import Services, make_services
from ui.state.attention_cache import AttentionCache
from ui.state.limits import Limits
from ui.state.model_store import ModelStore
from ui.state.sessions import SessionStore

make_services.__kwdefaults__["device"] = DEVICE
TEXT = "the cat sat on the mat and the dog ran to the cat. " * 20


@pytest.fixture(scope="session")
def tiny_lm() -> LanguageModel:
    tokenizer = ByteBPE.train([TEXT], vocab_size=270)
    return LanguageModel(
        make_model(GPTConfig(vocab_size=270, n_positions=32, n_embd=32, n_layer=2, n_head=4)), tokenizer, "tiny"
    )


@pytest.fixture(scope="session")
def bundled() -> Iterator[Services]:
    """The bundled models, the mini open: for tests that leave them as they are."""
    made = make_services(model="mini", offline=True)
    made.models.get("mini")
    yield made
    made.close()


@pytest.fixture
def services(tiny_lm) -> Iterator[Services]:
    limits = Limits(max_new_tokens=150, max_prompt_chars=500, max_score_chars=500)
    computing, measuring = ComputeThread("computing"), ComputeThread("measuring")
    jobs = RunManager(computing, limits, device=DEVICE)
    store = ModelStore(
        limits, offline=True, default="tiny", loader=lambda *_, **__: tiny_lm, trained=jobs.workspaces.language_model,
        device=DEVICE,
    )  # fmt: skip
    texts, heavy = AdmissionQueue(limits.texts_at_once), AdmissionQueue(limits.heavy_at_once, "computation")
    made = Services(
        store, SessionStore(limits), limits, computing, measuring, Scheduler(computing), texts, heavy,
        AttentionCache(limits.reading_bytes), jobs, device=DEVICE,
    )  # fmt: skip
    yield made
    made.close()
