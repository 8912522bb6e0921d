"""What the exercises measure in a model, and what counts as right in texts that visitors write, and
in their runs.
"""

import math

from torch import Tensor

from gptcore import analysis
from gptcore.config import PRESETS
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling import candidates
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.scoring import score_text
from gptcore.language_model import LanguageModel
from gptcore.zero_shot.evaluation import greedy_answers
from ui.rooms.exercises.handlers.tasks import Verdict, numbers
from ui.runs.run_state import RunState
from ui.shared.head_roles import roles_of, where_tokens_repeat

Heads = dict[tuple[int, int], str]
BALLS = "Tom had a blue ball. Lily had a red ball. Tom lost his blue"
GPT2 = PRESETS["gpt2"]
_SURE = 0.95
_AS_GOOD = 0.9  # of the largest: a head that has so much of it is right, too


def next_probabilities(lm: LanguageModel, text: str) -> Tensor:
    """The distribution of the next token, float32 [V]. Raises GPTCoreError for a text that cannot
    be read.
    """
    return last_logits(lm.model, prompt_ids(lm, text)).softmax(-1)


def next_word(lm: LanguageModel, text: str) -> str:
    """The most likely next token."""
    return lm.tokenizer.decode([int(next_probabilities(lm, text).argmax())])


def n_in_nucleus(lm: LanguageModel, text: str, top_p: float) -> int:
    """Counts the tokens that top-p keeps."""
    logits = last_logits(lm.model, prompt_ids(lm, text))
    return len(candidates(logits, SamplingSettings(top_p=top_p)).ids)


def n_cells(lm: LanguageModel, text: str) -> int:
    """Cells above zero of the first head's map."""
    return int((analysis.attention_patterns(lm.model, lm.tokenizer.encode(text))[0, 0] > 0).sum())


def most_surprising(lm: LanguageModel, text: str) -> str:
    """The token of a text that the model expected least."""
    _, scored, _ = score_text(lm, text)
    return min(scored, key=lambda token: token.logprob).text


def roles(lm: LanguageModel, text: str) -> list[list[str]]:
    """The role of every head, [layer][head]: where tokens repeat, else on this text; "mixed" where
    it only leans.
    """
    ids = prompt_ids(lm, text)
    reading = analysis.read_attention(lm.model, ids)
    profile = analysis.repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id)
    here = roles_of(analysis.head_scores(reading.layers(), ids), reading)
    repeating = where_tokens_repeat(profile)
    return [
        [role or ("mixed" if leans else own) for role, (own, leans) in zip(*rows, strict=True)]
        for rows in zip(repeating, here, strict=True)
    ]


def heads_with(lm: LanguageModel, text: str, role: str, description: str) -> Heads:
    """The heads with a role, and what is said of them. Raises GPTCoreError where none has it."""
    named = enumerate(roles(lm, text))
    heads = {
        (layer, head): description
        for layer, row in named
        for head, item in enumerate(row)
        if item == role
    }
    if not heads:
        raise GPTCoreError(
            f"No head of {lm.name} has this role, so this exercise has no answer for it."
        )
    return heads


def heads_that_matter(lm: LanguageModel, text: str) -> Heads:
    """The heads whose ablation lowers the probability of the model's own guess most, each with its
    drop.
    """
    ids = prompt_ids(lm, text)
    config = lm.model.config
    places = [(layer, head) for layer in range(config.n_layer) for head in range(config.n_head)]
    rows = [[], *([analysis.ModelPart(layer, "head", head)] for layer, head in places)]
    chances = analysis.logits_without(lm.model, ids, rows).softmax(-1)
    guess = int(chances[0].argmax())
    whole = float(chances[0, guess])
    left = chances[1:, guess].tolist()
    most = max(whole - item for item in left)
    name = lm.tokenizer.decode([guess]).strip()
    return {
        place: f"Without it “{name}” falls from {whole:.0%} to {item:.0%}."
        for place, item in zip(places, left, strict=True)
        if whole - item >= _AS_GOOD * most
    }


def settled_after(lm: LanguageModel, text: str) -> int:
    """The number of blocks after which the model's guess leads and no longer changes."""
    lens = analysis.logit_lens(lm.model, prompt_ids(lm, text))
    last = lens.best[:, -1:]
    [depth] = analysis.settled_depths(last, [int(last[-1, 0])])
    return lm.model.config.n_layer if depth is None else depth


def continued(lm: LanguageModel, prompt: str, n: int) -> str:
    """Continues a prompt greedily, by at most n tokens of a line."""
    return greedy_answers(lm, [prompt_ids(lm, prompt)], max_new_tokens=n)[0]


# --- texts to write
def changes_the_guess(lm: LanguageModel, written: str) -> Verdict:
    """One word of BALLS is changed, and the first guess with it."""
    before = BALLS.split()
    after = written.split()
    changed = sum(a != b for a, b in zip(before, after, strict=False))
    if len(before) != len(after) or changed != 1:
        return Verdict(
            False, f"Change exactly one word of “{BALLS}”; here {changed} of {len(after)} differ."
        )
    was = next_word(lm, BALLS).strip()
    now = next_word(lm, written).strip()
    said = f"It guessed “{was}” and now guesses “{now}”."
    old, new = next(
        (a.strip(".,"), b.strip(".,")) for a, b in zip(before, after, strict=True) if a != b
    )
    if now == new:
        reason = (
            f"It copies your word: “{new}” stands where it reads the object off the earlier "
            "sentence."
        )
    elif was == old:
        reason = f"It had copied “{was}” from the place that you changed."
    else:
        reason = "Your word is not copied: it changes what fits next."
    return Verdict(was != now, said, reason)


def certain(lm: LanguageModel, written: str) -> Verdict:
    """Five tokens or more, after which the first guess is almost sure."""
    chances = next_probabilities(lm, written)
    sure = float(chances.max())
    n = len(lm.tokenizer.encode(written))
    sentence = f"{n} tokens; its first guess has {sure:.1%}."
    return Verdict(sure > _SURE and n >= 5, sentence if n >= 5 else f"{sentence} Write at least 5.")


def answers_positive(lm: LanguageModel, written: str) -> Verdict:
    """A prompt without the word that the model continues with “positive”."""
    if "positive" in written.casefold():
        return Verdict(False, "The prompt contains the word itself; leave it out.")
    answer = continued(lm, written, 8).strip()
    return Verdict(answer.casefold().startswith("positive"), f"It writes “{answer[:60]}”.")


# --- runs
def unmasked_loss(record: RunState, answer: str) -> Verdict:
    """The newest run has no causal mask, and a loss that only copying reaches."""
    if record.facts.trick != "no_mask":
        return Verdict(
            False,
            "The newest run has its causal mask. Choose “no causal mask” under “Spoil one "
            "setting”, and press Start.",
        )
    rows, _ = record.so_far()
    loss = rows[-1][1] if rows else math.nan
    return Verdict(loss < 1.0, f"Training loss {loss:.2f} after {record.step:,} updates.")


def guessed_its_loss(record: RunState, answer: str) -> Verdict:
    """The newest run ended within 5% of the guess."""
    if record.alive or not math.isfinite(record.final_loss):
        return Verdict(
            False,
            "The newest run has not ended. Write down your guess, wait for its end, then check.",
        )
    given = numbers(answer)[0]
    loss = record.final_loss
    return Verdict(
        abs(given - loss) <= 0.05 * loss, f"It ended at {loss:.3f}; you guessed {given:g}."
    )
