"""What the models of the Assistant view answer: two answers for an audience to choose from, and all
stages compared.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from gptcore.errors import GPTCoreError
from gptcore.finetuning.answering import WRITING, answers, holds
from gptcore.finetuning.instruction import (
    STOP,
    USER,
    Message,
    chat_prompt,
    instructions,
    requested_words,
)
from gptcore.finetuning.preference import preference_pair
from gptcore.inference.generation import prompt_ids
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel
from ui.lenses.train.handlers.assistant import bundled_stories, stage
from ui.lenses.train.payloads import Duel, DuelRequest
from ui.payloads import fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.streaming import stream_text
from ui.state import token_stream
from ui.state.sessions import Turn

_STAGES = ("Before", "After 1", "After 2")
_DUEL_TOKENS = 80
_COMPARED_TOKENS = 160
_MOST_CHOICES = 400


def duel(services: Services, request: Annotated[object, DuelRequest]) -> Duel:
    """Two answers to one prompt, to choose the better, or why there are none."""
    workspace_id, choice, number = fields(request, "workspace", "chosen", "number")
    workspace = services.workspaces.steered(workspace_id)
    taught = stage(workspace, "instructions")
    if workspace is None or taught is None or taught.language_model is None:
        return {
            "said": (
                "First teach it to answer (step 1); then it can write two answers to choose from."
            )
        }
    lm = taught.language_model
    kept = workspace.choices
    gone = 0
    with kept.lock:
        if kept.model != taught.id:
            gone = len(kept.pairs)
            kept.pairs = []
            kept.model = taught.id
            kept.shown = None
        if (
            kept.shown is not None
            and number == kept.number
            and choice in (0, 1)
            and len(kept.pairs) < _MOST_CHOICES
        ):
            prompt, *both = kept.shown
            pair = preference_pair(lm, prompt, both[int(choice)], both[1 - int(choice)])
            kept.pairs += [] if pair is None else [pair]
        kept.number += 1
        number = kept.number
    # A question for the audience, different each time; the first is short.
    made = instructions(bundled_stories()[:200], 40, seed=11)
    prompts = [item.prompt for item in made if item.words or item.kind == "about"]
    prompt = prompts[number % len(prompts)]
    ask = partial(answers, lm, [prompt], n_each=2, max_new_tokens=_DUEL_TOKENS, seed=1000 * number)
    try:
        both = services.measure(lambda: [one for _, one in ask()])
    except GPTCoreError as error:
        return {"said": str(error)}
    with kept.lock:
        kept.shown = (prompt, both[0], both[1])
        texts = [item.text for item in both]
        return {
            "prompt": prompt,
            "answers": texts,
            "number": number,
            "chosen": len(kept.pairs),
            "gone": gone,
        }


def compare(
    services: Services, session_id: str | None, workspace_id: object, model: object, prompt: object
) -> Iterator[list[str | None]]:
    """Answers a prompt with the picked model, that after stage 1 and that after stage 2, as far as
    there are such.

    Raises:
        GPTCoreError: an empty prompt, or one that does not fit.

    Yields:
        token streams before, after 1 and after 2, and a sentence; None leaves a part as it is.
    """
    text = inputs.text(prompt, "The prompt", most=2_000, least=1)
    workspace = services.workspaces.get(workspace_id)
    stages = [stage(workspace, kind) for kind in ("instructions", "preferences")]
    after = [None if item is None else item.language_model for item in stages]
    models = [services.models.get(inputs.model_name(model)), *after]
    words = requested_words(text)
    written = list[str]()
    yield ["", "", "", ""]
    with services.sessions.get(session_id).turn() as run:
        for index, lm in enumerate(models):
            if lm is None:
                continue
            answer = ""
            for stream, answer in _answered(services, run, lm, text):  # noqa: B007 - the last one is told
                yield [stream if part == index else None for part in range(4)]
            if not run.wanted:
                return
            n_words = len(answer.split())
            used = sum(holds(answer, word) for word in words)
            of_words = (
                f"{used} of {len(words)} requested words in {n_words}"
                if words
                else f"{n_words} words"
            )
            written.append(f"{_STAGES[index]}: {of_words}.")
    missing = "" if all(models) else " Press 1, then 2, to see the next column."
    yield [None, None, None, f"{' '.join(written)}{missing}"]


def _answered(
    services: Services, run: Turn, lm: LanguageModel, text: str
) -> Iterator[tuple[str, str]]:
    """(token stream, answer so far) of a model to one question."""
    ids = prompt_ids(lm, chat_prompt([Message(USER, text)]))
    sequence = TokenSequence(ids, WRITING, seed=1, tokenizer=lm.tokenizer, stop=[STOP])
    room = max(1, min(_COMPARED_TOKENS, lm.model.config.n_positions - len(ids)))
    stream = ""
    answer = ""
    for update in stream_text(services, run, lm, [sequence], room):
        if update.waiting:
            yield stream + token_stream.waiting(update.waiting).json, answer
            continue
        for made in update.made:
            stream += token_stream.token(lm.tokenizer, made).json
            answer += made.text
        yield stream, answer
