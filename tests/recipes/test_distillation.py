from dataclasses import replace

import numpy as np
import pytest
import torch

from gptcore import GPT, GPTConfig
from gptcore.errors import TrainingError
from gptcore.model import random_model
from gptcore.tokenizers import ByteBPE
from gptcore.training import RandomWindows, Source
from gptcore.weights.checkpoint import save_folder
from tiny import NO_DROPOUT
from weights.recipes.copies import WithCopies
from weights.recipes.distillation import Distillation
from weights.recipes.writing import main

SHAPE = GPTConfig(vocab_size=17, n_positions=16, n_embd=32, n_layer=1, n_head=2, **NO_DROPOUT)
TOKENS = np.arange(400, dtype=np.uint16) % 17


def windows(batch_size: int = 8) -> RandomWindows:
    return RandomWindows([Source(TOKENS)], window=16, batch_size=batch_size)


@torch.no_grad()
def test_the_loss_mixes_teachers_and_text():
    teachers = [random_model(SHAPE, seed) for seed in (1, 2)]
    student = random_model(SHAPE, 3)
    inputs, targets = windows().draw(0, 0)
    expected = sum(teacher(inputs).logits.softmax(-1) for teacher in teachers) / 2
    logs = student(inputs).logits.log_softmax(-1)
    soft = -(expected * logs).sum(-1).mean()
    hard = student(inputs, targets).loss
    found = Distillation(teachers, text_share=0.25)(student, inputs, targets)
    assert float(found) == pytest.approx(float(0.25 * hard + 0.75 * soft), abs=1e-5)
    assert float(Distillation(teachers, text_share=1.0)(student, inputs, targets)) == pytest.approx(
        float(hard)
    )


@pytest.mark.parametrize(("teachers", "share"), [([], 0.5), ([random_model(SHAPE, 0)], 1.5)])
def test_no_teacher_or_an_impossible_share_is_a_sentence(teachers, share):
    with pytest.raises(TrainingError, match="at least one teacher and a share from 0 to 1"):
        Distillation(teachers, text_share=share)


def test_the_shell_command_writes_a_token_file_that_training_can_read(tmp_path, capsys):
    tokenizer = ByteBPE.train(["abab abab cdcd"], vocab_size=260)
    model = GPT(replace(SHAPE, vocab_size=260))
    save_folder(tmp_path / "teacher", model, tokenizer)
    out = tmp_path / "text.npy"
    assert (
        main(
            [
                "--model",
                str(tmp_path / "teacher"),
                "--out",
                str(out),
                "--tokens",
                "300",
                "--device",
                "cpu",
            ]
        )
        == 0
    )
    tokens = np.load(out)
    assert tokens.dtype == np.uint16 and tokens[0] == tokenizer.end_id and len(tokens) >= 300
    assert f"saved {len(tokens)} tokens" in capsys.readouterr().out
    assert main(["--model", str(tmp_path / "nothing"), "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_some_rows_repeat_themselves_and_the_others_stay():
    plain = windows(64)
    data = WithCopies(plain, share=0.5, vocab_size=17)
    inputs, targets = data.draw(3, 1)
    assert torch.equal(inputs[:, 1:], targets[:, :-1])
    untouched = sum(torch.equal(a, b) for a, b in zip(inputs, plain.draw(3, 1)[0], strict=True))
    assert 20 <= untouched <= 44
    rows = torch.cat([inputs, targets[:, -1:]], dim=1)
    repeating = sum(any(torch.equal(row[p:], row[:-p]) for p in range(4, 10)) for row in rows)
    assert repeating + untouched >= 64
    again = data.draw(3, 1)
    assert torch.equal(inputs, again[0]) and torch.equal(targets, again[1])
    with pytest.raises(TrainingError, match="share of 2 copies"):
        WithCopies(plain, share=2, vocab_size=17)
