"""Chat: a model answers turn by turn, next to a plain GPT that continues the same text."""

import json
from collections.abc import Iterator, Sequence

from gptcore.errors import GPTCoreError
from gptcore.finetuning.answering import WRITING
from gptcore.finetuning.instruction import ASSISTANT, STOP, SYSTEM, USER, Message, chat_prompt
from gptcore.inference.generation import prompt_ids
from gptcore.inference.sequence import TokenSequence, check_seed
from gptcore.language_model import DEFAULT_MODEL, LanguageModel, bundled_models
from ui.lenses.generate.payloads import ChatAnswer
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.streaming import stream_text
from ui.state.sessions import Turn

CHAT_MODEL = "assistant"
THE_PICKED = ""  # the model above, in the view's own picker
STARTERS = (
    "Write a story with the words: ball, rain, sorry.", "Tell me a story about a brave little cat.",
    "Hello! What can you do?", "What is the capital of France?",
)  # fmt: skip
_MOST_TURNS = 60
_MOST_CHARS = 4_000
_MOST_TOKENS = 200
_LEAST_ROOM = 40  # minimum tokens for an answer, freed by dropping older turns


def chat_model() -> str:
    """The model that answers until another is picked: the bundled assistant, else the default."""
    return CHAT_MODEL if CHAT_MODEL in bundled_models() else DEFAULT_MODEL


def parse(conversation: object) -> tuple[list[Message], int]:
    """Messages and seed of what the page sends: {"turns": [text, ...], "system", "seed"}, the
    user's turn first.

    Raises:
        InputError: nothing to answer, or more than fits on the page.
    """
    turns, system, seed = fields(conversation, "turns", "system", "seed")
    if not isinstance(turns, list) or len(turns) % 2 == 0:
        raise InputError("There is nothing to answer: write a message first.")
    if len(turns) > _MOST_TURNS:
        raise InputError(
            f"The conversation has {len(turns)} turns; at most {_MOST_TURNS} fit. Start a new one."
        )
    texts = [inputs.text(turn, "A message", most=_MOST_CHARS) for turn in turns]
    line = inputs.text(
        "" if system is None else system, "The system line", most=_MOST_CHARS
    ).strip()
    messages = [Message(ASSISTANT if index % 2 else USER, text) for index, text in enumerate(texts)]
    number = check_seed(
        inputs.whole(1 if seed is None else seed, "The seed", low=0, high=2**31 - 1)
    )
    return [*([Message(SYSTEM, line)] if line else []), *messages], number


def reply(
    services: Services,
    session_id: str | None,
    picked: object,
    chosen: object,
    beside: object,
    conversation: object,
) -> Iterator[str]:
    """Answers the last message of a conversation, then continues the same words with a plain GPT.

    Args:
        picked: the model above.
        chosen: the model that answers; THE_PICKED for the one above.
        beside: the plain model.
        conversation: see parse.

    Yields:
        JSON of a `ChatAnswer`; of {"message", "number"} where it cannot be answered.
    """
    sent = fields(conversation, "number")[0]
    # the page's, of a question, by which it knows the answers to it
    number = sent if isinstance(sent, int) else 0
    try:
        messages, seed = parse(conversation)
        lm = services.models.get(inputs.model_name(picked if chosen == THE_PICKED else chosen))
        plain = services.models.get(inputs.model_name(beside))
        ids, dropped = fitting(lm, messages)
        half = plain.model.config.n_positions // 2
        last = plain.tokenizer.encode(messages[-1].text, allow_special=True)
        continued = prompt_ids(plain, last[-half:])
    except GPTCoreError as error:
        yield json.dumps({"message": str(error), "number": number}, ensure_ascii=False)
        return
    window = lm.model.config.n_positions
    shown = _empty_answer(len(ids), window, dropped, number)
    with services.sessions.get(session_id).turn() as run:
        yield json.dumps(shown, ensure_ascii=False)
        answering = TokenSequence(
            ids, WRITING, seed=seed, tokenizer=lm.tokenizer, stop=[STOP], n_alternatives=0
        )
        for text, rate, waiting in _written(
            services, run, lm, answering, min(_MOST_TOKENS, window - len(ids))
        ):
            used = min(window, len(answering.ids))
            shown.update({"answer": text.lstrip(), "rate": rate, "said": waiting, "used": used})
            yield json.dumps(shown, ensure_ascii=False)
        if run.wanted:
            going_on = TokenSequence(
                continued, WRITING, seed=seed, tokenizer=plain.tokenizer, n_alternatives=0
            )
            room = min(_MOST_TOKENS // 2, max(1, plain.model.config.n_positions - len(continued)))
            for text, _, _ in _written(services, run, plain, going_on, room):
                shown["plain"] = text
                yield json.dumps(shown, ensure_ascii=False)
        said = _conclusion(answering, lm.name, plain.name, stopped=not run.wanted)
        shown.update({"done": True, "said": said})
        yield json.dumps(shown, ensure_ascii=False)


def _empty_answer(used: int, window: int, dropped: int, number: int) -> ChatAnswer:
    """An answer before its first token."""
    return {
        "answer": "",
        "plain": "",
        "used": used,
        "window": window,
        "dropped": dropped,
        "rate": None,
        "done": False,
        "said": "",
        "number": number,
    }


def example(services: Services) -> str:
    """A finished answer to the first of the messages to begin with, as `reply` gives it, with the
    message.
    """
    asked = {"turns": [STARTERS[0]]}
    answered = list(reply(services, "example", DEFAULT_MODEL, chat_model(), DEFAULT_MODEL, asked))[
        -1
    ]
    services.sessions.forget("example")
    shown: ChatAnswer = json.loads(answered)
    shown.update({"asked": STARTERS[0], "rate": None})
    return json.dumps(shown, ensure_ascii=False)


def fitting(lm: LanguageModel, messages: Sequence[Message]) -> tuple[list[int], int]:
    """The prompt's tokens, and how many of the oldest turns were dropped so that an answer has
    room.

    Raises:
        InputError: the last message alone is too long.
    """
    system = [message for message in messages if message.role == SYSTEM]
    turns = [message for message in messages if message.role != SYSTEM]
    most = lm.model.config.n_positions - min(_LEAST_ROOM, lm.model.config.n_positions // 4)
    lengths = list[int]()
    for first in range(0, len(turns), 2):
        ids = lm.tokenizer.encode(chat_prompt([*system, *turns[first:]]), allow_special=True)
        if len(ids) <= most:
            return ids, first
        lengths.append(len(ids))
    raise InputError(
        f"This message takes {lengths[-1]:,} tokens; {most:,} of this model's window of "
        f"{lm.model.config.n_positions:,} are left for it. Shorten it."
    )


def _written(
    services: Services, run: Turn, lm: LanguageModel, sequence: TokenSequence, n_tokens: int
) -> Iterator[tuple[str, int | None, str]]:
    """(text so far, tokens a second, what it waits for) as a sequence is written."""
    text = ""
    for update in stream_text(services, run, lm, [sequence], n_tokens):
        text += "".join(made.text for made in update.made)
        rate = update.figures[0].rate
        yield text, None if rate is None else round(rate), update.waiting


def _conclusion(answer: TokenSequence, name: str, plain: str, *, stopped: bool) -> str:
    """Describes in words how the assistant's answer ends beside the plain model's continuation."""
    if stopped:
        return "Stopped; what was written is kept."
    how = "is cut off here" if answer.end == "length" else "stops"
    return f"{name} replies and {how}; {plain} just continues your text."
