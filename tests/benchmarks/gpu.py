"""What a graphics card does: `python tests/benchmarks/gpu.py [decode maps updates]`, beside peers.

Every ratio is of one run on one card: transformers, and a decode step over a fixed cache under
torch.compile, written here after the idea of gpt-fast. The whole takes about four minutes; without
a card it says so and ends.
"""

import argparse
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import gptcore
from gptcore.analysis import read_attention
from gptcore.machine import choose_device, device_name
from gptcore.training import StepEvent, Trainer, TrainingConfig

CARD = torch.device("cuda")
PROMPT = 32
MINI = {"vocab_size": 4096, "n_positions": 256, "n_layer": 6, "n_head": 7, "n_embd": 336}
SMALL = {"vocab_size": 65, "n_positions": 64, "n_layer": 4, "n_head": 4, "n_embd": 128}
STEADY = {"embd_pdrop": 0.0, "resid_pdrop": 0.0, "attn_pdrop": 0.0}


def median_seconds(compute: Callable[[], object], n: int = 5) -> float:
    """Of a computation, waited for; the first one warms up."""
    seconds = []
    for _ in range(n + 1):
        torch.cuda.synchronize()
        began = time.perf_counter()
        compute()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:])


def model_of(preset: str) -> gptcore.GPT:
    torch.manual_seed(0)
    return gptcore.GPT(gptcore.GPTConfig.from_preset(preset)).eval().to(CARD)


def written(model: gptcore.GPT, n: int, **settings: object) -> float:
    """Tokens a second of `generate`, from the first token on."""
    ids = torch.randint(0, model.config.vocab_size, (PROMPT,)).tolist()
    times = [
        time.perf_counter()
        for _ in gptcore.generate(model, ids, max_new_tokens=n, stop_at_end=False, **settings)  # type: ignore[arg-type]
    ]
    return (len(times) - 1) / (times[-1] - times[0])


class FixedCacheStep(nn.Module):
    """The peer: one decode step over a fixed cache in bf16, to be compiled whole."""

    def __init__(self, model: gptcore.GPT, n_positions: int = 512) -> None:
        super().__init__()
        config = model.config
        self.model = model.to(torch.bfloat16)
        self.config = config
        shape = (config.n_layer, 2, 1, config.n_head, n_positions, config.head_dim)
        self.memory = torch.zeros(shape, device=CARD, dtype=torch.bfloat16)

    def forward(self, ids: Tensor, place: Tensor) -> Tensor:
        model = self.model
        config = self.config
        x = model.wte(ids) + model.wpe(place)[None]
        mask = (torch.arange(self.memory.shape[4], device=CARD) <= place)[None, None, None]
        for block, memory in zip(model.blocks, self.memory, strict=True):
            qkv = block.attn.c_attn(block.ln_1(x)).view(1, 1, 3, config.n_head, config.head_dim)
            q, k, v = qkv.permute(2, 0, 3, 1, 4)
            memory[0].index_copy_(2, place, k)
            memory[1].index_copy_(2, place, v)
            mixed = F.scaled_dot_product_attention(q, memory[0], memory[1], attn_mask=mask)
            x = x + block.attn.c_proj(mixed.transpose(1, 2).reshape(1, 1, -1))
            x = x + block.mlp.c_proj(F.gelu(block.mlp.c_fc(block.ln_2(x)), approximate="tanh"))
        return model.lm_head(model.ln_f(x))[:, -1].argmax(-1, keepdim=True)


@torch.inference_mode()
def compiled_rate(model: gptcore.GPT, n: int = 300) -> float:
    """Tokens a second of the peer; it replaces the model's weights by 16-bit ones."""
    step = torch.compile(FixedCacheStep(model), mode="reduce-overhead", fullgraph=True)
    token, place = (
        torch.zeros(1, 1, dtype=torch.long, device=CARD),
        torch.tensor([PROMPT], device=CARD),
    )

    def steps(count: int) -> None:
        nonlocal token
        for _ in range(count):
            token = step(token, place).clone()
            place.add_(1)

    steps(5)
    torch.cuda.synchronize()
    began = time.perf_counter()
    steps(n)
    torch.cuda.synchronize()
    return n / (time.perf_counter() - began)


def transformers_rate(preset: str, dtype: torch.dtype) -> float:
    from transformers import GPT2Config, GPT2LMHeadModel

    shape = gptcore.GPTConfig.from_preset(preset)
    sizes = {"n_layer": shape.n_layer, "n_head": shape.n_head, "n_embd": shape.n_embd}
    model = (
        GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0, **sizes)).eval().to(CARD, dtype)
    )
    ids = torch.randint(0, 50257, (1, PROMPT), device=CARD)

    def write(n: int) -> float:
        torch.cuda.synchronize()
        began = time.perf_counter()
        model.generate(ids, max_new_tokens=n, min_new_tokens=n, do_sample=False, pad_token_id=0)
        torch.cuda.synchronize()
        return time.perf_counter() - began

    write(8)
    return 64 / (write(72) - write(8))


def decode() -> Iterator[str]:
    for preset, n in (("gpt2", 300), ("gpt2-xl", 150)):
        model = model_of(preset)
        rates = {}
        for label, settings in {
            "greedy, exact": {"temperature": 0, "precision": "exact"},
            "greedy": {"temperature": 0},
            "temperature 0.8, top-k 50": {"temperature": 0.8, "top_k": 50, "seed": 1},
            "temperature 0.8, top-p 0.95": {"temperature": 0.8, "top_p": 0.95, "seed": 1},
            "with repetition penalty": {
                "temperature": 0.8,
                "top_k": 50,
                "repetition_penalty": 1.2,
                "seed": 1,
            },
        }.items():
            written(model, n, **settings)
            rates[label] = statistics.median(written(model, n, **settings) for _ in range(3))
        peer = compiled_rate(model)
        del model
        for label, rate in rates.items():
            yield f"{preset}, {label}: {rate:,.0f} tokens/s, {rate / peer:.2f} of the compiled step"
        yield f"{preset}, peer, a compiled step in bf16: {peer:,.0f} tokens/s"
        yield (
            f"{preset}, peer, transformers in fp32: "
            f"{transformers_rate(preset, torch.float32):,.0f} tokens/s"
        )
        torch._dynamo.reset()
        torch.cuda.empty_cache()
    lm = gptcore.load("mini")
    lm.model.to(CARD)
    written(lm.model, 200, temperature=0.8, top_k=50)
    yield (
        "mini, temperature 0.8, top-k 50: "
        f"{written(lm.model, 200, temperature=0.8, top_k=50):,.0f} tokens/s"
    )


def maps() -> Iterator[str]:
    model = model_of("gpt2")
    ids = torch.randint(0, 50257, (1024,)).tolist()
    x = torch.tensor([ids], device=CARD)
    with torch.inference_mode():
        prefill = median_seconds(lambda: model(x).logits)
    yield f"gpt2, 1,024 tokens: logits of all positions in {1e3 * prefill:.1f} ms"
    seconds = median_seconds(lambda: gptcore.attention_patterns(model, ids))
    yield f"   all maps, left on the card: {1e3 * seconds:.1f} ms"
    yield (
        "   queries and keys, on the host: "
        f"{1e3 * median_seconds(lambda: read_attention(model, ids)):.1f} ms"
    )


class Drawn:
    """Batches of random tokens."""

    def __init__(self, batch_size: int, window: int, vocab_size: int) -> None:
        self.batch_size = batch_size
        self.window = window
        self.vocab_size = vocab_size

    def draw(self, index: int, seed: int) -> tuple[Tensor, Tensor]:
        generator = torch.Generator().manual_seed(index)
        batch = torch.randint(
            0, self.vocab_size, (self.batch_size, self.window + 1), generator=generator
        )
        return batch[:, :-1], batch[:, 1:]


def update_seconds(
    shape: gptcore.GPTConfig, rows: int, n: int = 60, *, plain: bool, **settings: object
) -> float:
    torch.manual_seed(0)
    config = TrainingConfig(
        batch_size=rows, max_steps=n, warmup_steps=2, eval_every=10**6, **settings
    )  # type: ignore[arg-type]
    data = Drawn(rows, shape.n_positions, shape.vocab_size)
    trainer = Trainer(gptcore.GPT(shape).to(CARD), config, data)
    if plain:
        trainer._captured = None
    times = [time.perf_counter() for event in trainer.events() if isinstance(event, StepEvent)]
    return (times[-1] - times[-1 - n // 2]) / (n // 2)


def updates() -> Iterator[str]:
    for name, sizes, rows in (
        ("4 x 128, 32 x 64", SMALL, 32),
        ("4 x 128, 512 x 64", SMALL, 512),
        ("mini's shape, 64 x 256", MINI, 64),
    ):
        shape = gptcore.GPTConfig(**sizes, **STEADY)
        for optimizer in ("adamw", "muon"):
            for precision in ("fp32", "bf16"):
                settings = {"optimizer": optimizer, "precision": precision}
                captured, plain = (
                    update_seconds(shape, rows, plain=item, **settings) for item in (False, True)
                )
                rate = rows * shape.n_positions / captured
                yield (
                    f"{name}, {optimizer}, {precision}: captured {1e3 * captured:.2f} ms an "
                    f"update, {rate / 1e3:,.0f}k tokens/s; plain {1e3 * plain:.2f} ms, "
                    f"{plain / captured:.1f} times as long"
                )


PARTS = {part.__name__: part for part in (decode, maps, updates)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all when left out")
    names = parser.parse_args().parts
    if unknown := set(names) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; choose of {', '.join(PARTS)}")
    if choose_device().type != "cuda":
        print("PyTorch finds no CUDA device here; there is nothing to measure.")
        return 1
    print(f"torch {torch.__version__}, {device_name(CARD)}", flush=True)
    for name in names or PARTS:
        began = time.perf_counter()
        try:
            for line in PARTS[name]():
                print(line, flush=True)
        except Exception:  # the other parts are wanted all the same
            traceback.print_exc(limit=6)
        print(f"   [{name}: {time.perf_counter() - began:.0f} s]", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
