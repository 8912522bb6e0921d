"""What counts as right in the exercises: texts that visitors write, what is measured in a model, runs."""

import math

from gptcore.config import PRESETS
from gptcore.language_model import LanguageModel
from ui.rooms.exercises.handlers import measures
from ui.rooms.exercises.handlers.tasks import Verdict, numbers
from ui.runs.run_state import RunState

BALLS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
GPT2 = PRESETS["gpt2"]
_SURE = 0.95


# --- texts to write
def changes_the_guess(lm: LanguageModel, written: str) -> Verdict:
    """One word of BALLS is changed, and the first guess with it."""
    before, after = BALLS.split(), written.split()
    changed = sum(a != b for a, b in zip(before, after, strict=False))
    if len(before) != len(after) or changed != 1:
        return Verdict(False, f"Change exactly one word of “{BALLS}”; here {changed} of {len(after)} differ.")
    was, now = measures.next_word(lm, BALLS).strip(), measures.next_word(lm, written).strip()
    return Verdict(was != now, f"It guessed “{was}” and now guesses “{now}”.")


def certain(lm: LanguageModel, written: str) -> Verdict:
    """Five tokens or more, after which the first guess is almost sure."""
    chances = measures.next_probabilities(lm, written)
    sure, n = float(chances.max()), len(lm.tokenizer.encode(written))
    sentence = f"{n} tokens; its first guess has {sure:.1%}."
    return Verdict(sure > _SURE and n >= 5, sentence if n >= 5 else f"{sentence} Write at least 5.")


def answers_positive(lm: LanguageModel, written: str) -> Verdict:
    """A prompt without the word that the model continues with “positive”."""
    if "positive" in written.casefold():
        return Verdict(False, "The prompt contains the word itself; leave it out.")
    answer = measures.continued(lm, written, 8).strip()
    return Verdict(answer.casefold().startswith("positive"), f"It writes “{answer[:60]}”.")


# --- runs


def unmasked_loss(record: RunState, answer: str) -> Verdict:
    """The newest run has no causal mask, and a loss that only copying reaches."""
    if record.facts.trick != "no_mask":
        return Verdict(False, "The newest run has its causal mask. Choose “no causal mask” under Break it, and Start.")
    rows, _ = record.so_far()
    loss = rows[-1][1] if rows else math.nan
    return Verdict(loss < 1.0, f"Training loss {loss:.2f} after {record.step:,} updates.")


def guessed_its_loss(record: RunState, answer: str) -> Verdict:
    """The newest run ended within 5% of the guess."""
    if record.alive or not math.isfinite(record.final_loss):
        return Verdict(False, "The newest run has not ended. Write down your guess, wait for its end, then check.")
    given, loss = numbers(answer)[0], record.final_loss
    return Verdict(abs(given - loss) <= 0.05 * loss, f"It ended at {loss:.3f}; you guessed {given:g}.")
