"""Services around a tiny model: handlers are tested without Gradio, a network or the bundled
weights.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gptcore import LanguageModel
from tiny import DEVICE, make_language_model
from ui.services import Services, make_services
from ui.state.broadcasts import SpokenTalk
from ui.state.limits import PROFILES, Limits
from ui.state.model_store import ModelStore

make_services.__kwdefaults__["device"] = DEVICE


@pytest.fixture(scope="session")
def tiny_lm() -> LanguageModel:
    return make_language_model()


@pytest.fixture(scope="session")
def bundled() -> Iterator[Services]:
    """The bundled models, the mini open: for tests that leave them as they are."""
    talk = SpokenTalk(
        "?tab=start\nA scene.", ("Nobody but the speaker reads this.",), "key-of-the-talk"
    )
    made = make_services(model="mini", offline=True, talk=talk)
    made.models.get("mini")
    yield made
    made.close()


@pytest.fixture
def services(tiny_lm, monkeypatch) -> Iterator[Services]:
    limits = Limits(max_new_tokens=150, max_prompt_chars=500, max_score_chars=500)
    monkeypatch.setitem(PROFILES, "tests", limits)
    made = make_services(limits=PROFILES["tests"], model="tiny", offline=True)

    def loader(*_, **__):
        return tiny_lm

    trained = made.run_manager.workspaces.language_model
    store = ModelStore(
        limits, offline=True, default="tiny", loader=loader, trained=trained, device=DEVICE
    )
    yield replace(made, models=store)
    made.close()
