"""Further zero-shot views: prompting styles, prompt attribution, and a comparison of models."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gptcore.analysis import count_parameters
from gptcore.errors import GPTCoreError, PromptError
from gptcore.formatting import percent
from gptcore.language_model import LanguageModel
from gptcore.zero_shot.evaluation import greedy_answers
from gptcore.zero_shot.items import NO_STEPS, TASKS_WITH_ITEMS, examples
from gptcore.zero_shot.likelihood import answer_logprobs, part_effects, word_effects
from gptcore.zero_shot.metrics import exact_match, rouge
from gptcore.zero_shot.templates import Fitted, Item, Template
from ui.conclusions import concludes, listed
from ui.lenses.zero_shot.handlers.asking import parts_of
from ui.lenses.zero_shot.handlers.form import TaskForm
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.sheets import Section, big, sheet

MOST_MODELS = 8
_TAIL = 100  # characters of the prompt shown above the ladder
_MOST_ON_A_RUNG = 40  # tokens of a plain answer in the ladder
_WEI = "Wei et al. 2022"  # worked examples with their reasons
_ASSEMBLED = (
    "These prompts are built from the fields; the prompt that was edited by hand is not used here."
)
OWN = "its own answer"
EXPECTED = "the expected answer"


def ways_of_asking(
    services: Services, session_id: str | None, model: object, form: TaskForm
) -> Iterator[str]:
    """The same input plainly, with examples, with examples and reasons, and step by step without;
    greedy.

    Yields:
        JSON of {"ways": [...], said, note}, growing; a way is a title with a message, or what
        `_way` returns.
    """
    lm = services.models.get(inputs.model_name(model))
    n = len(form.examples) or form.task.n_examples
    solved = form.examples or (examples(form.name, n) if form.name in TASKS_WITH_ITEMS else ())
    plain = form.template if not form.template.chain_of_thought else form.task.templates[0]
    chain = form.template if form.template.chain_of_thought else form.task.chain
    few = f"Few-shot: {len(solved)} example{'s' if len(solved) != 1 else ''}"
    reasoned = [item for item in solved if item.steps and item.steps != NO_STEPS]
    no_reasons = "None of the examples has steps. Fill them in under “Edit the examples”."
    no_chain = (
        "This task has no chain of thought. Write a template with {steps} before {answer} to make "
        "one."
    )
    lacks = no_chain if chain is None else no_reasons
    with_reasons = few.replace("Few-shot", "Few-shot with reasons")
    ways: list[tuple[str, Template | None, Sequence[Item], str]] = [
        ("Zero-shot: no example", plain, (), ""),
        (few, plain if solved else None, solved, "There are no examples for this task."),
        (with_reasons, chain if reasoned else None, reasoned, lacks),
        ("Chain of thought: no example", chain, (), no_chain),
    ]
    answered: list[dict[str, Any]] = []
    with services.sessions.get(session_id).turn() as run:
        for title, template, shown, why in ways:
            way = (
                {"message": why} if template is None else _way(services, lm, form, template, shown)
            )
            answered.append({"title": title, **way})
            said = conclusion([(item["title"], item.get("right"), None) for item in answered])
            note = _ASSEMBLED if form.edited else ""
            yield json.dumps({"ways": answered, "said": said, "note": note}, ensure_ascii=False)
            if not run.wanted:
                return


def _way(
    services: Services,
    lm: LanguageModel,
    form: TaskForm,
    template: Template,
    solved: Sequence[Item],
) -> dict[str, Any]:
    """Answers with a template; returns the values of `parts_of`, the answer, what is `found` after
    its steps, whether it is right, and that in words.
    """
    chain = template.chain_of_thought
    own = template == form.template
    most, stop = (
        (form.max_new_tokens, form.stop)
        if own
        else (form.task.length(template), form.task.stops(template))
    )
    asked = replace(
        form, template=template, examples=solved, labels=(), max_new_tokens=most, edited=""
    )
    fitted = asked.fitted(lm)
    written = services.now(
        lambda: greedy_answers(lm, [fitted.ids], max_new_tokens=most, stop=stop)
    )[0]
    answer = template.found(written)
    right, verdict = _judged(form, template.label(form.item.answer), answer)
    shown = parts_of(services, lm, asked, fitted)
    found = answer if chain else ""
    source = _WEI if chain and solved else shown["source"]
    return {
        **shown,
        "source": source,
        "answer": written,
        "found": found,
        "right": right,
        "verdict": verdict,
    }


def _judged(form: TaskForm, expected: str, answer: str) -> tuple[bool | None, str]:
    """(whether an answer is the expected one, the same in words); None where there is none, or no
    single right one.
    """
    if not expected or form.name == "summarise":
        return None, f"ROUGE-L {percent(rouge(expected, answer))}" if expected else ""
    right = exact_match(expected, answer, articles=form.task.articles) == 1
    return right, "as expected" if right else f"not as expected: {expected}"


def uses(services: Services, model: object, form: TaskForm, whose: object) -> str:
    """Prompt attribution: how parts and words of the prompt change the probability of an answer.

    Args:
        model: its name.
        form: what is asked.
        whose: OWN, what the model writes greedily, or EXPECTED.

    Returns:
        JSON of {"uses": {answer, p, note, changes of {name, p, effect}, words of {kind, text,
        effect}}}; effects in nats, positive where a part makes the answer likelier, `p` of the
        answer, without the part where there is one.
    """
    if whose not in (OWN, EXPECTED):
        raise InputError(
            f"Whose answer is {str(whose)[:40]!r}; it must be {OWN!r} or {EXPECTED!r}."
        )
    if whose == EXPECTED and form.template.chain_of_thought:
        raise PromptError(
            "The expected answer follows the steps, which the model has not written yet. Take "
            "its own answer, or a template without steps."
        )
    lm = services.models.get(inputs.model_name(model))
    fitted = form.fitted(lm)
    text = form.template.label(form.item.answer)
    answer = _lead(fitted) + text
    if whose == OWN:
        most = min(24, form.max_new_tokens)
        stop = form.stop or ("\n",)
        written = services.now(
            lambda: greedy_answers(lm, [fitted.ids], max_new_tokens=most, stop=stop)
        )[0].rstrip()
        text = written.strip()
        answer = written
    if not text:
        raise PromptError(
            "There is no answer to explain: "
            + ("the model writes none here." if whose == OWN else "fill in the expected answer.")
        )
    base, words = services.measure(lambda: word_effects(lm, fitted.prompt, answer))
    changes = []
    if not form.edited:
        _, changes = services.measure(
            lambda: part_effects(lm, form.template, form.item, form.examples, answer)
        )
    value = {
        "answer": text,
        "p": math.exp(base),
        "note": fitted.note
        or ("Parts are known only until the prompt is edited." if form.edited else ""),
        "changes": [
            {"name": change.name, "p": math.exp(change.logprob), "effect": round(change.effect, 4)}
            for change in changes
        ],
        "words": [
            {"kind": word.kind, "text": word.text, "effect": round(word.effect, 4)}
            for word in words
        ],
    }
    return json.dumps({"uses": value}, ensure_ascii=False)


def _lead(fitted: Fitted) -> str:
    """The separator between prompt and answer."""
    return "" if fitted.prompt.text.endswith((" ", "\n")) else " "


def ladder(
    services: Services, session_id: str | None, models: object, form: TaskForm
) -> Iterator[str]:
    """The same prompt on several models, one after the other: answer and probability of the
    expected one.

    Yields:
        a sheet that grows.
    """
    chosen = chosen_models(services, models)
    rungs: list[_Rung] = []
    with services.sessions.get(session_id).turn() as run:
        for index, name in enumerate(chosen):
            yield _ladder(form, rungs, f"asking {name}, {index + 1} of {len(chosen)}…")
            try:
                rungs.append(_rung(services, services.models.get(name), form))
            except GPTCoreError as error:
                rungs.append(((name, "", f"not asked: {error}", "", ""), (name, None, None)))
            if not run.wanted:
                yield _ladder(form, rungs, "stopped")
                return
    yield _ladder(form, rungs, "")


def chosen_models(services: Services, models: object) -> list[str]:
    """Names of models to compare. Raises InputError for none, too many, or what is no list."""
    if not isinstance(models, list) or not models:
        raise InputError("No model is chosen. Tick at least one.")
    if len(models) > MOST_MODELS:
        raise InputError(f"{len(models)} models are chosen; {MOST_MODELS} are allowed at once.")
    return [inputs.model_name(name) for name in models]


# A model's answer: (model, parameters, answer, probability of the expected one, as expected?) as
# people read them, and (model, whether it answers as expected, that probability); None where there
# is none.
_Rung = tuple[tuple[str, str, str, str, str], tuple[str, bool | None, float | None]]


def _rung(services: Services, lm: LanguageModel, form: TaskForm) -> _Rung:
    fitted = form.fitted(lm)
    expected = form.template.label(form.item.answer)
    size = big(count_parameters(lm.model.config).total)
    chain = form.template.chain_of_thought
    most = form.max_new_tokens if chain else min(_MOST_ON_A_RUNG, form.max_new_tokens)
    stop = form.stop or ("\n",)
    chance = None
    written = services.measure(
        lambda: greedy_answers(lm, [fitted.ids], max_new_tokens=most, stop=stop)
    )[0]
    right, verdict = _judged(form, expected, form.template.found(written))
    if expected and not chain:  # a chain-of-thought answer follows steps that differ per model
        chance = math.exp(
            services.now(lambda: answer_logprobs(lm, [fitted.prompt], _lead(fitted) + expected))[0]
        )
    said = verdict if right is None else "yes" if right else "no"
    return (lm.name, size, written.strip(), _chance(chance), said), (lm.name, right, chance)


def _chance(probability: float | None) -> str:
    return (
        ""
        if probability is None
        else f"{100 * probability:.3g}%"
        if probability >= 1e-4
        else "<0.01%"
    )


def _ladder(form: TaskForm, rungs: Sequence[_Rung], state: str) -> str:
    expected = form.template.label(form.item.answer)
    columns = (
        "model",
        "parameters",
        "its answer (greedy)",
        f"probability of “{expected[:20]}”",
        "as expected?",
    )
    prompt = form.edited or form.prompt.text
    tail = prompt[-_TAIL:]
    if tail != prompt:
        tail = f"… {tail.partition(' ')[2] or tail}"  # start at a whole word
    text = (
        state.capitalize()
        or f"The same prompt for every model, in its own tokens. It ends: “{tail}”"
    )
    said = conclusion([mark for _, mark in rungs])
    title = f"Expected: {expected or 'nothing particular'}"
    return sheet([Section(title, text, columns, [row for row, _ in rungs], said=said)])


@concludes("same prompt")
def conclusion(answers: Sequence[tuple[str, bool | None, float | None]]) -> str:
    """Compares the answers of several models, or of several ways of asking one, to the same prompt.

    Args:
        answers: name, whether it answers as expected (None where that is not known), and the
            probability of the expected answer, or None.
    """
    known = [(name, right) for name, right, _ in answers if right is not None]
    if not known:
        return ""
    right = [name for name, is_right in known if is_right]
    if not right:
        sentence = (
            f"0 of {len(known)} answer as expected."
            if len(known) > 1
            else "It does not answer as expected."
        )
    elif len(right) == len(known):
        sentence = (
            f"All {len(known)} answer as expected." if len(known) > 1 else "It answers as expected."
        )
    else:
        verb = "answer" if len(right) > 1 else "answers"
        sentence = f"{len(right)} of {len(known)} {verb} as expected: {listed(right)}."
    chances = [(chance, name) for name, _, chance in answers if chance is not None]
    if len(chances) < 2:
        return sentence
    chance, name = max(chances)
    return f"{sentence} {name} gives the expected answer the most probability, {percent(chance)}."
