"""The bundled Jacobian is the mini's, as its recipe fits it."""

from __future__ import annotations

import torch
from safetensors.torch import load_file

import gptcore
from gptcore.analysis import jacobian_steps
from gptcore.language_model import bundled_models
from weights.recipes import jacobian


def test_the_stored_rows_are_those_of_the_model_s_own_texts():
    lm = gptcore.load("mini")
    texts = jacobian.texts(lm, 4)
    assert {len(text) for text in texts} == {jacobian.N_TOKENS}
    rows = next(jacobian_steps(lm.model, texts, jacobian.DEPTH))
    stored = load_file(bundled_models()["mini"] / "jacobian.safetensors")[str(jacobian.DEPTH)]
    assert stored.shape == (lm.model.config.n_embd,) * 2 and stored.dtype == torch.float16
    likeness = torch.cosine_similarity(rows, stored[: len(rows)].float(), dim=-1)
    assert float(likeness.min()) > 0.8, likeness  # 4 of its 24 texts
