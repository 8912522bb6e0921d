"""An uploaded model is a run: it shows what it had learned, and goes on learning."""

import json
import math
import zipfile

import pytest
import torch
from test_runs import SMALL, finished, polled

from ui.lenses.train.handlers import files, uploaded, watching
from ui.lenses.train.handlers.forms import TuneForm, train_form, tune_form
from ui.runs.workspaces import Busy
from ui.shared.fields import fields_of
from ui.shared.picker import own_models

TEXT = "the cat sat on the mat. " * 90
LESSON = {**SMALL, "written": TEXT, "n_layer": 1, "max_steps": 6, "file": None}


@pytest.fixture
def saved(services):
    """(path of a zip, the run that it holds)."""
    workspace = finished(watching.start(services, None, train_form(LESSON, services.limits)))
    workspace.current.form = ("scratch", LESSON)
    return files.zipped_model(services, workspace.id)[0], workspace.current


def test_a_saved_run_comes_back_with_its_curve_its_loss_and_its_text(services, saved):
    path, before = saved
    kept, name, said = files.opened_model(services, None, path)
    record = kept.current
    assert said == "" and record.id == name and record.from_file and record.state == "ended"
    assert record.step == 6 and [row[0] for row in record.so_far()[0]] == [row[0] for row in before.so_far()[0]]
    assert record.final_loss == pytest.approx(before.final_loss, rel=1e-4)
    assert record.observations[-1].text == before.observations[-1].text
    assert record.facts.n_valid == before.facts.n_valid
    news = polled(services, kept.id)
    assert news["run"] == name and news["final"] is not None and news["rows"]
    assert ("model · uploaded", name) in own_models(services, kept.id)
    assert services.models.get(name) is record.language_model


def test_it_goes_on_from_its_weights(services, saved):
    kept, _, _ = files.opened_model(services, None, saved[0])
    weights = kept.current.language_model.model.wte.weight.clone()
    assert watching.can_go_on(kept.current)
    begun = finished(watching.go_on(services, kept))
    assert begun is kept and "Continues from update 6" in begun.current.facts.note and not begun.current.from_file
    assert begun.current.observations[0].step == 0
    assert not torch.equal(begun.current.language_model.model.wte.weight, weights)
    assert begun.current.final_loss < 1.2 * saved[1].final_loss


@pytest.mark.parametrize(
    "made",
    [
        None, 7, [], {"run": 7}, {"run": {}}, {"run": {"form": "scratch", "values": {}}},
        {"run": {"form": [], "values": []}},
        {"steps": "many", "seconds": -1, "run": {"form": "scratch", "values": {**LESSON, "n_layer": "x"}}},
        {"steps": 5, "run": {"form": "scratch", "values": {**LESSON, "written": "abc " * 600}}},
        {"steps": math.inf, "run": {"form": "tune", "values": dict.fromkeys(fields_of(TuneForm))}},
    ],
)  # fmt: skip
def test_a_folder_that_does_not_tell_how_it_was_made_is_a_model_to_tune(services, tiny_lm, made):
    record = uploaded.record(services, "run-x", tiny_lm, made)
    assert record.form is not None and record.form[0] == "tune" and record.step == 0
    assert not watching.can_go_on(record)
    assert math.isfinite(record.final_loss) and record.observations[0].text
    assert tune_form(record.form[1], services.limits).config.learning_rate == 1e-3


@pytest.mark.parametrize(
    "rows", [None, 5, [[1, 2]], [[1, 2, 3, 4, "5"]], [[2, 1, 1, 1, 1], [1, 1, 1, 1, 2]], [[1, math.nan, 1, 1, 1]],
             [[1, 1, 1, 1, 5], [2, 1, 1, 1, 4]], [[i, 1, 1, 1, i] for i in range(5000)]],
)  # fmt: skip
def test_a_curve_that_is_none_is_left_out(services, saved, rows):
    _, before = saved
    made = {"steps": 6, "seconds": 2.0, "run": {**uploaded.run_of(before), "rows": rows}}
    assert uploaded.record(services, "run-x", before.language_model, made).so_far()[0] == []


def test_while_a_run_is_under_way_an_upload_is_only_put_into_the_picker(services, saved):
    path, _ = saved
    workspace = watching.start(services, None, train_form({**LESSON, "max_steps": 100_000}, services.limits))
    kept, name, said = files.opened_model(services, workspace.id, path)
    assert kept is workspace and kept.current.id != name and "A run is under way" in said
    assert ("model · uploaded", name) in own_models(services, workspace.id)
    assert services.opened(name) is workspace.models[name] and services.opened("run-x") is None
    with pytest.raises(Busy):
        services.run_manager.show(workspace.id, kept.current)
    workspace.run.stop()


def test_the_folder_says_how_it_was_made_and_holds_nothing_else(saved):
    path, before = saved
    with zipfile.ZipFile(path) as packed:
        run = json.loads(packed.read("model/config.json"))["training"]["run"]
    assert run["form"] == "scratch" and run["values"]["n_embd"] == 16 and "file" not in run["values"]
    assert len(run["rows"]) <= 400 and run["rows"][-1][0] == before.step


@pytest.mark.parametrize("kind", ["scratch", "tune"])
def test_an_upload_cannot_have_a_file_of_the_server_read(services, tiny_lm, tmp_path, kind):
    secret = tmp_path / "secret.txt"
    secret.write_text("the dog ran to the cat. " * 200)
    values = {**LESSON, "written": "", "file": str(secret)}
    made = {"steps": 5, "run": {"form": kind, "values": values, "rows": [[1, 1, 1, 1, 1]]}}
    record = uploaded.record(services, "run-x", tiny_lm, made)
    assert record.form is not None and record.form[1]["file"] is None
    assert record.form[1]["corpus"] != "yours"  # the text that it names cannot be had: the built-in one is taken
    assert record.step == 0 and record.so_far()[0] == []  # what it says of another run is not taken over
