"""Finds a tokenizer: in a model folder, in tiktoken's cache, in the Hub's cache, or on the Hub."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gptcore.errors import HubError, TokenizerError
from gptcore.hub import GPT1_REPOSITORY, GPT2_REPOSITORY, fetch
from gptcore.tokenizers.base import (
    ADDED_FILE,
    END_OF_TEXT,
    MERGES_FILES,
    SETTINGS_FILE,
    TOKENIZER_FILE,
    Tokenizer,
)
from gptcore.tokenizers.byte_bpe import ByteBPE
from gptcore.tokenizers.char import CharTokenizer
from gptcore.tokenizers.fast import FastTokenizer, from_merges, is_plain
from gptcore.tokenizers.gpt1 import GPT1Tokenizer
from gptcore.tokenizers.known_parts import check_known_parts

# Where tiktoken downloads GPT-2's vocabulary from; its cache names files by the SHA-1 of the
# address.
_TIKTOKEN_SOURCES = (
    "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/vocab.bpe",
    "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/encoder.json",
)


def load_tokenizer(
    name: str | Path, *, offline: bool = False, known_parts: bool = False
) -> Tokenizer:
    """A tokenizer by name or from a model folder.

    Args:
        name: "gpt2" (also for its larger sizes), "gpt1", or a folder with tokenizer.json,
            vocab.json or OpenAI's original files.
        offline: use only files on this machine.
        known_parts: refuse a folder whose tokenizer.json has parts that could take any time, see
            `known_parts`.

    Raises:
        TokenizerError: no such tokenizer, damaged files, or parts that are refused. HubError: files
        that are not on this machine and cannot be fetched; says how to get them ahead.
    """
    if name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"):
        return _load_gpt2(offline)
    if name in ("gpt1", "gpt1-preln"):
        return GPT1Tokenizer.from_files(
            *(fetch(GPT1_REPOSITORY, file, offline=offline) for file in MERGES_FILES[0])
        )
    folder = Path(name)
    if not folder.is_dir():
        raise TokenizerError(
            f"There is no tokenizer {str(name)!r}: name 'gpt2', 'gpt1' or a model folder."
        )
    return _load_folder(folder, known_parts)


def _load_gpt2(offline: bool) -> ByteBPE:
    """tiktoken's own encoding where its files are at hand, else the same vocabulary from the
    Hub.
    """
    if _tiktoken_cached():
        import tiktoken

        return ByteBPE(tiktoken.get_encoding("gpt2"), kind="gpt2")
    try:
        path = fetch(GPT2_REPOSITORY, "vocab.json", offline=offline)
    except HubError as error:
        raise HubError(
            f"GPT-2's vocabulary is not on this machine. {error} Or, where there is a network, "
            'set TIKTOKEN_CACHE_DIR to a folder, run python -c "import tiktoken; '
            "tiktoken.get_encoding('gpt2')\" and bring the folder along."
        ) from None
    return ByteBPE.from_vocabulary(_read_json(path), name="gpt2", kind="gpt2")


def _tiktoken_cached() -> bool:
    default = Path(tempfile.gettempdir()) / "data-gym-cache"
    folder = Path(
        os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR") or default
    )
    return all(
        (folder / hashlib.sha1(source.encode()).hexdigest()).is_file()
        for source in _TIKTOKEN_SOURCES
    )


def _load_folder(folder: Path, known_parts: bool) -> Tokenizer:
    if (folder / TOKENIZER_FILE).is_file():
        return _from_fast(folder / TOKENIZER_FILE, known_parts)
    for vocabulary, merges in MERGES_FILES:
        if (folder / vocabulary).is_file() and (folder / merges).is_file():
            return _from_merges(folder / vocabulary, folder / merges, folder)
    raise TokenizerError(
        f"The folder {folder} has no {TOKENIZER_FILE} and no vocab.json with merges.txt."
    )


def _from_merges(vocabulary: Path, merges: Path, folder: Path) -> Tokenizer:
    """The older pair of files: OpenAI's BPE of words with ends, or byte-level BPE."""
    words = _read_json(vocabulary)
    if any(str(word).endswith("</w>") for word in words):
        return GPT1Tokenizer.from_files(vocabulary, merges)
    adds = any((folder / name).is_file() for name in (ADDED_FILE, SETTINGS_FILE))
    if words.get(END_OF_TEXT) == len(words) - 1 and not adds:
        return ByteBPE.from_vocabulary(words, name=folder.name, kind="gpt2")
    with _named_damage(vocabulary):
        return from_merges(vocabulary, merges, folder)


@contextmanager
def _named_damage(path: Path) -> Iterator[None]:
    """Turns what the underlying libraries raise on a bad file into a TokenizerError that names
    it.
    """
    try:
        yield
    except TokenizerError:
        raise
    except BaseException as error:
        # The underlying libraries panic on a bad vocabulary; a panic is not an Exception.
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)[:200]
        raise TokenizerError(
            f"{path} is not a tokenizer that this project reads ({why})."
        ) from None


def _from_fast(path: Path, known_parts: bool) -> Tokenizer:
    """A tokenizer.json as the `tokenizers` library writes it; its model type says which kind."""
    with _named_damage(path):
        parsed = _read_json(path)
        model = parsed["model"]
        if model["type"] == "WordLevel":
            characters = sorted(model["vocab"], key=model["vocab"].__getitem__)
            if [model["vocab"][character] for character in characters] != list(
                range(len(characters))
            ):
                raise TokenizerError(
                    f"The characters of {path.name} are not numbered from 0 without gaps."
                )
            return CharTokenizer(characters)
        if model.get("end_of_word_suffix"):
            pairs = [
                entry.split(" ") if isinstance(entry, str) else entry for entry in model["merges"]
            ]
            return GPT1Tokenizer.from_merges(
                model["vocab"], [(left, right) for left, right in pairs]
            )
        if not is_plain(parsed):
            if known_parts:
                check_known_parts(parsed)
            return FastTokenizer(path.read_text(encoding="utf-8"), path.parent)
        added = {entry["content"]: entry["id"] for entry in parsed.get("added_tokens", [])}
        return ByteBPE.from_vocabulary(
            model["vocab"] | added, name=f"{path.parent.name}/{path.name}"
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        parsed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise TokenizerError(f"{path} is not readable as JSON ({error}).") from None
    if not isinstance(parsed, dict):
        raise TokenizerError(
            f"{path} holds a {type(parsed).__name__} where a table of tokens belongs."
        )
    return parsed
