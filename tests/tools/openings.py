"""How a model goes on from openings as people type them: python -m tests.tools.openings MODEL [MODEL ...]

The sixty of `tests/weights/openings.json`, which no recipe uses, each continued with several seeds. Counted are texts
that end within 20 words, that repeat themselves (more than 5% of runs of four words were there before), and, of the
openings with a subject, those whose continuation of at most 80 tokens never names it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gptcore
from gptcore.finetuning.answering import judge
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel

FILE = Path(__file__).resolve().parents[1] / "weights" / "openings.json"
_SETTINGS = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
_SEEDS, _TOKENS, _SOON, _REPEATED = range(4), 80, 20, 0.05


def measured(lm: LanguageModel) -> dict[str, float]:
    """Shares of all texts."""
    openings = [(one["opening"], one["subject"]) for one in json.loads(FILE.read_text(encoding="utf-8"))]
    soon = repeats = leaves = n_subjects = n = 0
    for seed in _SEEDS:
        rows = [
            TokenSequence(lm.tokenizer.encode(text), _SETTINGS, seed=seed, tokenizer=lm.tokenizer)
            for text, _ in openings
        ]
        written = [""] * len(rows)
        for place, token in continue_together(lm.model, rows, max_new_tokens=_TOKENS):
            written[place] += token.text
        for (_, subject), row, text in zip(openings, rows, written, strict=True):
            told = judge(text, (), ended=row.end == "end-of-text")
            n += 1
            soon += row.end == "end-of-text" and told.n_words < _SOON
            repeats += told.repeated > _REPEATED
            n_subjects += bool(subject)
            leaves += bool(subject) and not any(word.casefold() in text.casefold() for word in subject)
    return {
        "ends within 20 words": soon / n,
        "repeats itself": repeats / n,
        "never names its subject again": leaves / n_subjects,
    }


def main(names: list[str]) -> None:
    """Prints the table."""
    found = {name: measured(gptcore.load(name)) for name in names}
    print(f"| | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for what in next(iter(found.values())):
        print(f"| {what} | {' | '.join(f'{one[what]:.0%}' for one in found.values())} |")


if __name__ == "__main__":
    main(sys.argv[1:])
