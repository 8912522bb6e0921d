"""What zero-shot work costs: pages of the small web, labels by likelihood, and greedy answers together or one by one.

    python tests/benchmarks/zero_shot.py [--rounds 5] [--model world]

The ratio is within one run: the same prompts, answered in one batch and by `generate` one after the other.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # run as a script, from anywhere

import gptcore
from gptcore.zero_shot.answering import greedy_answers
from gptcore.zero_shot.evaluation import quick_accuracies
from gptcore.zero_shot.items import make_trial
from gptcore.zero_shot.likelihood import score_labels
from weights.recipes.world.documents import documents

N_PROMPTS, N_PAGES = 16, 1000


def median(rounds: int, work: Callable[[], object]) -> float:
    """Seconds of one call, the median after a first one that does not count."""
    times = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", default="world")
    options = parser.parse_args()
    lm = gptcore.load(options.model, offline=True)
    pages = median(options.rounds, lambda: list(documents(N_PAGES, seed=1)))
    print(f"pages of the small web                 {N_PAGES / pages:10,.0f} a second")
    sentiment, question = make_trial("sentiment", n_items=N_PROMPTS), make_trial("question", n_items=N_PROMPTS)
    prompt = lm.tokenizer.encode(sentiment.template.prompt(sentiment.items[0]).text)
    labels = median(options.rounds, lambda: score_labels(lm, prompt, ["positive", "negative"]))
    print(f"two labels                             {1e3 * labels:10.1f} ms")
    prompts = [lm.tokenizer.encode(question.template.prompt(item).text) for item in question.items]
    together = median(options.rounds, lambda: greedy_answers(lm, prompts, max_new_tokens=16, stop=()))

    def one_by_one() -> None:
        for ids in prompts:
            list(gptcore.generate(lm, ids, max_new_tokens=16, temperature=0, stop_at_end=False, n_alternatives=0))

    alone = median(options.rounds, one_by_one)
    print(f"{N_PROMPTS} answers of 16 tokens, together       {1e3 * together:10.1f} ms")
    print(f"  the same by generate, one by one     {1e3 * alone:10.1f} ms   {alone / together:.1f} x")
    watched = [make_trial(task, n_items=24) for task in ("sentiment", "cloze", "analogy", "question", "translate")]
    look = median(options.rounds, lambda: quick_accuracies(lm, watched))
    print(f"a look at five tasks, 24 items each    {1e3 * look:10.1f} ms")


if __name__ == "__main__":
    main()
