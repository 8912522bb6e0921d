"""Memory and compute cost of a model shape, estimated and measured on this machine."""

import time
from dataclasses import replace

import torch

from gptcore.analysis import (
    activation_bytes,
    cache_arithmetic,
    count_parameters,
    forward_flops,
    kv_cache_bytes,
    optimizer_bytes,
    training_flops,
    weight_bytes,
)
from gptcore.config import GPTConfig
from gptcore.inference.generation import generate
from gptcore.inference.packed import FAST_FROM_PARAMETERS
from gptcore.model import GPT
from gptcore.training import RepeatedSequences, StepEvent, Trainer, TrainingConfig
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.sheets import Section, Stack, big, duration, sheet, size

_MEASURED_SECONDS = 2.0
_LONGEST_MEASURED = 15.0
_MOST_OPERATIONS = 3e12  # of one update: seconds on a CPU
_PROMPT = 50
_NEW = 100


def costs(config: GPTConfig, batch_size: object, n_tokens: object, millions: object) -> str:
    """The sheet for a shape.

    Args:
        config: the shape.
        batch_size: B, sequences in a training batch.
        n_tokens: T, tokens in each; at most the window.
        millions: tokens of the training run, in millions.

    Raises:
        InputError: with the value and the range.
    """
    B = inputs.whole(batch_size, "The batch", low=1, high=1_000_000)
    T = inputs.whole(n_tokens, "The sequence length", low=1, high=config.n_positions)
    total = inputs.number(millions, "The millions of training tokens", low=0.001, high=1e12) * 1e6
    tables = [_memory(config), _training(config, B, T), _work(config, T, total), _lesson(config)]
    return sheet(
        [_at_a_glance(config, B, T, total), *(replace(table, folded=True) for table in tables)]
    )


def measure_training(
    services: Services, config: GPTConfig, batch_size: object, n_tokens: object, millions: object
) -> str:
    """Trains a model of this shape on random tokens for two seconds: tokens a second, and how long
    a run would take.

    Raises:
        InputError: a model that is too large to be trained here for a measurement.
    """
    B = inputs.whole(batch_size, "The batch", low=1, high=4096)
    T = inputs.whole(n_tokens, "The sequence length", low=2, high=config.n_positions)
    total = inputs.number(millions, "The millions of training tokens", low=0.001, high=1e12) * 1e6
    needed = (
        weight_bytes(config)
        + optimizer_bytes(config)
        + activation_bytes(config, batch_size=B, n_tokens=T)
    )
    limit = services.limits.model_bytes // 2
    if needed > limit:
        raise InputError(
            f"Training this takes {size(needed)} of memory; {size(limit)} are allowed here for "
            "a measurement. Choose a smaller shape, batch or sequence."
        )
    operations = training_flops(config, T) * B * T
    if operations > _MOST_OPERATIONS:
        raise InputError(
            f"One update of this would take {big(operations)} operations; "
            f"{big(_MOST_OPERATIONS)} are allowed here for a measurement. Choose a smaller "
            "shape, batch or sequence."
        )
    if config.vocab_size < 2 or T < 4:
        raise InputError(
            "A measurement needs at least 2 tokens in the vocabulary and 4 in a sequence."
        )
    rate, steps = services.measure(lambda: _training_rate(replace(config, n_positions=T), B, T))
    return (
        f"{rate:,.0f} tokens a second on this machine ({steps} updates of {B} x {T} tokens, "
        f"fp32, AdamW). {big(total)} tokens would take {duration(total / rate)}, and about "
        f"{rate * training_flops(config, T) / 1e9:,.1f} GFLOP a second are computed."
    )


def measure_cache(services: Services, model: object) -> str:
    """Writes the lesson's 100 tokens after 50 with and without a KV cache, with the model in the
    picker.

    A large model writes fewer, as many as it can without a cache in a quarter of a minute.
    """
    lm = services.models.get(inputs.model_name(model))
    window = lm.model.config.n_positions
    n_prompt = min(_PROMPT, window // 3)
    n_new = min(_NEW, window - window // 3)
    ids = [token % lm.model.config.vocab_size for token in range(n_prompt)] or [0]
    without = services.measure(lambda: _token_times(lm.model, ids, n_new, use_cache=False))
    n_new = len(without)
    with_cache = sum(services.measure(lambda: _token_times(lm.model, ids, n_new, use_cache=True)))
    counted = cache_arithmetic(lm.model.config.n_layer, len(ids), n_new)
    return (
        f"{lm.name}, {n_new} tokens after {len(ids)}: {sum(without):.2f} s without a cache, "
        f"{with_cache:.2f} s with one, {sum(without) / with_cache:.1f} times faster; "
        f"{counted.without / counted.with_cache:.1f} times fewer keys and values are computed."
    )


def _token_times(model: GPT, ids: list[int], n_new: int, *, use_cache: bool) -> list[float]:
    """Seconds per new token, after a warm-up run."""
    for _ in generate(model, ids, max_new_tokens=2, use_cache=use_cache, precision="exact"):
        pass
    times = []
    began = time.perf_counter()
    for _ in generate(
        model, ids, max_new_tokens=n_new, temperature=0, use_cache=use_cache, precision="exact"
    ):
        times.append(time.perf_counter() - began - sum(times))
        if sum(times) > _LONGEST_MEASURED:
            break
    return times


def _training_rate(config: GPTConfig, batch_size: int, n_tokens: int) -> tuple[float, int]:
    """(tokens a second, updates measured), after one update to warm up."""
    state = torch.get_rng_state()
    settings = TrainingConfig(
        max_steps=1000, batch_size=batch_size, learning_rate=1e-4, warmup_steps=0
    )
    data = RepeatedSequences(
        config.vocab_size, window=n_tokens, batch_size=batch_size, periods=(1, n_tokens // 2)
    )
    events = Trainer(GPT(config), settings, data).events()
    next(events)
    began = time.perf_counter()
    steps = 0
    for event in events:
        steps += isinstance(event, StepEvent)
        if time.perf_counter() - began > _MEASURED_SECONDS:
            break
    torch.set_rng_state(state)
    return steps * batch_size * n_tokens / (time.perf_counter() - began), steps


def _at_a_glance(config: GPTConfig, B: int, T: int, total: float) -> Section:
    """Memory as one figure: to write with, in fp32 and in int8, and to train."""
    weights = weight_bytes(config)
    eighth = weight_bytes(config, bits=8)
    cache = kv_cache_bytes(config, config.n_positions)
    activations = activation_bytes(config, batch_size=B, n_tokens=T)
    written = weights + cache
    trained = weights + optimizer_bytes(config) + activations
    stacks = (
        Stack("writing", f"{size(written)}: one text of a full window", (weights, cache, 0, 0, 0)),
        Stack(
            "in int8", f"{size(eighth + cache)}: weights of one byte each", (eighth, cache, 0, 0, 0)
        ),
        Stack(
            "training",
            f"{size(trained)}: {B:,} · {T:,} tokens an update",
            (weights, 0, weights, 2 * weights, activations),
        ),
    )
    rows = [(stack.label, *(size(part) for part in stack.parts)) for stack in stacks]
    parts = ("weights", "KV cache", "gradients", "AdamW's two moments", "activations")
    said = (
        f"Writing takes {size(written)} of memory in fp32, training {size(trained)}. A run of "
        f"{big(total)} tokens takes {big(training_flops(config, T) * total)} operations."
    )
    return Section(
        "Memory", "", ("", *parts), rows, said=said, parts=parts, stacks=stacks, folded=True
    )


def _memory(config: GPTConfig) -> Section:
    N = count_parameters(config).total
    L = config.n_layer
    C = config.n_embd
    P = config.n_positions
    full, half = (size(kv_cache_bytes(config, P, bits=bits)) for bits in (32, 16))
    maps = f"{L:,} · {config.n_head:,} · {P:,}² · 4 bytes"
    rows = [
        ("weights, fp32", f"4 bytes · {N:,}", size(weight_bytes(config))),
        ("weights, 16 bits (fp16, bf16)", f"2 bytes · {N:,}", size(weight_bytes(config, bits=16))),
        ("weights, int8", f"1 byte · {N:,}", size(weight_bytes(config, bits=8))),
        ("KV cache, one token, fp32", f"2 · {L:,} · {C:,} · 4 bytes", size(kv_cache_bytes(config))),
        ("KV cache, full window, fp32", f"{P:,} tokens", full),
        ("KV cache, full window, 16 bits", f"{P:,} tokens", half),
        ("all attention maps of one full window", maps, size(4 * L * config.n_head * P**2)),
    ]
    return Section(
        "Memory for inference",
        "Powers of ten; this app keeps weights and cache in fp32. Models of "
        f"{big(FAST_FROM_PARAMETERS)} parameters and more are decoded from 16-bit copies of "
        "the weights, smaller ones where their file has 16 bits anyway.",
        ("what", "how", "bytes"),
        rows,
    )


def _training(config: GPTConfig, B: int, T: int) -> Section:
    fused = activation_bytes(config, batch_size=B, n_tokens=T)
    maps = activation_bytes(config, batch_size=B, n_tokens=T, attention_maps=True)
    fixed = weight_bytes(config) + optimizer_bytes(config)
    rows = [
        ("weights and gradients", "4 + 4 bytes each", size(2 * weight_bytes(config))),
        ("AdamW's two moments", "4 + 4 bytes each", size(2 * weight_bytes(config))),
        (f"activations of {B:,} · {T:,} tokens", "fused attention, no dropout", size(fused)),
        (
            "the same, attention maps kept",
            f"+ {config.n_head:,} · ({T:,} − 1) numbers a token and layer",
            size(maps),
        ),
        ("together, fused attention", "the sum of the first three", size(fixed + fused)),
    ]
    text = "What a step in fp32 keeps until its backward pass is done."
    return Section("Memory for training", text, ("what", "how", "bytes"), rows, (4,))


def _work(config: GPTConfig, T: int, total: float) -> Section:
    N = count_parameters(config).without_embeddings
    L = config.n_layer
    C = config.n_embd
    every = training_flops(config, T)
    run = f"a run of {big(total)} tokens"
    rows = [
        (
            f"forward, one token among {T:,}",
            "2 · matrix weights + 4 · L · C · T",
            big(forward_flops(config, T)),
        ),
        ("backward", "twice the forward pass", big(2 * forward_flops(config, T))),
        ("forward and backward", "the sum", big(every)),
        ("the rule of thumb 6N", f"6 · {N:,} without embeddings", big(6 * N)),
        (run, "forward and backward of every token", f"{every * total:.3g}"),
        ("the rule of thumb 6ND", "N without embeddings, D tokens", f"{6 * N * total:.3g}"),
    ]
    text = (
        "Floating-point operations, a multiplication and an addition counted as two. The first "
        "three rows are this project's own count: the output head is in it, and every pair of "
        "tokens, hidden or not. Kaplan et al. count 2N + 2 · L · C · T a token, without "
        f"embeddings and head: {big(2 * N + 2 * L * C * T)}."
    )
    columns = ("what", "how", "FLOP")
    return Section(
        "Operations",
        text,
        columns,
        rows,
        (2,),
        "the rules of thumb: Kaplan et al. 2020, section 2.1",
    )


def _lesson(config: GPTConfig) -> Section:
    counted = cache_arithmetic(config.n_layer, _PROMPT, _NEW)
    reads = _NEW * _PROMPT + _NEW * (_NEW - 1) // 2
    L = config.n_layer
    rows = [
        (
            "without a cache",
            f"{L:,} layers · (50 + 51 + … + 149 = {reads:,})",
            f"{counted.without:,}",
        ),
        ("with a cache", f"{L:,} layers · (50 + 99)", f"{counted.with_cache:,}"),
        (
            "saved",
            "the 100th new token is never read",
            f"{counted.without / counted.with_cache:.1f} times",
        ),
    ]
    title = "Keys and values: 100 tokens after a prompt of 50"
    text = (
        "Without a cache every step reads the whole text again. With one, the prompt is read once, "
        "then each new token."
    )
    return Section(title, text, ("", "how", "key-value pairs"), rows)
