"""What every handler is given: the models, the visitors and the limits."""

from __future__ import annotations

from dataclasses import dataclass

from ui.limits import PROFILES, Limits
from ui.model_store import ModelStore
from ui.sessions import SessionStore


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits


def make_services(*, profile: str = "local", model: str = "mini", offline: bool = False) -> Services:
    """The services for a profile: "local", "talk" or "space"."""
    limits = PROFILES[profile]
    return Services(ModelStore(limits, offline=offline, default=model), SessionStore(limits), limits)
