"""Packs what Transformer Explainer recorded of the real GPT-2: `python -m tests.tools.recorded_gpt2`

Wants the project's data folder beside the checkout: five texts, with the last logits and the scores of all 144 heads.
"""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from gptcore.tokenizers import ByteBPE, describe_token
from ui.lenses.attention.handlers.recorded import RECORDED

_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_N_NEXT = 20
_SCALE = 8.0  # the recorded scores are q.k; a head of 64 channels divides by 8


def recorded() -> list[dict[str, Any]]:
    """The texts: tokens, ids, scores (float16, the lower triangles of 144 maps) and the likeliest next ones."""
    vocabulary = json.loads((_DATA / "gpt2" / "encoder.json").read_text(encoding="utf-8"))
    tokenizer = ByteBPE.from_vocabulary(vocabulary, name="gpt2", kind="gpt2")
    found = []
    with np.load(_DATA / "golden" / "gpt2_124M_logits_attention.npz", allow_pickle=False) as kept:
        for place in range(5):
            ids, scores = kept[f"ids_{place}"].tolist(), kept[f"attn_scores_{place}"] / _SCALE
            logits = kept[f"logits_{place}"].astype(np.float64)
            chances = np.exp(logits - logits.max())
            chances /= chances.sum()
            rows, columns = np.tril_indices(len(ids))
            lower = scores[:, :, rows, columns].astype(np.float16)
            found.append(
                {
                    "text": tokenizer.decode(ids),
                    "ids": ids,
                    "tokens": [describe_token(tokenizer, token) for token in ids],
                    "scores": base64.b64encode(zlib.compress(lower.tobytes(), 9)).decode(),
                    "next": [
                        [describe_token(tokenizer, int(token)), float(f"{chances[token]:.4g}")]
                        for token in np.argsort(-chances)[:_N_NEXT]
                    ],
                }
            )
    return found


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(recorded(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{RECORDED}: {RECORDED.stat().st_size / 1000:.0f} kB")
