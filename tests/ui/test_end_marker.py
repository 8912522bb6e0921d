"""The marker of a document's end, written out in a text: one token wherever a model reads the
text.
"""

import json

import pytest

from gptcore.corpora import documents_of
from gptcore.finetuning.instruction import Message
from gptcore.inference.scoring import score_text
from gptcore.zero_shot.templates import Part, Prompt, fit
from helpers import records_of
from ui.lenses.attention.handlers import maps
from ui.lenses.generate.chat import replying
from ui.lenses.generate.tokens import cutting
from ui.lenses.generate.write.score import score
from ui.lenses.generate.write.writing import new_document
from ui.lenses.start.handlers import sentence

TEXT = "One day.<|endoftext|>Once"


def of_prompt(services, lm):
    return list(new_document(services, lm, "mini", TEXT).ids)


def of_score(services, lm):
    return [record["id"] for record in records_of(score(services, "mini", TEXT), "token")]


def of_tokens(services, lm):
    rows = json.loads(cutting.cut(services, {"text": TEXT, "model": "mini"}))
    return [token[1] for token in next(row for row in rows if row.get("picked"))["tokens"]]


def of_chat(services, lm):
    return replying.fitting(lm, [Message("User", TEXT)])[0]


def of_attention(services, lm):
    return list(maps.read(services, None, maps.AttentionForm("mini", TEXT)).kept.reading.token_ids)


def of_task(services, lm):
    return list(fit(lm, Prompt((Part("input", TEXT),)), 10).ids)


def of_start(services, lm):
    return [
        token["id"]
        for token in json.loads(sentence.typed(services, {"model": "mini", "text": TEXT}))["tokens"]
    ]


@pytest.mark.parametrize(
    "read", [of_prompt, of_score, of_tokens, of_chat, of_attention, of_task, of_start]
)
def test_it_is_one_token_wherever_a_text_is_read(bundled, read):
    lm = bundled.models.get("mini")
    wanted = lm.tokenizer.encode(TEXT, allow_special=True)
    end = wanted.index(lm.tokenizer.end_id)
    ids = read(bundled, lm)
    assert ids.count(lm.tokenizer.end_id) == 1
    place = ids.index(lm.tokenizer.end_id)
    assert ids[place - 1 : place + 2] == wanted[end - 1 : end + 2]


def test_its_letters_are_no_bytes_of_the_text_that_is_scored(bundled):
    lm = bundled.models.get("mini")
    assert score_text(lm, TEXT)[2].n_bytes == len("One day.Once")


def test_in_a_training_text_it_divides_documents_wherever_it_stands():
    assert documents_of(f"{TEXT}\n<|endoftext|>\nmore\n<|endoftext|>\n") == [
        "One day.",
        "Once",
        "more",
    ]
