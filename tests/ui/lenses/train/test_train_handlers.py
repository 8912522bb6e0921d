"""What the Train tab's form makes of good and bad input."""

import base64
import json
import math
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import torch
from test_runs import SMALL, TEXT, finished, plan_of, start

import gptcore
from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from gptcore.errors import GPTCoreError
from gptcore.tokenizers import ByteBPE, CharTokenizer
from gptcore.training import UnigramNoise
from ui.lenses.train.handlers import files, texts, watching
from ui.lenses.train.handlers.forms import REPEATED, TRICKS, train_form, tune_form
from ui.lenses.train.handlers.plan import make_plan, sample_prompt, tuning_plan
from ui.lenses.train.handlers.presets import NOTES, PRESETS
from ui.runs.dataset_cache import completed, prepare
from ui.runs.plan import Preparation
from ui.runs.run_json import facts_json, read_run, write_run
from ui.shared.inputs import InputError
from ui.shared.picker import own_models


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PRESETS))
def test_every_preset_is_a_plan(services, name):
    made = make_plan(services, train_form(PRESETS[name], services.limits))
    # of a large text, which a run prepares; what was known of it before stays
    if isinstance(made, Preparation):
        before = made.facts
        made = completed(made.prepare())
        assert (before.title, before.vocab_size) == (made.facts.title, made.facts.vocab_size)
        assert (before.n_parameters, before.settings) == (
            made.facts.n_parameters,
            made.facts.settings,
        )
    x, y = (made.data.data if isinstance(made.data, UnigramNoise) else made.data).draw(0, 1)
    assert x.shape == (
        made.facts.config.batch_size,
        made.facts.tokens_per_step // made.facts.config.batch_size,
    )
    assert torch.equal(x[:, 1:], y[:, :-1])
    assert made.facts.lines["uniform"] == pytest.approx(math.log(made.facts.vocab_size))
    json.dumps(facts_json(made.facts))


@pytest.mark.parametrize("trick", list(TRICKS))
def test_what_is_broken_on_purpose_is_broken(services, trick):
    made = plan_of(services, trick=trick, learning_rate=1e-3)
    config = made.facts.config
    shape = made.model().config
    assert (config.warmup_steps == 0) == (trick in ("no_warmup", "post_norm"))
    assert config.learning_rate == pytest.approx(0.1 if trick == "lr_x100" else 1e-3)
    assert shape.use_positions == (trick != "no_positions") and shape.causal == (trick != "no_mask")
    assert shape.residual_scaling == (trick != "no_scaling")
    assert shape.norm_position == ("post" if trick == "post_norm" else "pre")
    assert torch.equal(made.data.draw(0, 1)[0], made.data.draw(1, 1)[0]) == (trick == "one_batch")
    assert made.facts.settings["spoil one setting"] == TRICKS[trick][0]
    finished(services.run_manager.start(None, made))


# Fields that do not go together; each alone is tried in test_fields.py.
BAD = [
    ({"written": ""}, "is empty"),
    ({"written": "aaaa" * 50}, "repeats one character"),
    ({"n_positions": 512, "written": TEXT[:300]}, "one window of 512"),
    ({"written": "abc"}, "held out"),
    ({"tokenizer": "bpe", "vocab_size": 10}, "The vocabulary is 10"),
    ({"n_head": 3}, "cannot be divided"),
    ({"corpus": "repeated", "n_positions": 15}, "need at least 16"),
    ({"written": "x" * 30_000_000}, "characters"),
    ({"n_layer": 24, "n_embd": 1024, "n_head": 8}, "parameters; this server trains at most"),
    ({"corpus": "repeated", "length": "epochs"}, "no end, so there are no epochs"),
    ({"n_positions": 1024, "batch_size": 512, "n_embd": 128, "written": TEXT * 40}, "of memory"),
]


@pytest.mark.parametrize(("change", "words"), BAD, ids=[str(change)[:40] for change, _ in BAD])
def test_a_field_that_cannot_be_used_is_a_sentence(services, change, words):
    with pytest.raises(GPTCoreError, match=words):
        plan_of(services, **change)
    assert len(services.workspaces) == 0


def test_a_sample_prompt_of_unknown_characters_gives_way_and_says_so(services):
    made = plan_of(services, prompt="Zthe €")
    assert made.facts.prompt == "the " and "lacks" in made.facts.note
    made = plan_of(services, prompt="€€")
    assert made.facts.prompt and set(made.facts.prompt) <= set(TEXT)
    assert plan_of(services, prompt="the ").facts.note == ""
    assert plan_of(services, prompt="").facts.prompt == "the cat sat"  # the beginning of the text


def test_uploads_are_decoded_as_far_as_they_are_text(tmp_path, services):
    def text_of(raw: bytes):
        file = tmp_path / "upload.txt"
        file.write_bytes(raw)
        found = texts.find_text(services.limits, texts.OnText(file=str(file)))
        return "\n".join(found.documents), found.note

    assert text_of("grüße, Welt".encode()) == ("grüße, Welt", "")
    assert text_of("\ufeffhello there".encode())[0] == "hello there"
    assert text_of("wide text".encode("utf-16"))[0] == "wide text"
    mixed, note = text_of("line ä\n".encode() + "line ö\n".encode("latin-1"))
    assert mixed == "line ä\nline ö" and "1 line(s)" in note and "Windows-1252" in note
    assert text_of(b"one\r\ntwo\rthree")[0] == "one\ntwo\nthree"
    for raw in (b"\x00\x01\x02" * 50, bytes(range(1, 256)) * 20, b"", b"  \n "):
        with pytest.raises(GPTCoreError):
            text_of(raw)
    (tmp_path / "big.txt").write_bytes(b"ab" * 20_000_000)
    with pytest.raises(InputError, match=r"40.0 MB; this server trains on at most 20 MB"):
        texts.find_text(services.limits, texts.OnText(file=str(tmp_path / "big.txt")))


def test_a_text_is_prepared_once_and_its_parts_do_not_overlap():
    documents = tuple(f"story number {i} of many." for i in range(40))
    first = completed(prepare(documents, tokenizer=None, kind="char", vocab_size=0))
    assert completed(prepare(documents, tokenizer=None, kind="char", vocab_size=0)) is first
    assert isinstance(first.tokenizer, CharTokenizer)
    train_text, valid_text = (
        first.tokenizer.decode(ids.tolist()) for ids in (first.train, first.valid)
    )
    assert "number 9 of" in valid_text and "number 9 of" not in train_text
    assert first.lines["bigram"] < first.lines["unigram"] < first.lines["uniform"]
    second = completed(prepare(documents, tokenizer=None, kind="bpe", vocab_size=300))
    assert isinstance(second.tokenizer, ByteBPE) and second.tokens_per_character < 1


def test_a_picked_model_is_trained_further_with_its_own_tokenizer(services, tiny_lm):
    values = {**SMALL, "learning_rate": 1e-3, "length": "epochs", "epochs": 2}
    before = {name: value.clone() for name, value in tiny_lm.model.state_dict().items()}
    workspace = finished(
        watching.further(services, None, "tiny", tune_form(values, services.limits), tuning_plan)
    )
    run = workspace.current
    assert (
        run.language_model.tokenizer is tiny_lm.tokenizer
        and run.final_loss < run.snapshots[0].valid_loss
    )
    assert run.facts.title.startswith("tiny tuned on your text")
    assert run.facts.tuned and facts_json(run.facts)["tuned"]  # so that before and after are shown
    assert (
        run.step
        == run.facts.config.max_steps
        == round(2 * run.facts.n_train / run.facts.tokens_per_step)
        > 0
    )
    for name, value in tiny_lm.model.state_dict().items():
        assert torch.equal(value, before[name])  # the shared model is left alone


def test_a_trained_model_leaves_as_a_zip_and_comes_back(services, tmp_path):
    workspace = finished(start(services, None, SMALL))
    path, note = files.zipped_model(services, workspace.id)
    assert note == ""
    with zipfile.ZipFile(path) as made:
        made.extractall(tmp_path)
    lm = gptcore.load(tmp_path / "model")
    assert torch.equal(lm.model.wte.weight, workspace.current.language_model.model.wte.weight)
    from transformers import AutoModelForCausalLM

    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    ids = torch.tensor([lm.tokenizer.encode("the cat sat")])
    torch.testing.assert_close(theirs(ids).logits, lm.model(ids).logits, atol=1e-5, rtol=1e-5)
    kept, name = files.opened_model(services, workspace.id, path)
    assert kept is workspace and ("model · uploaded", name) in own_models(services, workspace.id)
    assert services.opened(name) is workspace.models[name] and services.opened("run-x") is None
    assert torch.equal(services.models.get(name).model.wte.weight, lm.model.wte.weight)


def test_a_zip_that_holds_no_model_is_a_sentence(services, tmp_path):
    with pytest.raises(InputError, match="no model to save yet"):
        files.zipped_model(services, None)
    (tmp_path / "a.zip").write_bytes(b"no zip")
    with pytest.raises(InputError, match="cannot be opened as a zip"):
        files.opened_model(services, None, str(tmp_path / "a.zip"))
    refused = {
        "../../evil.txt": "has no config.json and model.safetensors",
        "model.safetensors": "is of a None model",
    }
    for other, said in refused.items():
        with zipfile.ZipFile(tmp_path / "b.zip", "w") as made:
            made.writestr(other, b"rubbish")
            made.writestr("config.json", "{}")
        with pytest.raises(GPTCoreError, match=said):
            files.opened_model(services, None, str(tmp_path / "b.zip"))
    with pytest.raises(InputError):
        files.opened_model(services, None, None)


def test_an_upload_counts_as_read_whether_it_could_be_or_not(services, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(services.uploaded, "opened", read.append)
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK")
    for file in (broken, tmp_path / "missing.zip"):
        with pytest.raises(GPTCoreError):
            files.opened_model(services, None, str(file))
    assert read == [broken, tmp_path / "missing.zip"]


@pytest.mark.parametrize("trick", TRICKS)
def test_muon_s_rate_moves_with_the_rate_whatever_is_spoiled(services, trick):
    config = train_form({**PRESETS["30 seconds, letters"], "trick": trick}, services.limits).config
    assert config.muon_learning_rate == pytest.approx(7 * config.learning_rate)


def test_a_recording_is_the_run_again(services):
    workspace = finished(start(services, None, SMALL))
    run = workspace.current
    url = watching.recording(services, {"workspace": workspace.id, "run": run.id})
    text = base64.b64decode(url.split(",", 1)[1]).decode()
    again = read_run(text, run.language_model)
    assert again.step == 12 and len(again.curve.rows) == 12 and not again.alive
    assert again.final_loss == pytest.approx(run.final_loss, abs=1e-4)
    assert (
        facts_json(again.facts) == facts_json(run.facts) and again.facts.config == run.facts.config
    )
    for snapshot, two in zip(run.snapshots, again.snapshots, strict=True):
        assert snapshot.text == two.text and np.array_equal(snapshot.maps, two.maps)
        assert np.array_equal(snapshot.probabilities, two.probabilities)
    # also where a figure is 0, or is not known
    for figures in (
        {"kept_step": 0, "final_accuracy": 0.0, "final_loss": 0.0, "plain_losses": (1.5, 2.0)},
        {"kept_step": None, "final_accuracy": math.nan, "final_loss": math.nan},
        {"plain_losses": (), "number": 3, "rate": 12.5, "step": 0, "reason": "Stopped."},
        {"plain_losses": (math.nan, 0.0)},
    ):
        again = read_run(write_run(replace(run, **figures)), None, "r")
        assert repr({name: getattr(again, name) for name in figures}) == repr(figures)


def test_noise_replaces_inputs_of_a_run_and_stands_among_its_settings(services):
    noisy = plan_of(services, noise=0.3)
    plain = plan_of(services)
    (inputs, targets), (given, expected) = noisy.data.draw(0, 1), plain.data.draw(0, 1)
    assert torch.equal(targets, expected) and not torch.equal(inputs, given)
    assert noisy.facts.settings["noise"] == "0.3" and plain.facts.settings["noise"] == "0"
    old = {name: value for name, value in PRESETS["30 seconds, letters"].items() if name != "noise"}
    assert train_form(old, services.limits).noise == 0  # of a link from before


def test_presets_of_the_documents_have_their_shapes_and_epochs_become_updates(services):
    lesson = make_plan(
        services, train_form(PRESETS["The lesson's GPT: 4 layers x 128"], services.limits)
    ).facts
    shape = replace(GPTConfig.from_preset("char-day19"), vocab_size=lesson.vocab_size)
    assert (
        lesson.settings["window"] == "64" and lesson.n_parameters == count_parameters(shape).total
    )
    small = make_plan(
        services, train_form(PRESETS["GPT-1's recipe, scaled down"], services.limits)
    ).facts
    assert small.settings["norm"].startswith("after") and small.config.weight_decay == 0.01
    assert (
        small.config.max_steps == round(30 * small.n_train / (32 * 64))
        and small.config.time_budget is None
    )
    assert set(NOTES) <= set(PRESETS)


def test_held_out_lines_that_stand_in_the_training_text_are_said():
    def noted(lines):
        return completed(prepare(tuple(lines), tokenizer=None, kind="char", vocab_size=0)).note

    eight = [
        f"The {animal} ran to the house."
        for animal in ("cat", "dog", "cow", "pig", "hen", "fox", "ape", "bee")
    ]
    assert noted(eight * 10) == (
        "8 of the 8 held-out lines stand in the training text, too: the held-out loss does not "
        "show what the model makes of new text."
    )
    assert (
        noted(f"The {animal} ran to house {n}." for n in range(30) for animal in ("cat", "dog"))
        == ""
    )


def test_sequences_that_repeat_take_a_window_of_16(services):
    made = plan_of(services, corpus="repeated", n_positions=16)
    assert made.data.draw(0, 1)[0].shape[1] == 16


def test_a_sample_prompt_is_the_end_that_leaves_room_of_what_the_model_knows():
    letters = CharTokenizer.train("abc")
    known = letters.encode
    assert sample_prompt(letters, "abcabc", 4) == known("bc")
    assert sample_prompt(letters, "abc", 1) == known("c")
    assert sample_prompt(letters, "xa?yb", 9) == known("ab")
    assert sample_prompt(letters, "xy", 9, instead=[2]) == [2]


def test_a_run_from_nothing_ends_with_its_last_weights_and_a_tuned_one_with_its_best(services):
    assert not plan_of(services).keeps_best and not plan_of(services, corpus=REPEATED).keeps_best
    lm = services.models.get("tiny")
    form = tune_form({**SMALL, "learning_rate": 1e-3}, services.limits)
    assert tuning_plan(services, lm, form).keeps_best
