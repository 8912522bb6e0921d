"""Which model each tab works with, said on a tab where it is not, or not only, the one in the
picker.
"""

import html

from ui.services import Services
from ui.state.model_store import title_of
from ui.views import TAB_NAMES

ABOVE = "the model above"


def model_lines(
    services: Services, model: object, shape: object = ABOVE, zero_shot_model: object = ABOVE
) -> list[str]:
    """A line of HTML for each tab, in their order; not shown where all of the tab works with the
    picker's model.

    Args:
        shape: what the Parameters tab starts from, ABOVE or a preset.
        zero_shot_model: the model that the Zero-shot tab asks, ABOVE or a name.
    """
    picked = title(services, model)
    above = f"(picked above: {picked})"
    others = {
        "parameters": "" if shape == ABOVE else f"{shape} {above}",
        "train": f"a new one; Continue: {picked}",
        "zero-shot": ""
        if zero_shot_model in (ABOVE, model)
        else f"{title(services, zero_shot_model)} {above}",
    }
    return [_line(others.get(tab, ""), picked) for tab in TAB_NAMES]


def _line(other: str, picked: str) -> str:
    sentence = html.escape(f"Model on this tab: {other or picked}")
    return sentence if other else f"<span hidden>{sentence}</span>"


def title(services: Services, name: object) -> str:
    """Returns a model's display name: its own, the title of the run that trained it here, or its
    file's name.
    """
    record = services.workspaces.find(name)
    workspace = services.workspaces.holder(name)
    if record is None and workspace is not None:
        return workspace.models[str(name)].name
    return record.facts.title if record is not None else title_of(str(name))
