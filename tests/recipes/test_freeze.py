"""What the page offers is what the generator made: items, examples and pages, frozen beside the
model.
"""

import gzip
import json

import pytest

from gptcore.corpora import corpus
from gptcore.errors import PromptError
from gptcore.zero_shot import items as frozen
from gptcore.zero_shot.items import ITEMS_FILE, TASKS_WITH_ITEMS, examples, items, splits_of
from weights.recipes import freeze, training
from weights.recipes.world import items as made


def test_the_files_are_what_the_generator_writes(tmp_path, monkeypatch):
    """All items, and of the pages, each of which has a seed of its own, the first ones."""
    monkeypatch.setattr(freeze, "_N_PAGES", 400)
    assert freeze.main(["--out", str(tmp_path)]) == 0
    for file in sorted(tmp_path.iterdir()):
        made, kept = (
            gzip.decompress(item.read_bytes()) for item in (file, ITEMS_FILE.parent / file.name)
        )
        assert len(made) > 1e5 and (
            made == kept if file.name == ITEMS_FILE.name else kept.startswith(made)
        )
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("task", TASKS_WITH_ITEMS)
def test_the_first_items_are_the_generators_and_other_seeds_choose_others(task):
    for split in splits_of(task):
        assert items(task, 30, split=split) == made.items(task, 30, split=split)
        assert items(task, 30, split=split, seed=1) == items(task, 30, split=split, seed=1)
        assert items(task, 30, split=split, seed=1) != items(task, 30, split=split, seed=2)
    assert len(examples(task, 4)) == 4 and not set(map(repr, examples(task, 32))) & set(
        map(repr, items(task, 400))
    )


def test_pages_are_documents_of_the_web():
    assert len(corpus("world")) == 8_000 and len(corpus("tasks")) == 16_000


def test_a_damaged_file_of_items_is_a_sentence(tmp_path, monkeypatch):
    for content in (
        b"",
        b"no gzip",
        gzip.compress(b"no json"),
        gzip.compress(json.dumps({}).encode())[:-4],
    ):
        (tmp_path / "items.json.gz").write_bytes(content)
        monkeypatch.setattr(frozen, "ITEMS_FILE", tmp_path / "items.json.gz")
        frozen._frozen.cache_clear()
        with pytest.raises(PromptError, match=r"cannot be read .*weights.recipes.freeze"):
            items("cloze", 1)
    monkeypatch.undo()
    frozen._frozen.cache_clear()


def test_two_objectives_at_once_are_refused(tmp_path, capsys):
    base = [
        "--corpus",
        "anthology",
        "--out",
        str(tmp_path / "o"),
        "--work-dir",
        str(tmp_path / "w"),
    ]
    assert training.main([*base, "--teacher", "anthology", "--against-repetition", "5"]) == 1
    assert "two objectives" in capsys.readouterr().err
