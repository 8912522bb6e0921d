"""Which model each tab works with, said in the same place on every tab."""

from __future__ import annotations

from ui.services import Services
from ui.state.model_store import title_of

ABOVE = "the model above"


def model_lines(services: Services, model: object, shape: object = ABOVE, asked: object = ABOVE) -> list[str]:
    """A line for each tab, in their order.

    Args:
        services: for the titles of models that were trained here.
        model: in the picker.
        shape: what the Parameters tab starts from, ABOVE or a preset.
        asked: the model that the Zero-shot tab asks, ABOVE or a name.
    """
    picked = title(services, model)
    above = f"(picked above: {picked})"
    return [
        f"Model on this tab: {picked}",
        f"Model on this tab: {picked}; Chat: its own",
        f"Model on this tab: {picked}",
        f"Model on this tab: {picked}" if shape == ABOVE else f"Model on this tab: {shape} {above}",
        f"Model on this tab: a new one; Fine-tune, Labels and Assistant: {picked}",
        f"Model on this tab: {picked}"
        if asked in (ABOVE, model)
        else f"Model on this tab: {title(services, asked)} {above}",
    ]


def title(services: Services, name: object) -> str:
    """What people call a model: its name, the title of the run that trained it here, or its file's name."""
    record, workspace = services.run_manager.find(name), services.run_manager.workspace_of(name)
    if record is None and workspace is not None:
        return workspace.models[str(name)].name
    return record.facts.title if record is not None else title_of(str(name))
