"""Decode speed side by side in one run: this project, transformers, and llama.cpp where it is installed.

    python tests/benchmarks/decode.py [--rounds 5] [--tokens 100]

GPT-2 small has random weights of the true shapes: speed does not depend on their values. All variants are measured
in turn, `rounds` times over, so that a busy moment hits all alike; medians are compared. llama.cpp takes part when
the packages llama-cpp-python and gguf are installed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, from anywhere

import gptcore
from gptcore.inference.engine import DecodeEngine, WeightFormat, packed_weights
from gptcore.inference.sampling import SamplingSettings, candidates

PROMPT_TOKENS = 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=100, help="new tokens a round")
    options = parser.parse_args()
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    print(f"torch {torch.__version__}, {threads} threads, batch 1, {PROMPT_TOKENS} + {options.tokens} tokens")
    compare("gpt2 (random weights)", gptcore.GPT(gptcore.GPTConfig.from_preset("gpt2")).eval(), options)
    compare("mini (as bundled)", gptcore.load("mini").model, options)
    sampling_times()


def compare(name: str, model: gptcore.GPT, options: argparse.Namespace) -> None:
    """Prints tokens/s of each variant and the ratio to transformers in fp32."""
    n_tokens = options.tokens
    hf_model = gptcore.to_hf(model)
    prompt = torch.randint(0, model.config.vocab_size, (1, PROMPT_TOKENS))
    variants = {
        "transformers fp32": transformers_generate(hf_model, prompt, n_tokens),
        "exact": ours(model, prompt, n_tokens, precision="exact"),
        "default": ours(model, prompt, n_tokens),
        "int8": ours(model, prompt, n_tokens, precision="int8"),
    }
    llama = llama_cpp(model, prompt[0].tolist(), n_tokens)
    if llama is not None:
        variants["llama.cpp f16"] = llama
    for run in variants.values():
        run()  # packs weights, warms up
    rates: dict[str, list[float]] = {variant: [] for variant in variants}
    for _ in range(options.rounds):
        for variant, run in variants.items():
            begin = time.perf_counter()
            run()
            rates[variant].append(n_tokens / (time.perf_counter() - begin))
    base = statistics.median(rates["transformers fp32"])
    print(f"\n{name:<24} tok/s   best  x transformers")
    for variant, values in rates.items():
        median = statistics.median(values)
        print(f"  {variant:<20} {median:>6.0f} {max(values):>6.0f} {median / base:>9.2f}")
    reads = memory_rate()
    n_weights = sum(p.numel() for p in {id(p): p for p in model.parameters()}.values() if p.ndim == 2)
    n_weights -= model.wpe.weight.numel() if model.config.use_positions else 0
    for precision, variant in (("exact", "exact"), ("auto", "default"), ("int8", "int8")):
        kernel = packed_weights(model, 1, precision).kernel
        error = logit_error(model, prompt, precision)
        bits = next(bits for name, bits in (("16", 16), ("8", 8), ("32", 32)) if name in kernel.split("-")[-1])
        share = n_weights * bits / 8 * statistics.median(rates[variant]) / reads
        print(
            f"  {precision:<5} runs on {kernel}: relative error of the logits {error:.1e}; reads {share:.0%} of the "
            f"{reads / 1e9:.0f} GB/s at which {torch.get_num_threads()} threads read memory"
        )


def memory_rate() -> float:
    """Bytes a second at which torch's threads read memory: the best of several sums of 400 MB."""
    large = torch.ones(100_000_000)
    seconds = []
    for _ in range(8):
        begin = time.perf_counter()
        large.sum()
        seconds.append(time.perf_counter() - begin)
    return large.numel() * large.element_size() / min(seconds)


def transformers_generate(hf_model: Any, prompt: torch.Tensor, n_tokens: int) -> Callable[[], None]:
    """transformers' greedy generate with its dynamic cache."""
    hf_model.generation_config.eos_token_id = None

    def run() -> None:
        hf_model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=n_tokens, pad_token_id=0
        )

    return run


def ours(model: gptcore.GPT, prompt: torch.Tensor, n_tokens: int, **how: Any) -> Callable[[], None]:
    """gptcore.generate, greedy, all of it: prefill, decode, log-probabilities, ranks and alternatives."""
    ids = prompt[0].tolist()

    def run() -> None:
        assert len(list(gptcore.generate(model, ids, max_new_tokens=n_tokens, temperature=0, **how))) == n_tokens

    return run


def llama_cpp(model: gptcore.GPT, prompt: list[int], n_tokens: int) -> Callable[[], None] | None:
    """The same weights in llama.cpp, greedy, or None where it is not installed."""
    try:
        from gguf_file import write_gguf
        from llama_cpp import Llama
    except ImportError:
        return None
    path = Path(tempfile.mkdtemp()) / "model-f16.gguf"
    write_gguf(model, path)
    threads = torch.get_num_threads()
    engine = Llama(str(path), n_ctx=model.config.n_positions, verbose=False, n_threads=threads, n_threads_batch=threads)

    def run() -> None:
        engine.reset()
        tokens = engine.generate(prompt, temp=0.0)
        for _ in range(n_tokens):
            next(tokens)

    return run


@torch.inference_mode()
def logit_error(model: gptcore.GPT, prompt: torch.Tensor, precision: WeightFormat) -> float:
    """Relative 2-norm of the difference to a full fp32 pass, after decoding 100 given tokens one by one."""
    ids = torch.cat([prompt, torch.randint(0, model.config.vocab_size, (1, 100))], dim=1)
    decoder = DecodeEngine(model, precision=precision)
    decoder.add()
    logits = decoder.read(0, prompt[0].tolist())
    for place in range(prompt.shape[1], ids.shape[1]):
        logits = decoder.step([int(ids[0, place])])
    expected = model(ids).logits[:, -1]
    return float((logits - expected).norm() / expected.norm())


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
