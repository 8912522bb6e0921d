"""The page's events and server functions answer as they did when they were recorded
(`python -m tests.tools.record`): every figure of every answer, but for what another processor
rounds.
"""

import asyncio

import link_answers
import pytest
from answers import differences, load, read
from endpoint_answers import answer as answer_of_endpoint
from endpoint_answers import requests as requests_of_programs
from page_answers import (
    answer,
    answer_of_event,
    beyond,
    further,
    other_requests,
    questions,
    refusal,
    unlike,
)
from test_payloads import FUNCTIONS, asked
from test_payloads import answer as answer_of_function
from wire import apart

from serving import built_page
from ui.endpoints import ENDPOINTS as ENDPOINTS_OF_PAGE

EVENTS = load("events")
LIMITS = load("limits")
ENDPOINTS = load("endpoints")


@pytest.fixture(scope="module")
def built():
    with built_page() as (page, services):
        yield page, services


@pytest.fixture(scope="module")
def by_name(built):
    return {question.name: question for question in (*questions(built[0]), *further(built[0]))}


@pytest.fixture(scope="module")
def requests(built):
    return asked(built[1])


def test_every_event_is_recorded(by_name):
    assert set(by_name) == set(EVENTS)


@pytest.mark.parametrize("name", [name for name, kept in EVENTS.items() if kept is not None])
def test_an_event_answers_as_it_did(name, built, by_name):
    question = by_name[name]
    found = read(apart(lambda: asyncio.run(answer(built[0], question))))
    assert unlike(question, EVENTS[name], found) == []


@pytest.fixture(scope="module")
def unfit(built):
    """The questions with fields beyond their limits, by the field and what is asked."""
    found = {}
    for question in beyond(built[0]):
        found.setdefault(question.changed, {}).setdefault(question.component, question)
    return found


def test_every_number_and_text_is_recorded_beyond_its_limits(unfit):
    assert set(unfit) == set(LIMITS)


@pytest.mark.parametrize("changed", [name for name, refused in LIMITS.items() if refused])
def test_a_field_refuses_what_is_beyond_its_limits_as_it_did(changed, built, unfit):
    for event, said in LIMITS[changed].items():
        asked = answer(built[0], unfit[changed][event])
        assert refusal(read(apart(lambda asked=asked: asyncio.run(asked)))) == said


def test_every_endpoint_is_recorded():
    assert {request.name for request in requests_of_programs()} == set(ENDPOINTS)


@pytest.mark.parametrize("request_", requests_of_programs(), ids=lambda request: request.name)
def test_an_endpoint_answers_as_it_did(request_, built):
    found = read(apart(lambda: answer_of_endpoint(request_, built[1])))
    assert list(differences(ENDPOINTS[request_.name], found)) == []


@pytest.mark.parametrize("name", ENDPOINTS_OF_PAGE)
def test_an_endpoint_tells_a_program_with_a_sentence_what_it_refuses(name, built):
    event = next(event for event in built[0].fns.values() if event.api_name == name)
    nothing = [None] * len(event.inputs)
    said = apart(lambda: asyncio.run(answer_of_event(built[0], event, nothing)))
    assert list(said) == ["refused"] and not said["refused"].startswith("Something went wrong")


def test_links_set_what_they_set_on_a_page_that_is_opened_and_on_one_that_is_open(built):
    kept = load("links")
    found = dict(apart(lambda: [*link_answers.answers(built[0])]))
    assert set(found) == set(kept)
    for name, answered in found.items():
        assert list(differences(kept[name], answered)) == [], name


# what it answers depends on what another page has shown before
ASKED_IN_ANY_ORDER = sorted(FUNCTIONS.keys() - {"Hall.follow"})


@pytest.mark.parametrize("name", ASKED_IN_ANY_ORDER)
def test_a_server_function_answers_and_refuses_as_it_did(name, built, requests):
    every = load("functions")
    request = requests[name]
    for what, sent in (("", request), *other_requests(request or {})):
        kept = every[f"{name}, {what}" if what else name]
        found = read(answer_of_function(FUNCTIONS[name], built[1], sent))
        for answered in (kept, found) if name == "Train.poll" else ():
            steadied(answered)
        assert list(differences(kept, found)) == [], what


def steadied(poll):
    """Takes out of what a run tells the times, and the texts that it wrote after an update."""
    poll["rows"] = [row[:-1] for row in poll["rows"]]
    for look in poll["looks"]:
        del look["text"]
