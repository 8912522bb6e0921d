"""The READMEs are true: their code runs, their commands, files and numbers exist; and the lock is
the requirements'.
"""

import json
import re

import pytest

import gptcore
from gptcore import language_model
from gptcore.errors import HubError
from gptcore.tokenizers import loading
from tiny import ROOT, ran

README = (ROOT / "README.md").read_text(encoding="utf-8")
CORE = (ROOT / "gptcore" / "README.md").read_text(encoding="utf-8")
RECIPES = (ROOT / "weights" / "recipes" / "README.md").read_text(encoding="utf-8")
MEASURED = "".join(
    file.read_text(encoding="utf-8")
    for file in sorted((ROOT / "tests" / "benchmarks").glob("*.md"))
)
# Where commands of the READMEs are run; of all others the help is asked for below.
TESTED = {
    "pip install -r requirements.txt && python app.py": ".ci/run",
    "pip install -r tests/requirements.txt && pytest": ".ci/run",
    "python app.py --check": "tests/test_readiness.py",
    "python app.py --root-path /lens": "tests/e2e/test_page_in_browser.py",
    "python app.py --mcp": "tests/compat/test_programs.py",
    "python app.py --prefetch gpt2": "tests/test_readiness.py",
    "python app.py --profile space --allow-host lens.example.org --behind-proxy": (
        "tests/test_app.py"
    ),
    "python -m gptcore.examples.read_attention": "tests/test_examples.py",
    "python -m weights.recipes.assistant --stories stories.txt --out assistant --work-dir work": (
        "tests/finetuning"
    ),
    "python -m weights.recipes.freeze": "tests/recipes/test_freeze.py",
    "python tests/tools/space_check.py URL": "tests/test_app.py",
}


def blocks(language: str, text: str = README) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [body for kind, body in fenced if kind == language]


def commands() -> set[str]:
    """All that the READMEs name."""
    lines = {line for block in blocks("bash") for line in block.splitlines() if line}
    inline = re.findall(
        r"`(python\s+(?:-m|\w+\.py|tests/)[^`]+)`", README + CORE + RECIPES + MEASURED
    )
    return lines | {" ".join(item.split()) for item in inline}


def test_commands_that_are_run_elsewhere_are_in_a_readme_and_those_of_the_set_up_in_ci():
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command, place in TESTED.items():
        assert command in commands() and (ROOT / place).exists()
        assert place != ".ci/run" or all(part in ci for part in command.split(" && "))


def test_the_python_example_runs_and_writes(capsys):
    for block in [*blocks("python"), *blocks("python", CORE)]:
        if "gradio_client" in block:  # asks a running app: tests/ui/test_api_reference.py runs it
            continue
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - this is the test
    assert len(capsys.readouterr().out) > 20


# Prints every command's help in one process: torch and gradio are imported once, not by each.
HELP = """
import contextlib, io, json, runpy, sys
for command in json.loads(sys.argv[1]):
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            if command[0] == "-m":
                sys.argv, sys.path[0] = [*command[1:], "--help"], ""
                runpy.run_module(command[1], run_name="__main__", alter_sys=True)
            else:
                sys.argv, sys.path[0] = [*command, "--help"], command[0].rpartition("/")[0]
                runpy.run_path(command[0], run_name="__main__")
        raise AssertionError(f"{command}: it went on after its help")
    except SystemExit as end:
        assert not end.code and "--" in told.getvalue(), (command, end.code, told.getvalue())
print("all")
"""


@pytest.mark.slow
def test_help_texts_and_benchmarks_start():
    others = sorted(commands() - set(TESTED))
    given = [command.removeprefix("python ").replace(" --help", "").split() for command in others]
    done = ran("-c", HELP, json.dumps(given))
    assert len(given) > 10 and done.returncode == 0 and done.stdout.split() == ["all"], done.stderr[
        -1500:
    ]


def test_the_space_uses_the_pinned_gradio():
    wanted = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert f'sdk_version: "{pins(wanted)["gradio"]}"' in README
    assert len(pins(wanted)) == len(wanted.splitlines()), "every requirement is pinned exactly"


def test_a_space_loads_beforehand_what_gpt2_opens_with(monkeypatch, tmp_path):
    asked = []

    def ask(repository, file, **_):
        asked.append(file)
        if file == "vocab.json":
            raise HubError("enough")
        return tmp_path / file

    monkeypatch.setattr(language_model, "fetch", ask)
    monkeypatch.setattr(loading, "fetch", ask)
    monkeypatch.setattr(loading, "_tiktoken_cached", lambda: False)
    monkeypatch.setattr(language_model, "read_config", lambda _: gptcore.PRESETS["gpt2"])
    monkeypatch.setattr(language_model, "model_from_files", lambda *_: None)
    with pytest.raises(HubError, match="enough"):
        gptcore.load("gpt2")
    assert f'"openai-community/gpt2 {",".join(asked)}"' in README


def test_the_counts_in_the_readme_are_those_of_the_presets():
    import torch

    for preset in ("gpt1", "gpt1-preln", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"):
        with torch.device("meta"):
            count = sum(p.numel() for p in gptcore.GPT(gptcore.PRESETS[preset]).parameters())
        assert f"{count:,}" in README


def test_files_named_in_the_readmes_exist():
    tree = next(block for block in blocks("") if block.startswith("app.py"))
    for name in re.findall(r"^ *((?:[\w.]+(?:\.py|/) ?)+)", tree, flags=re.MULTILINE):
        for part in name.split():
            assert (
                list(ROOT.glob(part))
                or list(ROOT.glob(f"gptcore/{part}"))
                or list(ROOT.glob(f"ui/{part}"))
            ), part
    for name in re.findall(
        r"\b([\w]+\.py|^\w+/)", next(iter(blocks("", CORE))), flags=re.MULTILINE
    ):
        assert (ROOT / "gptcore" / name).exists(), name
    for name in re.findall(r"`((?:ui|gptcore|weights)/[\w./]+)`", README):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\(((?:ui|weights|gptcore|tests)/[\w./]+|LICENSE)\)", README):
        assert (ROOT / name).exists(), name


_PIN = re.compile(r"^([a-zA-Z0-9_.-]+)==([^\s\\;]+)", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    """Versions by the names of packages."""
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in _PIN.findall(text)}


def test_every_requirement_is_locked_at_its_version_and_everything_locked_has_a_hash():
    wanted = pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    lock = (ROOT / ".ci" / "requirements.lock").read_text(encoding="utf-8")
    locked = pins(lock)
    assert len(wanted) > 10 and wanted.items() <= locked.items()
    entries = re.split(r"^(?=[a-zA-Z0-9_.-]+==)", lock, flags=re.MULTILINE)[1:]
    assert len(entries) >= len(locked) and all("--hash=sha256:" in entry for entry in entries)
    # Of a package with a build for each system and Python, more than one file is known; a second
    # version has a marker.
    (torch,) = [entry for entry in entries if entry.startswith("torch==")]
    assert torch.count("--hash=") > 10
    names = [re.match(r"[^=]+", entry)[0] for entry in entries]
    twice = [entry for entry in entries if names.count(re.match(r"[^=]+", entry)[0]) > 1]
    assert all("python_full_version" in entry.partition("\\")[0] for entry in twice)
    assert "://" not in lock
