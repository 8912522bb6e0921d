"""Scoreboard: task accuracy of models, measured on request."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from gptcore.errors import GPTCoreError
from gptcore.formatting import percent
from gptcore.zero_shot.evaluation import Case, Score, Trial, evaluate, helped
from gptcore.zero_shot.items import TASKS_WITH_ITEMS, make_trial, splits_of
from gptcore.zero_shot.metrics import reached as in_words
from gptcore.zero_shot.tasks import GPT2_PROMPTS, TASKS
from ui.conclusions import concludes, listed
from ui.lenses.zero_shot.handlers.recorded import SIDES
from ui.lenses.zero_shot.handlers.views import chosen_models
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.sheets import Bar, Link, Section, duration, sheet
from ui.state.sessions import Turn

CHAIN = "chain of thought"
WAYS = ("0", "1", "2", "4", "8", CHAIN)
MOST_ITEMS = 200
_BATCH = 4  # items per step: a step takes 0.2 s, during which other visitors' texts wait
_COLUMNS = ("model", "task", "examples", "score", "95% interval", "items", "chance", "metric")


@dataclass(frozen=True)
class Result:
    """A score as the conclusion reads it."""

    label: str  # of the test
    says: str  # the score as people read it, the same as in the table
    value: float  # 0 to 1
    low: float  # the lower end of its interval
    chance: float | None  # what guessing reaches, or None where that is not known
    metric: str  # only scores by the same one can be compared


@dataclass
class _Board:
    rows: list[tuple[str | int | float, ...]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    misses: list[tuple[str, ...]] = field(default_factory=list)


def scoreboard(
    services: Services,
    session_id: str | None,
    models: object,
    tasks: object,
    ways: object,
    side: object,
    n_items: object,
) -> Iterator[str]:
    """Runs the chosen tests on the chosen models, with progress; a stop keeps the results so far.

    Args:
        models: names.
        tasks: names of tasks that have items.
        ways: of WAYS: numbers of examples, and the chain of thought.
        side: of SIDES: what training never showed.
        n_items: items for each row.

    Yields:
        a sheet that grows.
    """
    chosen = chosen_models(services, models)
    names = _subset(tasks, TASKS_WITH_ITEMS, "task")
    ways_chosen = _subset(ways, WAYS, "number of examples")
    if side not in SIDES:
        raise InputError(
            f"What was held out is {str(side)[:40]!r}; choose one of {', '.join(SIDES)}."
        )
    n = inputs.whole(n_items, "The number of items", low=5, high=MOST_ITEMS)
    tests = [(model, task, way) for model in chosen for task in names for way in ways_chosen]
    board = _Board()
    with services.sessions.get(session_id).turn() as run, services.heavy.enter() as ticket:
        for place in ticket.waiting(lambda: run.wanted):
            yield _shown(board, str(place))
        if ticket.admitted:
            yield from _counted(services, run, board, tests, SIDES[str(side)], n)
        else:
            yield _shown(board, "stopped before it began")


def _counted(
    services: Services,
    run: Turn,
    board: _Board,
    tests: Sequence[tuple[str, str, str]],
    side: str,
    n: int,
) -> Iterator[str]:
    """The sheet after every few items of the tests, each (model, task, way)."""
    first: dict[tuple[str, str], Score] = {}
    began = time.perf_counter()
    n_done = 0
    for index, (model, task, way) in enumerate(tests):
        test = _test(task, way, side, n)
        if test is None:
            continue
        try:
            lm = services.models.get(model)
            cases: list[Case] = []
            for more, _ in services.compute(evaluate(lm, test, batch=_BATCH)):
                cases += more
                n_done += len(more)
                rate = n_done / (time.perf_counter() - began)
                left = ((len(tests) - index - 1) * n + len(test.items) - len(cases)) / rate
                at = f"{model}, {TASKS[task].title.lower()}: {len(cases)} of {len(test.items)}"
                yield _shown(board, f"{at} · {rate:.0f} items/s · about {duration(left)} left")
                if not run.wanted:
                    break
        except GPTCoreError as error:
            board.rows.append((model, TASKS[task].title, way, "", "", 0, "", str(error)))
            continue
        if cases:
            _add(board, model, way, Score(test, cases), first)
        if not run.wanted:
            yield _shown(board, "stopped; what was counted is kept")
            return
    yield _shown(board, f"{n_done} items in {duration(time.perf_counter() - began)}")


def _test(task: str, way: str, side: str, n_items: int) -> Trial | None:
    """The test, or None where the task has no such way or side."""
    chain = TASKS[task].chain
    held_out = [template.name for template in TASKS[task].templates if template.held_out]
    if way == CHAIN:
        return (
            None
            if chain is None or side != "combination"
            else make_trial(task, template=chain.name, n_items=n_items)
        )
    n = int(way)
    if side == "template":
        return (
            make_trial(task, template=held_out[0], n_examples=n, n_items=n_items)
            if held_out
            else None
        )
    if side == "word":
        return (
            make_trial(task, split="word", n_examples=n, n_items=n_items)
            if "word" in splits_of(task)
            else None
        )
    return make_trial(task, n_examples=n, n_items=n_items)


def _add(
    board: _Board, model: str, way: str, score: Score, first: dict[tuple[str, str], Score]
) -> None:
    """A row for a score, what it says about examples, and some of the misses."""
    reached = score.estimate
    test = score.test
    n = len(score.cases)
    title = TASKS[test.task].title
    says = in_words(reached.mean, n)
    guessing = "" if test.chance is None else percent(test.chance)
    interval = f"{percent(reached.low)} to {percent(reached.high)}"
    board.rows.append((model, title, way, says, interval, n, guessing, test.metric))
    label = f"{model}: {title.lower()}"
    how = way if way == CHAIN else f"{way} example{'s' if way != '1' else ''}"
    called = f"{label}, {how}"
    board.bars.append(Bar(called, reached.mean, reached.low, reached.high, says, test.chance))
    board.results.append(Result(called, says, reached.mean, reached.low, test.chance, test.metric))
    before = first.setdefault((model, test.task), score)
    if before is not score and len(before.cases) == n:
        what = "the chain of thought" if way == CHAIN else f"asking with {how}"
        board.remarks.append(f"{model}, {title.lower()}: {what} {helped(before, score)[1]}.")
    wrong = [case for case in score.cases if case.score < 0.5][:2]
    board.misses += [
        (label, _short(case.prompt.text), case.answer, case.expected) for case in wrong
    ]


def _short(prompt: str) -> str:
    return prompt if len(prompt) <= 160 else f"… {prompt[-160:]}"


def _shown(board: _Board, state: str) -> str:
    said = conclusion(board.results)
    sections = [
        Section("Counted here", state, _COLUMNS, list(board.rows), bars=list(board.bars), said=said)
    ]
    if board.remarks:
        rows = [(remark,) for remark in board.remarks]
        text = "Compared item by item with the first way of asking in the table."
        sections.append(Section("Do examples help?", text, ("",), rows))
    if board.misses:
        columns = ("model and task", "end of the prompt", "its answer", "expected")
        sections.append(Section("Some misses", "", columns, board.misses[-12:]))
    return sheet(sections)


def gpt2_prompts() -> str:
    """GPT-2's prompts to try, next to the real model's known results."""
    rows = []
    for item in GPT2_PROMPTS:
        task = TASKS[item.task]
        fields = {f"field_{index}": item.values[name] for index, name in enumerate(task.fields)}
        link = urlencode(
            {"tab": "zero-shot", "task": item.task, "template": item.template, **fields}
        )
        shown = " / ".join(item.values.values())
        short = shown if len(shown) <= 60 else f"{shown[:60]}…"
        rows.append(
            (item.title, short, item.needs, item.answered or "-", item.source, Link("Try it", link))
        )
    columns = ("task", "input", "figures are given for", "what the real GPT-2 did", "source", "")
    text = (
        "A click fills in the prompt; choose the model on the left. The bundled models are "
        "tens to hundreds of times smaller than GPT-2 and answer such prompts in their own "
        "way. What the real GPT-2 did is quoted, not computed here."
    )
    return sheet([Section("GPT-2's own prompts", text, columns, rows)])


def _subset(given: object, known: Sequence[str], what: str) -> list[str]:
    """The given ones in the known order. Raises InputError for none or unknown ones."""
    names = given if isinstance(given, list) else [given]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"There is no {what} {str(unknown[0])[:40]!r}; choose among {', '.join(known)}."
        )
    if not names:
        raise InputError(f"No {what} is chosen. Tick at least one.")
    return [name for name in known if name in names]


@concludes("scores")
def conclusion(results: Sequence[Result]) -> str:
    """Which of several tests a model passes best, by each metric, and how many clearly beat
    guessing.
    """
    if not results:
        return ""
    metrics = list(dict.fromkeys(result.metric for result in results))
    best = [
        max((result for result in results if result.metric == metric), key=lambda item: item.value)
        for metric in metrics
    ]
    if len(results) == 1:
        named = f"{best[0].label}: {best[0].says}"
    elif len(metrics) == 1:
        named = f"The best is {best[0].label}, {best[0].says}"
    else:
        by_metric = [f"by {result.metric}, {result.label} ({result.says})" for result in best]
        named = f"The best is, {listed(by_metric)}"
    known = [(result.low, result.chance) for result in results if result.chance is not None]
    if not known:
        return f"{named}."
    n_clear = sum(low > chance for low, chance in known)
    if not n_clear:
        return f"Nothing stands out: none is clearly better than guessing. {named}."
    return (
        f"{named}. {n_clear} of {len(known)} with a known chance {'is' if n_clear == 1 else 'are'} "
        "clearly above it."
    )
