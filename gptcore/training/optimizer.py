"""The optimisers of a run (AdamW, optionally with Muon) and the learning-rate schedule."""

import math

from torch import Tensor, nn, optim, tensor

from gptcore.training.config import TrainingConfig
from gptcore.training.muon import Muon


def make_optimizers(model: nn.Module, config: TrainingConfig, *, shard: bool = False) -> list[optim.Optimizer]:
    """AdamW for everything, or Muon for the matrices inside the blocks and AdamW for the rest.

    Both decay matrices only, never biases or LayerNorm parameters. Embeddings and heads always use AdamW.

    Args:
        model: with gradients.
        config: optimiser, rates and decay.
        shard: divide AdamW's states among the processes of the group (ZeRO, stage 1: Rajbhandari et al. 2020).

    Returns:
        AdamW first, then Muon if there is one.
    """
    inside = {name: p for name, p in model.named_parameters() if config.optimizer == "muon" and _is_hidden(name, p)}
    outside = [p for name, p in model.named_parameters() if name not in inside]
    adamw = [
        {"params": [p for p in outside if p.dim() >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in outside if p.dim() < 2], "weight_decay": 0.0},
    ]
    betas = config.beta1, config.beta2
    device = next(model.parameters()).device
    recordable = device.type == "cuda" and not shard

    def rate(value: float) -> float | Tensor:
        """On a GPU a tensor, which a recorded update reads anew."""
        return tensor(value, device=device) if recordable else value

    if shard:
        from torch.distributed.optim import ZeroRedundancyOptimizer  # slow to import

        first: optim.Optimizer = ZeroRedundancyOptimizer(
            adamw, optim.AdamW, lr=config.learning_rate, betas=betas, fused=True
        )
    else:
        first = optim.AdamW(adamw, lr=rate(config.learning_rate), betas=betas, fused=True, capturable=recordable)
    if not inside:
        return [first]
    joined = [p for name, p in inside.items() if name.endswith("c_attn.weight")]  # queries, keys and values in one
    single = [p for name, p in inside.items() if not name.endswith("c_attn.weight")]
    muon = [{"params": joined, "parts": 3}, {"params": single, "parts": 1}]
    return [first, Muon(muon, lr=rate(config.muon_learning_rate), weight_decay=config.weight_decay)]


def set_rate(optimizer: optim.Optimizer, rate: float) -> None:
    """Sets the learning rate of every group."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


def _is_hidden(name: str, parameter: nn.Parameter) -> bool:
    """Whether a parameter is a matrix inside a block."""
    return parameter.dim() == 2 and ".h." in f".{name}"


def learning_rate(config: TrainingConfig, step: int, elapsed: float = 0.0) -> float:
    """The rate of update number `step`, counted from 0.

    Linear from 0 over warmup_steps, then the schedule down to 0 at max_steps, or at the end of the
    time budget when there is one.

    Args:
        config: of the run.
        step: updates already made.
        elapsed: seconds already used; counts only with a time budget.
    """
    warmup = min(1.0, (step + 1) / (config.warmup_steps + 1))
    used = max(0, step - config.warmup_steps) / max(1, config.max_steps - config.warmup_steps)
    if config.time_budget is not None:
        used = max(used, elapsed / config.time_budget)
    used = min(1.0, used)
    shape = {"cosine": 0.5 * (1 + math.cos(math.pi * used)), "linear": 1 - used, "constant": 1.0}[config.schedule]
    return config.learning_rate * warmup * shape
