"""`pip install .` brings all that the app and the core need, weights included."""

import os
import shutil
import subprocess
from importlib.util import find_spec

import pytest

from tiny import ROOT, ran


@pytest.mark.slow
@pytest.mark.skipif(find_spec("setuptools") is None, reason="setuptools, which builds the package, is not installed")
def test_an_installed_package_has_every_file_and_works_from_any_folder(tmp_path):
    source, target = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    for folder in ("gptcore", "ui", "weights"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("app.py", "pyproject.toml", "README.md", "LICENSE", "requirements.txt"):
        shutil.copy(ROOT / file, source / file)
    install = ["install", "-q", "--no-deps", "--no-build-isolation", "--target", str(target), str(source)]
    ran("-m", "pip", *install, check=True)
    files = [file for folder in ("gptcore", "ui", "weights") for file in (source / folder).rglob("*.*")]
    there = {file.relative_to(target) for file in target.rglob("*.*")}
    assert {file.relative_to(source) for file in files if file.is_file()} <= there
    code = "import gptcore; print(gptcore.__file__, gptcore.load().name)"
    done = ran("-c", code, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)}, check=True)
    assert done.stdout.split() == [str(target / "gptcore" / "__init__.py"), "mini"]
    assert (target / "bin" / "gpt-lens").is_file()


def test_git_changes_no_line_ends_in_any_file():
    """Neither in a clone for Windows: the checksums of the bundled files would not fit."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    asked = ["git", "-C", ROOT, "check-attr", "-z", "--stdin", "text"]
    told = subprocess.run(asked, input=listed.stdout, capture_output=True, text=True, check=True).stdout.split("\0")
    assert len(told) > 1000 and set(told[2::3]) == {"unset"}
