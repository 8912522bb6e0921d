"""What zero-shot work costs: pages of the small web, labels by likelihood, and greedy answers together or one by one.

    python tests/benchmarks/zero_shot.py [--rounds 5] [--model world]

The ratio is within one run: the same prompts, answered in one batch and by `generate` one after the other.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # run as a script, from anywhere

from limits import in_turn

import gptcore
from gptcore.zero_shot.answering import greedy_answers
from gptcore.zero_shot.evaluation import quick_accuracies
from gptcore.zero_shot.items import make_trial
from gptcore.zero_shot.likelihood import score_labels
from weights.recipes.world.documents import documents

N_PROMPTS, N_PAGES = 16, 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", default="world")
    options = parser.parse_args()
    lm = gptcore.load(options.model, offline=True)
    sentiment, question = make_trial("sentiment", n_items=N_PROMPTS), make_trial("question", n_items=N_PROMPTS)
    prompt = lm.tokenizer.encode(sentiment.template.prompt(sentiment.items[0]).text)
    prompts = [lm.tokenizer.encode(question.template.prompt(item).text) for item in question.items]
    watched = [make_trial(task, n_items=24) for task in ("sentiment", "cloze", "analogy", "question", "translate")]

    def one_by_one() -> None:
        for ids in prompts:
            list(gptcore.generate(lm, ids, max_new_tokens=16, temperature=0, stop_at_end=False, n_alternatives=0))

    work = {
        "pages": lambda: list(documents(N_PAGES, seed=1)),
        "labels": lambda: score_labels(lm, prompt, ["positive", "negative"]),
        "together": lambda: greedy_answers(lm, prompts, max_new_tokens=16, stop=()),
        "alone": one_by_one,
        "look": lambda: quick_accuracies(lm, watched),
    }
    ms = {name: 1e3 * seconds for name, seconds in in_turn(work, options.rounds).items()}
    print(f"pages of the small web                 {1e3 * N_PAGES / ms['pages']:10,.0f} a second")
    print(f"two labels                             {ms['labels']:10.1f} ms")
    print(f"{N_PROMPTS} answers of 16 tokens, together       {ms['together']:10.1f} ms")
    print(f"  the same by generate, one by one     {ms['alone']:10.1f} ms   {ms['alone'] / ms['together']:.1f} x")
    print(f"a look at five tasks, 24 items each    {ms['look']:10.1f} ms")


if __name__ == "__main__":
    main()
