"""Uploads and folders that mean harm: refused by a sentence, quickly, and before anything of their
size is made.
"""

import itertools
import json
import os
import resource
import struct
import time
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from test_guard import inner
from wire import answered

import gptcore
from gptcore import GPTConfig, LanguageModel
from gptcore.corpora import decoded
from gptcore.errors import CheckpointError, GPTCoreError, TokenizerError
from gptcore.language_model import find_folder
from gptcore.tokenizers import ByteBPE, CharTokenizer, load_tokenizer
from gptcore.weights.checkpoint import load_folder, save_folder, write_tensors
from tiny import make_model
from ui.endpoints import ENDPOINTS
from ui.errors import shown_to_visitor
from ui.lenses.train.handlers import files
from ui.server.temp_files import TemporaryFiles
from ui.server.uploads import UploadRoom
from ui.shared import uses
from ui.shared.inputs import InputError
from ui.state.limits import Limits
from ui.state.model_store import ModelStore, moments, title_of

SHAPE = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)
TOKENIZER = CharTokenizer("".join(chr(64 + i) for i in range(61)))
MUCH = 300 << 20  # bytes that no refusal may take
LONG = (
    5.0  # seconds of processor; a refusal takes milliseconds, a model of the claimed size minutes
)


@pytest.fixture
def folder(tmp_path) -> Path:
    return save_folder(tmp_path / "model", make_model(SHAPE), TOKENIZER)


@pytest.fixture
def temporary(tmp_path, monkeypatch) -> None:
    """Temporary files are made in the test's folder, and what they set is put back."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("GRADIO_TEMP_DIR", "")


def changed(folder: Path, **values) -> Path:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **values}), encoding="utf-8")
    return folder


def packed(target: Path, members: Iterable[tuple[str, bytes]], how=zipfile.ZIP_DEFLATED) -> Path:
    """A zip of files by their names."""
    with zipfile.ZipFile(target, "w", how) as made:
        for name, content in members:
            made.writestr(name, content)
    return target


def zipped(folder: Path, target: Path, *more: tuple[str, bytes], how=zipfile.ZIP_DEFLATED) -> Path:
    """A zip of a model's folder."""
    return packed(
        target,
        [*((f"model/{file.name}", file.read_bytes()) for file in folder.iterdir()), *more],
        how,
    )


class Cheap:
    """No more memory and time than a refusal may take."""

    def __enter__(self):
        self.began = time.process_time()
        self.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def __exit__(self, *_):
        grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self.memory)
        assert grown < MUCH and time.process_time() - self.began < LONG


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n_layer": 1_000_000}, "says 1,000,000 layers and the weights hold 2"),
        ({"n_layer": 10_000}, "says 10,000 layers"),
        ({"n_layer": 1}, "says 1 layers and the weights hold 2"),
        ({"n_embd": 1 << 40}, "at most 16,777,216 is read"),
        ({"n_embd": 1 << 20}, "token embedding has the shape"),
        ({"vocab_size": 1 << 24}, "token embedding has the shape"),
        ({"n_positions": 1 << 24}, "should be"),
        ({"n_inner": 1 << 24}, "should be"),
        ({"n_head": 1 << 60}, "at most 16,777,216 is read"),
    ],
)
def test_a_config_that_claims_more_than_its_file_holds_is_refused_before_anything_is_built(
    services, folder, tmp_path, values, said
):
    with Cheap(), pytest.raises(CheckpointError, match=said):
        load_folder(changed(folder, **values))
    with Cheap(), pytest.raises(GPTCoreError, match=f"{said}|parameters; this server opens"):
        files.opened_model(services, None, str(zipped(folder, tmp_path / "m.zip")))
    store = ModelStore(Limits())
    with Cheap(), pytest.raises(CheckpointError, match=f"{said}|GB of memory"):
        store.get(str(folder))


def test_a_model_over_the_limit_of_the_server_or_the_memory_of_the_machine_is_a_sentence(folder):
    store = ModelStore(replace(Limits(), model_bytes=1000))
    (folder / "model.safetensors").write_bytes(b"never read")
    with pytest.raises(CheckpointError, match="GB of memory; this server gives"):
        store.get(str(folder))

    def loader(*_, **__):
        raise MemoryError

    with pytest.raises(CheckpointError, match="not enough memory on this machine to open big"):
        ModelStore(Limits(), loader=loader, default="big").get("big")


def test_a_refused_upload_does_not_show_where_it_was_unpacked(services, folder, tmp_path):
    (folder / "model.safetensors").write_bytes(b"rubbish")
    with pytest.raises(GPTCoreError) as refused:
        files.opened_model(services, None, str(zipped(folder, tmp_path / "m.zip")))
    assert "/" not in str(refused.value) and "model.safetensors" in str(refused.value)


def lying_zip(folder: Path, target: Path, declared: int) -> Path:
    """A zip whose large member declares few bytes."""
    content = b"\0" * (64 << 20)
    packed(
        target,
        [("config.json", (folder / "config.json").read_bytes()), ("model.safetensors", content)],
    )
    target.write_bytes(
        target.read_bytes().replace(struct.pack("<I", len(content)), struct.pack("<I", declared))
    )
    return target


@pytest.mark.parametrize("declared", [1000, 64 << 20])
def test_a_zip_is_unpacked_no_further_than_allowed(folder, tmp_path, declared):
    small = 1 << 20
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InputError):
        files.unpack(lying_zip(folder, tmp_path / "bomb.zip", declared), out, most_bytes=small)
    assert sum(file.stat().st_size for file in out.iterdir()) <= small + 10_000


def test_zips_with_too_many_doubled_or_unusual_members_are_refused(services, folder, tmp_path):
    nothing = ((f"{index}/config.json", b"") for index in range(60_000))
    many = packed(tmp_path / "many.zip", nothing, zipfile.ZIP_STORED)
    with Cheap(), pytest.raises(InputError, match="60,000 files; at most 200"):
        files.opened_model(services, None, str(many))
    with pytest.warns(UserWarning, match="Duplicate"):
        doubled = zipped(folder, tmp_path / "doubled.zip", ("model/config.json", b"{}"))
    with pytest.raises(InputError, match=r"config.json more than once"):
        files.opened_model(services, None, str(doubled))
    unusual = zipped(folder, tmp_path / "unusual.zip", how=zipfile.ZIP_LZMA)
    with pytest.raises(InputError, match="uses unsupported compression"):
        files.opened_model(services, None, str(unusual))
    for content in (b"", b"PK\5\6", b"no zip at all" * 100, b"PK\5\6" + b"\xff" * 18):
        (tmp_path / "bad.zip").write_bytes(content)
        with pytest.raises(InputError):
            files.opened_model(services, None, str(tmp_path / "bad.zip"))


def test_an_upload_s_tokenizer_brings_tokens_and_merges_and_no_pattern(tmp_path):
    words = {"<unk>": 0, "a</w>": 1, "a": 2, "aa</w>": 3}
    model = {
        "type": "BPE",
        "vocab": words,
        "merges": [["a", "a</w>"]],
        "end_of_word_suffix": "</w>",
    }
    slow = {
        "type": "Split",
        "pattern": {"Regex": "(a+)+b(?=c)"},
        "behavior": "Isolated",
        "invert": False,
    }
    nothing = dict.fromkeys(("normalizer", "decoder", "post_processor"))
    fast = {
        "model": {**model, "unk_token": "<unk>"},
        "pre_tokenizer": slow,
        "added_tokens": [],
        **nothing,
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(fast), encoding="utf-8")
    tokenizer = load_tokenizer(tmp_path)
    with Cheap():
        assert tokenizer.encode("a" * 40) != [] and tokenizer.encode("aa") == [3]


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "[]",
        '{"model": []}',
        '{"model": {"type": "WordLevel", "vocab": {"ab": 0}}}',
        '{"model": {"type": "WordLevel", "vocab": []}}',
        '{"model": {"type": "BPE", "vocab": {"a": "x"}, "merges": []}}',
        '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["q", "r"]], '
        '"end_of_word_suffix": "</w>"}}',
        '{"model": {"type": "BPE", "vocab": {"a": -1}, "merges": ["a"], "end_of_word_suffix": '
        '"</w>"}}',
        '{"model": {"type": "BPE", "vocab": {"a": 99999999999999999999}, "merges": [], '
        '"end_of_word_suffix": "</w>"}}',
        '{"model": {"type": "BPE", "vocab": {}, "merges": [], "end_of_word_suffix": 7}}',
        '{"model": {"type": "BPE", "vocab": {"a": 0}}, "added_tokens": {"a": 1}}',
        '{"model": {"type": "BPE", "vocab": {"\\ud800": 0}}, "added_tokens": []}',
    ],
)
def test_malformed_tokenizers_are_sentences(tmp_path, content):
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(TokenizerError):
        load_tokenizer(tmp_path)


def test_a_panic_of_a_library_does_not_pass_the_gate(caplog):
    class PanicException(BaseException):
        pass

    with pytest.raises(Exception, match="Something went wrong inside the app"), shown_to_visitor():
        raise PanicException("panicked")
    with pytest.raises(GeneratorExit), shown_to_visitor():
        raise GeneratorExit


def test_a_full_disk_is_a_sentence(tmp_path):
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    # a file that cannot grow is a disk that is full
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, allowed[1]))
    try:
        with pytest.raises(CheckpointError, match="cannot be written"):
            write_tensors({"a": torch.zeros(1 << 16)}, tmp_path / "model.safetensors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_numbers_are_told_and_not_drawn_as_zeros(services, tmp_path):
    tokenizer = ByteBPE.train(["the cat sat on the mat"], vocab_size=262)
    model = make_model(replace(SHAPE, vocab_size=262))
    save_folder(tmp_path / "nan", model, tokenizer)
    tensors = load_file(tmp_path / "nan" / "model.safetensors")
    tensors["transformer.ln_f.weight"][0] = torch.nan
    save_file(tensors, tmp_path / "nan" / "model.safetensors", {"format": "pt"})
    lm = LanguageModel(load_folder(tmp_path / "nan"), tokenizer, "nan")
    broken = replace(
        services, models=ModelStore(Limits(), default="nan", loader=lambda *_, **__: lm)
    )
    with pytest.raises(CheckpointError, match="computes NaN"):
        ENDPOINTS["next_token"](broken, "the cat", n_rows=5, model="nan")
    with pytest.raises(CheckpointError, match="computes NaN"):
        ENDPOINTS["attention"](broken, "the cat", model="nan")


def test_utf_32_is_not_taken_for_utf_16():
    for encoding in ("utf-32", "utf-32-le", "utf-32-be"):
        mark = {"utf-32": b"", "utf-32-le": b"\xff\xfe\0\0", "utf-32-be": b"\0\0\xfe\xff"}[encoding]
        text, note = decoded(mark + "The cat".encode(encoding), "a.txt")
        assert text.lstrip("\ufeff") == "The cat" and "UTF-32" in note
    assert decoded("The cat".encode("utf-16"), "a.txt") == ("The cat", "a.txt was read as UTF-16.")


def test_temporary_files_have_an_age_a_cap_and_an_owner(tmp_path, temporary):
    gone = tmp_path / TemporaryFiles(most_bytes=1).folder.parent.name / str((1 << 22) - 1)
    gone.mkdir(parents=True)
    (gone / "left").write_bytes(b"x" * 5000)
    os.utime(gone, (1.0, 1.0))
    now = [time.time()]
    files = TemporaryFiles(most_bytes=1000, age=60, clock=lambda: now[0])
    assert files.open() == 5000 and not gone.exists()
    assert os.environ["GRADIO_TEMP_DIR"].startswith(str(files.folder))
    for index in range(5):
        (files.folder / f"{index}").write_bytes(b"x" * 300)
        os.utime(files.folder / f"{index}", (now[0] + index, now[0] + index))
    files.tidy()
    assert sorted(path.name for path in files.folder.iterdir() if path.is_file()) == ["2", "3", "4"]
    assert files.has_room(100) and not files.has_room(101)
    now[0] += 1000
    files.tidy()
    assert [path for path in files.folder.iterdir() if path.is_file()] == []
    files.close()
    assert not files.folder.exists()


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(GPTCoreError, match=r"cannot be written .* Set TMPDIR"):
        TemporaryFiles(most_bytes=1).open()


@pytest.mark.parametrize(
    ("size", "status"),
    [({"content_length": "10"}, 200), ({"content_length": "5000"}, 507), ({}, 411)],
)
def test_an_upload_without_room_is_refused_before_its_first_byte(temporary, size, status):
    room = UploadRoom(inner, TemporaryFiles(most_bytes=1000))
    assert answered(room, "/gradio_api/upload", "POST", b"x" * 10, **size)[0] == status


def test_uploads_have_shares_and_who_holds_most_gives_way(temporary):
    files = TemporaryFiles(most_bytes=1000)
    names = itertools.count()
    files.open()

    async def app(scope, receive, send):
        stored = files.folder / f"{next(names)}"
        stored.write_bytes(b"x" * int(dict(scope["headers"])[b"content-length"]))
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": json.dumps([str(stored)]).encode()})

    room = UploadRoom(app, files, largest=200)

    def upload(n_bytes: int, client: str) -> str:
        status, _, body = answered(
            room, "/upload", "POST", client=(client, 1), content_length=str(n_bytes)
        )
        return f"{status}{body.decode()}"

    there = lambda: sorted(int(path.name) for path in files.folder.iterdir() if path.is_file())  # noqa: E731
    assert all(upload(100, "greedy").startswith("200") for _ in range(5))
    assert "Your uploads already take 500 of the 500 bytes that you may store" in upload(
        1, "greedy"
    )
    assert upload(200, "second").startswith("200") and upload(200, "third").startswith("200")
    # the greediest one's oldest
    assert upload(200, "fourth").startswith("200") and there() == [1, 2, 3, 4, 5, 6, 7]
    assert upload(200, "fifth").startswith("200") and there() == [3, 4, 5, 6, 7, 8]
    assert "of the 200 bytes that you may store" in upload(1, "greedy")
    for path in files.folder.iterdir():
        path.unlink() if path.is_file() else None
    made = files.folder / "made"
    made.write_bytes(b"x" * 1000)
    assert "is full" in upload(100, "second")  # it may be just being fetched
    os.utime(made, (1.0, 1.0))
    assert upload(100, "second").startswith("200") and not made.exists()


@pytest.mark.parametrize(
    "name",
    [
        "mini@²",
        "mini@-1",
        "mini@" + "9" * 200,
        "@5",
        "mini@",
        "~nobody-of-this-name/x",
        "x" * 299,
        "\0",
        "a/" * 200,
    ],
)
def test_moments_that_are_none_and_names_that_no_file_system_takes_are_unknown_models(name):
    assert find_folder(name) is None and title_of(name) and isinstance(moments(name), list)
    with pytest.raises(GPTCoreError):
        gptcore.load(name, offline=True)


@pytest.mark.parametrize("name", [["mini"], {"a": 1}, None, 7])
def test_a_model_s_name_of_another_kind_has_no_workspace(services, name):
    assert services.workspaces.holder(name) is None and len(uses.model_lines(services, name)) == 6


def test_a_place_of_their_own_does_not_hide_the_vocabulary_that_tiktoken_has_kept(
    tmp_path, temporary, monkeypatch
):
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "GRADIO_TEMP_DIR"):
        monkeypatch.setenv(variable, "")  # put back after the test
        monkeypatch.delenv(variable)
    files = TemporaryFiles(most_bytes=1000)
    files.open()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path / "data-gym-cache")
    files.close()


def test_a_directory_longer_than_it_declares_and_64_bit_records_are_refused_before_it_is_read(
    tmp_path,
):
    nothing = ((f"{index:05}/{'x' * 40}", b"") for index in range(5000))
    long = packed(tmp_path / "long.zip", nothing, zipfile.ZIP_STORED)
    raw = bytearray(long.read_bytes())
    raw[-14:-10] = b"\1\0\1\0"  # one file, it says
    long.write_bytes(raw)
    with Cheap(), pytest.raises(InputError, match="at most 200 are read"):
        files.unpack(long, tmp_path, most_bytes=1 << 20)
    raw[-22:-22] = b"PK\6\7" + bytes(16)
    long.write_bytes(raw)
    with pytest.raises(InputError, match="64-bit records"):
        files.unpack(long, tmp_path, most_bytes=1 << 20)


def test_folders_that_are_empty_and_old_go_too(temporary):
    now = [time.time()]
    files = TemporaryFiles(most_bytes=1 << 20, age=60, clock=lambda: now[0])
    files.open()
    old, full = (files.folder / "gradio" / name for name in ("old/deep", "full"))
    for folder in (old, full):
        folder.mkdir(parents=True)
    (full / "file").write_bytes(b"x")
    now[0] += 30
    files.tidy()
    assert old.is_dir()
    now[0] += 40
    os.utime(full / "file", (now[0], now[0]))
    files.tidy()
    assert not old.exists() and (full / "file").is_file()


def test_two_visitors_who_upload_the_same_zip_both_open_it(services, folder, tmp_path):
    """Gradio stores files by their content, so both uploads are one file."""
    stored = zipped(folder, tmp_path / "same.zip")
    services.uploaded.add(stored)
    services.uploaded.add(stored)
    for _ in range(2):
        workspace, name = files.opened_model(services, None, str(stored))
        assert workspace.models[name].model.config.n_layer == SHAPE.n_layer
    assert not stored.exists()
    with pytest.raises(
        InputError, match=r"same\.zip is no longer on the server. Upload it again"
    ) as refused:
        files.opened_model(services, None, str(stored))
    assert str(tmp_path) not in str(refused.value)


def test_uploads_that_are_coming_count_against_the_room(temporary):
    files = TemporaryFiles(most_bytes=1000)
    files.open()
    room = UploadRoom(inner, files, largest=600)
    room._coming["somebody"] = 500
    assert room._make_room(500, "another") == ""
    assert "The server's room for uploads, 1,000 bytes, is full" in room._make_room(501, "another")
    files.close()
