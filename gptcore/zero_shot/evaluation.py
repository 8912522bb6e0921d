"""Evaluates how often a model solves a task, over many items that it has never seen."""

import math
import statistics
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gptcore.errors import PromptError, TokenizerError
from gptcore.inference.engine import DecodeEngine
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import Tokenizer
from gptcore.zero_shot.likelihood import read_continuations
from gptcore.zero_shot.metrics import (
    Change,
    Estimate,
    difference,
    estimate,
    exact_match,
    rouge,
    tells,
)
from gptcore.zero_shot.tasks import TASKS
from gptcore.zero_shot.templates import Item, Prompt, Template, fit

METRICS = {"summarise": "ROUGE-L", "sentiment": "likelier label", "cloze": "last word"}
# minimum, and margin beyond the expected answer
_ANSWER_TOKENS = 24
_SPARE_TOKENS = 8
_BATCH = 16


@dataclass(frozen=True)
class Trial:
    """A task set-up for evaluation: the task's name, a template, items to answer, solved examples
    before each, and the split that the items come from, "" for items from elsewhere.
    """

    task: str
    template: Template
    items: Sequence[Item]
    examples: Sequence[Item] = ()
    split: str = ""

    @property
    def metric(self) -> str:
        """The name of its metric."""
        return "people and event" if self.items[0].people else METRICS.get(self.task, "exact match")

    @property
    def chance(self) -> float | None:
        """The chance level of closed questions, else None."""
        n_choices = len(self.items[0].choices)
        return 1 / n_choices if n_choices else None


@dataclass(frozen=True)
class Case:
    """One item as a model answered it: what it read, what was expected, what it said, and the score
    from 0 to 1.

    `logprob` is that of the expected answer, natural.
    """

    prompt: Prompt
    expected: str
    answer: str
    score: float
    logprob: float


@dataclass(frozen=True)
class Score:
    """A model's result in a test."""

    test: Trial
    cases: Sequence[Case]

    @property
    def estimate(self) -> Estimate:
        """The mean score with its interval."""
        return estimate([case.score for case in self.cases])

    @property
    def perplexity(self) -> float:
        """Of the expected answers: exp of the mean negative log-probability of a whole answer."""
        return math.exp(min(700.0, -sum(case.logprob for case in self.cases) / len(self.cases)))

    def to_dict(self) -> dict[str, str | int | float | None]:
        """Ready for JSON."""
        reached = self.estimate
        return {
            "task": self.test.task,
            "template": self.test.template.name,
            "split": self.test.split,
            "examples": len(self.test.examples),
            "metric": self.test.metric,
            "items": len(self.cases),
            "score": round(reached.mean, 4),
            "low": round(reached.low, 4),
            "high": round(reached.high, 4),
            "chance": self.test.chance,
            "perplexity": round(self.perplexity, 3),
        }


def evaluate(lm: LanguageModel, test: Trial, *, batch: int = _BATCH) -> Iterator[list[Case]]:
    """Runs the model on the items, in batches.

    Raises:
        PromptError, TokenizerError: a prompt that cannot be fitted into the window, unknown
        characters, or a batch of none.
    """
    if batch < 1:
        raise PromptError(f"batch is {batch}; it must be 1 or more.")
    for start in range(0, len(test.items), batch):
        yield _answered(lm, test, test.items[start : start + batch])


def score(lm: LanguageModel, test: Trial) -> Score:
    """The model's score on the whole test."""
    return Score(test, [case for cases in evaluate(lm, test) for case in cases])


def quick_accuracies(lm: LanguageModel, trials: Sequence[Trial]) -> dict[str, float]:
    """Accuracy in each trial, by task, from a teacher-forced pass over the expected answers.

    An answer is right if every token is the model's first choice, or if its label is the likeliest:
    the result of greedy decoding, without generation. Tasks with characters that the model does not
    know are left out.
    """
    outcomes: dict[str, list[float]] = {}
    for trial in trials:
        with suppress(TokenizerError, PromptError):
            cases = _answered(lm, trial, trial.items, forced=True)
            outcomes.setdefault(trial.task, []).extend(case.score for case in cases)
    return {task: statistics.fmean(scores) for task, scores in outcomes.items()}


def helped(before: Score, after: Score) -> tuple[Change, str]:
    """Whether a second way of asking, on the same items, is better: the difference, and a sentence
    on it.
    """
    change = difference([case.score for case in before.cases], [case.score for case in after.cases])
    points = (
        f"{100 * change.mean:+.0f} points, 95% interval {100 * change.low:+.0f} to "
        f"{100 * change.high:+.0f}"
    )
    if change.is_clear:
        return change, f"{'helps' if change.mean > 0 else 'hurts'} ({points})"
    return change, f"makes no difference that {len(after.cases)} items can detect ({points})"


def _answered(
    lm: LanguageModel, test: Trial, batch: Sequence[Item], *, forced: bool = False
) -> list[Case]:
    """The cases of some items; `forced` asks for the first choice in place of each token instead of
    an answer.
    """
    if batch[0].choices and not test.template.chain_of_thought:
        return _chosen(lm, test, batch)
    template = test.template
    chain = test.template.chain_of_thought
    expected = [template.label(item.answer) for item in batch]
    wanted = [
        f"{item.steps} {template.answer_follows} {answer}" if chain else answer
        for item, answer in zip(batch, expected, strict=True)
    ]
    ids = [lm.tokenizer.encode(template.lead + text) for text in wanted]
    longest = max(map(len, ids))
    n_answer = longest if forced else max(_ANSWER_TOKENS, longest + _SPARE_TOKENS)
    fitted = [fit(lm, template.prompt(item, test.examples), n_answer) for item in batch]
    ids = [
        item[: lm.model.config.n_positions - len(prompt.ids)]
        for item, prompt in zip(ids, fitted, strict=True)
    ]
    readings = read_continuations(
        lm.model, [(item.ids, answer) for item, answer in zip(fitted, ids, strict=True)]
    )
    # as LAMBADA is counted: every token of the word is the first choice
    if forced or test.metric == "last word":
        answers = [
            lm.tokenizer.decode(read.favourites[: len(item)])
            for read, item in zip(readings, ids, strict=True)
        ]
        scores = [
            float(read.favourites[: len(item)] == item)
            for read, item in zip(readings, ids, strict=True)
        ]
    else:
        stop = TASKS[test.task].stops(template) or ("\n",)
        written = greedy_answers(
            lm, [item.ids for item in fitted], max_new_tokens=n_answer, stop=stop
        )
        answers = [template.found(text) for text in written]
        scores = [_right(test, *each) for each in zip(batch, expected, answers, strict=True)]
    return [
        Case(prompt.prompt, answer, read.strip(), value, math.fsum(reading.logprobs))
        for prompt, answer, read, value, reading in zip(
            fitted, expected, answers, scores, readings, strict=True
        )
    ]


def _right(test: Trial, item: Item, expected: str, answer: str) -> float:
    """The score of a model's answer."""
    if item.people:
        return tells(item.people, item.event, answer)
    if test.metric == "ROUGE-L":
        return rouge(expected, answer)
    return exact_match(expected, answer, articles=TASKS[test.task].articles)


def _chosen(lm: LanguageModel, test: Trial, batch: Sequence[Item]) -> list[Case]:
    """The cases of closed questions: the likeliest label is the answer."""
    template = test.template
    labels = [template.label(choice) for choice in batch[0].choices]
    encoded = [lm.tokenizer.encode(template.lead + label) for label in labels]
    fitted = [
        fit(lm, template.prompt(item, test.examples), max(map(len, encoded))) for item in batch
    ]
    readings = read_continuations(
        lm.model, [(item.ids, label) for item in fitted for label in encoded]
    )
    cases = []
    for index, (item, entry) in enumerate(zip(batch, fitted, strict=True)):
        sums = [
            math.fsum(reading.logprobs)
            for reading in readings[index * len(labels) : (index + 1) * len(labels)]
        ]
        chosen = labels[sums.index(max(sums))]
        expected = template.label(item.answer)
        cases.append(
            Case(
                entry.prompt,
                expected,
                chosen,
                float(chosen == expected),
                sums[labels.index(expected)],
            )
        )
    return cases


def greedy_answers(
    lm: LanguageModel,
    prompts: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    stop: Sequence[str] = ("\n",),
) -> list[str]:
    """Greedy continuation of each prompt, up to a stop string.

    Args:
        lm: of any kind; decoded as `DecodeEngine` does by default, large ones with 16-bit weights.
        prompts: token ids, each at most a window.
        max_new_tokens: maximum, of each; fewer for a prompt that reaches the end of the window.
        stop: strings that end an answer and are left out of it; not before its first visible
            character.

    Raises:
        ContextLengthError, TokenIdError: as the model does.
    """
    window = lm.model.config.n_positions
    allowed = [min(max_new_tokens, window - len(prompt) + 1) for prompt in prompts]
    decoder = DecodeEngine(lm.model, capacity=min(window, max(map(len, prompts)) + max_new_tokens))
    logits = decoder.read_together(prompts)  # [B, V]
    written: list[list[int]] = [[] for _ in prompts]
    answers: list[str | None] = [None for _ in prompts]
    rows = list(range(len(prompts)))  # of the decoder: which prompts they continue
    while True:
        chosen = logits.argmax(-1).tolist()
        for row in reversed(range(len(rows))):
            prompt = rows[row]
            written[prompt].append(chosen[row])
            answers[prompt] = _ended(written[prompt], lm.tokenizer, stop)
            if answers[prompt] is not None or len(written[prompt]) == allowed[prompt]:
                decoder.cache.remove(row)
                rows[row] = rows[-1]
                del rows[-1]
        if not rows:
            break
        logits = decoder.step([written[prompt][-1] for prompt in rows])
    return [
        lm.tokenizer.decode(ids) if text is None else text
        for ids, text in zip(written, answers, strict=True)
    ]


def _ended(ids: Sequence[int], tokenizer: Tokenizer, stop: Sequence[str]) -> str | None:
    """The complete answer if these tokens end it, else None."""
    if ids[-1] == tokenizer.end_id:
        return tokenizer.decode(ids[:-1])
    text = tokenizer.decode(ids)
    start = len(text) - len(text.lstrip())
    cuts = [cut for string in stop if (cut := text.find(string, start)) >= 0]
    return text[: min(cuts)] if cuts else None
