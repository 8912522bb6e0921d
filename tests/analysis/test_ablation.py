import copy

import pytest
import torch

from gptcore import GPTConfig
from gptcore.analysis import ModelPart, divergence, effects, logits_without
from gptcore.errors import ConfigError, ContextLengthError
from tiny import make_model, random_ids

IDS = [3, 1, 4, 1, 5, 9, 2, 6]


@torch.inference_mode()
def surgically(model, change):
    """The last logits of a copy whose weights were changed by hand."""
    copied = copy.deepcopy(model)
    change(copied)
    return copied(torch.tensor([IDS])).logits[0, -1]


@pytest.mark.parametrize(
    ("part", "cut"),
    [
        (
            ModelPart(1, "head", 2),
            lambda model: model.h[1].attn.c_proj.weight[:, 2 * 8 : 3 * 8].zero_(),
        ),
        (
            ModelPart(0, "attention"),
            lambda model: [p.zero_() for p in model.h[0].attn.c_proj.parameters()],
        ),
        (
            ModelPart(0, "mlp"),
            lambda model: [p.zero_() for p in model.h[0].mlp.c_proj.parameters()],
        ),
    ],
)
def test_a_part_that_is_off_is_one_whose_weights_of_the_output_projection_are_zero(
    tiny_model, part, cut
):
    ours = logits_without(tiny_model, IDS, [[part]])[0]
    torch.testing.assert_close(ours, surgically(tiny_model, cut), atol=2e-5, rtol=1e-5)


def test_variants_in_one_batch_are_what_each_is_alone(tiny_model):
    variants = [
        [],
        [ModelPart(0, "head", 0)],
        [ModelPart(2, "mlp"), ModelPart(1, "head", 3)],
        [ModelPart(1, "attention")],
    ]
    together = logits_without(tiny_model, IDS, variants, replacement="mean")
    for row, parts in zip(together, variants, strict=True):
        alone = logits_without(tiny_model, IDS, [parts], replacement="mean")[0]
        torch.testing.assert_close(row, alone, atol=2e-5, rtol=1e-5)


def test_nothing_of_it_stays_in_the_model(tiny_model):
    before = tiny_model(torch.tensor([IDS])).logits.detach()
    changed = logits_without(tiny_model, IDS, [[ModelPart(0, "attention"), ModelPart(2, "mlp")]])
    assert float((changed[0] - before[0, -1]).abs().max()) > 0.1
    torch.testing.assert_close(tiny_model(torch.tensor([IDS])).logits, before, atol=1e-4, rtol=1e-5)


def test_all_heads_off_is_attention_reduced_to_its_bias():
    model = make_model(
        GPTConfig(
            vocab_size=61, n_positions=24, n_embd=32, n_layer=1, n_head=4, attention_bias=False
        )
    )
    heads = [ModelPart(0, "head", head) for head in range(4)]
    both = logits_without(model, IDS, [heads, [ModelPart(0, "attention")]])
    torch.testing.assert_close(both[0], both[1])


def test_the_mean_of_a_text_of_one_token_changes_nothing(tiny_model):
    kept = logits_without(
        tiny_model, [7], [[], [ModelPart(0, "attention"), ModelPart(1, "mlp")]], replacement="mean"
    )
    torch.testing.assert_close(kept[0], kept[1])


def test_effects_cover_every_part_and_the_whole_has_none(tiny_model):
    found = dict(effects(tiny_model, IDS))
    assert list(found) == [0, 1, 2]
    every = {part: effect for parts in found.values() for part, effect in parts.items()}
    assert len(every) == 3 * (4 + 2) and min(effect.bits for effect in every.values()) >= 0
    assert max(effect.bits for effect in every.values()) > 0.01
    whole = logits_without(tiny_model, IDS, [[]]).log_softmax(-1)
    guess = int(whole.argmax())
    for part, effect in every.items():
        alone = logits_without(tiny_model, IDS, [[part]]).log_softmax(-1)[0, guess].exp()
        assert effect.change == pytest.approx(float(alone - whole[0, guess].exp()), abs=1e-5)
    assert float(divergence(whole, whole)) == 0


def test_parts_that_the_model_does_not_have_are_sentences(tiny_model):
    with pytest.raises(ConfigError, match="no layer 3; this model has layers 0 to 2"):
        logits_without(tiny_model, IDS, [[ModelPart(3, "mlp")]])
    with pytest.raises(ConfigError, match="no head 4; every layer has heads 0 to 3"):
        logits_without(tiny_model, IDS, [[ModelPart(0, "head", 4)]])
    attention_only = make_model(
        GPTConfig(vocab_size=61, n_embd=32, n_layer=1, n_head=4, use_mlp=False)
    )
    with pytest.raises(ConfigError, match="attention only"):
        logits_without(attention_only, IDS, [[ModelPart(0, "mlp")]])
    with pytest.raises(ContextLengthError):
        logits_without(tiny_model, random_ids(tiny_model.config, 25).tolist(), [[]])
