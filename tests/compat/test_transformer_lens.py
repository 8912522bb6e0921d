"""TransformerLens on the bundled folders: the same logits and the same attention. Runs where it is
installed.
"""

import json

import pytest
import torch

import gptcore
from gptcore.analysis import read_attention

FOLDERS = {
    name: folder
    for name, folder in gptcore.bundled_models().items()
    if json.loads((folder / "config.json").read_text(encoding="utf-8"))["model_type"] == "gpt2"
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_bundled_folder_opens_there_and_agrees(name):
    bridges = pytest.importorskip(
        "transformer_lens.model_bridge", reason="TransformerLens is not installed"
    )
    theirs = bridges.TransformerBridge.boot_transformers(str(FOLDERS[name]), device="cpu")
    lm = gptcore.load(name)
    n_tokens = lm.model.config.vocab_size - 1
    ids = torch.randint(0, n_tokens, (1, 24), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        logits, cache = theirs.run_with_cache(ids)
        torch.testing.assert_close(lm.model(ids).logits, logits, atol=1e-4, rtol=0)
    ours = read_attention(lm.model, ids[0].tolist())
    for layer, weights in enumerate(ours.layers()):
        pattern = cache[f"blocks.{layer}.attn.hook_pattern"][0]
        torch.testing.assert_close(weights, pattern, atol=1e-5, rtol=0)
