"""The exercises, on every tab."""

from ui.rooms.exercises.handlers import checking
from ui.rooms.exercises.view.exercises_view import exercises_view
from ui.services import Services
from ui.shared.wiring import served


def exercises(services: Services) -> None:
    """Lays out their bar, which is open on no tab at first, and wires it."""
    exercises_view(
        server_functions=served(services, checking.exercises, checking.check, checking.solution), elem_id="exercises"
    )
