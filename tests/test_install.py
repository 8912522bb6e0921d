"""The core can be installed alone, and importing it does nothing else."""

import os
import re
import shutil
import subprocess
import tomllib
from importlib.util import find_spec

import pytest

import gptcore
from tests.tools.imports import ROOT as PROJECT
from tiny import ROOT, ran

FOLDER = ROOT / "gptcore"
SETTINGS = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))
# Says what an import has changed: the environment, torch's threads, files, threads of its own.
WATCHED = """
import os, pathlib, sys, threading, torch
def state():
    torch_s = torch.get_num_threads(), torch.get_default_dtype()
    return dict(os.environ), threading.active_count(), torch_s
before = state()
import gptcore
after = state()
foreign = ("transformers", "gradio", "plotly", "matplotlib", "pandas")
slow = [name for name in foreign if name in sys.modules]
print(before == after, slow, sorted(path.name for path in pathlib.Path.cwd().iterdir()))
"""


def test_the_library_lists_all_its_packages_files_and_names():
    packages = {
        ".".join(file.parent.relative_to(ROOT).parts) for file in FOLDER.rglob("__init__.py")
    }
    assert set(SETTINGS["tool"]["setuptools"]["packages"]) == packages
    suffixes = {
        pattern.lstrip("*") for pattern in SETTINGS["tool"]["setuptools"]["package-data"]["*"]
    }
    files = [
        file for file in FOLDER.rglob("*") if file.is_file() and "__pycache__" not in file.parts
    ]
    data = [
        file
        for file in files
        if file.suffix not in (".py", ".md") and file.name != "pyproject.toml"
    ]
    assert data and all(file.suffix in suffixes or file.name in suffixes for file in data)
    assert all(hasattr(gptcore, name) for name in gptcore.__all__)
    public = {
        name
        for name, thing in vars(gptcore).items()
        if getattr(thing, "__module__", "").startswith("gptcore")
    }
    assert {name for name in public if not name.startswith("_")} | {"PRESETS"} == set(
        gptcore.__all__
    )


def test_the_library_names_what_it_imports_with_lower_bounds():
    project = SETTINGS["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(name for extra in extras for name in extra)]
    assert all(re.fullmatch(r"[a-z-]+>=[\d.]+", item) for item in wanted)
    named = {item.partition(">=")[0].replace("-", "_") for item in wanted}
    code = "\n".join(file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.py"))
    imported = set(re.findall(r"^ *(?:import|from) (\w+)", code, re.MULTILINE))
    assert imported & {"gradio", "plotly", "matplotlib", "ui", "weights"} == set()
    assert {
        name
        for name in imported
        if find_spec(name) and "site-packages" in str(find_spec(name).origin)
    } == named


def test_an_import_changes_nothing(tmp_path):
    done = ran("-c", WATCHED, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    assert done.stdout.strip() == "True [] []"


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("setuptools") is None, reason="setuptools, which builds the package, is not installed"
)
def test_the_library_alone_is_installed_typed_and_works_from_any_folder(tmp_path):
    source, target, elsewhere = (tmp_path / name for name in ("gptcore", "site", "elsewhere"))
    elsewhere.mkdir()
    shutil.copytree(
        FOLDER, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    )
    install = [
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(target),
        str(source),
    ]
    ran("-m", "pip", *install, check=True)
    assert [path.name for path in target.iterdir() if path.suffix != ".dist-info"] == ["gptcore"]
    files = {
        file.relative_to(source)
        for file in source.rglob("*.*")
        if file.suffix not in (".toml", ".md", ".pyc")
    }
    files = {
        file
        for file in files
        if "build" not in file.parts and not str(file).startswith("gptcore.egg-info")
    }
    assert files <= {
        file.relative_to(target / "gptcore") for file in (target / "gptcore").rglob("*.*")
    }
    env = {**os.environ, "PYTHONPATH": str(target)}
    code = "import gptcore; print(gptcore.__file__, gptcore.bundled_models()); gptcore.load()"
    done = ran("-c", code, cwd=elsewhere, env=env)
    assert done.stdout.split() == [str(target / "gptcore" / "__init__.py"), "{}"]
    assert "There is no model 'mini'. Choose gpt1, gpt2" in done.stderr
    copied = shutil.copytree(PROJECT / "weights" / "induction", tmp_path / "induction")
    writes = "len(list(gptcore.generate(lm, 'abcabc', max_new_tokens=5)))"
    code = f"import gptcore; lm = gptcore.load({str(copied)!r}); print({writes})"
    assert ran("-c", code, cwd=elsewhere, env=env, check=True).stdout.split() == ["5"]
    typed = ran(
        "-m", "pyright", "--verifytypes", "gptcore", "--ignoreexternal", cwd=elsewhere, env=env
    )
    assert "Type completeness score" in typed.stdout, typed.stdout[-500:]
    untyped = [
        line for line in typed.stdout.splitlines() if "error:" in line and "/examples/" not in line
    ]
    assert untyped == []


def test_git_changes_no_line_ends_in_any_file():
    """Neither in a clone for Windows: the checksums of the bundled files would not fit."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("this is no git checkout")
    asked = ["git", "-C", ROOT, "check-attr", "-z", "--stdin", "text"]
    told = subprocess.run(
        asked, input=listed.stdout, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    assert len(told) > 1000 and set(told[2::3]) == {"unset"}
