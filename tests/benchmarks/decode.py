"""Decode speed side by side in one run: this project, transformers, and llama.cpp where it is installed.

    python tests/benchmarks/decode.py [--rounds 5] [--tokens 100]

Weights are random but of the true shapes: speed does not depend on their values. Every variant is measured in
turn, `rounds` times over, so that a busy moment hits all alike; medians are compared.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

import gptcore
from gptcore.decoding import CachedDecoder, packed_weights
from gptcore.sampling import SamplingSettings, candidates

PROMPT_TOKENS = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=100, help="new tokens a round")
    options = parser.parse_args()
    torch.manual_seed(0)
    print(
        f"torch {torch.__version__}, {torch.get_num_threads()} threads, batch 1, "
        f"{PROMPT_TOKENS} + {options.tokens} tokens"
    )
    for preset in ("gpt2", "mini"):
        compare(preset, options.rounds, options.tokens)
    sampling_times()


def compare(preset: str, rounds: int, n_tokens: int) -> None:
    """Prints tokens/s of each variant and the ratio to transformers in fp32."""
    model = gptcore.GPT(gptcore.GPTConfig.from_preset(preset)).eval()
    hf_model = gptcore.to_hf(model)
    prompt = torch.randint(0, model.config.vocab_size, (1, PROMPT_TOKENS))

    def reference() -> None:
        hf_model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, min_new_tokens=n_tokens,
            max_new_tokens=n_tokens, pad_token_id=0,
        )  # fmt: skip

    def ours(**how) -> Callable[[], None]:
        def run() -> None:
            tokens = gptcore.generate(model, prompt[0].tolist(), max_new_tokens=n_tokens, temperature=0, **how)
            assert len(list(tokens)) == n_tokens

        return run

    variants: dict[str, Callable[[], None]] = {
        "transformers fp32": reference,
        "exact fp32": ours(precision="exact"),
        "default": ours(),
        "fast": ours(precision="fast"),
    }
    llama = llama_cpp(hf_model, prompt[0].tolist(), n_tokens)
    if llama:
        variants["llama.cpp f16"] = llama
    times: dict[str, list[float]] = {name: [] for name in variants}
    for run in variants.values():
        run()  # packs weights, warms up
    for _ in range(rounds):
        for name, run in variants.items():
            begin = time.perf_counter()
            run()
            times[name].append(n_tokens / (time.perf_counter() - begin))
    base = statistics.median(times["transformers fp32"])
    print(f"\n{preset}: {'tok/s':>22} {'best':>8} {'x transformers':>15}")
    for name, rates in times.items():
        median = statistics.median(rates)
        print(f"  {name:<20} {median:>6.0f} {max(rates):>8.0f} {median / base:>15.2f}")
    for precision in ("exact", "fast"):
        print(f"  kernels, {precision}: {packed_weights(model, 1, precision).kernels}")
    print(f"  error of fast against exact logits: {fast_error(model, prompt):.1e} (relative 2-norm, after 100 tokens)")


def fast_error(model: gptcore.GPT, prompt: torch.Tensor) -> float:
    """Relative 2-norm of the difference between fast and exact logits after both read the same 100 tokens."""
    decoders = [CachedDecoder(model, precision=precision) for precision in ("exact", "fast")]
    logits = [decoder.prefill(prompt) for decoder in decoders]
    for token in torch.randint(0, model.config.vocab_size, (100,)):
        logits = [decoder.step(token.view(1)) for decoder in decoders]
    return float((logits[1] - logits[0]).norm() / logits[0].norm())


def llama_cpp(hf_model, prompt: list[int], n_tokens: int) -> Callable[[], None] | None:
    """The same shape in llama.cpp, greedy, or None where llama-cpp-python or gguf is not installed."""
    try:
        from llama_cpp import Llama
        from tests.benchmarks.gguf_file import write_gpt2
    except ImportError:
        return None
    path = Path(tempfile.mkdtemp()) / "model-f16.gguf"
    write_gpt2(hf_model, path)
    engine = Llama(str(path), n_ctx=hf_model.config.n_positions, verbose=False, n_threads=torch.get_num_threads())

    def run() -> None:
        engine.reset()
        tokens = engine.generate(prompt, temp=0.0)
        for _ in range(n_tokens):
            next(tokens)

    return run


def sampling_times() -> None:
    """Prints the time to choose among 50,257 tokens under common settings."""
    logits = torch.randn(50257) * 3
    print(f"\nchoosing among {len(logits):,} tokens, ms (median of 200)")
    for name, settings in {
        "top-k 50": SamplingSettings(top_k=50),
        "top-p 0.9": SamplingSettings(top_p=0.9),
        "top-k 50, top-p 0.95, T 0.8": SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
        "neutral": SamplingSettings(),
    }.items():
        times = []
        for _ in range(200):
            begin = time.perf_counter()
            candidates(logits, settings)
            times.append(time.perf_counter() - begin)
        print(f"  {name:<28} {1e3 * statistics.median(times):.3f}")


if __name__ == "__main__":
    main()
