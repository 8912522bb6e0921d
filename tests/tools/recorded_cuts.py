"""Records how GPT-1 and GPT-2 cut the examples of the Tokens view: `python -m
tests.tools.recorded_cuts`

Wants both vocabularies on this machine (`python app.py --prefetch gpt2`), or in the folder of test
data.
"""

import json
import os
from pathlib import Path
from typing import Any

from gptcore.tokenizers import ByteBPE, Tokenizer, load_tokenizer
from ui.lenses.generate.tokens.cutting import RECORDED_CUTS, cut_by
from ui.lenses.generate.tokens.templates import EXAMPLES

_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def _gpt2() -> Tokenizer:
    file = _DATA / "gpt2" / "encoder.json"
    if not file.is_file():
        return load_tokenizer("gpt2", offline=True)
    return ByteBPE.from_vocabulary(
        json.loads(file.read_text(encoding="utf-8")), name="gpt2", kind="gpt2"
    )


def recorded() -> dict[str, dict[str, Any]]:
    """Tokenizer -> text -> how it is cut. Raises the core's errors where a vocabulary is
    missing.
    """
    gpt1 = _DATA / "gpt1"
    here = {
        "gpt2": _gpt2(),
        "gpt1": load_tokenizer(gpt1 if gpt1.is_dir() else "gpt1", offline=True),
    }
    return {
        name: {text: cut_by(tokenizer, text, tokenizer.encode(text)) for _, text in EXAMPLES}
        for name, tokenizer in here.items()
    }


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    RECORDED_CUTS.write_text(
        json.dumps(recorded(), ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )
