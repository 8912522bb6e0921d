"""LRU cache of loaded models, which are shared by all visitors and never changed."""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

import gptcore
from gptcore.analysis import count_parameters
from gptcore.config import PRESETS, GPTConfig
from gptcore.errors import CheckpointError, GPTCoreError
from gptcore.hub import HUB_WEIGHTS, cached
from gptcore.language_model import DEFAULT_MODEL, MOMENT, LanguageModel, bundled_models, find_folder
from gptcore.machine import CPU, device_name
from gptcore.threads import release_threads
from gptcore.tokenizers.base import CONFIG_FILE
from gptcore.weights.contents import WEIGHTS_FILE
from gptcore.weights.hf_format import clone
from gptcore.weights.snapshots import snapshot_note, snapshot_steps
from ui.state.limits import Limits

Progress = Callable[[str], None]
NOT_HERE = "not available here"
RECORDED_GPT2 = "gpt2 (recorded)"  # a picker entry that opens a view; it has no weights
_NO_WEIGHTS = (
    f"{RECORDED_GPT2} is a recording of the real GPT-2 on five texts: Attention, Heads shows "
    "its heads and next token. Everything else needs its weights. With a network connection, "
    "choose gpt2, or run `python app.py --prefetch gpt2` beforehand."
)
_BYTES = 6  # of a weight: fp32, and the decode engine's 16-bit copy


@dataclass(frozen=True)
class Choice:
    """One line of the model picker."""

    name: str  # as `gptcore.load` takes it.
    label: str  # what the picker says
    cached: bool = False  # its published files are on this machine
    closed: str = ""  # why it cannot be opened here, as a sentence, or ""


class ModelStore:
    """Loads each model once, however many visitors ask for it at the same time.

    Args:
        limits: memory for all models, and whether names outside the list are allowed.
        offline: never use the network.
        default: the model that the page opens with; one in a folder is called by the folder's name.
        loader: gptcore.load, or a fake in tests.
        trained: finds the models that are trained on this server, by name.
        device: where models compute.

    Attributes:
        device: where models compute that are opened from now on: the CPU, once a GPU was
            full.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        offline: bool = False,
        default: str = DEFAULT_MODEL,
        loader: Callable[..., LanguageModel] = gptcore.load,
        trained: Callable[[str], LanguageModel | None] = lambda _: None,
        device: torch.device = CPU,
    ) -> None:
        self.device = device
        self.default = _public_name(default)
        self._folders = {} if self.default == default else {self.default: default}
        self.offline = offline
        self._limits = limits
        self._loader = loader
        self._trained = trained
        self._lock = threading.Lock()  # guards the two tables, never held while loading
        self._loading: dict[str, threading.Lock] = {}
        self._models: OrderedDict[str, LanguageModel] = OrderedDict()

    def choices(self) -> list[Choice]:
        """The bundled models, the default and then the largest first, then the published ones with
        what a first use would download.
        """
        listed = [
            Choice(name, f"{name} · {_about(folder)}") for name, folder in _by_size(self.default)
        ]
        for name, (repository, megabytes) in HUB_WEIGHTS.items():
            here = (
                cached(repository, WEIGHTS_FILE) is not None
                and cached(repository, CONFIG_FILE) is not None
            )
            closed = self._closed(name, megabytes, here)
            state = (
                f"{NOT_HERE}: {closed[0]}"
                if closed
                else "cached"
                if here
                else f"downloads {megabytes:,} MB"
            )
            listed.append(
                Choice(name, f"{name} · {state}", cached=here, closed=closed[1] if closed else "")
            )
        if self.default not in {choice.name for choice in listed}:
            listed.insert(0, Choice(self.default, self.default))
        return listed

    def _closed(self, name: str, megabytes: int, here: bool) -> tuple[str, str] | None:
        """Why a published model cannot be opened here, in a few words and as a sentence; None where
        it can.
        """
        needed = _BYTES * count_parameters(PRESETS[name]).total
        limit = self._limits.model_bytes
        if needed > limit:
            short = f"needs {needed / 1e9:.1f} GB of memory, {limit / 1e9:.1f} GB allowed"
            return short, _too_large(name, needed, limit)
        if self.offline and not here:
            return f"offline, {megabytes:,} MB to download", (
                f"{name} is not on this machine and the app runs offline. Where there is a "
                f"network, run `python app.py --prefetch {name}` ahead of time, or pick a "
                "bundled model."
            )
        return None

    def get(self, name: str, progress: Progress | None = None) -> LanguageModel:
        """The model by name, loaded when needed.

        Args:
            name: as `gptcore.load` takes it.
            progress: called with sentences like "model.safetensors: 12 % of 548 MB".

        Raises:
            GPTCoreError: no such model, damaged files, no network, or a name that this server does
            not allow.
        """
        if name == RECORDED_GPT2:
            raise CheckpointError(_NO_WEIGHTS)
        own = self._trained(name)
        if own is not None:
            return own
        with self._lock:
            if name in self._models:  # called at every slider move: no file access
                self._models.move_to_end(name)
                return self._models[name]
        self._check_offered(name)  # before anything is downloaded
        with self._lock:
            loading = self._loading.setdefault(name, threading.Lock())
        with loading:
            with self._lock:
                if name in self._models:  # another visitor loaded it meanwhile
                    return self._models[name]
            try:
                return self._load(name, progress)
            finally:
                release_threads()  # this thread's OpenMP workers would slow down the compute thread
                with self._lock:
                    self._loading.pop(name, None)

    def _check_offered(self, name: str) -> None:
        """Raises CheckpointError for a model that this server does not open."""
        known = {choice.name: choice for choice in self.choices()}
        if not self._limits.any_model and not {name, base_name(name)} & known.keys():
            names = ", ".join(known)
            raise CheckpointError(
                f"This server opens only the models in its list, and {name!r} is not among "
                f"them: {names}."
            )
        if name in known and known[name].closed:
            raise CheckpointError(known[name].closed)

    def _load(self, name: str, progress: Progress | None) -> LanguageModel:
        """Loads a model and keeps it.

        Raises:
            GPTCoreError: see `get`.
        """
        try:
            loaded = self._loader(
                self._folders.get(name, name),
                offline=self.offline,
                progress=_bar(progress) if progress else None,
                check=partial(self._check_size, name),
            )
            model = replace(loaded, name=name)  # answers give the name that was asked for
            self._place(model)
        except (MemoryError, RuntimeError) as error:  # torch has an error of its own for memory
            if isinstance(error, RuntimeError) and "memory" not in str(error):
                raise
            raise CheckpointError(
                f"There is not enough memory on this machine to open {name}. Choose a "
                "smaller one, or close others."
            ) from None
        with self._lock:
            self._models[name] = model
            self._make_room()
        return model

    def _place(self, lm: LanguageModel) -> None:
        """Moves a model to where models compute, if it fits there."""
        if self.device == CPU:
            return
        try:
            lm.model.to(self.device)
        except torch.OutOfMemoryError:
            lm.model.to(CPU)

    def on_gpu_out_of_memory(self, error: BaseException) -> None:
        """Falls back to the CPU after a CUDA out-of-memory error; ignores any other error."""
        if not isinstance(error, torch.OutOfMemoryError):
            return
        with self._lock:
            self.device = CPU
            for name in [
                name for name, lm in self._models.items() if lm.model.wte.weight.device != CPU
            ]:
                del self._models[name]

    def on_cpu(self, lm: LanguageModel) -> LanguageModel:
        """Copies a model to the CPU after its GPU has run out of memory; the copy replaces it in
        this store.

        The model on the GPU is left unchanged for computations in progress.
        """
        copy = LanguageModel(clone(lm.model, CPU), lm.tokenizer, lm.name)
        with self._lock:
            for name in [name for name, model in self._models.items() if model is lm]:
                self._models[name] = copy
        return copy

    def use_one_that_opens(self) -> str:
        """Falls back to another bundled model if the bundled default is damaged; returns the
        reason, or "".

        Raises:
            GPTCoreError: the default is none of the bundled models, or none of those opens.
        """
        names = list(bundled_models())
        wanted = self.default
        first = None
        others = [name for name in names if name != wanted]
        for name in [wanted, *others] if wanted in names else [wanted]:
            try:
                self.get(name)
            except GPTCoreError as error:
                first = first or error
                continue
            self.default = name
            return f"{first} The page opens with {name} instead." if first is not None else ""
        raise first or CheckpointError(f"There is no model {wanted!r}.")

    def loaded(self) -> list[str]:
        """Names of the models in memory, the least recently used first."""
        with self._lock:
            return list(self._models)

    def bundled_name(self, lm: LanguageModel) -> str:
        """The name of the bundled model that this one is; "" for another, of whatever name."""
        with self._lock:
            return next((name for name in bundled_models() if self._models.get(name) is lm), "")

    def _check_size(self, name: str, config: GPTConfig) -> None:
        """Raises CheckpointError for a model that is too large for this server, before its weights
        are read.
        """
        needed = _BYTES * count_parameters(config).total
        limit = self._limits.model_bytes
        if needed > limit:
            raise CheckpointError(_too_large(name, needed, limit))

    def _make_room(self) -> None:
        while (
            len(self._models) > 1
            and sum(map(_bytes, self._models.values())) > self._limits.model_bytes
        ):
            self._models.popitem(last=False)


def _public_name(default: str) -> str:
    """Returns the name that visitors see of the model that the server was started with: never a
    path of its disk.
    """
    if default in bundled_models() or default in HUB_WEIGHTS or find_folder(default) is None:
        return default
    name = Path(default).expanduser().resolve().name
    return f"{name}, of your own" if name in bundled_models() or name in HUB_WEIGHTS else name


def base_name(name: str) -> str:
    """The base model of a checkpoint name, such as mini for "mini@512"; else the name."""
    base, at, step = name.rpartition(MOMENT)
    return base if at and step.isdecimal() else name


def _by_size(first: str) -> list[tuple[str, Path]]:
    """Names and folders of the bundled models, the largest first but for `first`."""

    def order(item: tuple[str, Path]) -> tuple[bool, int]:
        name, folder = item
        return name != first, -sum(file.stat().st_size for file in folder.glob("*.safetensors"))

    return sorted(bundled_models().items(), key=order)


def _about(folder: Path) -> str:
    """A few words on a bundled model."""
    try:
        return str(json.loads((folder / "example.json").read_text(encoding="utf-8"))["about"])
    except (OSError, ValueError, KeyError, TypeError):
        return "bundled"


def moments(name: str) -> list[int]:
    """The updates after which snapshots of a bundled model's training were kept; none for other
    models.
    """
    folder = bundled_models().get(base_name(name))
    return [] if folder is None else snapshot_steps(folder)


def moment_note(name: str) -> str:
    """Returns the note stored with the snapshot of a checkpoint's name, such as "mini@512"; "" for
    nothing.
    """
    folder, _, step = name.rpartition(MOMENT)
    return "" if base_name(name) == name else snapshot_note(bundled_models()[folder], int(step))


def title_of(name: str) -> str:
    """A model's name as people say it: "mini after 512 updates"."""
    base = base_name(name)
    return name if base == name else f"{base} after {int(name.rpartition(MOMENT)[2]):,} updates"


def _too_large(name: str, needed: int, limit: int) -> str:
    return (
        f"{name} needs {needed / 1e9:,.1f} GB of memory; this server gives models "
        f"{limit / 1e9:.1f} GB. Choose a smaller one."
    )


def facts(lm: LanguageModel) -> str:
    """One line about a model for the page header."""
    config = lm.model.config
    count = count_parameters(config).total
    kinds = {
        "bpe": "byte-level BPE",
        "gpt2": "GPT-2's BPE",
        "gpt1": "GPT-1's BPE",
        "char": "characters",
    }
    n_empty = len(lm.tokenizer.without_token)
    empty = f", {n_empty:,} ids without a token" if n_empty else ""
    norm = "post-norm" if config.norm_position == "post" else "pre-norm"
    return (
        f"{_short(count)} parameters · {config.n_layer} layers × {config.n_head} heads × "
        f"{config.n_embd} wide · {norm} · reads {config.n_positions:,} tokens · vocabulary of "
        f"{config.vocab_size:,} ({kinds[lm.tokenizer.kind]}{empty}){_where(lm)}"
        + "".join(f" · {note}" for note in lm.notes)
    )


def _where(lm: LanguageModel) -> str:
    """Names the device on which a model computes; "" for the CPU."""
    device = lm.model.wte.weight.device
    return "" if device == CPU else f" · on {device_name(device)}"


def _short(count: int) -> str:
    return f"{count / 1e6:,.1f} M" if count >= 1e5 else f"{count:,}"


def _bytes(lm: LanguageModel) -> int:
    """Memory for a model's weights."""
    return sum(parameter.numel() for parameter in lm.model.parameters()) * _BYTES


def _bar(progress: Progress) -> type[Any]:
    """A tqdm class that reports to the page instead of a terminal."""
    from tqdm.auto import tqdm

    class PageBar(tqdm):
        def __init__(self, *args: Any, **options: Any) -> None:
            options["disable"] = False
            options.pop("name", None)
            super().__init__(*args, **options)

        def display(self, *_: Any, **__: Any) -> None:
            if self.total:
                megabytes = self.total / 1e6
                share = 100 * self.n / self.total
                progress(f"{self.desc or 'Downloading'}: {share:.0f} % of {megabytes:,.0f} MB")

    return PageBar
