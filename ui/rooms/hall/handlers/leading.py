"""Leading a room: what the speaker's page shows, and the pages that follow it."""

import json
import re
import secrets
from typing import Annotated

from ui.payloads import fields
from ui.rooms.hall.payloads import (
    Followed,
    FollowRequest,
    LeadRequest,
    Led,
    NotesRequest,
    Scene,
    Written,
)
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.state import token_stream
from ui.state.clients import asking

_SECRET = re.compile(r"[A-Za-z0-9_-]{22,64}")  # drawn by a page; too long to be guessed
_LONGEST_NAME = 300  # characters
_LONGEST_LINK = 20_000
_MOST_PLACE = 1_000_000
_MOST_ASKED = 20  # answers to choose from
_MOST_TURNS = 100  # of a conversation


def lead(services: Services, request: Annotated[object, LeadRequest]) -> Annotated[str, Led] | None:
    """Says what the speaker's page shows. None for an invalid request."""
    secret, scene, workspace, written = fields(request, "secret", "scene", "workspace", "written")
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
        return None
    shown = None
    said = ""
    try:
        shown = None if scene is None else _scene(scene, services.limits.max_prompt_chars)
    except InputError as error:
        said = str(error)
    runs = workspace if isinstance(workspace, str) and _SECRET.fullmatch(workspace) else ""
    audience = services.broadcasts.lead(secret, shown, asking.get(), runs, left=scene is None)
    known = services.broadcasts.write(secret, *_part(written))
    led: Led = {
        "name": audience.name,
        "followers": audience.followers,
        "said": said,
        "known": known,
        "guesses": list(audience.guesses),
    }
    return json.dumps(led)


def follow(
    services: Services, request: Annotated[object, FollowRequest]
) -> Annotated[str, Followed] | None:
    """Returns the state of the speaker's page now, as far as the follower lacks it. None for an
    invalid request.
    """
    name, page, version, number, start = fields(
        request, "name", "page", "version", "number", "start"
    )
    (guess,) = fields(request, "guess")
    if not isinstance(name, str) or not isinstance(page, str) or not _SECRET.fullmatch(page):
        return None
    broadcast = services.broadcasts.follow(
        name, page, guess if type(guess) is int and guess >= 0 else None
    )
    answer: Followed = {"state": "away", "version": 0, "scene": None, "written": None}
    if broadcast is not None:
        scene = None if version == broadcast.version else broadcast.scene
        text = broadcast.written
        first = (
            start
            if number == broadcast.number and type(start) is int and 0 <= start <= len(text)
            else 0
        )
        news: Written = {"number": broadcast.number, "start": first, "lines": text[first:]}
        is_known = not broadcast.number or (number == broadcast.number and first == len(text))
        written = None if is_known else news
        answer = {
            "state": broadcast.state,
            "version": broadcast.version,
            "scene": scene,
            "written": written,
        }
    return json.dumps(answer, ensure_ascii=False)


def speaker_notes(
    services: Services, request: Annotated[object, NotesRequest]
) -> Annotated[str, list[str]] | None:
    """Returns the notes of the server's talk, by scene, to a page that knows its key; None to any
    other.
    """
    (key,) = fields(request, "key")
    talk = services.talk
    is_known = (
        isinstance(key, str)
        and key.isascii()
        and bool(talk.key)
        and secrets.compare_digest(key, talk.key)
    )
    return json.dumps(talk.notes, ensure_ascii=False) if is_known else None


def _scene(scene: object, longest_text: int) -> Scene:
    """A scene that a page sent. Raises InputError for anything else."""
    tab, view, model, text, head, token = fields(
        scene, "tab", "view", "model", "text", "head", "token"
    )
    run, link, hands_off, point = fields(scene, "run", "link", "hands_off", "point")
    say, hide, asks, chat = fields(scene, "say", "hide", "asks", "chat")
    pair = head if isinstance(head, (list, tuple)) and len(head) == 2 else None
    return {
        "tab": inputs.text(tab, "The tab", most=_LONGEST_NAME, needs_words=True),
        "view": inputs.text(view, "The view", most=_LONGEST_NAME),
        "model": inputs.text(model, "The model", most=_LONGEST_NAME),
        "text": inputs.text(text, "The text", most=longest_text),
        "head": None if pair is None else (_place(pair[0]), _place(pair[1])),
        "token": None if token is None else _place(token),
        "run": inputs.text(run, "The run", most=_LONGEST_NAME),
        "link": inputs.text(link, "The link of the view", most=_LONGEST_LINK),
        "hands_off": hands_off is True,
        "say": inputs.text(say, "The sentence of the talk", most=longest_text),
        "point": inputs.text(point, "The selector", most=_LONGEST_NAME),
        "hide": inputs.text(hide, "The selector", most=_LONGEST_NAME),
        "asks": _texts(asks, "The answers to choose from", most=_MOST_ASKED, longest=_LONGEST_NAME),
        "chat": _texts(chat, "The conversation", most=_MOST_TURNS, longest=longest_text),
    }


def _texts(value: object, name: str, *, most: int, longest: int) -> list[str]:
    """A list of texts that a page sent. Raises InputError for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise InputError(f"{name}: a list of at most {most} texts is taken.")
    return [inputs.text(item, name, most=longest) for item in value]


def _part(written: object) -> tuple[int, int, str]:
    """Returns (number, start, lines) of a part of a text that a page sent; (0, 0, "") for anything
    else.
    """
    number, start, lines = fields(written, "number", "start", "lines")
    if type(number) is not int or type(start) is not int or not isinstance(lines, str):
        return 0, 0, ""
    try:
        token_stream.parse(lines)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return 0, 0, ""
    return number, start, lines


def _place(value: object) -> int:
    return inputs.whole(value, "The place", low=0, high=_MOST_PLACE)
