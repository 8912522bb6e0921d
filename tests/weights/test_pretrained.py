"""Parity with transformers, on random weights of the true architectures."""

import copy
from dataclasses import replace

import pytest
import torch
import transformers

import gptcore
from gptcore import GPTConfig, language_model
from gptcore.analysis import read_attention
from gptcore.errors import CheckpointError
from gptcore.inference.sequence import context_start
from gptcore.weights.hf_format import config_from_hf, tensors_from_hf, tensors_to_hf
from tiny import make_model, random_ids

# fp32 sums in another order over logits of order 10.
TOLERANCE = {"atol": 5e-5, "rtol": 1e-5}


def hf_gpt2(**changes):
    torch.manual_seed(0)
    shape = {
        "vocab_size": 61,
        "n_positions": 24,
        "n_embd": 32,
        "n_layer": 3,
        "n_head": 4,
        "initializer_range": 0.3,
    }
    tokens = {"bos_token_id": None, "eos_token_id": None}
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(**{**shape, **tokens, **changes})
    ).eval()


def hf_gpt1(**changes):
    torch.manual_seed(0)
    shape = {
        "vocab_size": 61,
        "n_positions": 24,
        "n_embd": 32,
        "n_layer": 3,
        "n_head": 4,
        "initializer_range": 0.3,
    }
    return transformers.OpenAIGPTLMHeadModel(
        transformers.OpenAIGPTConfig(**{**shape, **changes})
    ).eval()


@pytest.mark.parametrize(
    "hf_model",
    [
        hf_gpt2(),
        hf_gpt2(tie_word_embeddings=False),
        hf_gpt2(activation_function="relu"),
        hf_gpt2(n_inner=80),
        hf_gpt2(activation_function="gelu"),
        hf_gpt1(),
        hf_gpt1(afn="relu"),
    ],
    ids=["gpt2", "untied", "relu", "inner", "exact-gelu", "gpt1", "gpt1-relu"],
)
def test_logits_and_loss_equal_transformers(hf_model):
    model = gptcore.from_hf(hf_model)
    ids = random_ids(model.config, 2, 20)
    with torch.inference_mode():
        theirs = hf_model(ids, labels=ids)
        ours = model(ids[:, :-1], ids[:, 1:])
        torch.testing.assert_close(model(ids).logits, theirs.logits, **TOLERANCE)
        torch.testing.assert_close(ours.loss, theirs.loss, **TOLERANCE)


@pytest.mark.parametrize("hf_model", [hf_gpt2(), hf_gpt1()], ids=["gpt2", "gpt1"])
def test_attention_weights_equal_transformers_eager_ones(hf_model):
    eager = copy.deepcopy(hf_model)
    eager.set_attn_implementation("eager")
    model = gptcore.from_hf(hf_model)
    ids = random_ids(model.config, 1, 20)
    with torch.inference_mode():
        theirs = torch.cat(eager(ids, output_attentions=True).attentions)
    torch.testing.assert_close(gptcore.attention_patterns(model, ids), theirs, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        torch.stack(list(read_attention(model, ids).layers())), theirs, atol=1e-5, rtol=0
    )


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("hf_model", [hf_gpt2(), hf_gpt1()], ids=["gpt2", "gpt1"])
def test_past_the_window_greedy_text_equals_transformers_under_the_same_window_rule(
    hf_model, use_cache
):
    model = gptcore.from_hf(hf_model)
    ids = random_ids(model.config, 6).tolist()
    start = 0
    expected = []
    for _ in range(60):
        start = context_start(len(ids), start, 24)
        with torch.inference_mode():
            ids.append(int(hf_model(torch.tensor([ids[start:]])).logits[0, -1].argmax()))
        expected.append((ids[-1], start))
    ours = gptcore.generate(model, ids[:6], max_new_tokens=60, temperature=0, use_cache=use_cache)
    assert [(token.id, token.context_start) for token in ours] == expected


@pytest.mark.slow
def test_a_full_size_gpt2_small_equals_transformers():
    torch.manual_seed(0)
    hf_model = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()
    model = gptcore.from_hf(hf_model)
    prompt = random_ids(model.config, 1, 16)
    with torch.inference_mode():
        torch.testing.assert_close(
            model(prompt).logits, hf_model(prompt).logits, atol=1e-4, rtol=1e-4
        )
    how = {"attention_mask": torch.ones_like(prompt), "do_sample": False, "pad_token_id": 0}
    theirs = hf_model.generate(prompt, max_new_tokens=8, min_new_tokens=8, **how)[0, 16:].tolist()
    for use_cache in (True, False):
        ours = gptcore.generate(
            model,
            prompt[0].tolist(),
            max_new_tokens=8,
            temperature=0,
            use_cache=use_cache,
            precision="exact",
        )
        assert [token.id for token in ours] == theirs


@pytest.mark.parametrize(
    "switches",
    [{}, {"tie_word_embeddings": False}, {"attention_bias": False}, {"use_positions": False}],
)
def test_export_to_transformers_computes_the_same(tiny_config, switches):
    model = make_model(replace(tiny_config, **switches))
    ids = random_ids(model.config, 2, 15)
    with torch.inference_mode():
        theirs = gptcore.to_hf(model)(ids).logits
        torch.testing.assert_close(theirs, model(ids).logits, **TOLERANCE)


@pytest.mark.parametrize("config", [
    GPTConfig(causal=False), GPTConfig(use_mlp=False), GPTConfig.from_preset("gpt1", n_inner=100),
    GPTConfig.from_preset("gpt1", activation_function="gelu"),
])  # fmt: skip
def test_a_model_that_transformers_cannot_express_says_so(config):
    with torch.device("meta"):
        model = gptcore.GPT(config)
    with pytest.raises(CheckpointError, match="cannot express"):
        gptcore.to_hf(model)


def test_a_16_bit_transformers_model_becomes_an_fp32_one():
    model = gptcore.from_hf(hf_gpt2().to(torch.bfloat16))
    assert model.wte.weight.dtype == torch.float32
    assert len(list(gptcore.generate(model, [1, 2], max_new_tokens=3, seed=0))) == 3


def test_names_round_trip_and_surplus_or_missing_tensors_are_named(tiny_model):
    tensors = tensors_to_hf(tiny_model)
    back = tensors_from_hf(tiny_model.config, tensors)
    assert all(torch.equal(back[name], tensor) for name, tensor in tiny_model.state_dict().items())
    with pytest.raises(CheckpointError, match=r"lm_hedd\.weight"):
        tensors_from_hf(tiny_model.config, {**tensors, "lm_hedd.weight": torch.zeros(1)})
    missing = {name: tensor for name, tensor in tensors.items() if "h.1.ln_1.bias" not in name}
    with pytest.raises(CheckpointError, match=r"h\.1\.ln_1\.bias"):
        tensors_from_hf(tiny_model.config, missing)
    wrong = {**tensors, "transformer.h.2.mlp.c_fc.weight": torch.zeros(32, 7)}
    shapes = r"h\.2\.mlp\.c_fc\.weight has the shape \[32, 7\]; it should be \[32, 128\]"
    with pytest.raises(CheckpointError, match=shapes):
        tensors_from_hf(tiny_model.config, wrong)


def test_old_checkpoints_with_mask_buffers_and_no_prefix_load(tiny_model):
    tensors = {
        name.removeprefix("transformer."): t for name, t in tensors_to_hf(tiny_model).items()
    }
    tensors["h.0.attn.bias"] = torch.ones(1, 1, 24, 24)
    assert set(tensors_from_hf(tiny_model.config, tensors)) == set(tiny_model.state_dict())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model_type": "llama"}, "llama"),
        (
            {"model_type": "gpt2", "scale_attn_by_inverse_layer_idx": True},
            "scale_attn_by_inverse_layer_idx",
        ),
        ({"model_type": "openai-gpt", "afn": "swish"}, "swish"),
        ({}, "None"),
    ],
)
def test_other_architectures_are_refused_by_name(values, words):
    with pytest.raises(CheckpointError, match=words):
        config_from_hf(values)


def test_the_tokenizer_of_gpt1_is_the_papers_and_of_others_their_own_files(monkeypatch, tmp_path):
    def fetched(repository, name, **_):
        asked.append((repository, name))
        return tmp_path / name

    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(language_model, "fetch", fetched)
    monkeypatch.setattr(language_model, "load_tokenizer", lambda which, **_: which)
    assert language_model._tokenizer_from_hub(language_model.GPT1_REPOSITORY, True) == "gpt1"
    assert not asked
    assert language_model._tokenizer_from_hub("someone/gpt", True) == tmp_path
    assert {repository for repository, _ in asked} == {"someone/gpt"}
