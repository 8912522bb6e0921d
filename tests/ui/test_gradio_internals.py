"""Private parts of Gradio: listed, used only for the version they were written for, and not needed by the app."""

import logging
import re
from pathlib import Path

import httpx
import pytest
from gradio_client import Client

from serving import served_page
from ui.server import gradio_internals

ROOT = Path(__file__).resolve().parents[2]


def test_the_pinned_gradio_is_the_one_that_they_were_written_for():
    assert f"gradio=={gradio_internals.WRITTEN_FOR}\n" in (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert gradio_internals.is_written_for()


def test_every_part_is_applied_somewhere_and_the_list_for_contributors_is_this_one():
    sources = [ROOT / "app.py", *(ROOT / "ui").rglob("*.py")]
    used = {name for file in sources for name in re.findall(r'apply\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))}
    assert used == set(gradio_internals.PARTS)
    assert gradio_internals.table() in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_a_part_that_has_changed_is_left_alone_and_what_is_lost_is_logged(caplog):
    with caplog.at_level(logging.WARNING, logger="gptlens"):
        assert not gradio_internals.apply("queue pauses", lambda: object().pause)  # type: ignore[attr-defined]
    assert "generation is a fifth slower" in caplog.text


@pytest.mark.slow
def test_the_app_works_with_another_gradio_and_none_of_the_parts(monkeypatch, caplog):
    monkeypatch.setattr(gradio_internals, "WRITTEN_FOR", "1.2.3")
    with caplog.at_level(logging.WARNING, logger="gptlens"), served_page() as address:
        assert "gradio" in httpx.get(address).text
        client = Client(address, verbose=False)
        answered = client.predict(prompt="Once upon a time", max_new_tokens=4, api_name="/generate")
        assert "Once upon a time" in str(answered)
    left_alone = [record.getMessage() for record in caplog.records if "is left alone" in record.getMessage()]
    # The import, the start and the end are of a process of their own.
    assert len(left_alone) >= len(gradio_internals.PARTS) - 3
