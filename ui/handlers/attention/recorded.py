"""The real GPT-2 (124M) as others recorded it: five texts, for pages that have no network for its weights."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gptcore.analysis import QueriesAndKeys
from gptcore.zero_shot.metrics import percent
from ui import conclusions
from ui.handlers.attention import maps
from ui.handlers.inputs import InputError
from ui.handlers.sheets import Bar, Section, sheet
from ui.services import Services
from ui.state.attention_cache import CachedAttention

RECORDED = Path(__file__).with_name("recorded_gpt2.json")
_N_LAYER = _N_HEAD = 12
NAME = "gpt2 (recorded)"
SOURCE = (
    "Recorded by Transformer Explainer (Cho et al. 2024, MIT licence) with the 124M weights and the exact GELU; the "
    "scores are stored in 16 bits."
)
HOW = (
    "Five texts of the real GPT-2, recorded: where all 144 heads look, and the next token. Other texts and views need "
    "its weights: with a network, choose gpt2 above, or run `hf download openai-community/gpt2` ahead of time."
)


@cache
def _kept() -> list[dict[str, Any]]:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def texts() -> list[str]:
    """What was recorded."""
    return [one["text"] for one in _kept()]


def look(services: Services, text: object) -> list[str]:
    """The values of two components for a recorded text: the heads', and a sheet of the next token.

    Raises:
        InputError: for a text that was not recorded.
    """
    found = next((one for one in _kept() if one["text"] == text), None)
    if found is None:
        raise InputError(f"{str(text)[:60]!r} is not recorded; choose one of {', '.join(map(repr, texts()))}.")
    kept = CachedAttention(NAME, tuple(found["tokens"]), _reading(found), lambda: None)
    seen = maps.StoredReading(services.attention_cache.put(kept), kept, "")
    heads = services.now(lambda: maps.describe(seen, None, mode=maps.RAW, text=found["text"]))
    return [heads, _next_token(found)]


def _reading(found: dict[str, Any]) -> QueriesAndKeys:
    """The recorded scores as queries and keys that give them: the keys are the axes, a query is its row of scores."""
    n = len(found["ids"])
    lower = np.frombuffer(zlib.decompress(base64.b64decode(found["scores"])), dtype=np.float16)
    scores = torch.zeros(_N_LAYER, _N_HEAD, n, n)
    rows, columns = np.tril_indices(n)
    scores[:, :, rows, columns] = torch.from_numpy(lower.astype(np.float32)).view(_N_LAYER, _N_HEAD, -1)
    keys = torch.eye(n).expand(_N_HEAD, n, n)
    return QueriesAndKeys(tuple(found["ids"]), tuple(scores * n**0.5), (keys,) * _N_LAYER, True)


def _next_token(found: dict[str, Any]) -> str:
    labels, chances = zip(*found["next"], strict=True)
    said = conclusions.next_token(labels, chances, chances, 1 << 20, 1)
    bars = [Bar(conclusions.quoted(label), p, p, p, percent(p)) for label, p in found["next"][:10]]
    rows = [(label, p) for label, p in found["next"]]
    return sheet(
        [Section("The next token", said, ("token", "probability"), rows, source=SOURCE, bars=bars, folded=True)]
    )
