import json
import math
from pathlib import Path

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

import gptcore
from gptcore import GPTConfig, LanguageModel
from gptcore.errors import CheckpointError, HubError
from gptcore.tokenizers import CharTokenizer
from gptcore.weights.checkpoint import load_folder, read_tensors, save_folder, shard_names
from gptcore.weights.hf_format import tensors_to_hf
from tiny import make_model, random_ids

ALPHABET = "".join(chr(64 + i) for i in range(61))


@pytest.fixture
def folder(tiny_model, tmp_path):
    return save_folder(tmp_path / "model", tiny_model, CharTokenizer(ALPHABET))


def test_a_folder_reads_back_to_the_same_model(folder, tiny_model):
    lm = gptcore.load(folder)
    ids = random_ids(tiny_model.config, 1, 20)
    # Weights are compared bit for bit; what kernels make of them at other addresses, with fp32's
    # rounding.
    theirs = dict(tiny_model.named_parameters())
    assert all(
        torch.equal(parameter, theirs[name]) for name, parameter in lm.model.named_parameters()
    )
    torch.testing.assert_close(lm.model(ids).logits, tiny_model(ids).logits, atol=1e-4, rtol=1e-5)
    assert lm.name == "model" and lm.tokenizer.encode("abc") == CharTokenizer(ALPHABET).encode(
        "abc"
    )
    assert lm.model.config == tiny_model.config and not lm.model.training


def test_a_folder_opens_in_transformers_and_writes_the_same_text(folder, tiny_model):
    hf_model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    ids = random_ids(tiny_model.config, 1, 20)
    with torch.inference_mode():
        torch.testing.assert_close(
            hf_model(ids).logits, tiny_model(ids).logits, atol=5e-5, rtol=1e-5
        )
    assert transformers.AutoTokenizer.from_pretrained(folder).encode("Hello") == CharTokenizer(
        ALPHABET
    ).encode("Hello")


@pytest.mark.parametrize(
    "switches",
    [{"causal": False}, {"use_mlp": False}, {"attention_bias": False}, {"use_positions": False}],
)
def test_every_switch_survives_the_folder_and_inexpressible_ones_do_not_open_elsewhere(
    tmp_path, switches
):
    model = make_model(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, **switches)
    )
    save_folder(tmp_path / "m", model)
    again = load_folder(tmp_path / "m")
    ids = random_ids(model.config, 1, 10)
    theirs = dict(model.named_parameters())
    assert again.config == model.config
    assert all(torch.equal(parameter, theirs[name]) for name, parameter in again.named_parameters())
    # fp32's rounding
    torch.testing.assert_close(again(ids).logits, model(ids).logits, atol=1e-4, rtol=1e-5)
    if "causal" in switches or "use_mlp" in switches:
        with pytest.raises(ValueError, match="gptlens"):
            transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "m")


def test_half_precision_folders_load_as_fp32(tiny_model, tmp_path):
    save_folder(tmp_path / "half", tiny_model, dtype=torch.float16)
    half = load_folder(tmp_path / "half")
    assert half.wte.weight.dtype == torch.float32
    torch.testing.assert_close(half.wte.weight, tiny_model.wte.weight, atol=1e-3, rtol=1e-3)


def test_fp32_weights_stay_mapped_from_the_file_and_none_are_drawn_before_them(folder):
    before = torch.get_rng_state()
    model = load_folder(folder)
    assert (
        torch.equal(torch.get_rng_state(), before)
        and model.lm_head.weight.data_ptr() == model.wte.weight.data_ptr()
    )
    if not Path("/proc/self/maps").exists():
        pytest.skip("this system does not list its mappings")
    maps = [
        line.split() for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    ]
    file = str(folder / "model.safetensors")
    spans = [[int(end, 16) for end in where.split("-")] for where, *_, path in maps if path == file]
    assert all(
        any(first <= p.data_ptr() < last for first, last in spans) for p in model.parameters()
    )


def test_saving_again_replaces_the_model_and_keeps_other_files(folder, tiny_model):
    (folder / "README.md").write_text("a card", encoding="utf-8")
    with torch.no_grad():
        tiny_model.wte.weight.add_(1)
    save_folder(folder, tiny_model)
    assert (folder / "README.md").read_text(encoding="utf-8") == "a card"
    assert torch.equal(load_folder(folder).wte.weight, tiny_model.wte.weight)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model"]


def test_a_save_that_fails_leaves_the_old_folder_whole(folder, tiny_model):
    before = load_folder(folder).wte.weight.clone()
    with torch.no_grad():
        tiny_model.wte.weight[0, 0] = 1e6
    with pytest.raises(CheckpointError, match=r"wte\.weight|tokens_embed"):
        save_folder(folder, tiny_model, dtype=torch.float16)
    assert torch.equal(load_folder(folder).wte.weight, before)


@pytest.mark.parametrize(
    "content", [None, b"", b"PK\x03\x04 a zip, as torch.save writes", b"\xff" * 64]
)
def test_a_file_that_is_cut_short_or_no_safetensors_is_refused_by_name(folder, content):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100] if content is None else content)
    with pytest.raises(
        CheckpointError, match=r"model\.safetensors is damaged, cut short or not a safetensors file"
    ):
        load_folder(folder)


def test_a_pickle_is_never_opened_and_named(folder):
    (folder / "model.safetensors").unlink()
    torch.save({"a": torch.zeros(1)}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin is a pickle"):
        load_folder(folder)


def test_wrong_shapes_and_whole_numbers_are_refused_by_tensor_name(folder):
    tensors = load_file(folder / "model.safetensors")
    name = next(name for name in tensors if name.endswith("h.1.ln_2.bias"))
    save_file({**tensors, name: torch.zeros(3)}, folder / "model.safetensors")
    with pytest.raises(
        CheckpointError, match=r"h\.1\.ln_2\.bias has the shape \[3\]; it should be \[32\]"
    ):
        load_folder(folder)
    save_file({**tensors, name: torch.zeros(32, dtype=torch.int64)}, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"h\.1\.ln_2\.bias has the type torch\.int64"):
        load_folder(folder)


GOOD = {
    "model_type": "gpt2",
    "vocab_size": 61,
    "n_positions": 24,
    "n_embd": 32,
    "n_layer": 3,
    "n_head": 4,
}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (json.dumps({**GOOD, "n_head": 5}), "n_embd=32"),
        (json.dumps({**GOOD, "model_type": "bert"}), "bert"),
        (json.dumps({**GOOD, "n_layer": "three"}), "n_layer"),
        *((broken, r"config\.json is not usable") for broken in ("", "[]", "{")),
    ],
)
def test_an_unusable_config_is_a_sentence(folder, content, words):
    (folder / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError, match=words):
        load_folder(folder)


def test_sharded_weights_load_and_an_index_cannot_point_outside(folder, tiny_model):
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    (folder / "model.safetensors").unlink()
    parts = {"a.safetensors": names[:10], "b.safetensors": names[10:]}
    for file, part in parts.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    index = folder / "model.safetensors.index.json"
    index.write_text(
        json.dumps({"weight_map": {name: file for file, part in parts.items() for name in part}}),
        encoding="utf-8",
    )
    assert torch.equal(load_folder(folder).wte.weight, tiny_model.wte.weight)
    index.write_text(
        json.dumps({"weight_map": {"x": "../elsewhere.safetensors"}}), encoding="utf-8"
    )
    with pytest.raises(CheckpointError, match="outside"):
        shard_names(index)


def test_weights_too_large_for_one_file_are_divided_and_transformers_opens_them(
    tmp_path, tiny_model
):
    folder = tmp_path / "m"
    sizes = [tensor.nbytes for tensor in tensors_to_hf(tiny_model).values()]
    save_folder(folder, tiny_model, most_bytes=sum(sizes))
    assert [file.name for file in folder.glob("*.safetensors*")] == ["model.safetensors"]
    save_folder(folder, tiny_model, most_bytes=max(sizes))
    shards = sorted(folder.glob("*.safetensors"))
    assert (
        not (folder / "model.safetensors").is_file()
        and len(shards) >= math.ceil(sum(sizes) / max(sizes)) > 1
    )
    assert all(
        sum(tensor.nbytes for tensor in load_file(shard).values()) <= max(sizes) for shard in shards
    )
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    ids = random_ids(tiny_model.config, 1, 20)
    with torch.no_grad():
        torch.testing.assert_close(
            load_folder(folder)(ids).logits, theirs(ids).logits, atol=1e-4, rtol=1e-5
        )
    save_folder(folder, tiny_model)
    assert [file.name for file in folder.glob("*.safetensors*")] == ["model.safetensors"]


def test_a_missing_folder_and_an_unknown_name_list_the_choices(tmp_path):
    with pytest.raises(CheckpointError, match="is not a model folder"):
        gptcore.load(tmp_path)
    with pytest.raises(CheckpointError, match="gpt2-xl"):
        gptcore.load("gpt7")
    with pytest.raises(CheckpointError, match="no file"):
        read_tensors(tmp_path / "none.safetensors")


@pytest.mark.parametrize("name", ["gpt2", "gpt1", "someone/some-model"])
def test_hub_weights_offline_name_the_missing_file_and_how_to_fetch_it(name, monkeypatch):
    monkeypatch.setattr("gptcore.hub.cached", lambda *_: None)
    with pytest.raises(HubError, match=r"config\.json of .* is not on this machine.*hf download"):
        gptcore.load(name, offline=True)


def test_without_a_network_the_hub_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("gptcore.hub.cached", lambda *_: None)
    monkeypatch.setattr("gptcore.hub._hub_has_an_address", lambda: False)
    with pytest.raises(HubError, match=r"there is no network.*hf download openai-community/gpt2"):
        gptcore.load("gpt2")


def test_a_cached_hub_repository_loads_offline(tiny_model, tmp_path, monkeypatch):
    lm = LanguageModel(tiny_model, CharTokenizer(ALPHABET), "x")
    save_folder(tmp_path / "cache", lm.model, lm.tokenizer)
    monkeypatch.setattr("gptcore.hub.cached", lambda _, file: tmp_path / "cache" / file)
    loaded = gptcore.load("owner/tiny", offline=True)
    assert loaded.name == "owner/tiny" and torch.equal(
        loaded.model.wte.weight, tiny_model.wte.weight
    )


@pytest.mark.network
def test_the_real_gpt2_continues_a_golden_prompt(shared):
    try:
        lm = gptcore.load("gpt2")
    except HubError as error:
        pytest.skip(f"the real weights are not here: {error}")
    golden = json.loads((shared / "golden" / "gpt2_golden.json").read_text(encoding="utf-8"))[
        "gpt2_generation"
    ][0]
    ours = gptcore.generate(
        lm, golden["prompt_ids"], max_new_tokens=16, temperature=0, precision="exact"
    )
    assert golden["prompt_ids"] + [token.id for token in ours] == golden["expected_ids"]
