import numpy as np
import pytest
import torch

from gptcore import GPT, GPTConfig
from gptcore.training import RandomWindows, Source, Trainer, TrainingConfig, make_optimizers
from gptcore.training.optimizer import Muon, orthogonalise

SHAPE = GPTConfig(
    vocab_size=17,
    n_positions=16,
    n_embd=32,
    n_layer=2,
    n_head=4,
    embd_pdrop=0.0,
    attn_pdrop=0.0,
    resid_pdrop=0.1,
)
SETTINGS = TrainingConfig(
    max_steps=8,
    batch_size=4,
    optimizer="muon",
    learning_rate=3e-3,
    muon_learning_rate=0.02,
    warmup_steps=2,
)
# Where the processor multiplies bfloat16, the iteration runs in it: 8 bits of precision, five
# rounds.
ROUNDING = 0.03


def newton_schulz(matrix: torch.Tensor) -> torch.Tensor:
    """The published iteration, one matrix at a time in double precision."""
    x = matrix.double() / matrix.double().norm()
    for _ in range(5):
        product = x @ x.T
        x = 3.4445 * x + (-4.7750 * product + 2.0315 * product @ product) @ x
    return x


def test_an_update_is_the_hand_written_one():
    torch.manual_seed(0)
    matrix = torch.nn.Parameter(torch.randn(6, 10))
    tall = torch.nn.Parameter(torch.randn(12, 3))
    expected = {0: matrix.detach().clone(), 1: tall.detach().clone()}
    means = {0: torch.zeros(6, 10), 1: torch.zeros(12, 3)}
    optimizer = Muon([matrix, tall], lr=0.1, weight_decay=0.5, momentum=0.9)
    for _ in range(3):
        for index, parameter in enumerate((matrix, tall)):
            parameter.grad = torch.randn_like(parameter)
            means[index] = 0.9 * means[index] + 0.1 * parameter.grad
            ahead = 0.1 * parameter.grad + 0.9 * means[index]
            direction = newton_schulz(ahead) if index == 0 else newton_schulz(ahead.T).T
            scale = 1.0 if index == 0 else 2.0  # sqrt(12 / 3)
            expected[index] = expected[index] * (1 - 0.1 * 0.5) - 0.1 * scale * direction.float()
        optimizer.step()
    assert torch.allclose(matrix, expected[0], atol=3 * 0.1 * ROUNDING)
    assert torch.allclose(tall, expected[1], atol=3 * 0.2 * ROUNDING)


def test_orthogonalising_brings_all_directions_to_about_one():
    torch.manual_seed(0)
    matrices = torch.randn(3, 8, 20) * torch.logspace(-1, 0, 8)[:, None]
    sizes = torch.linalg.svdvals(orthogonalise(matrices))
    assert sizes.shape == (3, 8) and float(sizes.min()) > 0.3 and float(sizes.max()) < 1.3
    assert torch.allclose(
        orthogonalise(matrices)[1], newton_schulz(matrices[1]).float(), atol=ROUNDING
    )


def test_queries_keys_and_values_are_three_matrices():
    torch.manual_seed(0)
    joined = torch.nn.Parameter(torch.zeros(12, 4))
    joined.grad = torch.randn(12, 4)
    apart = [torch.nn.Parameter(torch.zeros(4, 4)) for _ in range(3)]
    for parameter, gradient in zip(apart, joined.grad.split(4), strict=True):
        parameter.grad = gradient.clone()
    Muon([{"params": [joined], "parts": 3}], lr=0.1).step()
    Muon(apart, lr=0.1).step()
    assert torch.allclose(joined, torch.cat(apart), atol=0.1 * ROUNDING)


def test_muon_takes_the_matrices_inside_blocks_and_adamw_the_rest():
    model = GPT(SHAPE)
    adamw, muon = make_optimizers(model, SETTINGS)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = [[names[id(p)] for p in group["params"]] for group in muon.param_groups]
    assert groups[0] == ["h.0.attn.c_attn.weight", "h.1.attn.c_attn.weight"]
    assert {name.split(".", 2)[2] for name in groups[1]} == {
        "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight",
    }  # fmt: skip
    rest = {names[id(p)] for group in adamw.param_groups for p in group["params"]}
    assert rest == set(names.values()) - set(groups[0]) - set(groups[1])
    assert {"wte.weight", "wpe.weight"} <= rest and adamw.param_groups[1]["weight_decay"] == 0.0


def test_the_schedule_and_a_new_rate_move_both_optimisers_in_proportion():
    data = RandomWindows([Source(np.arange(400, dtype=np.uint16) % 17)], window=16, batch_size=4)
    trainer = Trainer(GPT(SHAPE), SETTINGS, data)
    events = trainer.events()
    next(events)
    adamw, muon = (optimizer.param_groups[0]["lr"] for optimizer in trainer.optimizers)
    assert adamw == pytest.approx(1e-3) and muon == pytest.approx(0.02 / 3)  # a third of the way up
    trainer.retune(learning_rate=6e-3)
    next(events)
    adamw, muon = (optimizer.param_groups[0]["lr"] for optimizer in trainer.optimizers)
    assert adamw == pytest.approx(4e-3) and muon == pytest.approx(0.08 / 3)


def test_states_of_other_groups_are_refused():
    tensors = [torch.nn.Parameter(torch.randn(shape)) for shape in ((6, 4), (3, 3))]
    with pytest.raises(ValueError, match="group"):
        Muon(tensors, lr=0.1).load_state_dict(Muon(tensors[:1], lr=0.1).state_dict())
