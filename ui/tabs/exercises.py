"""The exercises, on every tab."""

from __future__ import annotations

from ui.components.exercises.exercises_view import exercises_view
from ui.handlers.exercises import checking
from ui.services import Services
from ui.tabs.wiring import served


def exercises(services: Services) -> None:
    """Lays out their bar, which is open on no tab at first, and wires it."""
    exercises_view(
        server_functions=served(services, checking.exercises, checking.check, checking.solution), elem_id="exercises"
    )
