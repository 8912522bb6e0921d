"""The README is true: its code runs, its commands are those that are tested, its versions are the pinned ones."""

import re
from pathlib import Path

import gptcore

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Where each command of the README is run.
TESTED = {
    "pip install -r requirements.txt && python app.py": ".ci/run",
    "pip install -r tests/requirements.txt && pytest": ".ci/run",
    "python app.py --help": "tests/test_readme.py",
    "python -m gptcore.training --help": "tests/test_readme.py",
    "python -m gptcore.zero_shot --model world": "tests/test_readme.py",
    "python -m gptcore.corpora --pages 1000": "tests/test_readme.py",
    "python -m gptcore.evaluation mini --text stories.txt": "tests/test_readme.py",
    "python -m gptcore.training.writing": "tests/test_readme.py",
    "python tests/benchmarks/presets.py": "tests/test_readme.py",
    "python tests/benchmarks/decode.py": "tests/test_readme.py",
    "python tests/benchmarks/attention.py": "tests/test_readme.py",
    "python tests/benchmarks/page.py": "tests/test_readme.py",
    "python tests/benchmarks/zero_shot.py": "tests/test_readme.py",
    "python tests/benchmarks/training.py --page": "tests/test_readme.py",
    "python tests/benchmarks/sentiment.py rows.tsv": "tests/test_readme.py",
}


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    return [body for kind, body in fenced if kind == language]


def test_every_shell_command_is_one_that_is_tested():
    commands = [line for block in blocks("bash") for line in block.splitlines() if line]
    inline = re.findall(r"`(python [^`]+)`", README)
    for command in [*commands, *inline]:
        assert command in TESTED, f"{command} is in the README and tested nowhere"
    ci = (ROOT / ".ci" / "run").read_text()
    for command, place in TESTED.items():
        if place == ".ci/run":
            assert all(part in ci for part in command.split(" && "))


def test_the_python_example_runs_and_writes(capsys):
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - this is the test
    assert len(capsys.readouterr().out) > 20


def test_help_texts_and_benchmarks_start():
    import subprocess
    import sys

    for command, place in TESTED.items():
        if place != "tests/test_readme.py":
            continue
        arguments = [*command.removeprefix("python ").replace(" --help", "").split(), "--help"]
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0 and "--" in done.stdout, (command, done.stderr[-500:])


def test_the_space_uses_the_pinned_gradio():
    pins = dict(re.findall(r"^([\w-]+)==([\w.]+)$", (ROOT / "requirements.txt").read_text(), flags=re.MULTILINE))
    assert f'sdk_version: "{pins["gradio"]}"' in README
    every = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line]
    assert len(pins) == len(every), "every requirement is pinned exactly"


def test_the_counts_in_the_readme_are_those_of_the_presets():
    import torch

    for preset in ("gpt1", "gpt1-preln", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"):
        with torch.device("meta"):
            count = sum(p.numel() for p in gptcore.GPT(gptcore.PRESETS[preset]).parameters())
        assert f"{count:,}" in README


def test_files_named_in_the_tree_exist():
    tree = next(block for block in blocks("") if block.startswith("app.py"))
    for name in re.findall(r"^(\S+?/?)(?:\s|$)", tree, flags=re.MULTILINE):
        if name:
            assert (ROOT / name).exists(), name
    for name in re.findall(r"`((?:ui|gptcore|weights)/[\w./]+)`", README):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\(((?:ui|weights)/[\w./]+|LICENSE)\)", README):
        assert (ROOT / name).exists(), name
