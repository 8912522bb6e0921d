"""Stories that the mini writes itself: `python -m weights.recipes.own_stories > stories.txt`.

The page makes instructions of them (Train, Assistant), and trains on them: they are nobody else's
text. For the assistant they are drawn from all that the model expects, nothing cut off: what it
would write anyway changes it little, and rare words occur to be asked for. Those to train on are
drawn with `--temperature 0.85 --top-p 0.97 --begun 0.5`.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gptcore.errors import TrainingError
from gptcore.finetuning.answering import judge
from gptcore.inference.batch import RunningBatch
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel, load
from gptcore.machine import DEVICES, choose_device, keep_freed_memory
from gptcore.tokenizers.base import END_OF_TEXT
from weights.recipes.world.lexicon import entries

_BEINGS, _NAMES, _KINDS, _PLACES, _THINGS, _OPENINGS = entries(
    "own_stories.txt", Path(__file__).parent
).values()
_BEGUN = (
    0.3  # share of the stories that begin with one of these; the others begin as the model likes
)
# with its prompt, a story has to fit the window
_BATCH = 16
_MOST_TOKENS = 190
_LEAST_WORDS = 50
_SEED = 17


def opening(draw: random.Random) -> str:
    """How a story begins."""
    name, other = draw.sample(_NAMES, 2)
    return draw.choice(_OPENINGS).format(
        kind=draw.choice(_KINDS),
        being=draw.choice(_BEINGS),
        name=name,
        other=other,
        place=draw.choice(_PLACES),
        thing=draw.choice(_THINGS),
    )


def stories(
    lm: LanguageModel,
    settings: SamplingSettings | None = None,
    *,
    begun: float = _BEGUN,
    batch_size: int = _BATCH,
) -> Iterator[str]:
    """Stories that end by themselves and do not repeat, without end.

    Args:
        lm: writes them.
        settings: how; by default from all that it expects.
        begun: share that begins with one of the openings above.
        batch_size: stories that are written together.

    Raises:
        TrainingError: a model without a token that ends a text.
    """
    if lm.tokenizer.end_id is None:
        raise TrainingError(
            f"{lm.name} has no token that ends a text; its stories would have no end."
        )
    draw = random.Random(_SEED)
    number = 0
    share = begun
    settings = settings or SamplingSettings()
    batch = RunningBatch(lm.model)
    written = dict[TokenSequence, list[str]]()
    while True:
        while len(written) < batch_size:
            first = opening(draw) if draw.random() < share else ""
            ids = [lm.tokenizer.end_id, *lm.tokenizer.encode(first)]
            sequence = TokenSequence(
                ids, settings, seed=number, tokenizer=lm.tokenizer, n_alternatives=0
            )
            batch.join(sequence, _MOST_TOKENS - len(ids))
            written[sequence] = [first]
            number += 1
        for sequence, token in batch.step():
            written[sequence].append(token.text)
        for sequence in [item for item in written if item.done]:
            text = "".join(written.pop(sequence)).strip()
            told = judge(text, (), ended=sequence.end == "end-of-text")
            if told.ends and told.repeated < 0.03 and told.n_words >= _LEAST_WORDS:
                yield text


def main(arguments: list[str] | None = None) -> int:
    """Writes stories, each with the end of text behind it; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m weights.recipes.own_stories", description=__doc__
    )
    parser.add_argument("--stories", type=int, default=5000, help="how many to keep")
    parser.add_argument("--model", default="mini")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument(
        "--begun", type=float, default=_BEGUN, help="share that begins with a given opening"
    )
    together = "stories written together; 256 on a graphics card"
    parser.add_argument("--batch-size", type=int, default=_BATCH, help=together)
    parser.add_argument("--device", default="auto", choices=DEVICES)
    options = parser.parse_args(arguments)
    keep_freed_memory()
    lm = load(options.model)
    lm.model.to(choose_device(options.device))
    settings = SamplingSettings(temperature=options.temperature, top_p=options.top_p)
    told = stories(lm, settings, begun=options.begun, batch_size=options.batch_size)
    for text in islice(told, options.stories):
        sys.stdout.write(f"{text}\n{END_OF_TEXT}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
