"""The next-token distribution after each sampling stage, for the page's component and the API."""

import json
import math
from collections.abc import Sequence

from gptcore.inference.sampling import Stage, penalise, stages, struck_out
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.tokenizers import Tokenizer, describe_token
from ui import conclusions
from ui.lenses.generate.payloads import Distribution, StageFigures, StruckToken
from ui.state.sessions import NextToken

# Rows in the chart: enough to see a tail being cut, few enough to read from the back of a room.
N_ROWS = 15
_TAIL = 24  # characters of the text before
_N_STRUCK = 8  # the likeliest forbidden tokens that are listed


def describe(tokenizer: Tokenizer, seen: NextToken, settings: SamplingSettings) -> str:
    """The distribution as JSON: a conclusion in words (said), stages with their figures, and rows
    of tokens with a probability for each stage.
    """
    rows = table(tokenizer, seen, settings, N_ROWS)
    guess, drawn = ([row["p"][stage] for row in rows["rows"]] for stage in (0, -1))
    labels = [row["label"] for row in rows["rows"]]
    n_left = rows["stages"][-1]["candidates"]
    sentence = conclusions.next_token(labels, guess, drawn, n_left, rows["vocab_size"])
    return json.dumps({"said": sentence, **rows}, ensure_ascii=False)


def table(
    tokenizer: Tokenizer, seen: NextToken, settings: SamplingSettings, n_rows: int
) -> Distribution:
    """The distribution as plain values.

    Args:
        tokenizer: for the tokens' text.
        seen: logits and the text before them.
        settings: of the strategy.
        n_rows: how many of the most likely tokens are listed; all figures are over the whole
            vocabulary.
    """
    n_new = len(seen.ids) - seen.n_prompt
    end_id = tokenizer.end_id
    none = tokenizer.without_token
    penalised = penalise(
        seen.logits, settings, seen.ids, n_new=n_new, end_id=end_id, without_token=none
    )
    forbidden = struck_out(settings, seen.ids, n_new=n_new, end_id=end_id, without_token=none)
    shown = stages(seen.logits, settings, penalised)
    order = _most_likely(shown, n_rows)
    struck: list[StruckToken] = [
        {"label": describe_token(tokenizer, token), "id": token, "by": forbidden[token]}
        for token in sorted(forbidden, key=lambda token: -seen.logits[token])
        if penalised[token] == -math.inf
    ]
    chances = [
        [float(f"{float(stage.probabilities[token]):.6g}") for stage in shown] for token in order
    ]
    return {
        "after": _tail(tokenizer, seen.ids), "vocab_size": len(seen.logits),
        "stages": [_figures(stage) for stage in shown], "struck": struck[:_N_STRUCK],
        "rows": [
            {"id": token, "label": describe_token(tokenizer, token), "p": p}
            for token, p in zip(order, chances, strict=True)
        ],
    }  # fmt: skip


def _tail(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The last words that the distribution follows."""
    text = tokenizer.decode(list(ids[-_TAIL:]))
    tail = text[-_TAIL:]
    whole = tail == text and len(ids) <= _TAIL
    return tail if whole else f"…{tail.partition(' ')[2] or tail}"


def _most_likely(shown: list[Stage], n_rows: int) -> list[int]:
    """Top ids of the first stage, plus any that penalties lift into the top of the last stage."""
    n_rows = min(n_rows, len(shown[0].probabilities))
    first = shown[0].probabilities.topk(n_rows).indices.tolist()
    last = [
        i
        for i in shown[-1].probabilities.topk(min(3, n_rows)).indices.tolist()
        if shown[-1].probabilities[i] > 0
    ]
    lifted = [i for i in last if i not in first]
    return first[: n_rows - len(lifted)] + lifted


def _figures(stage: Stage) -> StageFigures:
    entropy = round(stage.entropy, 3)
    removed = float(f"{stage.mass_removed:.4g}")
    return {
        "name": stage.name,
        "candidates": stage.n_candidates,
        "entropy": entropy,
        "removed": removed,
    }
