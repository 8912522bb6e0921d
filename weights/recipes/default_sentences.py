"""Chooses the sentence with which the page opens for a model: `python -m
weights.recipes.default_sentences mini`.

A sentence is good for the first screen if the next token is a real choice, if the choice hangs on
single parts of the model, and if the heads have something to show on it. Prints how each candidate
measures, the best first.
"""

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

from gptcore import load
from gptcore.analysis import ModelPart, head_scores, logits_without, read_attention, uniform_scores
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import text_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token

CANDIDATES = Path(__file__).with_name("default_sentences.txt")  # one a line
# bits of entropy of the next token
LEAST = 1.5
MOST = 3.0
LONGEST = 30  # tokens: the picture has room for some


@dataclass(frozen=True)
class Measured:
    """How a sentence does on a model.

    Args:
        text: the sentence.
        bits: entropy of the next token.
        guesses: the likeliest tokens with their probabilities.
        decisive: heads, and attention and MLPs behind the first layer, without each of which
            another token comes first.
        roles: heads with a clear role on this text, other than resting on the first token.
    """

    text: str
    bits: float
    guesses: list[tuple[str, float]]
    decisive: list[str]
    roles: int

    @property
    def fits(self) -> bool:
        """Whether it meets all three criteria."""
        return LEAST <= self.bits <= MOST and bool(self.decisive) and self.roles > 0


def measure(lm: LanguageModel, text: str) -> Measured:
    """Measures one sentence. Raises the core's errors for a text that the model cannot read."""
    ids = text_ids(lm, text)
    config = lm.model.config
    parts = [
        ModelPart(layer, "head", head)
        for layer in range(config.n_layer)
        for head in range(config.n_head)
    ]
    parts += [ModelPart(layer, "attention") for layer in range(1, config.n_layer)]
    if config.use_mlp:
        parts += [ModelPart(layer, "mlp") for layer in range(1, config.n_layer)]
    logits = logits_without(lm.model, ids, [[], *([part] for part in parts)])  # [1 + parts, V]
    chances = logits[0].softmax(-1)
    first = int(chances.argmax())
    decisive = [
        _name(part)
        for part, row in zip(parts, logits[1:], strict=True)
        if int(row.argmax()) != first
    ]
    best = chances.topk(min(4, len(chances)))
    guesses = [
        (describe_token(lm.tokenizer, token), chance)
        for token, chance in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    bits = -sum(p * math.log2(p) for p in chances.tolist() if p > 0)
    return Measured(text, bits, guesses, decisive, _n_roles(lm, ids))


def _n_roles(lm: LanguageModel, ids: list[int]) -> int:
    reading = read_attention(lm.model, ids)
    scores = head_scores(reading.layers(), reading.token_ids)
    chance = uniform_scores(reading.token_ids, causal=reading.causal)
    roles = [
        scores.role(layer, head, chance)
        for layer in range(reading.n_layer)
        for head in range(reading.n_head)
    ]
    return sum(role not in ("mixed", "first") for role in roles)


def _name(part: ModelPart) -> str:
    return f"L{part.layer}H{part.head}" if part.kind == "head" else f"L{part.layer}-{part.kind}"


def main() -> None:
    """Prints a row for each candidate that the model reads whole."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a bundled model, such as mini")
    parser.add_argument(
        "--texts", type=Path, default=CANDIDATES, help="candidates, one a line; \\n is a newline"
    )
    options = parser.parse_args()
    lm = load(options.model)
    found = list[Measured]()
    for line in options.texts.read_text(encoding="utf-8").splitlines():
        text = line.replace("\\n", "\n")
        try:
            if text.strip() and len(text_ids(lm, text)) <= min(
                LONGEST, lm.model.config.n_positions
            ):
                found.append(measure(lm, text))
        except GPTCoreError:
            continue
    for item in sorted(found, key=lambda measured: (not measured.fits, -len(measured.decisive))):
        guesses = ", ".join(f"{label.strip()} {chance:.0%}" for label, chance in item.guesses)
        mark = "*" if item.fits else " "
        parts = " ".join(item.decisive[:6])
        print(
            f"{mark} {item.bits:4.2f} bits  {item.roles:2d} roles  {item.text!r}: {guesses}  [{parts}]"
        )


if __name__ == "__main__":
    main()
