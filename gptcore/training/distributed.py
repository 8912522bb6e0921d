"""Distributed training: DistributedDataParallel."""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Workers:
    """This process within the distributed training group."""

    rank: int  # its number; 0 writes files and reports
    size: int  # how many there are
    device: torch.device  # where it computes

    def wrap(self, model: nn.Module) -> nn.Module:
        """Wraps the model: gradients are averaged over all processes, and initial weights come from
        process 0.
        """
        ids = [self.device] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(model, device_ids=ids)

    def gather(self, values: Tensor) -> list[Tensor]:
        """The values of every process, in the order of their ranks, on the CPU; of one shape and
        type everywhere.
        """
        mine = values.to(self.device)
        parts = [torch.empty_like(mine) for _ in range(self.size)]
        dist.all_gather(parts, mine)
        return [part.cpu() for part in parts]

    def mean(self, values: Sequence[float]) -> list[float]:
        """Each value averaged over the processes, so that decisions based on it agree
        everywhere.
        """
        tensor = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(tensor)
        return (tensor / self.size).tolist()


@contextmanager
def workers_from_environment(*, device: str | None = None) -> Iterator[Workers | None]:
    """The process group that `torchrun` has described in the environment, or None outside of one.

    The backend is NCCL for GPUs and gloo for CPUs.
    """
    if not _is_one_of_several():
        yield None
        return
    on_gpu = torch.cuda.is_available() and not (device or "").startswith("cpu")
    worker_device = (
        torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        if on_gpu
        else torch.device("cpu")
    )
    if on_gpu:
        torch.cuda.set_device(worker_device)
    dist.init_process_group("nccl" if on_gpu else "gloo")
    try:
        yield Workers(dist.get_rank(), dist.get_world_size(), worker_device)
    finally:
        dist.destroy_process_group()


@contextmanager
def leader_first(workers: Workers | None) -> Iterator[None]:
    """Runs the `with` block in process 0 first; the other processes wait until it has ended."""
    if workers is not None and workers.rank:
        workers.mean([0.0])
    yield
    if workers is not None and not workers.rank:
        workers.mean([0.0])


def leave(status: int) -> NoReturn:
    """Exits this process with `status`; in a distributed run, without the interpreter's own
    clean-up.

    DistributedDataParallel keeps gloo threads alive after `destroy_process_group`. If one of them
    frees a tensor during interpreter shutdown, the whole process aborts, although all work is done
    and saved.
    """
    if not _is_one_of_several():
        raise SystemExit(status)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _is_one_of_several() -> bool:
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ
