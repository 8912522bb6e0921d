"""The process group that torchrun describes."""

import pytest
import torch
from torch import distributed as dist

from gptcore.training import workers_from_environment


@pytest.mark.parametrize(
    ("has_gpu", "asked", "backend", "device"),
    [
        (False, None, "gloo", "cpu"),
        (False, "cuda", "gloo", "cpu"),
        (True, "cpu", "gloo", "cpu"),
        (True, None, "nccl", "cuda:1"),
        (True, "cuda", "nccl", "cuda:1"),
    ],
)
def test_a_process_of_several_computes_where_it_is_asked_to(
    monkeypatch, has_gpu, asked, backend, device
):
    done = []
    for name, value in {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    monkeypatch.setattr(torch.cuda, "set_device", lambda chosen: done.append(str(chosen)))
    monkeypatch.setattr(dist, "init_process_group", done.append)
    monkeypatch.setattr(dist, "get_rank", lambda: 1)
    monkeypatch.setattr(dist, "get_world_size", lambda: 2)
    monkeypatch.setattr(dist, "destroy_process_group", lambda: done.append("left"))
    with pytest.raises(ZeroDivisionError), workers_from_environment(device=asked) as workers:
        assert workers is not None
        assert (workers.rank, workers.size, str(workers.device)) == (1, 2, device)
        1 / 0  # noqa: B018
    chosen = [device] if backend == "nccl" else []
    assert done == [*chosen, backend, "left"]


def test_a_process_alone_has_no_group(monkeypatch):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with workers_from_environment() as workers:
        assert workers is None
