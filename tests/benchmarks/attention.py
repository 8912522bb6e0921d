"""Attention: the cost of capturing all maps, and queries and keys alone, against a plain prefill.

python tests/benchmarks/attention.py [--rounds 7] [--tokens 512]
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from limits import arithmetic_rate, in_turn, n_read, told

import gptcore
from gptcore.analysis import attention_patterns, read_attention


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=512)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = gptcore.GPT(gptcore.GPTConfig.from_preset("gpt2")).eval()
    ids = torch.randint(0, 50257, (1, options.tokens))

    @torch.inference_mode()
    def prefill() -> torch.Tensor:
        return model.lm_head(model.hidden_states(ids)[:, -1])

    work = {
        "prefill, last logit": prefill,
        "all maps of every head (attention_patterns)": lambda: attention_patterns(model, ids),
        "queries and keys (read_attention)": lambda: read_attention(model, ids),
    }
    found = in_turn(work, options.rounds)
    plain = found["prefill, last logit"]
    # Multiplications and additions: of every weight with every token, and of every pair of tokens
    # in each head, twice.
    passes = 2 * (n_read(model) - model.wte.weight.numel()) * options.tokens
    passes += 4 * model.config.n_layer * model.config.n_embd * options.tokens**2 // 2
    print(f"GPT-2 small, {options.tokens} tokens, fp32, median of {options.rounds}")
    for name, seconds in found.items():
        print(f"  {name:45} {seconds * 1e3:8.1f} ms  {seconds / plain:5.2f} x prefill", end="")
        print(told(seconds * 1e3, passes / arithmetic_rate() * 1e3, "arithmetic"))


if __name__ == "__main__":
    main()
