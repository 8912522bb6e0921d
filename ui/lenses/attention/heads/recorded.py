"""Recorded outputs of the real GPT-2 (124M) on five texts, for use offline without its weights."""

import base64
import json
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gptcore.analysis import QueriesAndKeys
from gptcore.config import PRESETS
from gptcore.formatting import percent
from ui import conclusions
from ui.lenses.attention.handlers import maps
from ui.services import Services
from ui.shared.inputs import InputError
from ui.shared.sheets import Bar, Section, sheet
from ui.state import machine
from ui.state.attention_cache import CachedAttention
from ui.state.model_store import RECORDED_GPT2

# Packed by `tests/tools/recorded_gpt2.py` of this project's commit 7b0ed62.
RECORDED = Path(__file__).with_name("recorded_gpt2.json")
_N_LAYER = _N_HEAD = 12
NAME = RECORDED_GPT2
SOURCE = (
    "Recorded by Transformer Explainer (Cho et al. 2024, MIT licence) with the 124M weights "
    "and the exact GELU; the scores are stored in 16 bits."
)
HOW = (
    "Five texts of the real GPT-2, recorded: where all 144 heads look, and the next token. "
    "Other texts and views need its weights: with a network, choose gpt2 above, or run `python "
    "app.py --prefetch gpt2` ahead of time."
)


@cache
def _kept() -> list[dict[str, Any]]:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def texts() -> list[str]:
    """The recorded texts."""
    return [item["text"] for item in _kept()]


def views(services: Services, text: object) -> list[str]:
    """The values of three components for a recorded text: the picture of the machine, the heads,
    and a sheet of the next token.

    Raises:
        InputError: for a text that was not recorded.
    """
    recording = next((item for item in _kept() if item["text"] == text), None)
    if recording is None:
        raise InputError(
            f"{str(text)[:60]!r} is not recorded; choose one of {', '.join(map(repr, texts()))}."
        )
    reading = _reading(recording)
    kept = CachedAttention(NAME, tuple(recording["tokens"]), reading)
    seen = maps.StoredReading(services.attention_cache.put(kept), kept, "")
    heads = services.now(lambda: maps.describe(seen, None, mode=maps.RAW, text=recording["text"]))
    return [services.now(lambda: _picture(recording, reading)), heads, _next_token(recording)]


def _picture(recording: dict[str, Any], reading: QueriesAndKeys) -> str:
    """The model diagram as JSON of `ui.state.machine`, without the parts' outputs, which were not
    recorded.
    """
    last = len(recording["ids"]) - 1
    # each [H, T]
    blocks = []
    rows = [weights[:, last] for weights in reading.layers()]
    for looks in rows:
        elsewhere = looks[:, 1:last]  # the first token is where idle heads rest
        hardest = elsewhere.amax(dim=1)
        blocks.append({
            "head": int(hardest.argmax()),
            "heads": [round(float(weight), 3) for weight in hardest],
            "looks": [machine.looks(weights) for weights in looks],
        })  # fmt: skip
    label, chance = recording["next"][0]
    block = max(range(_N_LAYER), key=lambda layer: max(blocks[layer]["heads"]))
    head = blocks[block]["head"]
    share = blocks[block]["heads"][head]
    place = 1 + int(rows[block][head, 1:last].argmax())
    seen = (
        f"{conclusions.capital(conclusions.head_name(block, head))} has the strongest look "
        f"back, at {conclusions.quoted(recording['tokens'][place])}"
        f"{', the token just before' if place == last - 1 else ''} ({percent(share)} of its "
        "attention)."
        if share >= machine.CLEAR
        else "No head looks strongly at any earlier word except the first."
    )
    return json.dumps(
        {
            "text": recording["text"],
            "tokens": [
                {"id": i, "label": token}
                for i, token in zip(recording["ids"], recording["tokens"], strict=True)
            ],
            "first": 0,
            "machine": {
                "at": last,
                "shape": machine.shape(PRESETS["gpt2"]),
                "blocks": blocks,
                "choice": [label, chance, -1],
                "said": (
                    f"GPT-2 continues with {conclusions.quoted(label)} ({percent(chance)}). {seen}"
                ),
            },
        },
        ensure_ascii=False,
    )


def _reading(recording: dict[str, Any]) -> QueriesAndKeys:
    """Encodes recorded scores as queries and keys: keys are unit vectors, each query is its row of
    scores.
    """
    n = len(recording["ids"])
    lower = np.frombuffer(zlib.decompress(base64.b64decode(recording["scores"])), dtype=np.float16)
    scores = torch.zeros(_N_LAYER, _N_HEAD, n, n)
    rows, columns = np.tril_indices(n)
    scores[:, :, rows, columns] = torch.from_numpy(lower.astype(np.float32)).view(
        _N_LAYER, _N_HEAD, -1
    )
    keys = torch.eye(n).expand(_N_HEAD, n, n)
    return QueriesAndKeys(tuple(recording["ids"]), tuple(scores * n**0.5), (keys,) * _N_LAYER, True)


def _next_token(recording: dict[str, Any]) -> str:
    labels, chances = zip(*recording["next"], strict=True)
    sentence = conclusions.next_token(labels, chances, chances, 1 << 20, 1)
    bars = [
        Bar(conclusions.quoted(label), p, p, p, percent(p)) for label, p in recording["next"][:10]
    ]
    rows = [(label, p) for label, p in recording["next"]]
    columns = ("token", "probability")
    return sheet(
        [Section("The next token", sentence, columns, rows, source=SOURCE, bars=bars, folded=True)]
    )
