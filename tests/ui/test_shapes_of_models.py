"""Model folders and archives of the shapes that people have: opened as transformers opens them, or
refused in words.

Each shape goes the same ways: a folder, a zip, a zip made on a Mac, one with backslashes, and from
a simulated Hub.
"""

import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import tokenizers
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file, save_model
from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers
from transformers import (
    GPT2Config,
    GPT2DoubleHeadsModel,
    GPT2ForSequenceClassification,
    GPT2LMHeadModel,
    OpenAIGPTConfig,
    OpenAIGPTLMHeadModel,
)

import gptcore
from gptcore.errors import GPTCoreError, HubError, MissingFileError
from gptcore.weights.contents import MODEL_FILES, obstacle
from ui.lenses.train.handlers import files

TEXT = "the cat sat on the mat, and Lily found a key under the old tree"
END = "<stop>"
PAD = "[PAD]"
WEIGHTS = "model.safetensors"


def byte_level(*special: str) -> tokenizers.Tokenizer:
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [TEXT] * 3,
        trainers.BpeTrainer(vocab_size=280, initial_alphabet=alphabet, show_progress=False),
    )
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in special])
    return made


def seeded(kind: type, shape: object) -> torch.nn.Module:
    """A model of random weights, biases and norms among them."""
    torch.manual_seed(0)
    model = kind(shape)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.3)
    return model.eval()


def gpt2(size: int, **more: object) -> GPT2Config:
    shape = {"vocab_size": size, "n_positions": 64, "n_embd": 16, "n_layer": 2, "n_head": 2}
    return GPT2Config(**{**shape, "bos_token_id": None, "eos_token_id": None, **more})


def rewritten(
    folder: Path, change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]
) -> None:
    tensors = change(load_file(folder / WEIGHTS))
    save_file({name: tensor.clone() for name, tensor in tensors.items()}, folder / WEIGHTS)


def edited(file: Path, **values: object) -> None:
    file.write_text(
        json.dumps({**json.loads(file.read_text(encoding="utf-8")), **values}), encoding="utf-8"
    )


def base(folder: Path, *, settings: bool = True) -> tokenizers.Tokenizer:
    """A folder with a tokenizer whose end is named in its settings."""
    made = byte_level(END, PAD)
    made.save(str(folder / "tokenizer.json"))
    named = {"eos_token": END, "pad_token": PAD}
    told = {"tokenizer_class": "PreTrainedTokenizerFast", **(named if settings else {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    return made


def plain(folder: Path) -> torch.nn.Module:
    model = seeded(GPT2LMHeadModel, gpt2(base(folder).get_vocab_size()))
    model.save_pretrained(folder)
    return model


def older_files(folder: Path) -> torch.nn.Module:
    made = byte_level(END, PAD)
    made.model.save(str(folder))
    known = made.get_vocab_size(with_added_tokens=False)
    (folder / "added_tokens.json").write_text(
        json.dumps({END: known, PAD: known + 1}), encoding="utf-8"
    )
    (folder / "special_tokens_map.json").write_text(
        json.dumps({"eos_token": END}), encoding="utf-8"
    )
    model = seeded(GPT2LMHeadModel, gpt2(known + 2))
    model.save_pretrained(folder)
    return model


def end_in_the_map(folder: Path) -> torch.nn.Module:
    model = plain(folder)
    base(folder, settings=False)
    told = {"eos_token": {"content": END, "lstrip": False}}
    (folder / "special_tokens_map.json").write_text(json.dumps(told), encoding="utf-8")
    return model


def end_in_a_config(name: str, *, listed: bool) -> Callable[[Path], torch.nn.Module]:
    def make(folder: Path) -> torch.nn.Module:
        model = plain(folder)
        end = base(folder, settings=False).token_to_id(END)
        (folder / "generation_config.json").unlink(missing_ok=True)
        (folder / name).touch()
        file = folder / name
        file.write_text(file.read_text(encoding="utf-8") or "{}", encoding="utf-8")
        edited(file, eos_token_id=[end, 3] if listed else end)
        return model

    return make


def in_shards(folder: Path) -> torch.nn.Module:
    model = plain(folder)
    (folder / WEIGHTS).unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    assert len(list(folder.glob("model-*-of-*.safetensors"))) > 2
    return model


def tied_but_different(folder: Path) -> torch.nn.Module:
    plain(folder)
    shape = gpt2(byte_level(END, PAD).get_vocab_size(), tie_word_embeddings=False)
    model = seeded(GPT2LMHeadModel, shape)
    model.save_pretrained(folder)
    edited(folder / "config.json", tie_word_embeddings=True)
    return model


def by_save_model(folder: Path) -> torch.nn.Module:
    model = plain(folder)
    save_model(model, str(folder / WEIGHTS))
    kept = set(load_file(folder / WEIGHTS))
    assert "lm_head.weight" in kept and "transformer.wte.weight" not in kept
    return model


def gpt1_by_save_model(folder: Path) -> torch.nn.Module:
    size = base(folder).get_vocab_size()
    shape = OpenAIGPTConfig(vocab_size=size, n_positions=64, n_embd=16, n_layer=2, n_head=2)
    model = seeded(OpenAIGPTLMHeadModel, shape)
    model.save_pretrained(folder)
    save_model(model, str(folder / WEIGHTS))
    return model


def under(prefix: str) -> Callable[[Path], torch.nn.Module]:
    def make(folder: Path) -> torch.nn.Module:
        model = plain(folder)
        rewritten(
            folder, lambda tensors: {prefix + name: tensor for name, tensor in tensors.items()}
        )
        return model

    return make


def with_another_head(kind: type) -> Callable[[Path], torch.nn.Module]:
    def make(folder: Path) -> torch.nn.Module:
        size = base(folder).get_vocab_size()
        other = seeded(kind, gpt2(size, num_labels=3, pad_token_id=0))
        other.save_pretrained(folder)
        model = seeded(GPT2LMHeadModel, gpt2(size))
        model.transformer.load_state_dict(other.transformer.state_dict())
        model.tie_weights()
        return model

    return make


def with_whole_numbers(folder: Path) -> torch.nn.Module:
    model = plain(folder)
    more = {
        "transformer.position_ids": torch.arange(64),
        "transformer.h.0.attn.bias": torch.ones(64, 64).tril().byte(),
    }
    rewritten(folder, lambda tensors: {**tensors, **more})
    return model


OPENED = {
    "plain": plain,
    "older files": older_files,
    "end in the map": end_in_the_map,
    "end in config.json": end_in_a_config("config.json", listed=False),
    "end in generation_config.json": end_in_a_config("generation_config.json", listed=True),
    "in shards": in_shards,
    "tied but different": tied_but_different,
    "by save_model": by_save_model,
    "GPT-1 by save_model": gpt1_by_save_model,
    "compiled": under("_orig_mod."),
    "parallel": under("module."),
    "in a wrapper": under("model."),
    "compiled in a wrapper": under("module._orig_mod.model."),
    "a classifier": with_another_head(GPT2ForSequenceClassification),
    "two heads": with_another_head(GPT2DoubleHeadsModel),
    "whole numbers beside": with_whole_numbers,
}


def zipped(
    folder: Path, target: Path, *, name: Callable[[str], str], more: dict[str, bytes] | None = None
) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            made.writestr(name(file.relative_to(folder).as_posix()), file.read_bytes())
        for other, content in (more or {}).items():
            made.writestr(other, content)
    return target


def as_folder(services, folder, monkeypatch):
    return gptcore.load(folder)


def as_zip(services, folder, monkeypatch):
    return uploaded(services, zipped(folder, folder.parent / "a model.zip", name=lambda name: name))


def as_zip_of_a_mac(services, folder, monkeypatch):
    beside = {"__MACOSX/model/._config.json": b"\0\5\x16\7", "model/.DS_Store": b"\0\0\0\1Bud1"}
    return uploaded(
        services,
        zipped(folder, folder.parent / "mac.zip", name=lambda name: f"model/{name}", more=beside),
    )


def as_zip_with_backslashes(services, folder, monkeypatch):
    written = zipped(
        folder, folder.parent / "win.zip", name=lambda name: "model\\" + name.replace("/", "\\")
    )
    return uploaded(services, written)


def as_zip_with_a_checkpoint_beside(services, folder, monkeypatch):
    older = {
        "checkpoint-5/config.json": b"{}",
        "checkpoint-5/model.safetensors": b"older",
        "train.log": b"loss 3",
    }
    return uploaded(
        services, zipped(folder, folder.parent / "run.zip", name=lambda name: name, more=older)
    )


def from_the_hub(services, folder, monkeypatch):
    def fetched(repository: str, file: str, **_: object) -> Path:
        if not (folder / file).is_file():
            raise MissingFileError(f"The repository {repository} on the Hub has no file {file}.")
        return folder / file

    monkeypatch.setattr("gptcore.language_model.fetch", fetched)
    return gptcore.load("owner/name")


def from_the_hub_s_cache(services, folder, monkeypatch):
    def cached(_: str, file: str) -> Path | None:
        return folder / file if (folder / file).is_file() else None

    monkeypatch.setattr("gptcore.hub.cached", cached)
    return gptcore.load("owner/name", offline=True)


WAYS = [
    as_folder,
    as_zip,
    as_zip_of_a_mac,
    as_zip_with_backslashes,
    as_zip_with_a_checkpoint_beside,
    from_the_hub,
    from_the_hub_s_cache,
]


def uploaded(services, file: Path) -> gptcore.LanguageModel:
    workspace, name = files.opened_model(services, None, str(file))
    return workspace.models[name]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("shape", OPENED)
def test_it_opens_with_the_logits_the_ids_and_the_end_that_it_was_made_with(
    services, tmp_path, monkeypatch, shape, way
):
    folder = tmp_path / "model"
    folder.mkdir()
    theirs = OPENED[shape](folder)
    lm = way(services, folder, monkeypatch)
    made = byte_level(END, PAD)
    ids = lm.tokenizer.encode(TEXT)
    assert ids == made.encode(TEXT).ids and lm.tokenizer.end_id == made.token_to_id(END)
    assert lm.tokenizer.encode(f"a{END}", allow_special=True)[-1] == made.token_to_id(END)
    with torch.inference_mode():
        ours, wanted = (model(torch.tensor([ids])).logits for model in (lm.model, theirs))
    torch.testing.assert_close(ours, wanted, atol=1e-4, rtol=1e-4)
    said = {
        "tied but different": "both are read",
        "a classifier": "(score)",
        "two heads": "(multiple_choice_head)",
    }
    assert (said.get(shape, "") in " ".join(lm.notes)) and bool(lm.notes) == (shape in said)


def test_what_the_readers_open_is_in_the_list_that_zips_and_the_hub_are_read_by(tmp_path):
    """Whatever a reader tries to open in a folder travels with it; noted by the interpreter's own
    audit.
    """
    (folder := tmp_path / "model").mkdir()
    older_files(folder)
    tried = set()
    watched = [str(folder)]

    def note(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and watched and str(given[0]).startswith(watched[0]):
            tried.add(Path(str(given[0])).name)

    sys.addaudithook(note)
    gptcore.load(folder)
    base(folder, settings=False)
    (folder / "special_tokens_map.json").unlink()
    gptcore.load(folder)
    watched.clear()
    assert {"config.json", "added_tokens.json", "tokenizer.json", "generation_config.json"} <= tried
    assert tried - {"model"} <= set(MODEL_FILES)


def without_head(folder: Path) -> None:
    shape = gpt2(base(folder).get_vocab_size(), tie_word_embeddings=False)
    seeded(GPT2LMHeadModel, shape).save_pretrained(folder)
    rewritten(
        folder, lambda tensors: {name: t for name, t in tensors.items() if name != "lm_head.weight"}
    )


def only(*names: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"\x80\x02")

    return make


def in_place_of_weights(*names: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        plain(folder)
        (folder / WEIGHTS).unlink()
        only(*names)(folder)

    return make


def adapter(folder: Path) -> None:
    model = seeded(GPT2LMHeadModel, gpt2(280))
    get_peft_model(
        model, LoraConfig(r=2, target_modules=["c_attn"], task_type="CAUSAL_LM")
    ).save_pretrained(folder)


def trainer_s_parent(folder: Path) -> None:
    for step in (500, 1500):
        (folder / f"checkpoint-{step}").mkdir()
        plain(folder / f"checkpoint-{step}")


def quantised(folder: Path) -> None:
    plain(folder)
    edited(
        folder / "config.json",
        quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True},
    )


def without_tokenizer(folder: Path) -> None:
    plain(folder)
    (folder / "tokenizer.json").unlink()


REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "untied without its head": (without_head, "lacks the tensor lm_head.weight"),
    "nanoGPT": (only("ckpt.pt"), "ckpt.pt is a pickle.*nanoGPT"),
    "DeepSpeed": (only("mp_rank_00/mp_rank_00_model_states.pt"), "DeepSpeed.*zero_to_fp32"),
    "bin": (
        in_place_of_weights("pytorch_model.bin"),
        "pytorch_model.bin is a pickle.*save_pretrained",
    ),
    "bin in shards": (
        in_place_of_weights("pytorch_model.bin.index.json"),
        "is a pickle.*save_pretrained",
    ),
    "llama.cpp": (only("mini.gguf"), "mini.gguf is of llama.cpp"),
    "ONNX": (in_place_of_weights("model.onnx"), "model.onnx is of ONNX"),
    "TensorFlow": (in_place_of_weights("tf_model.h5"), "tf_model.h5 is of TensorFlow"),
    "Flax": (in_place_of_weights("flax_model.msgpack"), "flax_model.msgpack is of Flax"),
    "adapter": (adapter, "adapter of peft; merge it first"),
    "Trainer": (trainer_s_parent, "the newest is checkpoint-1500"),
    "without a tokenizer": (
        without_tokenizer,
        "has no tokenizer.json and no vocab.json with merges.txt",
    ),
    "quantised": (quantised, "quantised by bitsandbytes"),
}


@pytest.mark.parametrize("shape", REFUSED)
def test_what_is_no_model_is_called_what_it_is_with_the_way_out(services, tmp_path, shape):
    make, words = REFUSED[shape]
    (folder := tmp_path / "model").mkdir()
    make(folder)
    archive = zipped(folder, tmp_path / "given.zip", name=lambda name: name)
    for opened in (lambda: gptcore.load(folder), lambda: uploaded(services, archive)):
        shutil.copy(archive, tmp_path / "kept.zip")
        with pytest.raises(GPTCoreError, match=words) as refused:
            opened()
        assert "  " not in str(refused.value) and str(tmp_path) not in str(refused.value).replace(
            str(folder), ""
        )


UPLOADS = {
    "m.pt": "m.pt is a pickle",
    "model.safetensors": "without their config.json",
    "m.tar.gz": "Zip the model folder",
    "adapter_model.bin": "is a pickle",
    "mini.gguf": "is of llama.cpp",
    "notes.txt": "cannot be opened as a zip file",
}


@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_that_is_no_zip_is_called_what_it_is(services, tmp_path, name):
    file = tmp_path / name
    if name.endswith(".pt"):
        torch.save({"a": torch.zeros(2)}, file)
    else:
        file.write_bytes(b"\x80\x02 something else")
    with pytest.raises(GPTCoreError, match=UPLOADS[name]) as refused:
        files.opened_model(services, None, str(file))
    assert str(tmp_path) not in str(refused.value)


@pytest.mark.parametrize("name", ["model.safetensors", "ckpt.pt", "mini.gguf"])
def test_a_file_in_place_of_its_folder_is_said_to_be_one(tmp_path, name):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(GPTCoreError, match=f"{name} is a file, and a model is a folder") as refused:
        gptcore.load(tmp_path / name)
    why = obstacle([name])
    assert str(refused.value).endswith(why or f"Give its folder: {tmp_path}.")
    assert bool(why) == (name != "model.safetensors")


def test_a_repository_whose_files_are_not_here_says_how_to_fetch_them(monkeypatch, tmp_path):
    plain(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    monkeypatch.setattr(
        "gptcore.hub.cached",
        lambda _, file: tmp_path / file if (tmp_path / file).is_file() else None,
    )
    with pytest.raises(
        HubError, match=r"tokenizer\.json of owner/name is not on this machine.*hf download"
    ):
        gptcore.load("owner/name", offline=True)


@pytest.mark.parametrize("name", sorted(gptcore.bundled_models()))
def test_a_zip_of_a_bundled_model_s_own_folder_opens(services, tmp_path, name):
    folder = gptcore.bundled_models()[name]
    target = tmp_path / f"{name}.zip"
    with zipfile.ZipFile(target, "w") as made:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            made.write(file, f"{name}/{file.relative_to(folder)}")
    assert torch.equal(
        uploaded(services, target).model.wte.weight, gptcore.load(name).model.wte.weight
    )
