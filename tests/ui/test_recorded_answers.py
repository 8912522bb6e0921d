"""The page's events and server functions answer as they did when they were recorded
(`python -m tests.tools.record`): every figure of every answer, but for what another processor
rounds.
"""

import asyncio

import pytest
from page_answers import answer, differences, load, questions, read, unlike
from test_payloads import FUNCTIONS, asked
from test_payloads import answer as answer_of_function
from wire import apart

from serving import built_page

EVENTS = load("events")


@pytest.fixture(scope="module")
def built():
    with built_page() as (page, services):
        yield page, services


@pytest.fixture(scope="module")
def by_name(built):
    return {question.name: question for question in questions(built[0])}


@pytest.fixture(scope="module")
def requests(built):
    return asked(built[1])


def test_every_event_is_recorded(by_name):
    assert set(by_name) == set(EVENTS)


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_answers_as_it_did(name, built, by_name):
    question = by_name[name]
    found = read(apart(lambda: asyncio.run(answer(built[0], question))))
    assert unlike(question, EVENTS[name], found) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_server_function_answers_as_it_did(name, built, requests):
    kept = load("functions")[name]
    found = read(answer_of_function(FUNCTIONS[name], built[1], requests[name]))
    if name == "Train.poll":
        for answered in (kept, found):
            answered["rows"] = [row[:-1] for row in answered["rows"]]  # the last column is seconds
            for look in answered["looks"]:
                del look["text"]  # written after updates that a processor may round otherwise
    assert list(differences(kept, found)) == []
