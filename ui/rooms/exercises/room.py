"""The exercises, on every tab: a bar with a question, a field and the page's own check."""

from ui.rooms.exercises.handlers import checking
from ui.services import Services
from ui.shared.files import component
from ui.shared.wiring import served


def exercises(services: Services) -> None:
    """Lays out their bar, which shows nothing until an exercise is opened, and has no value."""
    asked = served(
        services, checking.exercises, checking.check, checking.solution, checking.results
    )
    view = "rooms/exercises/view/exercises_view.js"
    component("", "<div></div>", view, needs=(), server_functions=asked, elem_id="exercises")
