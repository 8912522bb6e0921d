"""A model with its tokenizer, found by name: bundled, in a folder, or on the Hugging Face Hub."""

import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gptcore.config import GPTConfig
from gptcore.errors import CheckpointError, HubError, MissingFileError, TokenizerError
from gptcore.hub import GPT1_REPOSITORY, HUB_WEIGHTS, fetch
from gptcore.model import GPT
from gptcore.tokenizers import Tokenizer, load_tokenizer
from gptcore.tokenizers.base import CONFIG_FILE, GENERATION_FILE, TOKENIZER_FILES, for_model
from gptcore.weights.checkpoint import load_folder, model_from_files, read_config, shard_names
from gptcore.weights.contents import INDEX_FILE, WEIGHTS_FILE, obstacle
from gptcore.weights.snapshots import load_snapshot

BUNDLED = Path(__file__).resolve().parent.parent / "weights"
DEFAULT_MODEL = "mini"
SUMS = "SHA256SUMS"
MOMENT = "@"  # separates a model's name from the update count of a training snapshot
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class LanguageModel:
    """A model, the tokenizer that it was trained with, and what people call it."""

    model: GPT
    tokenizer: Tokenizer
    name: str
    notes: tuple[str, ...] = ()  # sentences about what was read otherwise than its config.json says

    def __post_init__(self) -> None:
        # A model may have more ids than its tokenizer has tokens.
        object.__setattr__(
            self, "tokenizer", for_model(self.tokenizer, self.model.config.vocab_size)
        )


def bundled_models() -> dict[str, Path]:
    """The model folders that come with the project, by name."""
    if not BUNDLED.is_dir():
        return {}
    return {path.name: path for path in sorted(BUNDLED.iterdir()) if (path / CONFIG_FILE).is_file()}


def damaged_files() -> list[str]:
    """Files of the bundled models, as "mini/model.safetensors", that are missing or fail their
    checksum.
    """
    sums = BUNDLED / SUMS
    if not sums.is_file():
        return []
    damaged = []
    for line in sums.read_text(encoding="utf-8").splitlines():
        wanted, _, name = line.partition("  ")
        with suppress(OSError):
            if hashlib.sha256((BUNDLED / name).read_bytes()).hexdigest() == wanted:
                continue
        damaged.append(name)
    return damaged


def load(
    name: str | Path | None = None,
    *,
    offline: bool = False,
    progress: type[Any] | None = None,
    check: Callable[[GPTConfig], None] | None = None,
) -> LanguageModel:
    """A language model, ready to read and write.

    Args:
        name: None for the bundled default; the name of a bundled model, also as it was after some
            updates of its training, such as "mini@512"; of a preset with published weights ("gpt1",
            "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"); a model folder; or a Hub repository
            "owner/name" of GPT-1 or GPT-2 shape with safetensors weights.
        offline: use only files on this machine.
        progress: a tqdm class that shows downloads; None for the terminal's own bar.
        check: sees the model's config before any weights are read or downloaded, and may refuse it.

    Raises:
        CheckpointError: no such model, or files that are missing, damaged or of another shape.
        HubError: files that cannot be fetched, with how to get them ahead of time.
        TokenizerError: a tokenizer that cannot be read.
    """
    name = DEFAULT_MODEL if name is None else str(name).strip()
    base, at, step = name.rpartition(MOMENT)
    kept = find_folder(base) if at and step.isdecimal() else None
    if kept is not None:
        return LanguageModel(
            load_snapshot(kept, int(step)), load_tokenizer(kept), f"{kept.name}{MOMENT}{int(step)}"
        )
    folder = find_folder(name)
    notes = list[str]()
    if folder is not None:
        model = load_folder(folder, check=check, notes=notes)
        return LanguageModel(model, load_tokenizer(folder), folder.name, tuple(notes))
    if name in HUB_WEIGHTS:
        repository = HUB_WEIGHTS[name][0]
        model = _model_from_hub(repository, offline, progress, check)
        return LanguageModel(model, load_tokenizer(name, offline=offline), name)
    if _HUB_ID.fullmatch(name):
        model = _model_from_hub(name, offline, progress, check, notes)
        return LanguageModel(model, _tokenizer_from_hub(name, offline), name, tuple(notes))
    if _is_file(name):
        why = obstacle([Path(name).name]) or f"Give its folder: {Path(name).parent}."
        raise CheckpointError(f"{name} is a file, and a model is a folder. {why}")
    choices = ", ".join([*bundled_models(), *HUB_WEIGHTS])
    raise CheckpointError(
        f"There is no model {name!r}. Choose {choices}, a model folder, or a Hub repository "
        "owner/name."
    )


def find_folder(name: str) -> Path | None:
    """The model folder that a name means: bundled, "weights/x" of this project, or a path; else
    None.
    """
    if name in bundled_models():
        return bundled_models()[name]
    if not name:
        return None
    try:
        return next(
            (path for path in (Path(name).expanduser(), BUNDLED.parent / name) if path.is_dir()),
            None,
        )
    except (
        RuntimeError,
        OSError,
        ValueError,
    ):  # no such user, or a name that is invalid on this file system
        return None


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False


def _model_from_hub(
    repository: str,
    offline: bool,
    progress: type[Any] | None,
    check: Callable[[GPTConfig], None] | None,
    notes: list[str] | None = None,
) -> GPT:
    config = read_config(fetch(repository, CONFIG_FILE, offline=offline).parent)
    if check is not None:
        check(config)
    try:
        files = [fetch(repository, WEIGHTS_FILE, offline=offline, progress=progress)]
    except HubError as error:  # a large model in several files
        try:
            index = fetch(repository, INDEX_FILE, offline=offline)
        except HubError:
            raise error from None
        files = [
            fetch(repository, name, offline=offline, progress=progress)
            for name in shard_names(index)
        ]
    return model_from_files(config, files, notes)


def _tokenizer_from_hub(repository: str, offline: bool) -> Tokenizer:
    """The tokenizer of a repository, from all the files that a folder's is read from."""
    if repository == GPT1_REPOSITORY:
        return load_tokenizer("gpt1", offline=offline)
    folder: Path | None = None
    absent: HubError | None = None
    for name in (*TOKENIZER_FILES, GENERATION_FILE):
        try:
            folder = fetch(repository, name, offline=offline).parent
        except MissingFileError:
            continue
        except HubError as error:
            absent = absent or error
    try:
        if folder is not None:
            return load_tokenizer(folder)
    except TokenizerError:
        if absent is None:
            raise
    raise absent or TokenizerError(f"The repository {repository} has no {TOKENIZER_FILES[0]}.")
