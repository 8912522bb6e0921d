"""The first page's examples, made ahead of time: they are what the bundled models say now.

Where one differs because a model or a view has changed, `python -m tests.tools.first_page` makes
them anew.
"""

import base64
import json
import shutil
import zlib
from dataclasses import asdict, is_dataclass, replace

import first_page
import numpy as np
import pytest
import torch

from gptcore import language_model
from helpers import records_of
from ui.compute.compute_thread import ComputeThread
from ui.compute.scheduler import Scheduler
from ui.frame import example
from ui.frame.example import EXAMPLE_END, FILE, make_example, page_example, stored_form
from ui.frame.warming import warm_up
from ui.lenses.generate.handlers import distribution
from ui.services import make_services


@pytest.fixture
def made_anew(monkeypatch):
    """The models of which examples have been made, and not taken from the file."""
    made = []
    monkeypatch.setattr(
        example, "make_example", lambda services: made.append(services.models.default)
    )
    return made


def cells(thumbnails: str) -> np.ndarray:
    """The codes of all cells: two in a byte."""
    packed = np.frombuffer(zlib.decompress(base64.b64decode(thumbnails)), np.uint8)
    return np.stack([packed & 15, packed >> 4], 1).astype(int)


def close(mine, theirs, path=""):
    """The same, but for what a processor rounds otherwise."""
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys(), path
        for name in mine:
            close(mine[name], theirs[name], f"{path}/{name}")
    elif isinstance(mine, (list, tuple)):
        assert len(mine) == len(theirs), path
        for index, pair in enumerate(zip(mine, theirs, strict=True)):
            close(*pair, f"{path}/{index}")
    elif isinstance(mine, float):
        assert mine == pytest.approx(theirs, rel=0.02, abs=2e-3), path
    elif path.endswith("/thumbs"):
        a, b = (cells(item) for item in (mine, theirs))
        assert len(a) == len(b) and np.abs(a - b).max() <= 1, path
    elif isinstance(mine, str) and mine.startswith("{"):
        close(*([json.loads(line) for line in item.splitlines()] for item in (mine, theirs)), path)
    else:
        assert mine == theirs, path


def test_it_is_what_would_be_made_now(bundled):
    now = make_example(bundled)
    kept = page_example(bundled)
    assert kept.form == now.form and kept.document.prompt == now.document.prompt
    for name in ("sentence", "attention", "zero_shot"):
        mine, theirs = (getattr(item, name) for item in (kept, now))
        close(*(asdict(item) if is_dataclass(item) else item for item in (mine, theirs)), name)


def test_its_text_is_the_models(bundled):
    kept = page_example(bundled)
    lm = bundled.models.get("mini")
    document = kept.document
    n_prompt = kept.document.n_prompt
    with torch.inference_mode():
        logits = lm.model(torch.tensor([document.ids])).logits[0].float()
    chances = logits[:-1].softmax(dim=-1)[range(len(document.ids) - 1), document.ids[1:]][
        n_prompt - 1 :
    ]
    written = records_of(kept.document.stream, "token")
    assert [record["id"] for record in written] == list(document.ids[n_prompt:])
    assert [record["p"] for record in written] == pytest.approx(chances.tolist(), rel=0.01)
    text = document.prompt + "".join(record["text"] for record in written)
    assert lm.tokenizer.decode(document.ids).removesuffix("<|endoftext|>") == text
    stats = records_of(kept.document.stream, "stats")[-1]
    # it does not look live
    assert stats["end"] == EXAMPLE_END and "rate" not in stats and "first_ms" not in stats
    # the text has ended: the chart is of where it was begun
    assert kept.next_token.ids == document.ids[:n_prompt]
    torch.testing.assert_close(kept.next_token.logits, logits[n_prompt - 1], atol=2e-3, rtol=1e-3)
    close(
        kept.distribution, distribution.describe(lm.tokenizer, kept.next_token, kept.form.sampling)
    )


def test_its_maps_can_be_looked_at(bundled):
    attention = page_example(bundled).attention
    key = json.loads(attention.view)["key"]
    assert len(bundled.attention_cache.get(key).labels) > 2
    assert json.loads(attention.ablation)["of"].startswith(key)


def test_its_figures_count_what_was_written():
    made = make_example(make_services(model="anthology", offline=True)).document.stream
    assert records_of(made, "stats")[-1]["n"] == len(records_of(made, "token")) > 1


def test_another_model_or_limit_is_not_shown_with_it(made_anew):
    page_example(make_services(model="anthology", offline=True))
    services = make_services(offline=True)
    page_example(replace(services, limits=replace(services.limits, max_new_tokens=50)))
    assert made_anew == ["anthology", "mini"]


def test_models_with_other_weights_are_not_shown_with_it(made_anew, monkeypatch, tmp_path):
    bundled = language_model.bundled_models()
    for name, file in (("mini", "tokenizer.json"), ("world", "model.safetensors")):
        shutil.copytree(bundled[name], tmp_path / name)
        with (tmp_path / name / file).open("ab") as end:
            end.write(b" ")
        monkeypatch.setattr(
            example, "bundled_models", lambda name=name: {**bundled, name: tmp_path / name}
        )
        page_example(make_services(offline=True))
    assert made_anew == ["mini", "mini"]


def test_the_command_writes_the_file_that_is_read(tmp_path, capsys, made_anew):
    file = tmp_path / "example.json"
    first_page.main([str(file)])
    assert "example.json" in capsys.readouterr().out
    assert page_example(make_services(offline=True), file) is not None and not made_anew
    written, bundled = (item.read_text(encoding="utf-8") for item in (file, FILE))
    # Other processors round otherwise, so the texts may differ.
    assert "(first text)" in written and len(written) == pytest.approx(len(bundled), rel=0.1)


def test_examples_survive_the_file(bundled):
    assert stored_form(bundled, page_example(bundled)) == FILE.read_text(encoding="utf-8")


def test_warming_up_readies_what_is_used_first(services, monkeypatch):
    fresh = make_services(offline=True)
    updated = []
    monkeypatch.setattr(
        fresh.compute_thread, "keep", lambda events, background: updated.extend(events)
    )
    warm_up(replace(fresh, scheduler=Scheduler(ComputeThread("writing"))))
    assert {"mini", "world"} <= set(fresh.models.loaded()) and updated[-1].reason == "steps"
    monkeypatch.setattr("ui.compute.zero_gpu.wanted", lambda lm: True)
    monkeypatch.setattr(
        "ui.compute.zero_gpu.write", lambda *_, **__: pytest.fail("a visitor's quota")
    )
    warm_up(services)
