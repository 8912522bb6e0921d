"""The small synthetic web: its grammar, its facts, and that nothing it tests with was ever
shown.
"""

import re
from functools import cache

import pytest

from gptcore.zero_shot.items import TASKS_WITH_ITEMS, splits_of
from gptcore.zero_shot.tasks import TASKS
from weights.recipes.pages import main
from weights.recipes.world.documents import documents
from weights.recipes.world.items import items
from weights.recipes.world.lexicon import words
from weights.recipes.world.splits import held_out
from weights.recipes.world.sums import is_strict

N_PAGES = 16_000


@cache
def pages() -> tuple[str, ...]:
    return tuple(documents(N_PAGES, seed=3))


@cache
def text() -> str:
    return "\n\n".join(pages()).lower()


def test_a_page_depends_on_seed_and_number_alone():
    assert list(documents(30, seed=5)) == list(documents(60, seed=5))[:30]
    assert list(documents(30, seed=5)) != list(documents(30, seed=6))
    assert len(set(pages())) > 0.97 * N_PAGES


def key(task: str, fields) -> str:
    """What of an item must not occur in training: for a story its text with the question, else the
    whole input.
    """
    return (
        "\n\nq: ".join(fields.values()).lower()
        if task == "question"
        else "\n".join(fields.values()).lower()
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in TASKS_WITH_ITEMS if task != "arithmetic"])
def test_no_item_of_an_evaluation_occurs_in_the_training_text(task):
    for split in splits_of(task):
        made = items(task, 150, split=split)
        assert len(made) >= 8
        for item in made:
            if task == "analogy":
                a_, b, c = item.fields.values()
                for template in TASKS["analogy"].templates:
                    if not template.held_out:
                        assert template.solved(item).lower() + "\n" not in text(), item
                assert f"{a_} is to {b} as {c} is" not in text()
            else:
                # With its line's end, since a longer phrase of other words may begin like a short
                # one.
                wanted = key(task, item.fields)
                if wanted in text():
                    assert re.search(rf"(?<!\w ){re.escape(wanted)}( =|\n|$)", text()) is None, item


def test_combinations_that_are_held_out_are_never_shown():
    for thing, opinion in re.findall(
        r"\bthis (\w+) is (?:very |really |so |quite |truly )?(\w+)[.!]", text()
    ):
        if thing in words("reviewthing") and opinion in words("good") + words("bad"):
            assert not held_out("combination", "sentiment", thing, opinion), (thing, opinion)
    names = words("girls") + words("boys")
    for name, thing in re.findall(
        r"\b(\w+) lost (?:his|her) (\w+) (?:in|on|at) ", "\n".join(pages())
    ):
        if name in names and thing in words("thing"):
            assert not held_out("combination", "question", name, thing), (name, thing)


def test_words_that_a_task_holds_out_are_known_from_elsewhere_only():
    reviews_ = " ".join(re.findall(r"review: (.+)", text()))
    hidden = {word for word in words("good") + words("bad") if held_out("word", "sentiment", word)}
    plain = {word for word in hidden if re.fullmatch(r"[a-z]+", word)}
    assert len(plain) >= 4
    assert not plain & set(re.findall(r"[a-z]+", reviews_)) and plain <= set(
        re.findall(r"[a-z]+", text())
    )


def test_no_template_that_is_held_out_is_shown():
    assert not re.search(r"very (positive|negative)", text())
    for task in TASKS.values():
        for template in task.templates:
            if template.held_out and template.name != "Very positive or very negative (held out)":
                literal = max(re.split(r"\{\w+\}", template.body), key=len).strip().lower()
                assert (
                    len(literal) > 2
                    and f"\n{literal}" not in text()
                    and f" {literal} " not in text()
                ), template.name


def test_no_sum_of_an_evaluation_is_shown_and_strict_ones_in_neither_order():
    # but as a part of longer sums
    shown = set(re.findall(r"\b(?<!\+ )(?=(\d+ \+ \d+)\b(?! \+))", text()))
    for split in splits_of("arithmetic"):
        made = {item.fields["sum"] for item in items("arithmetic", 150, split=split)}
        assert len(made) >= 8 and len(shown) > 100 and not made & shown
    anyhow = set(re.findall(r"(?=\d)(?<!\d)(?<!\+ )(?=(\d+) ?(?:\+|plus|and) ?(\d+)\b)", text()))
    for item in items("arithmetic", 20, split="strict"):
        first, _, second = item.fields["sum"].split()
        assert is_strict(int(first), int(second)) and is_strict(int(second), int(first))
        assert not {(first, second), (second, first)} & anyhow


def test_the_command_prints_documents(capsys):
    assert main(["--pages", "5", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("<|endoftext|>\n") == 5 and out == "".join(
        f"{page}\n<|endoftext|>\n" for page in documents(5, seed=2)
    )
    assert main(["--pages", "9", "--seed", "2", "--task", "arithmetic"]) == 0
    out = capsys.readouterr().out
    assert all(
        re.search(r"\d|[a-z]+ (plus|minus|and|times)", page)
        for page in out.split("<|endoftext|>\n")[:-1]
    )
    with pytest.raises(SystemExit):
        main(["--pages", "0"])
