"""Decode speed side by side in one run: this project and transformers.

    python tests/benchmarks/decode.py [--rounds 5] [--tokens 100]

GPT-2 small has random weights of the true shapes: speed does not depend on their values. All
variants are measured in turn, `rounds` times over, so that a busy moment hits all alike; medians
are compared; limits are those of limits.py.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

from limits import arithmetic_rate, in_turn, memory_rate, n_read, told

import gptcore
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.generation import continue_together
from gptcore.inference.packed import WeightFormat, packed_weights
from gptcore.inference.sampling import candidates
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence

PROMPT_TOKENS = 32
N_TEXTS = 16
LONG_PROMPT = 512
PRECISIONS: dict[str, WeightFormat] = {"exact": "exact", "default": "auto"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=100, help="new tokens a round")
    options = parser.parse_args()
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    print(
        f"memory {memory_rate() / 1e9:.0f} GB/s, arithmetic {arithmetic_rate() / 1e9:.0f} "
        "GFLOPS in fp32"
    )
    print(
        f"torch {torch.__version__}, {threads} threads, batch 1, {PROMPT_TOKENS} + "
        f"{options.tokens} tokens"
    )
    compare(
        "gpt2 (random weights)", gptcore.GPT(gptcore.GPTConfig.from_preset("gpt2")).eval(), options
    )
    compare("mini (as bundled)", gptcore.load("mini").model, options)
    sampling_times()


def compare(name: str, model: gptcore.GPT, options: argparse.Namespace) -> None:
    """Prints tokens/s of each variant, the ratio to transformers in fp32, and the share of the
    machine's limit.
    """
    n_tokens = options.tokens
    hf_model = gptcore.to_hf(model)
    prompt = torch.randint(0, model.config.vocab_size, (1, PROMPT_TOKENS))
    variants = {
        "transformers fp32": transformers_generate(hf_model, prompt, n_tokens),
        "exact": ours(model, prompt, n_tokens, precision="exact"),
        "default": ours(model, prompt, n_tokens),
    }
    rates = {
        variant: n_tokens / seconds
        for variant, seconds in in_turn(variants, options.rounds).items()
    }
    base = rates["transformers fp32"]
    weights = n_read(model)
    print(f"\n{name:<24} tok/s  x transformers")
    for variant, rate in rates.items():
        print(f"  {variant:<20} {rate:>6.0f} {rate / base:>9.2f}", end="")
        if variant in PRECISIONS:
            kernel, size = read_by(model, PRECISIONS[variant])
            error = logit_error(model, prompt, PRECISIONS[variant])
            print(
                told(rate, memory_rate() / (weights * size), f"memory, {kernel}"),
                f"  error {error:.0e}",
                end="",
            )
        print()
    many = (
        N_TEXTS
        * n_tokens
        / in_turn({"many": together(model, prompt, n_tokens)}, options.rounds)["many"]
    )
    kernel, size = read_by(model, "auto")
    best = min(N_TEXTS * memory_rate() / (weights * size), arithmetic_rate() / (2 * weights))
    print(
        f"  {N_TEXTS} texts together    {many:>6.0f} {many / rates['default']:>9.2f} x one", end=""
    )
    print(told(many, best, f"arithmetic, {kernel}"))
    if model.config.n_positions > LONG_PROMPT:
        long = torch.randint(0, model.config.vocab_size, (1, LONG_PROMPT))
        both = {"theirs": transformers_generate(hf_model, long, 1), "ours": ours(model, long, 1)}
        first = in_turn(both, options.rounds)
        passes = 2 * (weights - model.wte.weight.numel()) * LONG_PROMPT
        print(f"  first token after {LONG_PROMPT}, ms {1e3 * first['ours']:>5.0f}", end="")
        print(f" {first['ours'] / first['theirs']:>9.2f} of their time", end="")
        print(told(1e3 * first["ours"], 1e3 * passes / arithmetic_rate(), "arithmetic"))


def read_by(model: gptcore.GPT, precision: WeightFormat) -> tuple[str, float]:
    """(the kernel of a step, the bytes of a weight as it reads them)."""
    kernel = packed_weights(model, precision).kernel
    return kernel, next(size for name, size in (("16", 2), ("32", 4)) if name in kernel)


def together(model: gptcore.GPT, prompt: torch.Tensor, n_tokens: int) -> Callable[[], None]:
    """Several texts in one batch, greedy, all of it."""

    def run() -> None:
        texts = [
            TokenSequence(prompt[0].tolist(), SamplingSettings(temperature=0), seed=1)
            for _ in range(N_TEXTS)
        ]
        made = continue_together(model, texts, max_new_tokens=n_tokens)
        assert len(list(made)) == N_TEXTS * n_tokens

    return run


def transformers_generate(hf_model: Any, prompt: torch.Tensor, n_tokens: int) -> Callable[[], None]:
    """transformers' greedy generate with its dynamic cache."""
    hf_model.generation_config.eos_token_id = None

    def run() -> None:
        mask = torch.ones_like(prompt)
        hf_model.generate(
            prompt, attention_mask=mask, do_sample=False, max_new_tokens=n_tokens, pad_token_id=0
        )

    return run


def ours(model: gptcore.GPT, prompt: torch.Tensor, n_tokens: int, **how: Any) -> Callable[[], None]:
    """gptcore.generate, greedy, all of it: prefill, decode, log-probabilities, ranks and
    alternatives.
    """
    ids = prompt[0].tolist()

    def run() -> None:
        assert (
            len(list(gptcore.generate(model, ids, max_new_tokens=n_tokens, temperature=0, **how)))
            == n_tokens
        )

    return run


@torch.inference_mode()
def logit_error(model: gptcore.GPT, prompt: torch.Tensor, precision: WeightFormat) -> float:
    """Relative 2-norm of the difference to a full fp32 pass, after decoding 100 given tokens one by
    one.
    """
    ids = torch.cat([prompt, torch.randint(0, model.config.vocab_size, (1, 100))], dim=1)
    decoder = DecodeEngine(model, precision=precision)
    decoder.cache.add()
    logits = decoder.read(0, prompt[0].tolist())
    for index in range(prompt.shape[1], ids.shape[1]):
        logits = decoder.step([int(ids[0, index])])
    expected = model(ids).logits[:, -1]
    return float((logits - expected).norm() / expected.norm())


def sampling_times() -> None:
    """Prints the time to choose among 50,257 tokens under common settings."""
    logits = torch.randn(50257) * 3
    print(f"\nchoosing among {len(logits):,} tokens, ms (median of 200)")
    settings = {
        "top-k 50": SamplingSettings(top_k=50),
        "top-p 0.9": SamplingSettings(top_p=0.9),
        "top-k 50, top-p 0.95, T 0.8": SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
        "neutral": SamplingSettings(),
    }
    runs = {name: partial(candidates, logits, setting) for name, setting in settings.items()}
    for name, seconds in in_turn(runs, 200).items():
        print(f"  {name:<28} {1e3 * seconds:.3f}")


if __name__ == "__main__":
    main()
