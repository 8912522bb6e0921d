"""Lays out the count of a shape's parameters."""

from gptcore.errors import GPTCoreError
from ui.errors import shown_to_visitor
from ui.lenses.parameters.count.templates import BREAKDOWN
from ui.lenses.parameters.handlers import shapes
from ui.lenses.parameters.handlers.colours import PARTS
from ui.shared import sheets
from ui.shared.files import component
from ui.shared.site import Asked, Site
from ui.shared.wiring import QUIET


def lay_out(site: Site[None]) -> None:
    """Lays out the view and wires it."""
    models = site.services.models
    table = component(
        shapes.breakdown(models.get(models.default).model.config),
        BREAKDOWN,
        "lenses/parameters/count/view.js",
        needs=shapes.NEEDS,
        asks="always",
        given={"hues": list(PARTS.values())},
        elem_id="breakdown",
    )
    options = {"queue": False, **QUIET}
    site.fields.keep(table, Asked(_count, shapes.FIELDS, [table], options=options))


def _count(*values: object) -> str:
    with shown_to_visitor():
        try:
            return shapes.breakdown(shapes.shape_of(values))
        except (
            GPTCoreError
        ) as error:  # in the view's place: a notice at every move of a slider is a nuisance
            return sheets.message(str(error))
