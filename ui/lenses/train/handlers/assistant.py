"""Assistant training: instruction tuning, then preference tuning (DPO) on pairs of the model's own
answers.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import islice

import torch

from gptcore.corpora import corpus, stories_of
from gptcore.finetuning.instruction import (
    LEAST_SENTENCES,
    TEACHING_SHARES,
    USER,
    Kind,
    Message,
    chat_prompt,
    instructions,
    sentences,
    unseen,
)
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
    plain_example,
)
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, IGNORED_TARGET, evaluating
from gptcore.training import TrainingConfig
from gptcore.training.data import split_without_overlap
from gptcore.weights.hf_format import clone
from ui.lenses.train.handlers.forms import MOST_SEED
from ui.lenses.train.handlers.plan import check_size, copy_of, facts_of, with_watched
from ui.runs.plan import Plan, Preparation, Scoring
from ui.runs.run_state import RunFacts, RunKind, RunState
from ui.runs.snapshot import SnapshotPlan
from ui.runs.workspaces import Workspace
from ui.services import Services
from ui.shared.fields import Choice, Text, Values, Whole, declared, parsed
from ui.shared.inputs import InputError
from ui.state.limits import Limits

PROMPTS = (
    "Write a story with the words: ball, rain, sorry.",
    "Write a story about a brave little cat.",
    "Hello! What can you do?",
)
SECONDS = {seconds: f"{seconds} s" for seconds in ("30", "60", "90", "120")}
ASKED = 120  # instructions that the model answers for the preference pairs
_ANSWERS = 4
_ANSWER_TOKENS = 100
_N_STORIES = 5_000
_N_INSTRUCTIONS = 14_000
_HELD_OUT = 48
# at most; of those, read without a prompt; seed
_HELD_OUT_STORIES = 200
_PLAIN_STORIES = 24
_DIVIDED = 1
# Small talk has no story of its own, so it cannot be held out by story.
_OF_STORIES: dict[Kind, float] = {
    kind: share for kind, share in TEACHING_SHARES.items() if kind != "talk"
}
# pairs to learn from; pairs from which on some are held out
_LEAST_CHOICES = 4
_LEAST_HELD_APART = 20
_LEAST_UPDATES = 40  # of stage 2: fewer change nothing
_LONGEST_ROW = 256  # tokens
_LONGEST_STORY = 2_000  # characters
_MOST_TEXT = 2_000_000
_UNLIMITED = 10_000_000


@dataclass(frozen=True, kw_only=True)
class AssistantForm:
    """A stage's settings: stories of the visitor's own, or "" for the bundled ones; how long it is;
    the seed.
    """

    stories: str = declared(
        Text(
            title="Stories to make instructions from",
            noun="The text of the stories",
            most=_MOST_TEXT,
            lines=4,
            id="stories",
            of_data=True,
            info=(
                "Empty: 5,000 stories by mini. Your own: an empty line between "
                "them; long ones are "
                "cut."
            ),
        ),
        "",
    )
    length: str = declared(Choice(title="Each stage", noun="The length", options=SECONDS), "90")
    seed: int = declared(Whole(title="Seed", low=0, high=MOST_SEED), 1)
    most_seconds: float = math.inf  # that this server gives a run

    @property
    def seconds(self) -> float:
        """Of a stage."""
        return min(float(self.length), self.most_seconds)


def assistant_form(values: Values, limits: Limits) -> AssistantForm:
    """The form, checked. Raises InputError."""
    return parsed(AssistantForm, values, most_seconds=limits.training_seconds)


@cache
def bundled_stories() -> tuple[str, ...]:
    """Stories that the mini has written, for instructions that need no network and no text of
    others.
    """
    whole = (story for story in corpus("stories") if story.rstrip().endswith((".", "!", "?", '"')))
    return tuple(islice(whole, _N_STORIES))


def _stories(written: str) -> Sequence[str]:
    """The visitor's stories, with an empty line between two; the bundled ones where there are none.

    Longer ones than a row of a batch holds are cut at the ends of sentences, if they have any.
    """
    if not written.strip():
        return bundled_stories()
    stories = list[str]()
    for item in stories_of(written):
        begin = 0
        while begin < len(item):
            ends = [item.rfind(mark, begin, begin + _LONGEST_STORY) for mark in (".", "!", "?")]
            fits = len(item) - begin <= _LONGEST_STORY
            end = begin + _LONGEST_STORY if fits or max(ends) < 0 else max(ends) + 1
            stories.append(item[begin:end].strip())
            begin = end
    return [story for story in stories if story]


@lru_cache(maxsize=2)  # both stages ask for it
def _divided(written: str) -> tuple[list[str], list[str]]:
    """(stories to make instructions from, those held out, of which a model sees none in either
    stage).

    Raises InputError for fewer than two different stories that something can be asked of.
    """
    stories = [
        story
        for story in dict.fromkeys(_stories(written))
        if len(sentences(story)) >= LEAST_SENTENCES
    ]
    if len(stories) < 2:
        raise InputError(
            f"There are {len(stories)} different stories of at least {LEAST_SENTENCES} "
            "sentences; give more texts, with an empty line between them: one at least must be "
            "held out."
        )
    wanted = min(_HELD_OUT_STORIES, max(1, len(stories) // 10))
    train, held_out = split_without_overlap([[story] for story in stories], wanted, seed=_DIVIDED)
    return [stories[place] for place in train], [stories[place] for place in held_out]


_WEIGHED = (
    "The loss counts only the answers; the first occurrence of a requested word counts fifteen "
    "times."
)


def _check_counts(n_train: int, n_held_out: int, window: int) -> None:
    """Raises InputError where too few examples fit into the window."""
    if n_train < _HELD_OUT or not n_held_out:
        raise InputError(
            f"Only {n_train} of the examples, and {n_held_out} of those held out, fit into this "
            f"model's window of {window} tokens; choose a model with a longer window, or give "
            "shorter stories, and more."
        )


def teaching_plan(services: Services, lm: LanguageModel, form: AssistantForm) -> Plan:
    """Plans stage 1, instruction tuning: the answers are stories, and only they count in the loss.

    Raises:
        GPTCoreError: stories without instructions, unknown characters, or a large model.
    """
    shape = lm.model.config
    stories, aside = _divided(form.stories)
    made = services.measure(
        partial(instructions, stories, _N_INSTRUCTIONS, seed=form.seed, shares=TEACHING_SHARES)
    )
    train = services.measure(
        partial(answer_examples, lm.tokenizer, made, stories, shape.n_positions)
    )
    new = unseen(instructions(aside, _HELD_OUT, seed=form.seed, shares=_OF_STORIES), made)
    held_out = answer_examples(lm.tokenizer, new, [], shape.n_positions)
    _check_counts(len(train), len(held_out), shape.n_positions)
    config = instruction_config(
        time_budget=form.seconds,
        seed=form.seed,
        max_steps=_UNLIMITED,
        optimizer="muon",
        learning_rate=6e-4,
        muon_learning_rate=0.0017,
        precision=services.precision,
    )
    check_size(services, shape, config)
    data = AnswerBatches(
        train, batch_size=config.batch_size, window=min(_LONGEST_ROW, shape.n_positions)
    )
    characters = sum(len(lm.tokenizer.decode(list(item.answer))) for item in held_out)
    n_sentences = sum(item.kind == "sentence" for item in made)
    facts = replace(
        _facts(lm, form, config, "instructions", data.batch_size * data.window),
        note=(
            f"{len(train):,} examples, made from {len(stories):,} stories; {n_sentences:,} ask for "
            f"a single sentence. {len(held_out)} are held out, of {len(aside)} other stories. "
            f"{_WEIGHED}"
        ),
        n_train=len(train),
        n_valid=len(held_out),
        tokens_per_character=sum(len(item.answer) for item in held_out) / max(1, characters),
    )
    objective = AnswerLoss(train, shape.vocab_size)

    def evaluate(now: GPT, _: bool) -> Scoring:
        loss = yield from _answers_loss(now, held_out)  # few enough to read at every snapshot
        return loss, math.nan

    return Plan(
        facts,
        copy_of(lm),
        lm.tokenizer,
        data,
        evaluate,
        _watched(lm, form),
        objective=lambda _: objective,
        on_plain=_on_plain(lm, aside),
    )


def preference_plan(
    services: Services,
    lm: LanguageModel,
    pairs: Sequence[PreferencePair],
    form: AssistantForm,
    *,
    note: str,
) -> Plan:
    """The plan of stage 2: DPO on pairs of answers.

    Raises:
        GPTCoreError: too few pairs, or a model that is too large.
    """
    if len(pairs) < _LEAST_CHOICES:
        raise InputError(
            f"There are {len(pairs)} pairs of a better and a worse answer; at least "
            f"{_LEAST_CHOICES} are needed. Let it learn from instructions for longer, or "
            "choose more answers yourself."
        )
    train, held_out = _divided_pairs(pairs, form.seed)
    data = PreferenceBatches(train, batch_size=min(8, len(train)))
    steps = max(_LEAST_UPDATES, 3 * data.updates_per_epoch)
    config = preference_config(
        time_budget=form.seconds,
        max_steps=steps,
        warmup_steps=steps // 10,
        seed=form.seed,
        batch_size=data.batch_size,
    )
    check_size(services, lm.model.config, replace(config, batch_size=2 * data.batch_size))
    objective = DirectPreference(clone(lm.model))

    aside = f"{len(held_out)} pairs are held out." if held_out else "Too few to hold any out."
    facts = replace(
        _facts(lm, form, config, "preferences", data.batch_size * data.window),
        note=f"{note} {aside}",
        n_train=len(train),
        n_valid=len(held_out),
        lines={"uniform": math.log(2)},
        unit="nats: DPO for each pair, plus the better answers for each token",
        terms=("DPO", "the better answers"),
    )
    return Plan(
        facts,
        copy_of(lm),
        lm.tokenizer,
        data,
        partial(_evaluate_pairs, objective, held_out),
        _watched(lm, form),
        objective=lambda _: objective,
        on_plain=_on_plain(lm, _divided(form.stories)[1]),
        keeps_best=True,
    )


def _divided_pairs(
    pairs: Sequence[PreferencePair], seed: int
) -> tuple[list[PreferencePair], list[PreferencePair]]:
    """Pairs to learn from, and those held out: none of few, and no prompt in both."""
    wanted = min(_HELD_OUT, len(pairs) // 5) if len(pairs) >= _LEAST_HELD_APART else 0
    prompts = [[pair.better.prompt] for pair in pairs]
    learned, aside = split_without_overlap(prompts, wanted, seed=seed)
    return [pairs[index] for index in learned], [pairs[index] for index in aside]


def _evaluate_pairs(
    objective: DirectPreference, held_out: Sequence[PreferencePair], now: GPT, _: bool
) -> Scoring:
    """Mean DPO loss and share of preferred better answers; NaN where no pair is held out."""
    n = len(held_out)
    loss = 0.0
    preferred = 0.0
    for begin in range(0, n, 8):
        some = held_out[begin : begin + 8]
        of_some = objective.score(now, some)
        loss = loss + len(some) * of_some[0] / n
        preferred = preferred + len(some) * of_some[1] / n
        yield
    return (loss, preferred) if held_out else (math.nan, math.nan)


def _answers_loss(now: GPT, examples: Sequence[AnswerExample]) -> Generator[None, None, float]:
    """Nats per token of the answers, without dropout."""
    total = count = 0.0
    device = now.wte.weight.device
    for begin in range(0, len(examples), 8):
        given, targets = (
            padded_answer.to(device)
            for padded_answer in padded_answers(examples[begin : begin + 8])
        )
        n = float((targets != IGNORED_TARGET).sum())
        with torch.inference_mode(), evaluating(now):
            loss = now(given, targets).loss
        total = total + float(loss) * n if loss is not None else math.nan
        count = count + n
        yield
    return total / max(1.0, count)


def _on_plain(
    lm: LanguageModel, stories: Sequence[str]
) -> Callable[[GPT], Generator[None, None, float]] | None:
    """The loss on held-out stories without a prompt; None without an end token."""
    window = lm.model.config.n_positions
    made = (plain_example(lm.tokenizer, story, window) for story in stories[:_PLAIN_STORIES])
    plain = [item for item in made if item is not None]
    return partial(_answers_loss, examples=plain) if plain else None


def _watched(lm: LanguageModel, form: AssistantForm) -> SnapshotPlan:
    shape = lm.model.config
    prompt = lm.tokenizer.encode(chat_prompt([Message(USER, PROMPTS[0])]))
    if len(prompt) >= shape.n_positions:
        raise InputError(
            f"A question takes {len(prompt)} tokens of this model's window of {shape.n_positions}."
        )
    room = min(120, shape.n_positions - len(prompt))
    return SnapshotPlan(prompt, seed=form.seed, n_new=room, looked_at=prompt[:24])


def _facts(
    lm: LanguageModel,
    form: AssistantForm,
    config: TrainingConfig,
    kind: RunKind,
    tokens_per_step: int,
) -> RunFacts:
    facts = facts_of(f"{lm.name}: {kind}", kind, lm.model.config, config, form)
    facts = with_watched(facts, _watched(lm, form), lm.tokenizer)
    return replace(facts, tokens_per_step=tokens_per_step, tuned=True)


def write_preferences(
    lm: LanguageModel, form: AssistantForm
) -> Generator[str, None, list[PreferencePair]]:
    """Samples answers and pairs them by the rule; yields how far it is after every step, and
    returns the pairs.
    """
    made = instructions(_divided(form.stories)[0], 8 * ASKED, seed=form.seed + 1)
    with_words = [item for item in made if item.words][:ASKED]
    pairs = list[PreferencePair]()
    for done, pairs in write_pairs(
        lm, with_words, n_each=_ANSWERS, max_new_tokens=_ANSWER_TOKENS, seed=form.seed
    ):
        yield (
            f"It answers {len(with_words)} instructions {_ANSWERS} times each: {done} done, "
            f"{len(pairs)} pairs."
        )
    return pairs


def stage(workspace: Workspace | None, kind: str) -> RunState | None:
    """The newest run of a stage on a workspace that has a model, or None."""
    runs = [] if workspace is None else workspace.runs[::-1]
    return next(
        (run for run in runs if run.facts.kind == kind and run.language_model is not None), None
    )


def prefer(
    services: Services, workspace_id: object, form: AssistantForm, *, by_audience: bool
) -> Workspace:
    """Starts stage 2 with the model of stage 1; by the rule, the run begins with writing answers.

    Raises:
        GPTCoreError: no stage 1, or too few pairs.
    """
    workspace = services.workspaces.steered(workspace_id)
    taught = stage(workspace, "instructions")
    if workspace is not None and any(
        run.alive and run.facts.kind == "instructions" for run in workspace.runs
    ):
        raise InputError(
            "It is still learning to answer. Wait until that has ended, or press Stop; then "
            "press 2 again."
        )
    if workspace is None or taught is None or taught.language_model is None:
        raise InputError("No model here can answer yet: press “1 · Teach it to answer” first.")
    lm = replace(taught.language_model, name=taught.language_model.name.split(":")[0])
    if by_audience:
        kept = workspace.choices
        pairs = list(kept.pairs) if kept.model == taught.id else []
        plan = preference_plan(
            services, lm, pairs, form, note=f"{len(pairs)} choices of the audience."
        )
        return services.run_manager.start(workspace.id, plan)

    def prepare() -> Generator[str, None, Plan]:
        pairs = yield from write_preferences(lm, form)
        rule = "by the rule: all words used, ends properly, does not repeat"
        return preference_plan(
            services, lm, pairs, form, note=f"{len(pairs)} pairs of its own answers, {rule}."
        )

    config = preference_config(time_budget=form.seconds, max_steps=_LEAST_UPDATES, seed=form.seed)
    check_size(services, lm.model.config, replace(config, batch_size=2 * config.batch_size))
    facts = _facts(lm, form, config, "preferences", config.batch_size)
    return services.run_manager.start(workspace.id, Preparation(facts, prepare))
