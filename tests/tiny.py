"""Tiny models and inputs on fixed seeds."""

import os

import torch

import gptcore

# Where the models of tests compute: `GPTLENS_TEST_DEVICE=cuda pytest tests/ui` tries the page on a graphics card.
DEVICE = torch.device(os.environ.get("GPTLENS_TEST_DEVICE", "cpu"))


def make_model(config: gptcore.GPTConfig, seed: int = 0) -> gptcore.GPT:
    """A model with larger weights than at initialisation, so that its predictions differ clearly."""
    torch.manual_seed(seed)
    model = gptcore.GPT(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                parameter.mul_(6)
            elif ".ln_" not in f".{name}":
                parameter.normal_(std=0.1)
    return model.to(DEVICE)


def random_ids(config: gptcore.GPTConfig, *shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randint(0, config.vocab_size, shape, generator=torch.Generator().manual_seed(seed))
