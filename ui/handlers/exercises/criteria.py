"""What counts as right in the exercises: texts that visitors write, what is measured in a model, runs."""

from __future__ import annotations

import math

from gptcore.analysis import count_parameters
from gptcore.config import PRESETS
from gptcore.language_model import LanguageModel
from ui.handlers.exercises import measures
from ui.handlers.exercises.tasks import Verdict, parse_number
from ui.runs.run_state import RunState

BALLS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
AGAIN = "The cat saw a bird. The cat saw a fish. The cat saw a"
REVIEW = "The food was cold and nobody smiled."
GPT2 = PRESETS["gpt2"]
ONE_TOKEN_LETTERS, PREDICTABLE = 12, 0.3
LAYERS_FOR = 200_000_000  # parameters
_SURE, _OPEN_BITS = 0.95, 7.0


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
    said = f"{n} tokens; its first guess has {sure:.1%}."
    return Verdict(sure > _SURE and n >= 5, said if n >= 5 else f"{said} Write at least 5.")


def undecided(lm: LanguageModel, written: str) -> Verdict:
    """Five tokens or more, after which the next one has many bits of entropy."""
    bits, n = measures.entropy(measures.next_probabilities(lm, written)), len(lm.tokenizer.encode(written))
    said = f"{n} tokens; the next one has {bits:.2f} bits."
    return Verdict(bits > _OPEN_BITS and n >= 5, said if n >= 5 else f"{said} Write at least 5.")


def one_token(lm: LanguageModel, written: str) -> Verdict:
    """A long word that is one token behind a space."""
    plain = written.strip()
    n = len(lm.tokenizer.encode(f" {plain}"))
    if not plain.isalpha() or len(plain) < ONE_TOKEN_LETTERS:
        return Verdict(False, f"“{plain[:40]}” is not a word of {ONE_TOKEN_LETTERS} letters or more.")
    return Verdict(n == 1, f"“ {plain}” is {n} token{'' if n == 1 else 's'}.")


def predictable(lm: LanguageModel, written: str) -> Verdict:
    """A text that costs the model few bits per byte."""
    if len(written.strip()) < 60:
        return Verdict(False, f"It has {len(written.strip())} characters; write at least 60.")
    bits = measures.bits_per_byte(lm, written.strip())
    return Verdict(bits < PREDICTABLE, f"{bits:.3f} bits per byte.")


def goes_on(lm: LanguageModel, written: str) -> Verdict:
    """A few characters, after which the first guess is almost sure."""
    chances = measures.next_probabilities(lm, written)
    sure, n = float(chances.max()), len(written)
    guess = lm.tokenizer.decode([int(chances.argmax())])
    if n < 8:
        return Verdict(False, f"It has {n} characters; write at least 8.")
    return Verdict(sure > 0.9, f"It guesses “{guess}” with {sure:.1%}.")


def answers_positive(lm: LanguageModel, written: str) -> Verdict:
    """A prompt without the word that the model continues with “positive”."""
    if "positive" in written.casefold():
        return Verdict(False, "The prompt contains the word itself; leave it out.")
    found = measures.continued(lm, written, 8).strip()
    return Verdict(found.casefold().startswith("positive"), f"It writes “{found[:60]}”.")


def _warm(lm: LanguageModel, answer: float) -> float:
    return measures.entropy(measures.next_probabilities(lm, AGAIN, temperature=answer))


def four_bits(lm: LanguageModel) -> float:
    """The temperature at which the next token has 4 bits, by bisection."""
    low, high = 0.05, 5.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if _warm(lm, middle) < 4 else (low, middle)
    return (low + high) / 2


# --- what is measured
def role_of_a_head(lm: LanguageModel) -> tuple[str, str]:
    """(the role of the first head that looks back by one or copies, where it is)."""
    named = measures.roles(lm, AGAIN)
    layer, place, role = next(
        (layer, place, role)
        for layer, row in enumerate(named)
        for place, role in enumerate(row)
        if role in ("induction", "previous")
    )
    return role, f"Head {layer}.{place} has this role, on this text or on random tokens that repeat."


def sentiment(lm: LanguageModel) -> tuple[str, str]:
    """(the likelier of the two labels for REVIEW, their shares)."""
    shares = measures.share_of_label(lm, REVIEW)
    best = max(shares, key=lambda label: shares[label])
    return best, f"It gives “{best}” {shares[best]:.0%} of what it gives the two."


def mlp_share(lm: LanguageModel) -> float:
    """Per cent of GPT-2's parameters that are in MLPs."""
    counted = count_parameters(GPT2)
    return 100 * counted.mlp / counted.total


def block_parameters(lm: LanguageModel) -> int:
    """Parameters of one block of GPT-2."""
    return measures.block_parameters(GPT2, lambda shape: count_parameters(shape).total)


def layers_needed(lm: LanguageModel) -> float:
    """Layers of GPT-2's width that pass LAYERS_FOR."""
    rest = count_parameters(GPT2).total - GPT2.n_layer * block_parameters(lm)
    return math.ceil((LAYERS_FOR - rest) / block_parameters(lm))


# --- runs
def _from_scratch(record: RunState) -> bool:
    return record.facts.kind == "text" and not record.facts.tuned


def below_bigram(record: RunState, answer: str) -> Verdict:
    """The newest run is from scratch and ends below the bigram baseline."""
    line = record.facts.lines.get("bigram")
    loss = record.observations[-1].valid_loss if record.observations else math.nan
    if not _from_scratch(record) or line is None or not math.isfinite(loss):
        return Verdict(False, "The newest run has no held-out loss beside a bigram baseline. Start one from scratch.")
    return Verdict(loss < line, f"Held out {loss:.2f}, bigram baseline {line:.2f}.")


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
    given, loss = parse_number(answer), record.final_loss
    return Verdict(abs(given - loss) <= 0.05 * loss, f"It ended at {loss:.3f}; you guessed {given:g}.")
