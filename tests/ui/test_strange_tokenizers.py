"""Tokenizers that strangers upload: tables run, programs do not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from test_hostile_files import SHAPE, Cheap, zipped

from gptcore.errors import TokenizerError
from gptcore.tokenizers import ByteBPE
from gptcore.weights.checkpoint import save_folder
from tiny import make_model
from ui.lenses.train.handlers import files


def with_part(folder: Path, name: str, part: object) -> Path:
    """A folder whose byte-level tokenizer has another part."""
    tokenizer = ByteBPE.train(["the cat sat on the mat. " * 20], vocab_size=262)
    save_folder(folder, make_model(replace(SHAPE, vocab_size=262)), tokenizer)
    parsed = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps({**parsed, name: part}), encoding="utf-8")
    return folder


def several(kind: str, *parts: object) -> dict:
    return {"type": "Sequence", kind: list(parts)}


MULTIPLIES = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10}
SLOW = {
    "type": "Split",
    "pattern": {"Regex": "(a|a){18}(?<!a)"},
    "behavior": "Isolated",
    "invert": False,
}
ADDS = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}] * 20,
}
LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
HARMFUL = [
    ("normalizer", MULTIPLIES), ("normalizer", several("normalizers", *[MULTIPLIES] * 5)),
    ("normalizer", several("normalizers", {"type": "NFC"}, several("normalizers", MULTIPLIES))),
    ("normalizer", {"type": "Prepend", "prepend": "a" * 1000}),
    ("normalizer", several("normalizers", *[{"type": "Prepend", "prepend": "aaaaaaaa"}] * 100)),
    ("normalizer", {"type": "Precompiled", "precompiled_charsmap": ""}), ("pre_tokenizer", SLOW),
    ("pre_tokenizer", several("pretokenizers", SLOW, LEVEL)), ("post_processor", ADDS),
    ("pre_tokenizer", {"type": "UnicodeScripts"}),
]  # fmt: skip
HARMLESS = [
    ("normalizer", {"type": "NFC"}),
    ("normalizer", several("normalizers", {"type": "NFKC"}, {"type": "Lowercase"})),
    (
        "pre_tokenizer",
        several("pretokenizers", {"type": "Digits", "individual_digits": True}, LEVEL),
    ),
    (
        "post_processor",
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
    ),
]


@pytest.mark.parametrize(("name", "part"), HARMFUL)
def test_a_tokenizer_that_is_a_program_does_not_run_when_a_stranger_has_uploaded_it(
    services, tmp_path, name, part
):
    file = zipped(with_part(tmp_path / "model", name, part), tmp_path / "m.zip")
    with Cheap(), pytest.raises(TokenizerError, match=r"not run for uploads|is not a tokenizer"):
        files.opened_model(services, None, str(file))


@pytest.mark.parametrize(("name", "part"), HARMLESS)
def test_the_known_parts_of_a_tokenizer_run_for_uploads_too(services, tmp_path, name, part):
    file = zipped(with_part(tmp_path / "model", name, part), tmp_path / "m.zip")
    workspace, model = files.opened_model(services, None, str(file))
    assert workspace.models[model].tokenizer.encode("the cat 12")
