"""What a model is worth, as one table: `python -m gptcore.evaluation MODEL --text held_out.txt`."""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gptcore.analysis import repeated_token_scores
from gptcore.corpora import read_documents
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import continue_together
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.scoring import score_documents
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel, load
from gptcore.training import encoded

_BATCH = 16
_BLOCK = 24  # characters; shared passages at least twice as long are always found
_WORD = re.compile(r"\w+(?:'\w+)?")
_DOUBLED = re.compile(r"\b(\w+) and (?:the |a |an |his |her )?\1\b", re.IGNORECASE)


@dataclass(frozen=True)
class Figure:
    """A line of the table: what was measured, on what, and the value."""

    name: str
    of: str
    value: float | str


def written(
    lm: LanguageModel, prompts: Sequence[str], *, n: int, max_new_tokens: int, settings: SamplingSettings, seed: int
) -> list[str]:
    """Generates n texts, prompts included, cycling through the prompts; text i uses seed + i."""
    texts = [""] * n
    for turn, prompt in enumerate(prompts):
        numbers, ids = list(range(turn, n, len(prompts))), lm.tokenizer.encode(prompt)
        for batch in (numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)):
            rows = [TokenSequence(ids, settings, seed=seed + number, tokenizer=lm.tokenizer) for number in batch]
            pieces = [[prompt] for _ in batch]
            for place, token in continue_together(lm.model, rows, max_new_tokens=max_new_tokens, use_cache=True):
                pieces[place].append(token.text)
            for number, piece in zip(batch, pieces, strict=True):
                texts[number] = "".join(piece)
    return texts


def repeated_share(texts: Sequence[str], n: int = 4) -> float:
    """Share of word n-grams that occurred earlier in the same text."""
    seen = total = 0
    for text in texts:
        words = [word.lower() for word in _WORD.findall(text)]
        grams = Counter(tuple(words[place : place + n]) for place in range(len(words) - n + 1))
        total += grams.total()
        seen += grams.total() - len(grams)
    return seen / max(1, total)


def doubled_rate(texts: Sequence[str]) -> float:
    """Occurrences of "X and X", also with an article, per thousand words."""
    words = sum(len(_WORD.findall(text)) for text in texts)
    return 1000 * sum(len(_DOUBLED.findall(text)) for text in texts) / max(1, words)


def longest_shared(texts: Sequence[str], corpus: str) -> str:
    """The longest passage that a text shares with a corpus, exact from 2 * _BLOCK characters on."""
    places: dict[str, list[int]] = {}
    for start in range(0, len(corpus) - _BLOCK + 1, _BLOCK):
        places.setdefault(corpus[start : start + _BLOCK], []).append(start)
    best = ""
    for text in texts:
        for at in range(len(text) - _BLOCK + 1):
            for place in places.get(text[at : at + _BLOCK], ()):
                length = _extended(text, at, corpus, place)
                best = length if len(length) > len(best) else best
    return best


def _extended(text: str, at: int, corpus: str, place: int) -> str:
    """The shared passage around two equal blocks."""
    left = right = 0
    while at > left and place > left and text[at - left - 1] == corpus[place - left - 1]:
        left += 1
    while at + right < len(text) and place + right < len(corpus) and text[at + right] == corpus[place + right]:
        right += 1
    return text[at - left : at + right]


def roles(lm: LanguageModel) -> Counter[str]:
    """How many heads play each role on repeated random tokens, by the thresholds of `gptcore.analysis`."""
    scores, config = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id), lm.model.config
    return Counter(scores.role(layer, head) for layer in range(config.n_layer) for head in range(config.n_head))


def evaluate(lm: LanguageModel, options: argparse.Namespace) -> Iterator[Figure]:
    """The lines of the table, as they are measured."""
    start = lm.tokenizer.end_id or 0
    for path in options.text:
        score = score_documents(lm.model, encoded(read_documents(path), lm.tokenizer), start_id=start)
        yield Figure("bits per byte", path.name, round(score.bits_per_byte, 4))
        yield Figure("perplexity per token", path.name, round(score.perplexity, 2))
    yield from (Figure("heads", role, n) for role, n in roles(lm).most_common())
    if options.samples:
        settings = SamplingSettings(temperature=options.temperature, top_k=options.top_k, top_p=options.top_p)
        prompts = options.prompt or ["Once upon a time"]
        texts = written(
            lm, prompts, n=options.samples, max_new_tokens=options.max_new_tokens, settings=settings, seed=options.seed
        )
        of = f"{len(texts)} samples"
        yield Figure("repeated 4-grams, %", of, round(100 * repeated_share(texts), 2))
        yield Figure("“X and X” in 1,000 words", of, round(doubled_rate(texts), 3))
        for path in options.text:
            real = read_documents(path)
            yield Figure("repeated 4-grams, %", path.name, round(100 * repeated_share(real), 2))
            yield Figure("“X and X” in 1,000 words", path.name, round(doubled_rate(real), 3))
        if options.training:
            corpus = "\n".join(document for path in options.training for document in read_documents(path))
            shared = longest_shared(texts, corpus)
            yield Figure("longest passage copied, characters", of, len(shared))
            yield Figure("that passage", of, shared)


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m gptcore.evaluation", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("model", help="a bundled model, gpt2, a folder, owner/name")
    parser.add_argument("--text", type=Path, nargs="+", default=[], metavar="FILE", help="held-out texts to be scored")
    parser.add_argument("--training", type=Path, nargs="+", default=[], metavar="FILE", help="texts it was trained on")
    parser.add_argument("--samples", type=int, default=200, help="texts to write; 0 for none")
    parser.add_argument("--prompt", action="append", help="to continue; repeatable, they take turns")
    parser.add_argument("--max-new-tokens", type=int, default=200, help="of a sample")
    parser.add_argument("--temperature", type=float, default=0.8, help="of the samples")
    parser.add_argument("--top-k", type=int, default=50, help="of the samples")
    parser.add_argument("--top-p", type=float, default=0.95, help="of the samples")
    parser.add_argument("--seed", type=int, default=1, help="of the first sample; the next ones count on")
    parser.add_argument("--offline", action="store_true", help="use only files on this machine")
    parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    options = parser.parse_args(arguments)
    try:
        lm = load(options.model, offline=options.offline)
        rows = []
        for figure in evaluate(lm, options):
            rows.append(figure.__dict__)
            if not options.json:
                print(f"{figure.name:36}{figure.of:28}{figure.value}", flush=True)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"model": lm.name, "figures": rows}, indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
