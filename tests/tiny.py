"""Tiny models and inputs on fixed seeds, and Python run to its end."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

import gptcore
from gptcore.probe import Probe
from gptcore.tokenizers import ByteBPE

ROOT = Path(__file__).resolve().parents[1]
# Where the models of tests compute: `GPTLENS_TEST_DEVICE=cuda pytest tests/ui` tries the page on a
# graphics card.
DEVICE = torch.device(os.environ.get("GPTLENS_TEST_DEVICE", "cpu"))

NO_DROPOUT = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
TEXT = "the cat sat on the mat and the dog ran to the cat. " * 20
# Shapes that what looks inside is tried on.
SMALL = gptcore.GPTConfig(vocab_size=40, n_positions=16, n_embd=24, n_layer=3, n_head=4)
POST = replace(SMALL, n_layer=2, norm_position="post")
SHAPES = {
    "gpt2": SMALL,
    "attention only": replace(SMALL, n_layer=2, use_mlp=False, tie_word_embeddings=False),
    "no positions, no biases": replace(
        SMALL, n_layer=2, n_head=2, use_positions=False, attention_bias=False
    ),
    "relu": replace(SMALL, n_layer=2, n_head=2, activation_function="relu"),
}


def make_model(config: gptcore.GPTConfig, seed: int = 0) -> gptcore.GPT:
    """A model with larger weights than at initialisation, so that its predictions differ
    clearly.
    """
    torch.manual_seed(seed)
    model = gptcore.GPT(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                parameter.mul_(6)
            elif ".ln_" not in f".{name}":
                parameter.normal_(std=0.1)
    return model.to(DEVICE)


def drawn_at_random(model: gptcore.GPT, seed: int) -> gptcore.GPT:
    """The model with random parameters: no gain is 1, no bias 0."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            drawn = torch.randn(parameter.shape, generator=draw)
            is_gain = ".ln_" in f".{name}" and name.endswith("weight")
            parameter.copy_(1 + 0.3 * drawn if is_gain else 0.4 * drawn)
    return model


def make_language_model() -> gptcore.LanguageModel:
    """A model with a tokenizer that knows some words of `TEXT`."""
    tokenizer = ByteBPE.train([TEXT], vocab_size=270)
    shape = gptcore.GPTConfig(vocab_size=270, n_positions=32, n_embd=32, n_layer=2, n_head=4)
    return gptcore.LanguageModel(make_model(shape), tokenizer, "tiny")


class Seen(Probe):
    """Keeps everything that a probe is shown, and changes nothing; attention's weights only where
    they are wanted.
    """

    def __init__(self, *, weights: bool = False):
        self.needs_weights = weights
        self.by_name = {
            name: []
            for name in ("queries", "keys", "weights", "heads", "attention", "mlp", "residual")
        }

    def queries_and_keys(self, layer, query, key):
        self.by_name["queries"].append(query)
        self.by_name["keys"].append(key)

    def weights(self, layer, weights):
        self.by_name["weights"].append(weights)

    def heads(self, layer, found):
        self.by_name["heads"].append(found)
        return super().heads(layer, found)

    def attention_output(self, layer, output):
        self.by_name["attention"].append(output)
        return super().attention_output(layer, output)

    def mlp_output(self, layer, output):
        self.by_name["mlp"].append(output)
        return super().mlp_output(layer, output)

    def residual(self, depth, stream):
        assert depth == len(self.by_name["residual"])
        self.by_name["residual"].append(stream)


def random_ids(config: gptcore.GPTConfig, *shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, config.vocab_size, shape, generator=torch.Generator().manual_seed(seed))


def ran(*arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, in the project's folder, to its end: its status and what it
    printed.
    """
    given = {
        "cwd": ROOT,
        "capture_output": True,
        "text": True,
        "timeout": 300,
        "check": False,
        **how,
    }
    return subprocess.run([sys.executable, *arguments], **given)
