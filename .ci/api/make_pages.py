"""Makes an API page for each public module of the library, while mkdocs builds."""

from pathlib import Path

import mkdocs_gen_files

_LIBRARY = Path(__file__).resolve().parents[2] / "gptcore"
_LEFT_OUT = {"examples", "build"}

for file in sorted(_LIBRARY.rglob("*.py")):
    parts = file.relative_to(_LIBRARY).with_suffix("").parts
    if parts[0] in _LEFT_OUT or (parts[-1].startswith("_") and parts[-1] != "__init__"):
        continue
    is_package = parts[-1] == "__init__"
    name = ".".join(("gptcore", *(parts[:-1] if is_package else parts)))
    stem = Path("api", *name.split("."))
    page = stem / "index.md" if is_package else stem.with_suffix(".md")
    with mkdocs_gen_files.open(page.as_posix(), "w") as target:
        print(f"::: {name}", file=target)
