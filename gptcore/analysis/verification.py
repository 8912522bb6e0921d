"""Self-checks of a GPT: each runs on the given model and reports what it measured."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from gptcore.analysis.parameters import count_parameters, tensor_shapes
from gptcore.errors import CheckpointError
from gptcore.inference.generation import generate
from gptcore.model import GPT, evaluating, random_model
from gptcore.probe import NO_PROBE, Probe
from gptcore.weights.hf_format import to_hf

# Larger models are not copied for a check; checks on a fresh model then use one with two layers.
_MOST_COPIED = 200_000_000


@dataclass(frozen=True)
class Check:
    """A self-check: the claim that it tests, whether the claim holds (None: the check could not be
    run), and the measurement or the reason why there is none.
    """

    name: str
    passed: bool | None
    figure: str


class _Explicit(Probe):
    needs_weights = True


def verify(model: GPT, *, seed: int = 0) -> Iterator[Check]:
    """Runs all checks on a model, which stays as it is.

    Output shape, causality, parameter count, length of a generated text, fast path = explicit path,
    cached = uncached, agreement with transformers; and on a freshly initialised model of the same
    shape: loss near ln V, and a gradient in every tensor.

    Args:
        model: of any kind.
        seed: of the random tokens and of the fresh weights.

    Yields:
        each Check as soon as it is done; one that raises is reported as failed, with the error
        message.
    """
    generator = torch.Generator().manual_seed(seed)
    T = min(16, model.config.n_positions)
    ids = torch.randint(model.config.vocab_size, (1, T), generator=generator)
    checks: list[tuple[str, Callable[[], tuple[bool | None, str]]]] = [
        (
            "The output has a score for every token of the vocabulary at every position",
            lambda: _shape(model, ids),
        ),
        ("No position sees the future", lambda: _no_leak(model, ids)),
        ("The parameters are as many as the formulas say", lambda: _count(model)),
        ("A generated text has the length asked for", lambda: _length(model, ids)),
        ("Fast attention equals attention that writes out its weights", lambda: _paths(model, ids)),
        ("A text written with the KV cache equals one written without", lambda: _cache(model, ids)),
        (
            "An untrained model's loss is near ln V, that of guessing",
            lambda: _initial_loss(model, seed),
        ),
        ("A gradient reaches every tensor", lambda: _gradients(model, seed)),
        (
            "transformers computes the same logits from the same weights",
            lambda: _reference(model, ids),
        ),
    ]
    for name, check in checks:
        try:
            passed, figure = check()
        except Exception as error:
            passed = False
            figure = f"{type(error).__name__}: {error}"
        yield Check(name, passed, figure)


def _shape(model: GPT, ids: torch.Tensor) -> tuple[bool, str]:
    shape = list(_logits(model, ids).shape)
    expected = [1, ids.shape[1], model.config.vocab_size]
    return shape == expected, f"logits {shape}, expected {expected}"


def _no_leak(model: GPT, ids: torch.Tensor) -> tuple[bool | None, str]:
    if ids.shape[1] < 2 or model.config.vocab_size < 2:
        return None, "needs two positions and two tokens"
    middle = ids.shape[1] // 2
    changed = ids.clone()
    changed[0, middle:] = (changed[0, middle:] + 1) % model.config.vocab_size
    before = _logits(model, ids)[0]
    after = _logits(model, changed)[0]
    earlier = float((before - after)[:middle].abs().max())
    later = float((before - after)[middle:].abs().max())
    return earlier < 1e-4 * max(1.0, later), (
        f"tokens from position {middle} on replaced: logits before it change by at most "
        f"{earlier:.1e}, after it by {later:.2g}"
    )


def _count(model: GPT) -> tuple[bool, str]:
    listed = {name: shape for _, name, shape in tensor_shapes(model.config)}
    real = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    counted = count_parameters(model.config).total
    total = sum(p.numel() for p in model.parameters())
    return (
        listed == real and counted == total,
        f"{total:,} in {len(real)} tensors; the formulas say {counted:,}",
    )


def _length(model: GPT, ids: torch.Tensor) -> tuple[bool, str]:
    made = len(list(generate(model, ids[0, :4].tolist(), max_new_tokens=10, seed=0)))
    return made == 10, f"{made} tokens of 10"


def _paths(model: GPT, ids: torch.Tensor) -> tuple[bool, str]:
    fast = _logits(model, ids)
    explicit = _logits(model, ids, _Explicit())
    error = float((fast - explicit).norm() / fast.norm())
    return error < 1e-4, f"relative difference of the logits {error:.1e}"


def _cache(model: GPT, ids: torch.Tensor) -> tuple[bool, str]:
    prompt = ids[0, :4].tolist()

    def text(use_cache: bool) -> list[int]:
        written = generate(
            model, prompt, max_new_tokens=12, temperature=0, use_cache=use_cache, precision="exact"
        )
        return [token.id for token in written]

    cached = text(True)
    uncached = text(False)
    same = sum(a == b for a, b in zip(cached, uncached, strict=True))
    return cached == uncached, f"{same} of {len(cached)} tokens alike, greedily chosen"


def _initial_loss(model: GPT, seed: int) -> tuple[bool, str]:
    fresh, ids, targets, note = _redrawn(model, seed)
    with evaluating(fresh), torch.no_grad():
        loss = float(fresh(ids, targets).loss)
    expected = math.log(model.config.vocab_size)
    figure = f"loss {loss:.3f}, ln {model.config.vocab_size:,} = {expected:.3f}{note}"
    return abs(loss - expected) < 0.1 * expected + 0.05, figure


def _gradients(model: GPT, seed: int) -> tuple[bool, str]:
    fresh, ids, targets, note = _redrawn(model, seed)
    fresh.train()(ids, targets).loss.backward()
    named = list(fresh.named_parameters())
    missing = [
        name
        for name, parameter in named
        if parameter.grad is None or not bool(parameter.grad.any())
    ]
    if missing:
        return False, f"none in {', '.join(missing[:4])}{note}"
    norms = [float(parameter.grad.norm()) for _, parameter in named if parameter.grad is not None]
    return (
        True,
        f"{len(norms)} of {len(named)} tensors, norms from {min(norms):.1e} to "
        f"{max(norms):.1e}{note}",
    )


def _reference(model: GPT, ids: torch.Tensor) -> tuple[bool | None, str]:
    if count_parameters(model.config).total > 2 * _MOST_COPIED:
        return None, "not run: a second copy of this model would take too much memory"
    try:
        theirs = to_hf(model).eval()
    except ImportError:
        return None, "not run: transformers is not installed"
    except CheckpointError as error:
        return None, f"not run: {error}"
    with torch.inference_mode():
        expected = theirs(ids).logits
    error = float((_logits(model, ids) - expected).norm() / expected.norm())
    return error < 1e-4, f"relative difference of the logits {error:.1e}"


@torch.inference_mode()
def _logits(model: GPT, ids: torch.Tensor, probe: Probe = NO_PROBE) -> torch.Tensor:
    with evaluating(model):
        return model(ids.to(model.wte.weight.device), probe=probe).logits.float().cpu()


def _redrawn(model: GPT, seed: int) -> tuple[GPT, torch.Tensor, torch.Tensor, str]:
    """A freshly initialised model of the same shape, of a large one with two layers; random tokens,
    the next ones, and a note on the model.
    """
    config = model.config
    note = ""
    if count_parameters(config).total > _MOST_COPIED and config.n_layer > 2:
        config = replace(config, n_layer=2)
        note = " (fresh model of two layers, to spare memory)"
    size = (2, min(32, config.n_positions) + 1)
    ids = torch.randint(config.vocab_size, size, generator=torch.Generator().manual_seed(seed + 1))
    return random_model(config, seed), ids[:, :-1], ids[:, 1:], note
