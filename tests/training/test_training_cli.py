"""Training from the shell, in one process and in several."""

import io
import json
import os
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields
from pathlib import Path

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.errors import TrainingError
from gptcore.tokenizers import load_tokenizer
from gptcore.training import TrainingConfig
from gptcore.training import __main__ as training
from gptcore.training.__main__ import main
from gptcore.training.arguments import parse_arguments
from gptcore.weights.checkpoint import read_tensors
from tiny import ROOT, ran

TRAIN = [sys.executable, "-m", "gptcore.training"]
TORCHRUN = [
    sys.executable,
    "-m",
    "torch.distributed.run",
    "--standalone",
    "--nproc-per-node",
    "2",
    *TRAIN[1:],
]
GIVEN = ["--repeated", "abcd", "--out", "out", "--work-dir", "work", "--device", "cpu"]
SMALL = [
    "--preset",
    "nano",
    "--vocab-size",
    "270",
    "--batch-size",
    "4",
    "--warmup-steps",
    "1",
    "--device",
    "cpu",
]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """What the shell would see; a command of one process runs in this one, which has torch
    imported.
    """
    if command[: len(TRAIN)] != TRAIN:
        return ran(*command[1:])
    out = io.StringIO()
    err = io.StringIO()
    handlers = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main(command[len(TRAIN) :])
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)
    return subprocess.CompletedProcess(command, status, out.getvalue(), err.getvalue())


def rows(folder: Path) -> list[dict]:
    return [
        json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def losses(folder: Path) -> list[float]:
    return [row["loss"] for row in rows(folder) if "loss" in row]


@pytest.fixture
def text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("The cat sat on the mat. The dog ran to the cat.\n" * 60, encoding="utf-8")
    return file


@pytest.mark.slow
def test_the_command_line_trains_a_model_that_loads_and_writes(tmp_path, text):
    command = [
        *TRAIN,
        "--corpus",
        f"{text}=1.0",
        "--valid",
        str(text),
        *SMALL,
        "--max-steps",
        "4",
        "--eval-every",
        "2",
    ]
    command += ["--out", str(tmp_path / "out"), "--work-dir", str(tmp_path / "run")]
    done = run(command)
    assert done.returncode == 0, done.stderr
    lm = gptcore.load(tmp_path / "out")
    assert (
        len(list(gptcore.generate(lm, "The cat", max_new_tokens=5, seed=0, stop_at_end=False))) == 5
    )
    assert [row["step"] for row in rows(tmp_path / "run") if "loss" in row] == [1, 2, 3, 4]
    broken = run([*command[:4], "nowhere.txt", *command[5:], "--overwrite"])
    assert broken.returncode == 1 and "nowhere.txt cannot be read" in broken.stderr
    assert "Traceback" not in broken.stderr


@pytest.mark.slow
def test_the_command_line_trains_a_shape_from_a_file_on_repeated_characters(tmp_path):
    shape = GPTConfig(vocab_size=99, n_positions=16, n_embd=16, n_layer=1, n_head=2, use_mlp=False)
    config = tmp_path / "config.json"
    config.write_text(json.dumps(shape.to_dict()), encoding="utf-8")
    command = [
        *TRAIN,
        "--repeated",
        "abcdefgh",
        "--periods",
        "2",
        "8",
        "--config",
        str(config),
        "--max-steps",
        "3",
    ]
    command += [
        "--batch-size",
        "2",
        "--out",
        str(tmp_path / "out"),
        "--work-dir",
        str(tmp_path / "run"),
    ]
    done = run(command)
    assert done.returncode == 0, done.stderr
    made = gptcore.load(tmp_path / "out")
    assert (
        made.model.config.n_embd == 16
        and made.model.config.vocab_size == 8
        and not made.model.config.use_mlp
    )
    config.write_text("[]", encoding="utf-8")
    broken = run(command)
    assert (
        broken.returncode == 1
        and "holds no shape" in broken.stderr
        and "Traceback" not in broken.stderr
    )


def test_the_papers_settings_are_defaults_that_can_be_overruled():
    command = ["--corpus", "anthology", "--out", "o", "--work-dir", "r", "--paper", "gpt1"]
    options = parse_arguments([*command, "--batch-size", "8"])
    assert (options.learning_rate, options.warmup_steps, options.schedule) == (
        2.5e-4,
        2000,
        "cosine",
    )
    assert options.batch_size == 8 and parse_arguments(command).batch_size == 64
    found = parse_arguments(command)
    assert (found.preset, found.vocab_size, found.epochs) == ("gpt1", 40478, 100)
    assert (found.dropout, found.attention_dropout) == (0.1, 0.1)
    assert parse_arguments([*command, "--preset", "nano", "--epochs", "2"]).preset == "nano"


def test_the_help_explains_every_field(capsys):
    with pytest.raises(SystemExit):
        parse_arguments(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    for field in fields(TrainingConfig):
        option = "--" + field.name.replace("_", "-")
        words = said.partition(f"{option} {field.name.upper()} ")[2]
        assert len(words.partition("(default")[0].split()) > 2, option
    assert "both optimisers, on matrices only" in said


def test_the_vocabulary_does_not_know_the_held_out_text(tmp_path, text):
    valid = tmp_path / "valid.txt"
    valid.write_text("zyzzyva zyzzyva zyzzyva " * 200, encoding="utf-8")
    command = [*TRAIN, *SMALL, "--corpus", str(text), "--valid", str(valid), "--max-steps", "1"]
    assert (
        run([*command, "--out", str(tmp_path / "o"), "--work-dir", str(tmp_path / "r")]).returncode
        == 0
    )
    tokenizer = gptcore.load(tmp_path / "o").tokenizer
    assert all(
        b"zy" not in tokenizer.token_bytes(token) for token in range(tokenizer.vocab_size - 1)
    )


@pytest.mark.slow
def test_resuming_from_nothing_says_so_and_a_killed_run_keeps_its_log(tmp_path, text):
    command = [*TRAIN, *SMALL, "--corpus", str(text), "--resume", "--max-steps", "100000"]
    command += ["--out", str(tmp_path / "o"), "--work-dir", str(tmp_path / "r")]
    started = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    log = tmp_path / "r" / "log.jsonl"
    while not (log.is_file() and log.read_text(encoding="utf-8").count("\n") >= 3):
        assert started.poll() is None
    started.kill()
    said = started.communicate()[0]
    assert "no checkpoint" in said and "starting at step 0" in said
    assert [row["step"] for row in rows(tmp_path / "r") if "loss" in row][:3] == [1, 2, 3]


@pytest.mark.slow
def test_two_processes_resume_as_the_run_goes_on_with_dropout_of_their_own(tmp_path, text):
    base = [
        *SMALL,
        "--corpus",
        str(text),
        "--optimizer",
        "muon",
        "--dropout",
        "0.2",
        "--dtype",
        "fp32",
    ]
    base += ["--schedule", "constant"]
    whole = run(
        [
            *TORCHRUN,
            *base,
            "--max-steps",
            "6",
            "--out",
            str(tmp_path / "o1"),
            "--work-dir",
            str(tmp_path / "r1"),
        ]
    )
    assert whole.returncode == 0, whole.stderr[-3000:]
    parts = [*TORCHRUN, *base, "--out", str(tmp_path / "o2"), "--work-dir", str(tmp_path / "r2")]
    assert run([*parts, "--max-steps", "3"]).returncode == 0
    resumed = run([*parts, "--max-steps", "6", "--resume"])
    assert resumed.returncode == 0, resumed.stderr[-3000:]
    # Another dropout mask would move a loss by far more than rounding does.
    assert losses(tmp_path / "r2") == pytest.approx(losses(tmp_path / "r1"), abs=2e-4)
    saved = read_tensors(tmp_path / "r2" / "last.safetensors")
    assert not torch.equal(saved["dropout.0"], saved["dropout.1"])


@pytest.mark.slow
def test_an_interrupted_run_resumes_and_keeps_its_best_model(tmp_path, text):
    base = [
        *SMALL,
        "--corpus",
        str(text),
        "--hold-out",
        "0.2",
        "--epochs",
        "2",
        "--eval-every",
        "3",
    ]
    whole = run([*TRAIN, *base, "--out", str(tmp_path / "o1"), "--work-dir", str(tmp_path / "r1")])
    assert whole.returncode == 0, whole.stderr
    found = rows(tmp_path / "r1")
    assert found[0]["step"] == 0 and "bits_per_byte" in found[0]
    assert (tmp_path / "r1" / "best" / "model.safetensors").is_file()
    # The log of a run that is cut after its time and resumed is that of the whole run.
    first = [*base, "--out", str(tmp_path / "o2"), "--work-dir", str(tmp_path / "r2")]
    assert run([*TRAIN, *first, "--time-budget", "0.0001"]).returncode == 0
    assert run([*TRAIN, *first, "--resume"]).returncode == 0
    steps = [row["step"] for row in rows(tmp_path / "r2") if "loss" in row]
    assert steps == list(range(1, len(steps) + 1))
    # The schedule of the first update differs (it was cut by time), so only its own loss must
    # agree.
    assert losses(tmp_path / "r2")[0] == pytest.approx(losses(tmp_path / "r1")[0], abs=1e-4)


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one(tmp_path, text):
    base = [
        *SMALL,
        "--corpus",
        str(text),
        "--max-steps",
        "6",
        "--accumulation-steps",
        "2",
        "--eval-every",
        "3",
    ]
    base += ["--valid", str(text), "--dtype", "fp32"]
    for index, command in enumerate((TRAIN, TORCHRUN)):
        done = run(
            [
                *command,
                *base,
                "--out",
                str(tmp_path / f"o{index}"),
                "--work-dir",
                str(tmp_path / f"r{index}"),
            ]
        )
        assert done.returncode == 0, done.stderr[-3000:]
    # The same sums in another order: fp32 rounding, which six updates hardly carry on.
    assert losses(tmp_path / "r1") == pytest.approx(losses(tmp_path / "r0"), abs=2e-5)
    one, two = (gptcore.load(tmp_path / name).model.wte.weight for name in ("o0", "o1"))
    assert (one - two).abs().max() < 1e-4


def test_a_bundled_model_is_trained_further_with_its_own_tokenizer(tmp_path):
    file = tmp_path / "text.txt"
    command = [
        *TRAIN,
        "--from-model",
        "induction",
        "--corpus",
        str(file),
        "--max-steps",
        "2",
        "--batch-size",
        "2",
    ]
    file.write_text("kitten kitten dog dog " * 60, encoding="utf-8")
    command += [
        "--precision",
        "auto",
        "--dtype",
        "fp32",
        "--learning-rate",
        "1e-4",
        "--warmup-steps",
        "0",
    ]
    done = run([*command, "--out", str(tmp_path / "o"), "--work-dir", str(tmp_path / "r")])
    assert done.returncode == 0, done.stderr
    before = gptcore.load("induction")
    after = gptcore.load(tmp_path / "o")
    moved = (before.model.wte.weight - after.model.wte.weight).abs().max()
    assert 0 < moved < 1e-3 and after.tokenizer.vocab_size == 64


@pytest.mark.slow
def test_one_of_several_processes_leaves_at_once_with_its_status_and_all_it_said():
    code = (
        "import atexit; atexit.register(print, 'taken down'); from gptcore.training import leave; "
        "print('said'); "
    )
    for several, said in ((False, "said\ntaken down\n"), (True, "said\n")):
        environment = {**os.environ, **({"RANK": "0", "WORLD_SIZE": "2"} if several else {})}
        done = ran("-c", f"{code}leave(3)", env=environment)
        assert (done.returncode, done.stdout) == (3, said), done.stderr


@pytest.mark.slow
def test_an_earlier_run_is_not_written_over_unasked(tmp_path, text):
    command = [
        *TRAIN,
        *SMALL,
        "--corpus",
        str(text),
        "--out",
        str(tmp_path / "o"),
        "--work-dir",
        str(tmp_path / "r"),
    ]
    assert run([*command, "--max-steps", "2"]).returncode == 0
    before = (tmp_path / "r" / "last.safetensors").read_bytes()
    refused = run([*command, "--max-steps", "3"])
    assert (
        refused.returncode == 1 and "--resume" in refused.stderr and "--overwrite" in refused.stderr
    )
    assert (tmp_path / "r" / "last.safetensors").read_bytes() == before
    again = [*command, "--max-steps", "3", "--overwrite", "--vocab-size", "262"]
    assert run(again).returncode == 0
    assert len(losses(tmp_path / "r")) == 3
    assert load_tokenizer(tmp_path / "o").vocab_size == 262  # its own, not the earlier run's


def test_noise_is_a_share_of_the_inputs_and_beginnings_are_of_a_corpus_that_is_there(
    tmp_path, text
):
    options = [
        *TRAIN,
        *SMALL,
        "--corpus",
        str(text),
        "--max-steps",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    options += ["--precision", "fp32", "--from-beginnings"]
    for given, said in (
        (["other.txt"], "names other.txt, which is not one of the corpora"),
        ([str(text), "--noise", "1"], "replace is 1.0; it must lie in [0, 1)"),
    ):
        refused = run([*options, *given, "--work-dir", str(tmp_path / "run")])
        assert refused.returncode == 1 and said in refused.stderr
    plain, noisy = (
        [*options, str(text), "--work-dir", str(tmp_path / name)] for name in ("plain", "noisy")
    )
    assert (
        run(plain).returncode == 0
        and run([*noisy, "--overwrite", "--noise", "0.5"]).returncode == 0
    )
    assert losses(tmp_path / "plain")[0] != losses(tmp_path / "noisy")[0]


def test_a_shape_is_read_as_a_model_s_config_is_or_refused(tmp_path):
    def shape(**values):
        (tmp_path / "config.json").write_text(json.dumps(values), encoding="utf-8")
        options = parse_arguments([*GIVEN, "--config", str(tmp_path / "config.json")])
        return training._shape(options)

    small = {"n_embd": 32, "n_layer": 3, "n_head": 4, "vocab_size": 61, "n_positions": 24}
    assert shape(**small).n_layer == 3
    aliases = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
    assert shape(model_type="gpt2", **aliases, vocab_size=61).n_embd == 32
    first = shape(model_type="openai-gpt", **small)
    assert first.norm_position == "post" and first.activation_function == "gelu_new"
    with pytest.raises(TrainingError, match="'llama' model"):
        shape(model_type="llama", **aliases)


@pytest.mark.parametrize(
    "more",
    [
        ["--preset", "mini"],
        ["--config", "c.json"],
        ["--tokenizer", "bpe"],
        ["--vocab-size", "4096"],
    ],
)
def test_a_model_that_is_trained_further_brings_its_shape_and_its_tokenizer(capsys, more):
    assert parse_arguments([*GIVEN, "--from-model", "mini"]).from_model == "mini"
    with pytest.raises(SystemExit):
        parse_arguments([*GIVEN, "--from-model", "mini", *more])
    assert f"Leave out {more[0]}" in capsys.readouterr().err


def test_a_tokenizer_that_is_none_names_the_choices(tmp_path):
    options = parse_arguments([*GIVEN, "--tokenizer", "word"])
    with pytest.raises(TrainingError, match="--tokenizer takes bpe, char"):
        training._tokenizer(options, ["a text"])
