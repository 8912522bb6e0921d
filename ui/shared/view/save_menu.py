"""Save menu: the file formats of a panel behind one button."""

from html import escape

_KINDS = {"txt": "Text, .txt", "csv": "Table, .csv", "json": "Data, .json"}
_KINDS |= {"png": "Picture, .png", "svg": "Drawing, .svg"}


def save_menu(*kinds: str, **others: str) -> str:
    """HTML of the menu: file extensions, then other actions with their labels; a plain button if
    there is only one.
    """
    entries = {kind: _KINDS[kind] for kind in kinds} | others
    if len(entries) == 1:
        return "".join(
            _button(do, f"Save {name[:1].lower()}{name[1:]}") for do, name in entries.items()
        )
    buttons = "".join(_button(do, name) for do, name in entries.items())
    return f'<details class="lens-save"><summary class="button u-row">Save</summary><div class="u-panel">{buttons}</div></details>'


def _button(do: str, name: str) -> str:
    return f'<button type="button" data-do="{do}">{escape(name)}</button>'
