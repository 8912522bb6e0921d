"""Writes the types of all `payloads` modules for the components' JavaScript: `python -m
tests.tools.payload_types`.

Server functions are found by their requests, annotated `Annotated[object, X]`; `Annotated[str, X]`
is JSON of X.
"""

import inspect
import pkgutil
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from typing_extensions import get_original_bases, is_typeddict

import ui
import ui.lenses
import ui.rooms

FILE = Path(ui.__file__).parent / "shared" / "view" / "payloads.d.ts"
_PLAIN = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    None: "null",
    Any: "any",
}
_HEAD = """\
// Written by `python -m tests.tools.payload_types` from the `payloads` modules; do not edit.

// A text that is JSON of T.
export type Json<T> = string & {readonly of?: T};
"""


def written() -> str:
    """The declarations: a type for every payload, and the functions of every tab's server."""
    parts = [_HEAD]
    for module in (item for item in _modules(ui) if item.__name__.endswith(".payloads")):
        for name, value in vars(module).items():
            if is_typeddict(value) and value.__module__ == module.__name__:
                parts.append(_interface(name, value))
    for tab, functions in sorted(servers().items()):
        lines = [
            f"  {name}(request: {request}): Promise<{answer}>;\n"
            for name, found in sorted(functions.items())
            for request, answer in [_signature(found)]
        ]
        parts.append(f"export interface {tab}Server {{\n{''.join(lines)}}}\n")
    return "\n".join(parts)


def _modules(package: types.ModuleType) -> Iterator[types.ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield import_module(found.name)


def _interface(name: str, value: type) -> str:
    doc = inspect.cleandoc(value.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    described = f"// {doc}\n" if doc and not doc.startswith("dict(") else ""
    bases = [base for base in get_original_bases(value) if is_typeddict(base)]
    inherited = {field for base in bases for field in base.__annotations__}
    fields = []
    for field, hint in get_type_hints(value, include_extras=True).items():
        if field in inherited:
            continue
        optional = get_origin(hint) is NotRequired
        fields.append(
            f"  {field}{'?' if optional else ''}: "
            f"{_type(get_args(hint)[0] if optional else hint)};\n"
        )
    extends = f" extends {', '.join(base.__name__ for base in bases)}" if bases else ""
    return f"{described}export interface {name}{extends} {{\n{''.join(fields)}}}\n"


def _type(hint: Any) -> str:
    """A Python type in TypeScript."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_typeddict(hint):
        return hint.__name__
    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        base, meant = arguments
        return f"Json<{_type(meant)}>" if base is str else _type(meant)
    if origin is Literal:
        return " | ".join(f"'{argument}'" for argument in arguments)
    if origin is list:
        inner = _type(arguments[0])
        several = get_origin(arguments[0]) in (types.UnionType, Union, Literal)
        return f"({inner})[]" if several else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(_type, arguments))}]"
    if origin is dict:
        return f"Record<string, {_type(arguments[1])}>"
    if origin in (types.UnionType, Union):
        return " | ".join(map(_type, arguments))
    raise TypeError(f"{hint} has no counterpart")


def servers() -> dict[str, dict[str, list[Callable[..., object]]]]:
    """Tab -> name -> server functions of that name."""
    found: dict[str, dict[str, list[Callable[..., object]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for package in (ui.lenses, ui.rooms):
        for module in _modules(package):
            tab = "".join(part.capitalize() for part in module.__name__.split(".")[2].split("_"))
            for name, function in vars(module).items():
                if (
                    inspect.isfunction(function)
                    and function.__module__ == module.__name__
                    and _request(function)
                ):
                    found[tab][name].append(function)
    return found


def _request(function: Callable[..., object]) -> Any:
    """The annotation of a server function's request; None for all other functions."""
    if "request" not in inspect.signature(function).parameters or function.__name__.startswith("_"):
        return None
    hint = get_type_hints(function, include_extras=True).get("request")
    return hint if get_origin(hint) is Annotated else None


def _signature(functions: list[Callable[..., object]]) -> tuple[str, str]:
    hints = [get_type_hints(function, include_extras=True) for function in functions]
    both = (dict.fromkeys(_type(hint[key]) for hint in hints) for key in ("request", "return"))
    request, answer = (" | ".join(names) for names in both)
    return request, answer


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
    sys.stdout.write(f"{FILE.name}: written\n")
