"""What the examples of Steer do over many texts: `python -m tests.tools.steering_trials`

For every example and strength: words of its kind a text, and how many nats a token the model's own plain text costs.
"""

import json
import re

import gptcore
from gptcore.analysis import steering_vector
from gptcore.inference.generation import prompt_ids
from gptcore.language_model import LanguageModel
from ui.lenses.generate.handlers.steer import EXAMPLES, HELD, SOUND, _costs

PROMPTS = (
    "One day, Tom went to the park.",
    "Lily and Ben were at home.",
    "There was a little girl named Mia.",
    "The next day, they went outside.",
    "Sam had a big idea.",
    "In the morning, Anna woke up.",
)
SEEDS = range(4)
STRENGTHS = (1.0, 1.5, 2.0)
# Words of a kind, more than stand in the examples.
WORDS = {
    "sad, not happy": "sad|cry|cried|cries|crying|tears|scared|alone|upset|hurt|lonely|afraid|worried|angry|lost",
    "animals, not people": "dog|cat|bird|bear|rabbit|fox|frog|duck|fish|lion|monkey|mouse|bunny|squirrel|cow|pig|horse",
    "food, not toys": "eat|ate|food|cakes?|cookies?|soup|yummy|sandwich|pie|lunch|dinner|apples?|bread|cheese|pizza|"
    "hungry|tasty|delicious|cook|ice cream|sweet",
    "rain, not sunshine": "rain|raining|rainy|wet|storm|wind|thunder|clouds?|cold|snow|dark|puddles?|umbrella",
}


def main() -> None:
    lm = gptcore.load()
    depth = (lm.model.config.n_layer + 1) // 2
    found = {}
    for example, (towards, away) in EXAMPLES.items():
        vector = steering_vector(lm, towards, away, depth)
        rows = []
        for strength in (0.0, *STRENGTHS):
            model = vector.scaled(strength).applied(lm.model) if strength else lm.model
            one, words, cost = LanguageModel(model, lm.tokenizer, lm.name), 0, 0.0
            for prompt in PROMPTS:
                for seed in SEEDS:
                    text = _written(one, prompt, seed)
                    words += len(re.findall(rf"\b(?:{WORDS[example]})\b", text.lower()))
                    if strength:
                        ids = lm.tokenizer.encode(prompt + _written(lm, prompt, seed))
                        cost += _costs(lm.model, vector, [strength], ids, len(prompt_ids(lm, prompt)))[strength]
            n = len(PROMPTS) * len(SEEDS)
            rows.append([strength, round(words / n, 2), round(cost / n, 3)])
            print(example, rows[-1], flush=True)
        sound = [row for row in rows[1:] if row[2] <= SOUND] or rows[1:2]
        found[example] = {"texts": len(PROMPTS) * len(SEEDS), "best": max(row[0] for row in sound), "rows": rows}
    HELD.write_text(json.dumps({"mini": found}, indent=1) + "\n", encoding="utf-8")


def _written(lm: LanguageModel, prompt: str, seed: int) -> str:
    made = gptcore.generate(lm, prompt, max_new_tokens=80, temperature=0.8, top_k=50, top_p=0.95, seed=seed)
    return "".join(token.text for token in made)


if __name__ == "__main__":
    main()
