import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.errors import CheckpointError
from gptcore.tokenizers import CharTokenizer
from gptcore.weights.checkpoint import save_folder
from gptcore.weights.snapshots import dequantise, load_snapshot, snapshot_note, snapshot_steps
from tiny import make_model
from weights.recipes.snapshots import quantise, save_snapshot

SHAPE = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)


@pytest.mark.parametrize("shape", [(4, 32), (3, 5), (7, 33), (1, 1)])
def test_a_matrix_comes_back_to_within_half_a_step(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    steps, scales = quantise(matrix)
    again = dequantise(steps, scales, list(shape))
    assert steps.dtype == torch.uint8 and steps.numel() == 16 * scales.numel()
    assert again.shape == matrix.shape
    # Half a step, and the rounding of the scale to 16 bits.
    assert float((again - matrix).abs().max()) <= float(scales.float().max()) * 0.51
    zeros = torch.zeros(2, 32)
    assert torch.equal(dequantise(*quantise(zeros), [2, 32]), zeros)


def test_a_snapshot_is_small_and_nearly_the_model(tmp_path):
    model = make_model(SHAPE)
    folder = save_folder(
        tmp_path / "m", model, CharTokenizer("".join(chr(64 + i) for i in range(61)))
    )
    file = save_snapshot(folder, model, 512)
    save_snapshot(folder, make_model(SHAPE, seed=1), 8, note="before it knew anything")
    assert [snapshot_note(folder, step) for step in (8, 512)] == ["before it knew anything", ""]
    assert snapshot_steps(folder) == [8, 512] and snapshot_steps(tmp_path) == []
    matrices = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    assert file.stat().st_size < 0.6 * matrices + 12_000  # names and norms beside the matrices
    again = load_snapshot(folder, 512)
    for name, parameter in model.named_parameters():
        error = (dict(again.named_parameters())[name] - parameter).norm() / parameter.norm().clamp(
            min=1
        )
        assert float(error.detach()) < 0.2, name
    lm = gptcore.load(f"{folder}@512")
    assert lm.name == "m@512" and lm.model.lm_head.weight is lm.model.wte.weight
    assert torch.equal(lm.model.wte.weight, again.wte.weight)


def test_a_moment_without_a_snapshot_or_a_damaged_one_is_a_sentence(tmp_path):
    folder = save_folder(tmp_path / "m", make_model(SHAPE), CharTokenizer("ab"))
    save_snapshot(folder, make_model(SHAPE), 8)
    with pytest.raises(CheckpointError, match=r"no snapshot after 7 updates. It has: 8"):
        gptcore.load(f"{folder}@7")
    file = folder / "snapshots" / "8.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        gptcore.load(f"{folder}@8")
    (folder / "config.json").write_text(
        (folder / "config.json")
        .read_text(encoding="utf-8")
        .replace('"n_embd": 32', '"n_embd": 64'),
        encoding="utf-8",
    )
    save_snapshot(folder, make_model(SHAPE), 8)
    with pytest.raises(CheckpointError, match="damaged"):
        gptcore.load(f"{folder}@8")
