from dataclasses import replace

import numpy as np
import pytest
import torch

from gptcore import GPT, GPTConfig
from gptcore.errors import TrainingError
from gptcore.model import random_model
from gptcore.tokenizers import ByteBPE
from gptcore.training import OneBatch, RandomWindows, Source, Trainer, TrainingConfig, WithCopies
from gptcore.weights.checkpoint import save_folder
from weights.recipes.distillation import Distillation, written_tokens
from weights.recipes.writing import main

SHAPE = GPTConfig(
    vocab_size=17, n_positions=16, n_embd=32, n_layer=1, n_head=2, embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0
)
TOKENS = np.arange(400, dtype=np.uint16) % 17


def windows(batch_size: int = 8) -> RandomWindows:
    return RandomWindows([Source(TOKENS)], window=16, batch_size=batch_size)


def test_a_student_takes_over_what_its_teacher_expects():
    teacher, student = random_model(SHAPE, 1), random_model(SHAPE, 2)
    with torch.no_grad():
        teacher.wte.weight.mul_(20)  # opinions to be learned
    settings = TrainingConfig(max_steps=150, batch_size=8, learning_rate=5e-3, warmup_steps=5)
    data = OneBatch(windows())
    for _ in Trainer(student, settings, data, objective=Distillation([teacher])).events():
        pass
    inputs, _ = data.draw(0, 0)
    with torch.no_grad():
        expected, found = teacher(inputs).logits.softmax(-1), student.eval()(inputs).logits.softmax(-1)
    assert float((expected - found).abs().sum(-1).mean()) < 0.1  # from about 1.5


@torch.no_grad()
def test_the_loss_mixes_teachers_and_text():
    teachers, student = [random_model(SHAPE, seed) for seed in (1, 2)], random_model(SHAPE, 3)
    inputs, targets = windows().draw(0, 0)
    expected = sum(teacher(inputs).logits.softmax(-1) for teacher in teachers) / 2
    logs = student(inputs).logits.log_softmax(-1)
    soft, hard = -(expected * logs).sum(-1).mean(), student(inputs, targets).loss
    found = Distillation(teachers, text_share=0.25)(student, inputs, targets)
    assert float(found) == pytest.approx(float(0.25 * hard + 0.75 * soft), abs=1e-5)
    assert float(Distillation(teachers, text_share=1.0)(student, inputs, targets)) == pytest.approx(float(hard))


@pytest.mark.parametrize(("teachers", "share"), [([], 0.5), ([random_model(SHAPE, 0)], 1.5)])
def test_no_teacher_or_an_impossible_share_is_a_sentence(teachers, share):
    with pytest.raises(TrainingError, match="at least one teacher and a share from 0 to 1"):
        Distillation(teachers, text_share=share)


def test_written_text_is_whole_documents_from_the_seed_alone():
    model = random_model(SHAPE, 1)
    pieces = [list(written_tokens(model, start_id=16, n_tokens=200, batch_size=32, seed=seed)) for seed in (1, 1, 2)]
    assert [list(a) for a in pieces[0]] == [list(a) for a in pieces[1]] != [list(a) for a in pieces[2]]
    assert sum(map(len, pieces[0])) >= 200
    assert all(piece[0] == 16 and len(piece) < 16 and piece.max() < 17 for piece in pieces[0])


def test_text_follows_the_model_s_probabilities():
    model = random_model(replace(SHAPE, use_positions=False), 1)
    with torch.no_grad():
        model.wte.weight.mul_(20)
        expected = model(torch.tensor([[16]])).logits[0, 0].softmax(-1)
    pieces = written_tokens(model, start_id=16, n_tokens=20_000, batch_size=4000, seed=1)
    first = torch.tensor([int(piece[1]) if len(piece) > 1 else 16 for piece in pieces])
    # Pieces that never end are left out, so the shares agree roughly only.
    found = torch.bincount(first, minlength=17) / len(first)
    assert int(found.argmax()) == int(expected.argmax())
    assert float((found - expected).abs().sum()) < 0.35


def test_the_shell_command_writes_a_token_file_that_training_can_read(tmp_path, capsys):
    tokenizer = ByteBPE.train(["abab abab cdcd"], vocab_size=260)
    model = GPT(replace(SHAPE, vocab_size=260))
    save_folder(tmp_path / "teacher", model, tokenizer)
    out = tmp_path / "text.npy"
    assert main(["--model", str(tmp_path / "teacher"), "--out", str(out), "--tokens", "300", "--device", "cpu"]) == 0
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
