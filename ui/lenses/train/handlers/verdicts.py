"""What a run has shown, in sentences that hold for any run."""

import math
from collections.abc import Sequence
from statistics import fmean

from gptcore.formatting import percent
from gptcore.zero_shot.metrics import estimate
from ui.conclusions import concludes
from ui.runs.run_state import RunState

_SMOOTHED = 20  # rows of a curve
_CLEAR = 0.01  # nats by which a loss must differ to be said to


@concludes("a run")
def verdict(record: RunState) -> str:
    """Summary of a run; "" where there is nothing to say yet."""
    sentence = {"labels": of_labels, "preferences": of_preferences}.get(record.facts.kind, risen)(
        record
    )
    return f"{sentence} {of_plain(record)}".strip()


def risen(record: RunState) -> str:
    """Whether the held-out loss has been lower before, and what is kept; "" where it is not
    measured as it is learned: answers are learned with more weight on the words that were asked
    for.
    """
    if record.facts.kind == "instructions":
        return ""
    rows, looks = record.so_far()
    seen = [look for look in looks if math.isfinite(look.valid_loss)]
    if len(seen) < 2:
        return ""
    best = min(seen, key=lambda look: look.valid_loss)
    last = seen[-1]
    if last.valid_loss - best.valid_loss < _CLEAR:
        return ""
    at = f"update {best.step:,}" if best.step else "the start"
    fell = _training_loss(rows, best.step) - _training_loss(rows, last.step)
    alone = (
        ", while the training loss fell: it is memorising its training text (overfitting)"
        if fell > _CLEAR
        else ""
    )
    kept = "" if record.kept_step is None else f" The model of {at} is kept."
    lowest = f"The held-out loss was lowest at {at}, {best.valid_loss:.3f}"
    return f"{lowest}, and has risen to {last.valid_loss:.3f} since{alone}.{kept}"


def _training_loss(rows: Sequence[Sequence[float]], step: int) -> float:
    """The mean training loss of the updates before a step, NaN where there are none."""
    lately = [row[1] for row in rows if row[0] <= step][-_SMOOTHED:]
    return fmean(lately) if lately else math.nan


def of_labels(record: RunState) -> str:
    """Reports how many held-out lines a classifier gets right, against always giving the most
    frequent label.
    """
    facts = record.facts
    right = record.final_accuracy
    if record.alive or not math.isfinite(right):
        return ""
    n = facts.n_valid
    n_right = round(right * facts.n_valid)
    measured, best_possible = (estimate([1.0] * k + [0.0] * (n - k)) for k in (n_right, n))
    kept = record.step if record.kept_step is None else record.kept_step
    passes = kept * min(facts.config.batch_size, facts.n_train) / facts.n_train
    when = f"after {passes:.1f} passes" if kept else "before the first update"
    sentence = (
        f"Held out: {n_right:,} of {n:,} lines right, {percent(right)} (95% interval "
        f"{percent(measured.low)} to {percent(measured.high)}). This is its best snapshot, "
        f"{when}, so the figure flatters it a little."
    )
    if not math.isfinite(facts.commonest):
        return sentence
    always = (
        f"always saying the most frequent of their labels gets {percent(facts.commonest)} right"
    )
    if best_possible.low <= facts.commonest:
        few = f"{n:,} held-out lines are too few to tell whether it has learned"
        return f"{sentence} {few}: {always}. Give it more lines."
    if measured.low > facts.commonest:
        return f"{sentence} It has learned something: {always}."
    if measured.high < facts.commonest:
        return (
            f"{sentence} It has not learned the labels: {always}. Train longer, or give it more "
            "lines."
        )
    return f"{sentence} That settles nothing: {always}. Give it more lines, or train longer."


def of_preferences(record: RunState) -> str:
    """In how many held-out pairs the preferred answer became the likelier one."""
    facts = record.facts
    share = record.final_accuracy
    if record.alive or not math.isfinite(share):
        return ""
    n = facts.n_valid
    n_right = round(share * facts.n_valid)
    measured = estimate([1.0] * n_right + [0.0] * (n - n_right))
    chance = (
        "more than chance"
        if measured.low > 0.5
        else "less than chance"
        if measured.high < 0.5
        else "maybe chance"
    )
    return (
        f"The preferred answer gained on the other in {n_right:,} of {n:,} held-out pairs (95% "
        f"interval {percent(measured.low)} to {percent(measured.high)}): {chance}. This is its "
        "best snapshot, so the figure flatters it a little."
    )


def of_plain(record: RunState) -> str:
    """Reports the change of the held-out loss on stories without an instruction."""
    if len(record.plain_losses) < 2 or not all(map(math.isfinite, record.plain_losses)):
        return ""
    before = record.plain_losses[0]
    after = record.plain_losses[-1]
    change = round(after, 3) - round(before, 3)
    told = (
        f"{abs(change):.3f} {'lost' if change > 0 else 'gained'}"
        if abs(change) >= _CLEAR
        else "nothing is lost"
    )
    went = f"went from {before:.3f} to {after:.3f} nats per token"
    return f"On held-out stories without an instruction, its loss {went}: {told}."
