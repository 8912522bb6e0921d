"""Openings as people type them: a document ends as its story does, and the command prints them."""

import random

from gptcore.tokenizers.base import END_OF_TEXT
from weights.recipes import openings

STORY = (
    "Once upon a time, there was a little fox named Ruby. She lived near a pond with her friend Tom. "
    'One day Ruby found a red shell in the sand. "Look at this shell, it is so shiny!" she said to Tom. '
    "Tom was happy, and Ruby let him hold it. The two friends walked home and put the shell on the table. "
    "In the night it began to glow, and the whole room was red. Then Ruby woke up and called for Tom. "
    '"It is only the moon," said Tom, and he showed Ruby the window. Ruby laughed and went to sleep again. '
    "In the morning the shell was white, and they gave it back to the sea where it had come from, all by themselves."
)


def test_a_document_ends_as_its_story_does_and_half_of_the_heroes_get_another_name():
    told = list(openings.documents([STORY] * 300, random.Random(4)))
    assert told and all(item.endswith(STORY[-60:]) and "Tom" in item for item in told)
    assert 0.35 < sum("Ruby" not in item for item in told) / len(told) < 0.65
    assert openings.hero("There was a cat. It slept all day.") is None


def test_the_command_prints_documents(tmp_path, capsys):
    (tmp_path / "stories.txt").write_text(f"\n{END_OF_TEXT}\n".join([STORY] * 3), encoding="utf-8")
    assert openings.main([str(tmp_path / "stories.txt"), "--documents", "2"]) == 0
    assert capsys.readouterr().out.count(f"{END_OF_TEXT}\n") == 2
