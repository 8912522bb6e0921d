"""Where a model computes: on a graphics card, where there is one that computes right, else on the processor."""

from __future__ import annotations

import torch

from gptcore.errors import DeviceError

DEVICES = ("auto", "cpu", "cuda", "mps")
PROCESSOR = torch.device("cpu")
_SIDE = 64  # of the matrix that a card is tried with


def choose_device(wanted: str = "auto") -> torch.device:
    """The device of a name.

    Args:
        wanted: "cpu", "cuda" (NVIDIA or AMD), "mps" (Apple), or "auto": the first of CUDA and MPS that computes a
            matrix product right, else the processor.

    Raises:
        DeviceError: no such name, or a card that PyTorch does not find or that does not compute right.
    """
    if wanted not in DEVICES:
        raise DeviceError(f"The device is {wanted!r}; choose one of {', '.join(DEVICES)}.")
    if wanted == "cpu":
        return PROCESSOR
    for name in ("cuda", "mps") if wanted == "auto" else (wanted,):
        if _found(name) and _computes_right(torch.device(name)):
            return torch.device(name)
    if wanted == "auto":
        return PROCESSOR
    raise DeviceError(f"PyTorch {torch.__version__} {_why_not(wanted)}. Leave --device out to use the processor.")


def device_name(device: torch.device) -> str:
    """What people call a device: "NVIDIA H200", "the processor"."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "the Apple GPU" if device.type == "mps" else "the processor"


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a card has no memory left."""
    return isinstance(error, torch.OutOfMemoryError)


def _found(name: str) -> bool:
    return torch.cuda.is_available() if name == "cuda" else torch.backends.mps.is_available()


def _computes_right(device: torch.device) -> bool:
    """Whether a product of whole numbers, which no rounding touches, is that of the processor."""
    a = torch.arange(_SIDE * _SIDE, dtype=torch.float32).remainder(7).view(_SIDE, _SIDE)
    try:
        return torch.equal((a.to(device) @ a.to(device)).cpu(), a @ a)
    except RuntimeError:  # a driver that does not fit, an architecture that this build lacks
        return False


def _why_not(name: str) -> str:
    if not _found(name):
        return f"finds no {name.upper()} device here"
    return f"finds a {name.upper()} device here that computes a matrix product wrongly, or not at all"
