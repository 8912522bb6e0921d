"""Assistant training: instruction tuning, then preference tuning (DPO) on pairs of the model's own answers."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import torch

from gptcore.finetuning.instruction import TEACHING_SHARES, USER, Message, chat_prompt, instructions
from gptcore.finetuning.preference import (
    DirectPreference,
    PreferenceBatches,
    PreferencePair,
    preference_config,
    write_pairs,
)
from gptcore.finetuning.supervised import (
    AnswerBatches,
    AnswerExample,
    AnswerLoss,
    answer_examples,
    instruction_config,
    padded_answers,
)
from gptcore.language_model import BUNDLED, LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.observation import ObservationPlan, clone
from ui.lenses.train.handlers.forms import MOST_SEED
from ui.lenses.train.handlers.plan import check_size, facts_of
from ui.runs.run_manager import Workspace
from ui.runs.run_state import RunState
from ui.runs.training_run import Plan, Scoring
from ui.services import Services
from ui.shared import inputs
from ui.shared.fields import Choice, Text, Values, Whole, declared, parsed
from ui.shared.inputs import InputError

STORIES = BUNDLED / "assistant" / "stories.txt.gz"
PROMPTS = (
    "Write a story with the words: ball, rain, sorry.",
    "Write a story about a brave little cat.",
    "Hello! What can you do?",
)
SECONDS = {seconds: f"{seconds} s" for seconds in ("30", "60", "90", "120")}
ASKED = 120  # instructions that the model answers for the preference pairs
_ANSWERS, _ANSWER_TOKENS = 4, 100
_N_INSTRUCTIONS, _HELD_OUT = 14_000, 48
_LEAST_CHOICES = 4
_LONGEST_ROW = 256  # tokens
_LONGEST_STORY = 2_000  # characters
_MOST_TEXT = 2_000_000
_UNLIMITED = 10_000_000


@dataclass(frozen=True, kw_only=True)
class AssistantForm:
    """A stage's settings: stories of the visitor's own, or "" for the bundled ones; how long it is; the seed.

    Attributes:
        most_seconds: that this server gives a run.
    """

    stories: str = declared(
        Text(title="Stories to make instructions from", noun="The text of the stories", most=_MOST_TEXT, lines=4,
             id="stories", of_data=True,
             info="Empty: 5,000 stories by mini. Your own: an empty line between them; long ones are cut."), "",
    )  # fmt: skip
    length: str = declared(Choice(title="Each stage", noun="The length", options=SECONDS), "90")
    seed: int = declared(Whole(title="Seed", low=0, high=MOST_SEED), 1)
    most_seconds: float = math.inf

    @property
    def seconds(self) -> float:
        """Of a stage."""
        return min(float(self.length), self.most_seconds)


def assistant_form(values: Values, most_seconds: float) -> AssistantForm:
    """The form, checked. Raises InputError."""
    return parsed(AssistantForm, values, most_seconds=most_seconds)


@cache
def bundled_stories() -> tuple[str, ...]:
    """Stories that the mini has written, for instructions that need no network and no text of others."""
    return tuple(gzip.decompress(STORIES.read_bytes()).decode("utf-8").split("\n<|endoftext|>\n"))


def _stories(form: AssistantForm) -> Sequence[str]:
    """The visitor's stories, with an empty line between two; the bundled ones where there are none.

    Longer ones than a row of a batch holds are cut at the ends of sentences, if they have any.
    """
    if not form.stories.strip():
        return bundled_stories()
    stories = list[str]()
    for one in form.stories.replace("\r\n", "\n").split("\n\n"):
        begin = 0
        while begin < len(one):
            ends = [one.rfind(mark, begin, begin + _LONGEST_STORY) for mark in (".", "!", "?")]
            fits = len(one) - begin <= _LONGEST_STORY
            end = begin + _LONGEST_STORY if fits or max(ends) < 0 else max(ends) + 1
            stories.append(one[begin:end].strip())
            begin = end
    return [one for one in stories if one]


def teaching_plan(services: Services, lm: LanguageModel, form: AssistantForm) -> Plan:
    """The plan of stage 1, instruction tuning: the answers are stories, the loss covers the answers only.

    Raises:
        GPTCoreError: stories that give no instructions, characters that the model does not know, or a large model.
    """
    shape = lm.model.config
    stories = _stories(form)
    made = services.measure(partial(instructions, stories, _N_INSTRUCTIONS, seed=form.seed, shares=TEACHING_SHARES))
    examples = services.measure(partial(answer_examples, lm.tokenizer, made, stories, shape.n_positions))
    held_out, train = examples[:_HELD_OUT], examples[_HELD_OUT:]
    if len(train) < _HELD_OUT:
        raise InputError(
            f"Only {len(examples)} of the examples fit into this model's window of {shape.n_positions} tokens; "
            "choose a model with a longer window, or give shorter stories."
        )
    config = instruction_config(
        time_budget=form.seconds, seed=form.seed, max_steps=_UNLIMITED, optimizer="muon", learning_rate=6e-4,
        muon_learning_rate=0.0017,
    )  # fmt: skip
    check_size(services, shape, config)
    data = AnswerBatches(train, batch_size=config.batch_size, window=min(_LONGEST_ROW, shape.n_positions))
    config = replace(config, precision=services.precision(shape, config.batch_size, window=data.window))
    plan = _plan(services, lm, form, data, held_out, config, "instructions")
    n_sentences = sum(one.kind == "sentence" for one in made)
    note = (
        f"{len(train):,} examples, made from {len(stories):,} stories; {n_sentences:,} ask for a single sentence. "
        "The loss counts only the answers, and a requested word fifteen times where it first stands."
    )
    objective = AnswerLoss(train, shape.vocab_size)
    return replace(plan, facts=replace(plan.facts, note=note, n_train=len(train)), objective=lambda _: objective)


def preference_plan(
    services: Services, lm: LanguageModel, pairs: Sequence[PreferencePair], form: AssistantForm, *, note: str
) -> Plan:
    """The plan of stage 2: DPO on pairs of answers.

    Raises:
        GPTCoreError: too few pairs, or a model that is too large.
    """
    if len(pairs) < _LEAST_CHOICES:
        raise InputError(
            f"There are {len(pairs)} pairs of a better and a worse answer; at least {_LEAST_CHOICES} are needed. "
            "Let it learn from instructions for longer, or choose more answers yourself."
        )
    data = PreferenceBatches(pairs, batch_size=min(8, len(pairs)))
    config = preference_config(
        time_budget=form.seconds, max_steps=3 * data.updates_per_epoch, seed=form.seed, batch_size=data.batch_size
    )
    check_size(services, lm.model.config, replace(config, batch_size=2 * data.batch_size))
    held_out = [pair.better for pair in pairs[:_HELD_OUT]]
    plan = _plan(services, lm, form, data, held_out, config, "preferences")
    before = clone(lm.model)
    facts = replace(plan.facts, note=note, n_train=len(pairs), lines={"uniform": math.log(2)})
    return replace(plan, facts=facts, objective=lambda _: DirectPreference(before))


def _plan(
    services: Services,
    lm: LanguageModel,
    form: AssistantForm,
    data: Any,
    held_out: Sequence[AnswerExample],
    config: Any,
    kind: Any,
) -> Plan:
    shape, tokenizer = lm.model.config, lm.tokenizer

    def evaluate(now: GPT, whole: bool) -> Scoring:
        total = count = 0.0
        asked = held_out if whole else held_out[:16]
        for begin in range(0, len(asked), 8):
            given, targets = padded_answers(asked[begin : begin + 8])
            n = float((targets >= 0).sum())
            with torch.inference_mode(), evaluating(now):
                loss = now(given, targets).loss
            total, count = total + float(loss) * n if loss is not None else math.nan, count + n
            yield
        return total / max(1.0, count), math.nan

    prompt = tokenizer.encode(chat_prompt([Message(USER, PROMPTS[0])]))
    if len(prompt) >= shape.n_positions:
        raise InputError(f"A question takes {len(prompt)} tokens of this model's window of {shape.n_positions}.")
    room = min(120, shape.n_positions - len(prompt))
    watched = ObservationPlan(prompt, seed=config.seed, n_new=room, looked_at=prompt[:24])
    what = "instructions" if kind == "instructions" else "preferences"
    facts = replace(
        facts_of(f"{lm.name}: {what}", kind, shape, config, watched, tokenizer, form),
        tokens_per_step=data.batch_size * data.window, n_valid=len(held_out), tuned=True,
    )  # fmt: skip
    return Plan(facts, lambda: clone(lm.model).requires_grad_(True), tokenizer, data, evaluate, watched)


def write_preferences(
    services: Services, lm: LanguageModel, form: AssistantForm
) -> Iterator[tuple[str, list[PreferencePair]]]:
    """Samples answers and pairs them by the rule; yields (progress, the pairs so far)."""
    made = instructions(_stories(form), 8 * ASKED, seed=form.seed + 1)
    asked = [one for one in made if one.words][:ASKED]
    steps = write_pairs(lm, asked, n_each=_ANSWERS, max_new_tokens=_ANSWER_TOKENS, seed=form.seed)
    told = -1
    for (done, pairs), _ in services.compute(steps):
        if done != told:
            told = done
            yield f"It answers {len(asked)} instructions {_ANSWERS} times each: {done} done, {len(pairs)} pairs.", pairs


def stage(workspace: Workspace, kind: str) -> RunState | None:
    """The newest run of a stage on a workspace that has a model, or None."""
    found = [record for record in workspace.runs if record.facts.kind == kind and record.language_model is not None]
    return found[-1] if found else None


def teach(services: Services, workspace_id: object, model: object, form: AssistantForm) -> Workspace:
    """Starts stage 1 with the picked model. Raises GPTCoreError with what to change."""
    lm = services.models.get(inputs.model_name(model))
    return services.run_manager.start(workspace_id, teaching_plan(services, lm, form))


def prefer(
    services: Services, workspace_id: object, form: AssistantForm, *, by_audience: bool
) -> Iterator[tuple[str, Workspace | None]]:
    """Starts stage 2 with the model of stage 1: (how far it is, the workspace once the run has begun).

    Raises:
        GPTCoreError: no stage 1, or too few pairs.
    """
    workspace = services.run_manager.steered(workspace_id)
    taught = None if workspace is None else stage(workspace, "instructions")
    if workspace is None or taught is None or taught.language_model is None:
        raise InputError("No model here can answer yet: press “1 · Teach it to answer” first.")
    lm = replace(taught.language_model, name=taught.language_model.name.split(":")[0])
    if by_audience:
        kept = workspace.choices
        pairs = list(kept.pairs) if kept.model == taught.id else []
        note = f"{len(pairs)} choices of the audience."
    else:
        pairs = list[PreferencePair]()
        for said, pairs in write_preferences(services, lm, form):  # noqa: B007 - the last ones count
            yield said, None
        note = f"{len(pairs)} pairs of its own answers, by the rule: all words used, ends properly, does not repeat."
    yield "", services.run_manager.start(workspace.id, preference_plan(services, lm, pairs, form, note=note))
