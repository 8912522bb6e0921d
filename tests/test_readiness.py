"""`python app.py --check` and `--prefetch`: what a talk with no network can count on."""

import re
import socket
from types import SimpleNamespace

import pytest

import app
from gptcore import GPTConfig, LanguageModel
from gptcore.errors import CheckpointError
from gptcore.language_model import bundled_models
from gptcore.tokenizers import CharTokenizer
from tiny import make_model, ran
from ui.server import preflight
from ui.server.preflight import check, prefetch
from ui.state.limits import Limits
from ui.state.model_store import ModelStore


def store(broken: str = "") -> ModelStore:
    shape = GPTConfig(vocab_size=30, n_positions=128, n_embd=16, n_layer=1, n_head=2)
    letters = CharTokenizer(
        sorted(set("Once upon a time, there was a little fox who lived in the forest."))
    )
    model = make_model(GPTConfig(**{**shape.to_dict(), "vocab_size": letters.vocab_size}))

    def load(name, **_):
        if name == broken:
            raise CheckpointError(f"{name} is damaged.")
        return LanguageModel(model, letters, name)

    return ModelStore(Limits(), offline=True, default="mini", loader=load)


@pytest.mark.slow
def test_the_command_says_what_is_ready_on_this_machine():
    done = ran("app.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    for name in bundled_models():
        assert f"ready    {name}: " in done.stdout
    assert re.search(r"a run of 30 s makes about [\d,]+ updates here: ", done.stdout)
    assert "tokens a second" in done.stdout and "Ready for a talk with no network." in done.stdout


def test_a_damaged_model_and_a_taken_port_are_missing():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = list(check(store("world"), host="127.0.0.1", port=taken.getsockname()[1]))
    missing = [finding.sentence for finding in found if finding.state == "MISSING"]
    assert len(missing) == 2 and "world is damaged" in missing[0] and "is taken" in missing[1]


@pytest.mark.parametrize(
    ("free", "is_enough", "said"),
    [
        (12_340_000_000, True, "12.3 GB are free for temporary files in"),
        (preflight._NEEDED_BYTES, True, "GB are free"),
        (preflight._NEEDED_BYTES - 1, False, "; files to save need up to "),
    ],
)
def test_the_room_for_files_is_told_and_what_they_need(monkeypatch, free, is_enough, said):
    monkeypatch.setattr(preflight.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    found = preflight._room()
    assert found.ready == is_enough and said in found.sentence
    needed = f"need up to {preflight._NEEDED_BYTES // 10**6:,.0f} MB"
    assert is_enough or found.sentence.endswith(needed)


def test_a_model_that_is_not_here_is_named_with_the_way_to_get_it():
    models = store()
    found = list(check(models, host="127.0.0.1", port=None))
    absent = {choice.name for choice in models.choices() if not choice.cached} - set(
        bundled_models()
    )
    named = [finding.sentence for finding in found if finding.state == "not here"]
    assert len(named) == len(absent) and all(
        any(f"--prefetch {name}" in said for said in named) for name in absent
    )
    assert all(finding.state != "MISSING" for finding in found)


def test_a_prefetch_opens_the_model_or_says_that_there_is_no_network(capsys):
    assert prefetch(store(), "mini", print).startswith("mini is on this machine: ")
    assert app._prepare(app.parse_arguments(["--prefetch", "nobody/nothing", "--offline"])) == 1
    assert capsys.readouterr().err.startswith("error: ")
