"""Model folders as transformers and tokenizers write them: the ids are AutoTokenizer's, and every
id has a name.
"""

import json
from pathlib import Path

import pytest
import tokenizers
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from tokenizers import (
    AddedToken,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel

import gptcore
from gptcore.errors import CheckpointError, TokenizerError
from gptcore.finetuning.instruction import Message, chat_prompt
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.tokenizers import StreamingText, describe_token, load_tokenizer

NASTY = (
    "", " ", "Hello world", " Hello  WORLD\n\n", "naïve Ünïcode ﬁ ①", "日本語 🎉", "12345 3.14",
    "a<s>b</s> <|endoftext|>",     "don't\tstop", "\u200bzero", "é e\u0301", "x" * 300,
)  # fmt: skip
TEXT = ["the cat sat on the mat", "don't stop 12345", "Lily found a key under the old tree. " * 3]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def trained(*, special=(), first=True, **parts):
    """A byte-level BPE of the tokenizers library."""
    made = tokenizers.Tokenizer(models.BPE())
    made.normalizer = parts.get("normalizer")
    made.pre_tokenizer = parts.get("split") or pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    named = list(special) if first else []
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=named, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(TEXT, trainer)
    if not first:
        made.add_special_tokens(
            [AddedToken(name, special=True, normalized=False) for name in special]
        )
    if "after" in parts:
        made.post_processor = parts["after"](made)
    return made


def with_words(made):
    made.add_tokens(["Lily", "zebra crossing"])
    return made


def cut_and_filled(made):
    made.enable_truncation(3)
    made.enable_padding(length=8)
    return made


def framed(made):
    ends = [(name, made.token_to_id(name)) for name in ("<s>", "</s>")]
    return processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)


KINDS = {
    "end first": lambda: trained(special=["<|endoftext|>"]),
    "five at 0 to 4": lambda: trained(special=SPECIAL),
    "pad after the end": lambda: trained(special=["<|endoftext|>", "[PAD]"], first=False),
    "two speakers": lambda: trained(special=["<|endoftext|>", "<|user|>", "<|bot|>"], first=False),
    "lower case": lambda: trained(
        special=["<|endoftext|>"], first=False, normalizer=normalizers.Lowercase()
    ),
    "NFKC": lambda: trained(special=["<|endoftext|>"], first=False, normalizer=normalizers.NFKC()),
    "digits apart": lambda: trained(
        special=["<|endoftext|>"],
        first=False,
        split=pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        ),
    ),
    "a space in front": lambda: trained(
        special=["<|endoftext|>"],
        first=False,
        split=pre_tokenizers.ByteLevel(add_prefix_space=True),
    ),
    "framed": lambda: trained(special=SPECIAL, after=framed),
    "added words": lambda: with_words(trained(special=["<|endoftext|>"], first=False)),
    "cut and filled": lambda: cut_and_filled(
        trained(special=["<|endoftext|>", "[PAD]"], first=False)
    ),
    "no end": lambda: trained(),
}


def folder_of(made, folder: Path, *, end: str | None = None, multiple: int = 1) -> Path:
    """A model folder around a tokenizer, with a model whose vocabulary is padded to a multiple."""
    folder.mkdir(exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    names = {"eos_token": end} if end else {}
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **names,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    size = -(-made.get_vocab_size() // multiple) * multiple
    torch.manual_seed(0)
    shape = GPT2Config(vocab_size=size, n_positions=64, n_embd=16, n_layer=2, n_head=2)
    GPT2LMHeadModel(shape).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_the_ids_are_those_of_auto_tokenizer_on_nasty_strings(kind, tmp_path):
    folder = folder_of(KINDS[kind](), tmp_path / "model")
    ours = load_tokenizer(folder)
    theirs = AutoTokenizer.from_pretrained(folder)
    for text in NASTY:
        assert ours.encode(text, allow_special=True) == theirs(text)["input_ids"], text
        assert ours.decode(theirs(text)["input_ids"]) == theirs.decode(theirs(text)["input_ids"]), (
            text
        )
    for i in range(ours.vocab_size):
        assert describe_token(ours, i)


def test_the_name_of_a_special_token_stays_text_where_people_write(tmp_path):
    ours = load_tokenizer(folder_of(trained(special=SPECIAL), tmp_path / "model", end="</s>"))
    assert ours.end_id == 2 and ours.encode("</s>", allow_special=True) == [2]
    assert 2 not in ours.encode("a</s>b") and ours.decode(ours.encode("a</s>b")) == "a</s>b"
    stream = StreamingText(ours)
    assert "".join(stream.push(i) for i in [*ours.encode("ü 🎉"), 2]) == "ü 🎉"


def test_what_is_saved_again_has_the_same_ids(tmp_path):
    lm = gptcore.load(
        folder_of(trained(special=SPECIAL, after=framed), tmp_path / "model", end="</s>")
    )
    gptcore.save_folder(tmp_path / "again", lm.model, lm.tokenizer)
    again = load_tokenizer(tmp_path / "again")
    theirs = AutoTokenizer.from_pretrained(tmp_path / "again")
    assert again.end_id == theirs.eos_token_id == 2
    for text in NASTY:
        assert again.encode(text, allow_special=True) == lm.tokenizer.encode(
            text, allow_special=True
        )
        assert again.encode(text, allow_special=True) == theirs(text)["input_ids"]


def test_ids_without_a_token_have_a_name_decode_to_nothing_and_are_never_chosen(tmp_path):
    made = trained(special=["<|endoftext|>"], first=False)
    folder = folder_of(made, tmp_path / "model", multiple=64)
    known = made.get_vocab_size()
    lm = gptcore.load(folder)
    assert (
        lm.model.config.vocab_size > known and lm.tokenizer.vocab_size == lm.model.config.vocab_size
    )
    assert describe_token(lm.tokenizer, known) == f"(no token {known})"
    assert lm.tokenizer.decode([known, *lm.tokenizer.encode("the cat")]) == "the cat"
    with torch.no_grad():
        lm.model.wte.weight[known:] = 50 * lm.model.wte.weight[:1]  # they would be the likeliest
    hot = SamplingSettings(temperature=5.0)
    for seed in range(3):
        made_now = gptcore.generate(lm, "the cat", max_new_tokens=20, settings=hot, seed=seed)
        assert max(token.id for token in made_now) < known


def test_the_older_pair_of_files_takes_its_added_tokens_along(tmp_path):
    made = trained(special=["<|endoftext|>"], first=False)
    folder = tmp_path / "model"
    folder.mkdir()
    made.model.save(str(folder))
    n = made.get_vocab_size(with_added_tokens=False)
    (folder / "added_tokens.json").write_text(
        json.dumps({"<|endoftext|>": n, "[PAD]": n + 1}), encoding="utf-8"
    )
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "GPT2Tokenizer", "pad_token": "[PAD]"}), encoding="utf-8"
    )
    ours = load_tokenizer(folder)
    assert (
        ours.vocab_size == n + 2
        and ours.encode("[PAD]", allow_special=True) == [n + 1]
        and ours.end_id == n
    )
    assert ours.encode("the cat") == made.encode("the cat").ids


@pytest.mark.parametrize("adds", [True, False])
def test_an_older_pair_whose_vocabulary_ends_with_the_end_of_text_takes_more_tokens_along(
    tmp_path, adds
):
    made = trained()
    n = made.get_vocab_size()
    made.model.save(str(tmp_path))
    words = json.loads((tmp_path / "vocab.json").read_text(encoding="utf-8"))
    written = json.dumps({**words, "<|endoftext|>": n})
    (tmp_path / "vocab.json").write_text(written, encoding="utf-8")
    if adds:
        more = json.dumps({"<|user|>": n + 1})
        (tmp_path / "added_tokens.json").write_text(more, encoding="utf-8")
    ours = load_tokenizer(tmp_path)
    assert (ours.vocab_size, ours.end_id) == (n + 1 + adds, n)
    asked = ours.encode("<|user|>", allow_special=True)
    assert asked == [n + 1] if adds else len(asked) > 1


def test_a_tokenizer_that_is_none_of_bytes_is_refused_by_name(tmp_path):
    made = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    made.decoder = decoders.WordPiece()
    (tmp_path / "tokenizer.json").write_text(made.to_str(), encoding="utf-8")
    with pytest.raises(TokenizerError, match="WordPiece"):
        load_tokenizer(tmp_path)


# Without `induction`, which has no MLPs: no architecture of transformers has none.
@pytest.mark.parametrize("name", sorted(gptcore.bundled_models().keys() - {"induction"}))
def test_a_bundled_folder_opens_in_transformers_in_single_precision_with_the_same_ids(name):
    folder = gptcore.bundled_models()[name]
    theirs = AutoTokenizer.from_pretrained(folder)
    lm = gptcore.load(name)
    assert AutoModelForCausalLM.from_pretrained(folder).dtype == torch.float32
    text = "the cat sat on the mat, and Lily said no"
    assert lm.tokenizer.encode(text) == theirs(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("name", ["mini", "assistant", "world"])
def test_a_bundled_tokenizer_cuts_at_the_window_and_fills_a_batch(name):
    theirs = AutoTokenizer.from_pretrained(gptcore.bundled_models()[name])
    window = gptcore.load(name).model.config.n_positions
    assert len(theirs("the cat " * 2 * window, truncation=True)["input_ids"]) == window
    batch = theirs(["the cat", "the cat sat on the mat"], padding=True)
    assert (
        len({len(ids) for ids in batch["input_ids"]}) == 1 and batch["attention_mask"][0][-1] == 0
    )


def test_the_assistant_s_chat_template_is_the_prompt_that_it_was_taught():
    theirs = AutoTokenizer.from_pretrained(gptcore.bundled_models()["assistant"])
    said = [("system", "Be kind."), ("user", " Hi "), ("assistant", "Hello."), ("user", "Bye")]
    chat = [{"role": role, "content": text} for role, text in said]
    ours = chat_prompt([Message(role.capitalize(), text) for role, text in said])
    assert theirs.apply_chat_template(chat, tokenize=False, add_generation_prompt=True) == ours


def test_what_is_saved_says_its_window(tmp_path):
    lm = gptcore.load("mini")
    gptcore.save_folder(tmp_path / "again", lm.model, lm.tokenizer)
    theirs = AutoTokenizer.from_pretrained(tmp_path / "again")
    assert (
        theirs.model_max_length == lm.model.config.n_positions
        and theirs.pad_token == theirs.eos_token
    )


def test_an_id_far_beyond_the_tokens_is_refused_before_it_takes_memory(tmp_path):
    described = json.loads(trained(special=["<|endoftext|>"]).to_str())
    described["model"]["vocab"]["zz"] = 4_000_000_000
    (tmp_path / "tokenizer.json").write_text(json.dumps(described), encoding="utf-8")
    with pytest.raises(TokenizerError, match="an id of 4,000,000,000"):
        load_tokenizer(tmp_path)


def same_logits(folder: Path, tolerance: float = 1e-4) -> None:
    ours = gptcore.load(folder).model
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids = torch.arange(5, 25)[None]
    with torch.no_grad():
        torch.testing.assert_close(
            ours(ids).logits, theirs(ids).logits, atol=tolerance, rtol=tolerance
        )


def rewritten(file: Path, change) -> None:
    values = json.loads(file.read_text(encoding="utf-8"))
    change(values)
    file.write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["gelu", "gelu_new", "gelu_fast", "gelu_python", "gelu_accurate", "gelu_pytorch_tanh", "relu"],
)
def test_every_name_of_an_activation_is_the_function_that_transformers_means(name, tmp_path):
    folder_of(trained(special=["<|endoftext|>"], first=False), tmp_path / "model")
    rewritten(
        tmp_path / "model" / "config.json", lambda values: values.update(activation_function=name)
    )
    same_logits(tmp_path / "model")


def test_the_other_names_of_a_shape_are_read_as_auto_config_reads_them(tmp_path):
    folder_of(trained(special=["<|endoftext|>"], first=False), tmp_path / "model")

    def rename(values):
        for alias, name in GPT2Config.attribute_map.items():
            values[alias] = values.pop(name)

    rewritten(tmp_path / "model" / "config.json", rename)
    same_logits(tmp_path / "model")


@pytest.mark.slow
def test_an_adapter_made_by_peft_is_told_from_a_model_and_opens_once_it_is_merged(tmp_path):
    mini = gptcore.bundled_models()["mini"]
    small = LoraConfig(task_type="CAUSAL_LM", r=4, target_modules=["c_attn"], fan_in_fan_out=True)
    adapter = get_peft_model(AutoModelForCausalLM.from_pretrained(mini), small)
    with torch.no_grad():
        for name, weight in adapter.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.05, generator=torch.Generator().manual_seed(1))
    adapter.save_pretrained(tmp_path / "adapter")
    with pytest.raises(CheckpointError, match="merge it first"):
        gptcore.load(tmp_path / "adapter")
    ids = torch.tensor([[5, 80, 300, 7]])
    expected = adapter(ids).logits
    adapter.merge_and_unload().save_pretrained(tmp_path / "merged")
    AutoTokenizer.from_pretrained(mini).save_pretrained(tmp_path / "merged")
    merged = gptcore.load(tmp_path / "merged")
    with torch.inference_mode():
        torch.testing.assert_close(merged.model(ids).logits, expected, atol=2e-4, rtol=0)
        assert (expected - gptcore.load("mini").model(ids).logits).abs().max() > 0.1


def test_an_index_that_names_numbers_gets_a_sentence(tmp_path):
    folder_of(trained(special=["<|endoftext|>"], first=False), tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    (tmp_path / "model" / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"wte.weight": 3}}), encoding="utf-8"
    )
    with pytest.raises(CheckpointError, match="3"):
        gptcore.load(tmp_path / "model")


def test_a_file_of_very_many_tensors_is_refused_at_its_header(tmp_path):
    folder_of(trained(special=["<|endoftext|>"], first=False), tmp_path / "model")
    many = {f"h.0.x{i}": torch.zeros(0) for i in range(2000)}
    save_file(many, tmp_path / "model" / "model.safetensors")
    with pytest.raises(CheckpointError, match="2,000 tensors"):
        gptcore.load(tmp_path / "model")
