import itertools
import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from gptcore import GPT, GPTConfig
from gptcore.corpora import CORPORA, corpus, read_documents, stories_of
from gptcore.errors import CheckpointError, TrainingError
from gptcore.inference.scoring import score_documents
from gptcore.model import IGNORED_TARGET
from gptcore.tokenizers import ByteBPE
from gptcore.training import (
    EndEvent,
    EvalEvent,
    OneBatch,
    RandomWindows,
    RepeatedSequences,
    Rows,
    Source,
    StepEvent,
    Trainer,
    TrainingConfig,
    UnigramNoise,
    config,
    learning_rate,
    make_optimizers,
    ngram_losses,
    split,
    token_file,
)
from gptcore.weights.checkpoint import read_tensors

SHAPE = GPTConfig(
    vocab_size=17,
    n_positions=16,
    n_embd=32,
    n_layer=2,
    n_head=4,
    embd_pdrop=0.0,
    attn_pdrop=0.0,
    resid_pdrop=0.1,
)
CHECKPOINT = "last.safetensors"
# Of a loss after a dozen updates: kernels may round the last bit otherwise at another address.
ROUNDING = 1e-4
SETTINGS = TrainingConfig(
    max_steps=12, batch_size=4, learning_rate=3e-3, warmup_steps=3, eval_every=6
)


def make_trainer(
    settings: TrainingConfig = SETTINGS,
    shape: GPTConfig = SHAPE,
    tokens: np.ndarray | None = None,
    **options: Any,
) -> Trainer:
    torch.manual_seed(settings.seed)
    tokens = np.arange(400, dtype=np.uint16) % 17 if tokens is None else tokens
    data = RandomWindows([Source(tokens)], window=shape.n_positions, batch_size=settings.batch_size)
    model = GPT(shape)
    evaluate = partial(score_documents, model, [([1, 2, 3, 4, 5], 5)], start_id=0)
    return Trainer(model, settings, data, evaluate=evaluate, **options)


def losses(trainer: Trainer) -> list[float]:
    return [event.loss for event in trainer.events() if isinstance(event, StepEvent)]


def test_the_same_seed_gives_the_same_run():
    first = losses(make_trainer())
    assert losses(make_trainer()) == pytest.approx(first, abs=ROUNDING)
    assert losses(make_trainer(replace(SETTINGS, seed=2))) != pytest.approx(
        first, abs=100 * ROUNDING
    )


# which may take bfloat16
@pytest.mark.parametrize(("optimizer", "rounding"), [("adamw", ROUNDING), ("muon", 1e-2)])
def test_a_resumed_run_holds_every_bit_and_goes_on_as_the_uninterrupted_one(
    tmp_path, optimizer, rounding
):
    settings = replace(SETTINGS, optimizer=optimizer)
    whole = make_trainer(settings)
    expected = losses(whole)
    first = make_trainer(settings)
    seen = []
    for event in first.events():
        if isinstance(event, StepEvent):
            seen.append(event.loss)
        if len(seen) == 5:
            first.save(tmp_path / CHECKPOINT)
            break
    second = make_trainer(settings)
    torch.randn(100)
    second.resume(tmp_path / CHECKPOINT)
    second.save(tmp_path / "again")
    one = read_tensors(tmp_path / CHECKPOINT)
    two = read_tensors(tmp_path / "again")
    assert one.keys() == two.keys() and all(
        torch.equal(tensor, two[name]) for name, tensor in one.items()
    )
    assert any(name.endswith(".exp_avg") for name in one)
    assert any(name.endswith(".momentum") for name in one) == (optimizer == "muon")
    assert seen + losses(second) == pytest.approx(expected, abs=rounding)
    for name, parameter in whole.model.named_parameters():
        torch.testing.assert_close(
            parameter, dict(second.model.named_parameters())[name], atol=10 * rounding, rtol=0
        )


def test_dropout_draws_from_the_run_s_own_numbers_whatever_others_draw_between():
    shape = replace(SHAPE, resid_pdrop=0.3)
    expected = losses(make_trainer(shape=shape))
    assert expected != pytest.approx(losses(make_trainer()), abs=100 * ROUNDING)
    seen = []
    run = make_trainer(shape=shape)
    torch.manual_seed(1234)
    drawn = []
    for event in run.events():
        if isinstance(event, StepEvent):
            seen.append(event.loss)
            drawn.append(torch.randn(1))
            if len(seen) == 4:
                make_trainer(shape=shape)  # another visitor presses Start
                torch.manual_seed(1234)
    assert seen == pytest.approx(expected, abs=ROUNDING)
    torch.manual_seed(1234)
    assert torch.equal(torch.cat(drawn[4:]), torch.randn(len(drawn) - 4))  # and others get theirs


def test_each_update_drops_other_places():
    """One batch again and again, and no step that changes the weights: only dropout differs."""
    still = replace(SETTINGS, learning_rate=1e-12)
    tokens = np.full(400, 3, dtype=np.uint16)
    with_dropout, without = (
        losses(make_trainer(still, replace(SHAPE, resid_pdrop=share), tokens)) for share in (0.3, 0)
    )
    assert len({round(loss, 5) for loss in with_dropout}) > 5
    assert max(without) - min(without) < ROUNDING


def test_resuming_from_nothing_or_from_another_model_is_a_sentence(tmp_path):
    file = tmp_path / CHECKPOINT
    with pytest.raises(CheckpointError, match="There is no file"):
        make_trainer().resume(file)
    make_trainer().save(file)
    with pytest.raises(CheckpointError, match="no checkpoint of this run"):
        make_trainer(shape=replace(SHAPE, n_embd=64)).resume(file)
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(CheckpointError, match="cut short"):
        make_trainer().resume(file)


def test_a_model_overfits_one_repeated_sequence():
    settings = replace(SETTINGS, max_steps=150, learning_rate=5e-3, eval_every=1000)
    curve = losses(make_trainer(settings, replace(SHAPE, resid_pdrop=0.0)))
    assert curve[0] == pytest.approx(math.log(17), abs=0.3)
    assert curve[-1] < 0.05  # each number has one successor, so nothing is left to guess


def test_evaluations_come_before_the_first_step_and_after_the_last_and_the_end_says_why():
    events = list(make_trainer().events())
    assert isinstance(events[0], EvalEvent) and events[0].step == 0
    assert [e.step for e in events if isinstance(e, EvalEvent)] == [0, 6, 12]
    assert events[-1] == EndEvent(12, "steps")


def test_a_time_budget_ends_the_run_and_lowers_the_rate_with_time():
    settings = replace(SETTINGS, max_steps=10**9, time_budget=5.0, warmup_steps=0)
    # a quarter of a second goes by from one look at it to the next
    clock = itertools.count(step=0.25)
    *steps, end = (
        e
        for e in make_trainer(settings, clock=lambda: next(clock)).events()
        if not isinstance(e, EvalEvent)
    )
    assert end == EndEvent(len(steps), "time")
    rates = [step.learning_rate for step in steps]
    assert rates == sorted(rates, reverse=True) and rates[-1] < 0.2 * rates[0]
    assert 5.0 <= steps[-1].elapsed <= 5.25


def test_the_schedule_warms_up_linearly_and_falls_as_a_cosine_to_zero():
    config = TrainingConfig(max_steps=1000, warmup_steps=100, learning_rate=1.0)
    rates = [learning_rate(config, step) for step in range(1001)]
    assert rates[0] == pytest.approx(1 / 101) and rates[49] == pytest.approx(50 / 101)
    assert max(rates) == rates[100] == pytest.approx(1.0)
    assert rates[550] == pytest.approx(0.5, abs=1e-6) and rates[1000] == pytest.approx(
        0.0, abs=1e-12
    )
    assert all(a >= b for a, b in itertools.pairwise(rates[100:]))
    assert learning_rate(replace(config, schedule="linear"), 550) == pytest.approx(0.5)
    assert learning_rate(replace(config, schedule="constant"), 999) == 1.0


def test_only_matrices_decay():
    groups = make_optimizers(GPT(SHAPE), SETTINGS)[0].param_groups
    assert all(p.dim() >= 2 for p in groups[0]["params"]) and groups[0]["weight_decay"] == 0.1
    assert all(p.dim() == 1 for p in groups[1]["params"]) and groups[1]["weight_decay"] == 0.0
    assert sum(len(group["params"]) for group in groups) == len(list(GPT(SHAPE).parameters()))


def test_accumulated_batches_give_the_gradient_of_one_large_batch():
    shape = replace(SHAPE, resid_pdrop=0.0)
    large = make_trainer(replace(SETTINGS, batch_size=8, max_steps=3), shape)
    small = make_trainer(replace(SETTINGS, batch_size=8, max_steps=3), shape)
    drawn = [large.data.draw(index, 0) for index in range(3)]
    large.data.draw = lambda index, seed: drawn[index]
    halves = [(x[i : i + 4], y[i : i + 4]) for x, y in drawn for i in (0, 4)]
    small.data.draw = lambda index, seed: halves[index]
    small.config = replace(small.config, accumulation_steps=2)
    # Two means of halves and one mean of all are the same sum in another order.
    assert losses(small) == pytest.approx(losses(large), abs=1e-4)


def unequal(shape: GPTConfig) -> tuple[torch.Tensor, torch.Tensor]:
    """Eight rows, of which the last four have few targets."""
    drawn = torch.Generator().manual_seed(1)
    inputs, targets = (torch.randint(shape.vocab_size, (8, 16), generator=drawn) for _ in range(2))
    targets[4:, 2:] = IGNORED_TARGET
    return inputs, targets


def updated(n_parts: int, objective=None) -> tuple[float, float, dict[str, torch.Tensor]]:
    """(loss, gradient's norm, weights) after one update on the unequal rows, in so many parts."""
    shape = replace(SHAPE, resid_pdrop=0.0)
    trainer = make_trainer(replace(SETTINGS, batch_size=8, max_steps=1), shape)
    inputs, targets = unequal(shape)
    parts = list(zip(inputs.chunk(n_parts), targets.chunk(n_parts), strict=True))
    trainer.data.draw = lambda index, seed: parts[index]
    trainer.config = replace(trainer.config, accumulation_steps=n_parts)
    trainer._objective = objective
    (step,) = [event for event in trainer.events() if isinstance(event, StepEvent)]
    return step.loss, step.grad_norm, trainer.model.state_dict()


class Doubled:
    """An objective that is a mean over rows, not over tokens."""

    def __call__(self, model, inputs, targets):
        kept = (targets != IGNORED_TARGET).float()
        losses = F.cross_entropy(
            model(inputs).logits.flatten(0, 1), targets.clamp(min=0).flatten(), reduction="none"
        )
        return 2 * ((losses.view_as(kept) * kept).sum(1) / kept.sum(1)).mean()

    def loss_count(self, inputs, targets):
        return len(inputs)


@pytest.mark.parametrize("objective", [None, Doubled()])
@pytest.mark.parametrize("n_parts", [2, 4, 8])
def test_accumulation_over_unequal_rows_is_the_gradient_of_all_together(n_parts, objective):
    loss, norm, weights = updated(1, objective)
    in_parts = updated(n_parts, objective)
    assert in_parts[:2] == pytest.approx((loss, norm), rel=1e-4)
    for name, weight in weights.items():
        # a step of the optimiser grows what rounding leaves of a gradient that is almost 0
        torch.testing.assert_close(in_parts[2][name], weight, atol=1e-4, rtol=1e-4)


def test_processes_with_unequal_rows_share_by_their_targets():
    """Two processes with 64 and 8 targets: the average of what they weigh is the mean over all
    72.
    """
    trainer = make_trainer(SETTINGS, SHAPE)
    inputs, targets = unequal(SHAPE)
    counts = [64.0, 8.0]
    trainer.workers = SimpleNamespace(mean=lambda given: [sum(counts) / 2], size=2)
    shares = [
        float(trainer._shares([part])[0])
        for part in zip(inputs.chunk(2), targets.chunk(2), strict=True)
    ]
    assert shares == pytest.approx([2 * 64 / 72, 2 * 8 / 72])


def test_a_loss_that_is_no_number_ends_the_run_with_a_sentence():
    trainer = make_trainer()
    with torch.no_grad():
        trainer.model.wte.weight.fill_(math.nan)
    trainer.evaluate = None
    with pytest.raises(TrainingError, match="loss became nan at step 1"):
        list(trainer.events())


def test_windows_are_consecutive_and_targets_are_one_token_on():
    data = RandomWindows(
        [Source(np.arange(50)), Source(np.arange(1000, 1100), 3.0)], window=8, batch_size=500
    )
    x, y = data.draw(0, 0)
    assert x.shape == y.shape == (500, 8)
    assert torch.equal(y[:, :-1], x[:, 1:]) and bool((y - x == 1).all())
    assert int(x.min()) == 0 and int(y.max()) == 1099  # both ends of the text are reached
    # weight 3 of 4, five standard deviations wide
    assert 0.68 < float((x[:, 0] >= 1000).float().mean()) < 0.82


def test_too_short_a_text_names_both_numbers():
    with pytest.raises(TrainingError, match=r"16 tokens; one window of 16.* need 17"):
        RandomWindows([Source(np.arange(16))], window=16, batch_size=1)


@pytest.mark.parametrize(
    "change",
    [
        {"max_steps": 0},
        {"batch_size": 1.5},
        {"learning_rate": math.nan},
        {"learning_rate": -1.0},
        {"time_budget": 0.0},
        {"warmup_steps": -1},
        {"weight_decay": math.inf},
        {"beta2": 1.0},
        {"schedule": "sawtooth"},
        {"precision": "fp8"},
        {"optimizer": "sgd"},
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(change):
    with pytest.raises(TrainingError, match=next(iter(change))):
        TrainingConfig(**change)


def test_documents_are_split_at_their_marker_and_bad_files_are_sentences(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("one\ntwo\n<|endoftext|>\nthree\n<|endoftext|>\n", encoding="utf-8")
    assert read_documents(file) == ["one\ntwo", ["three", "<|endoftext|>"][0]]
    for raw in (b"\x00\x01\x02", bytes(range(1, 256)) * 9):
        file.write_bytes(raw)
        with pytest.raises(TrainingError, match="is not text"):
            read_documents(file)
    file.write_text("  \n", encoding="utf-8")
    with pytest.raises(TrainingError, match="no text in it"):
        read_documents(file)
    (tmp_path / "plain.txt.gz").write_bytes(b"plain text")
    for name in ("missing.txt", "plain.txt.gz"):
        with pytest.raises(TrainingError, match="cannot be read"):
            read_documents(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_is_the_same_in_every_encoding_and_with_every_line_end(tmp_path, encoding, end):
    text = "Un café à midi.\nTwo.\n\nThree.\n<|endoftext|>\nFour.\n"
    file = tmp_path / "text.txt"
    file.write_bytes(text.replace("\n", end).encode(encoding))
    assert read_documents(file) == ["Un café à midi.\nTwo.\n\nThree.", "Four."]
    file.write_bytes("One.\n \nTwo.\nThree.\n\n\nFour.".replace("\n", end).encode(encoding))
    assert read_documents(file, stories_of) == ["One.", "Two.\nThree.", "Four."]


def test_token_files_are_made_once_and_again_for_another_text(tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("the cat sat. " * 40, encoding="utf-8")
    tokenizer = ByteBPE.train([text.read_text(encoding="utf-8")], vocab_size=260)
    first = token_file([text.read_text(encoding="utf-8")], tokenizer, tmp_path / "cache")
    assert isinstance(first, np.memmap) and first.tolist() == [
        *tokenizer.encode(text.read_text(encoding="utf-8")),
        tokenizer.end_id,
    ]
    token_file([text.read_text(encoding="utf-8")], tokenizer, tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 1
    text.write_text("another text", encoding="utf-8")
    token_file([text.read_text(encoding="utf-8")], tokenizer, tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_repeated_sequences_repeat_with_a_period_in_the_range_and_differ_from_row_to_row():
    data = RepeatedSequences(11, window=24, batch_size=50, periods=(3, 7))
    inputs, targets = data.draw(0, 0)
    assert inputs.shape == targets.shape == (50, 24) and torch.equal(inputs[:, 1:], targets[:, :-1])
    rows = torch.cat([inputs, targets[:, -1:]], dim=1)
    for row in rows:
        assert any(torch.equal(row[period:], row[:-period]) for period in range(3, 8))
    assert len({tuple(row.tolist()) for row in rows}) == 50
    with pytest.raises(TrainingError, match="half the window"):
        RepeatedSequences(11, window=24, batch_size=2, periods=(3, 13))


def test_a_share_of_the_documents_is_held_out_or_the_tail_of_one():
    documents = [f"document {index}" for index in range(40)]
    train, held_out = split(documents, share=0.1)
    assert len(held_out) == 4 and sorted(train + held_out) == sorted(documents)
    assert split(documents[:20], share=0.1)[1] == [documents[9], documents[19]]
    # the tail of the last one: all of it, and no more
    assert split(documents[:19], share=0.1)[1] == [documents[18]]
    train, held_out = split(["a" * 90 + "b" * 10], share=0.1)
    assert (train, held_out) == (["a" * 90], ["b" * 10])


def test_windows_begin_where_documents_begin_when_asked():
    documents = [[100 + n] * (n % 5 + 1) + [0] for n in range(30)] + [[200] * 7]
    tokens = np.array([token for document in documents for token in document])
    windows = RandomWindows([Source(tokens, starts_after=0)], window=6, batch_size=40)
    inputs, targets = windows.draw(0, 1)
    firsts = set(inputs[:, 0].tolist())
    assert 0 not in firsts and len(firsts) > 10 and torch.equal(inputs[:, 1:], targets[:, :-1])
    for row in inputs.tolist():
        first = row[0] - 100  # the last window ends where the text does
        assert first == 100 or row[: first % 5 + 2] == documents[first][:6]


def test_noise_replaces_a_share_of_the_inputs_by_tokens_of_the_batch_and_no_target():
    tokens = np.arange(5_000) % 50
    plain = RandomWindows([Source(tokens)], window=64, batch_size=32)
    noisy = UnigramNoise(plain, share=0.2)
    (inputs, targets), (given, expected) = noisy.draw(3, seed=1), plain.draw(3, seed=1)
    assert torch.equal(targets, expected)
    assert 0.17 < float((inputs != given).float().mean()) < 0.22  # a token may replace itself
    assert set(inputs.unique().tolist()) <= set(given.unique().tolist())
    assert torch.equal(noisy.draw(3, seed=1)[0], inputs)
    assert not torch.equal(noisy.draw(4, seed=1)[0], inputs)
    assert torch.equal(UnigramNoise(plain, share=0).draw(3, seed=1)[0], given)
    with pytest.raises(TrainingError, match=r"replace is 1; it must lie in \[0, 1\)"):
        UnigramNoise(plain, share=1)


def test_workers_rows_together_are_the_batch():
    data = RandomWindows([Source(np.arange(100))], window=8, batch_size=6)
    assert torch.equal(OneBatch(data).draw(7, 0)[0], data.draw(0, 0)[0])
    parts = [Rows(data, rank=rank, n_workers=3).draw(5, 1)[0] for rank in range(3)]
    assert torch.equal(torch.cat(parts), data.draw(5, 1)[0])
    with pytest.raises(TrainingError, match="cannot be divided among 4"):
        Rows(data, rank=0, n_workers=4)


def test_counting_lines_are_those_of_the_text():
    rng = np.random.default_rng(0)
    uniform = rng.integers(0, 8, 20_000)
    single, pair = ngram_losses(uniform, rng.integers(0, 8, 2_000), 8)
    # 64 pairs estimated from 20,000: within a hundredth of the entropy.
    assert single == pytest.approx(math.log(8), abs=0.01) and pair == pytest.approx(
        math.log(8), abs=0.01
    )
    cycle = np.arange(4000) % 5
    single, pair = ngram_losses(cycle, cycle[:500], 5)
    assert single == pytest.approx(math.log(5), abs=0.01) and pair < 0.01
    single, pair = ngram_losses(np.array([0, 1, 0, 1]), np.array([2, 2, 0]), 3)
    assert math.isfinite(single) and math.isfinite(pair)  # tokens that were never counted


def test_the_peak_of_the_learning_rate_can_be_moved_while_running():
    trainer = make_trainer(replace(SETTINGS, schedule="constant", warmup_steps=0))
    rates = []
    for event in trainer.events():
        if isinstance(event, StepEvent):
            rates.append(event.learning_rate)
            if event.step == 4:
                trainer.retune(1e-4)
    assert rates == [3e-3] * 4 + [1e-4] * 8
    with pytest.raises(TrainingError, match="learning_rate is nan"):
        trainer.retune(math.nan)


def test_a_compiled_model_trains_as_the_plain_one_and_compiling_is_off_the_clock(monkeypatch):
    """With the plainest backend of torch.compile, which only traces: others need a C++ compiler."""
    compile_plainly = partial(torch.compile, backend="eager")
    made = []
    monkeypatch.setattr(torch, "compile", lambda model: made.append(1) or compile_plainly(model))
    found = []
    shape = replace(SHAPE, resid_pdrop=0.2)
    for compiled in (False, True):
        reads = iter(range(100))
        trainer = make_trainer(
            SETTINGS, shape, compiled=compiled, clock=lambda reads=reads: float(next(reads))
        )
        found.append(
            [
                (event.loss, event.elapsed)
                for event in trainer.events()
                if isinstance(event, StepEvent)
            ]
        )
    assert found[1] == [
        (pytest.approx(loss, abs=ROUNDING), elapsed) for loss, elapsed in found[0]
    ] and made == [1]
    with pytest.raises(TrainingError, match="leave out --compile or torchrun"):
        make_trainer(compiled=True, workers=object())


@pytest.mark.parametrize("name", list(CORPORA))
def test_built_in_corpora_are_there_without_a_download(name):
    documents = corpus(name)
    assert len(documents) > 50 and sum(map(len, documents)) > 120_000
    assert len(set(documents)) > 0.999 * len(documents)  # short generated pages may come again


def test_an_unknown_corpus_is_a_sentence():
    with pytest.raises(TrainingError, match=r"no built-in corpus 'bible'. Choose anthology"):
        corpus("bible")


def test_precision_is_what_the_device_multiplies(monkeypatch):
    monkeypatch.setattr(config, "multiplies_bf16", lambda device: True)
    assert [config.faster_precision(device) for device in ("cpu", "cuda", "mps")] == [
        "bf16",
        "bf16",
        "fp32",
    ]
    monkeypatch.setattr(config, "multiplies_bf16", lambda device: False)
    assert config.faster_precision() == config.faster_precision("cuda") == "fp32"
