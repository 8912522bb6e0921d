"""Preflight check for a talk with no network: `python app.py --check`, and `--prefetch gpt2` for
what is missing.
"""

import importlib.util
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from gptcore.analysis import attention_patterns
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import generate
from gptcore.language_model import LanguageModel, bundled_models, damaged_files
from gptcore.machine import device_name
from gptcore.native import library
from ui.lenses.train.handlers.fitting import expected_run
from ui.state.model_store import ModelStore, facts

_FONTS = ("IBMPlexSans/IBMPlexSans-Regular.woff2", "IBMPlexMono/IBMPlexMono-Regular.woff2")
_PORTS = range(7860, 7960)  # range in which the server picks a free port
# tokens a second that a reader can just follow in a long text; space for files
_SLOW = 60.0
_NEEDED_BYTES = 500e6
_RUN = 30  # seconds of a training run
_PROMPT = "Once upon a time, there was a little fox who lived in the forest."
_N_TOKENS = 64


@dataclass(frozen=True)
class Finding:
    """One line of the report. An optional item that is not ready is "not here", not "MISSING"."""

    ready: bool
    sentence: str
    needed: bool = False

    @property
    def state(self) -> str:
        """In one word."""
        return "ready" if self.ready else "MISSING" if self.needed else "not here"


def check(models: ModelStore, *, host: str, port: int | None) -> Iterator[Finding]:
    """Tests all that a talk needs, in sequence; `models` never uses the network, port None is the
    first free one.
    """
    for name in bundled_models():
        yield _opens(models, name)
    yield _whole()
    for choice in models.choices():
        if choice.name not in bundled_models():
            yield (
                _opens(models, choice.name)
                if choice.cached
                else Finding(False, _missing(choice.name))
            )
    yield Finding(True, f"models and training runs compute on {device_name(models.device)}")
    yield from _speed(models)
    yield _training(models.device)
    yield _fonts()
    yield _port(host, port)
    yield _room()


def prefetch(models: ModelStore, name: str, say: Callable[[str], None]) -> str:
    """Downloads a model and opens it once, and says how far it is; returns a summary. Raises the
    core's errors.
    """
    return f"{name} is on this machine: {facts(models.get(name, progress=say))}"


def _opens(models: ModelStore, name: str) -> Finding:
    try:
        return Finding(True, f"{name}: {facts(models.get(name))}")
    except GPTCoreError as error:
        return Finding(False, f"{name}: {error}", needed=name in bundled_models())


def _whole() -> Finding:
    damaged = damaged_files()
    if not damaged:
        return Finding(True, "the files of the bundled models are whole")
    names = ", ".join(damaged)
    return Finding(
        False,
        f"these files of the bundled models are damaged; get them again: {names}",
        needed=True,
    )


def _missing(name: str) -> str:
    return (
        f"{name} is not on this machine. Where there is a network: python app.py --prefetch {name}"
    )


def _speed(models: ModelStore) -> Iterator[Finding]:
    """Speed of the first model without other load, after a warm-up pass."""
    lm = models.get(models.default)
    if lm.model.config.n_positions <= _N_TOKENS:
        return
    rate = max(_tokens_per_second(lm) for _ in range(2))
    slow = "" if rate > _SLOW else "; slow to follow: close other programs"
    native = "" if library() is not None else "; without a C compiler (cc), so with torch alone"
    yield Finding(True, f"{models.default} writes {rate:,.0f} tokens a second here{slow}{native}")
    ids = lm.tokenizer.encode(_PROMPT)
    began = time.perf_counter()
    attention_patterns(lm.model, ids)
    yield Finding(
        True,
        f"all its attention maps of a sentence take {1e3 * (time.perf_counter() - began):,.0f} ms",
    )


def _training(device: torch.device) -> Finding:
    """Expected result of the first Train preset on this machine."""
    updates, words = expected_run(_RUN, device)
    ends = (
        "it ends in words"
        if words
        else "too few for words, so Train takes a smaller model: close other programs"
    )
    return Finding(True, f"a run of {_RUN} s makes about {updates:,} updates here: {ends}")


def _tokens_per_second(lm: LanguageModel) -> float:
    began = time.perf_counter()
    n = sum(1 for _ in generate(lm, _PROMPT, max_new_tokens=_N_TOKENS, seed=1, stop_at_end=False))
    return n / (time.perf_counter() - began)


def _fonts() -> Finding:
    spec = importlib.util.find_spec("gradio")
    folder = (
        Path(spec.origin or "").parent / "templates/frontend/static/fonts"
        if spec is not None
        else Path()
    )
    if all((folder / font).is_file() for font in _FONTS):
        return Finding(
            True,
            "fonts and scripts come with the packages; the page asks no other host for anything",
        )
    return Finding(
        False,
        "the fonts of the page are missing from gradio's package; it shows the system's instead",
    )


def _port(host: str, port: int | None) -> Finding:
    for number in [port] if port is not None else _PORTS:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind((host, number))
            except OSError:
                continue
            return Finding(True, f"port {number} is free")
    if port is not None:
        return Finding(
            False, f"port {port} is taken. Choose another --port, or leave it out.", needed=True
        )
    return Finding(False, "no port from 7860 to 7959 is free. Choose a --port.", needed=True)


def _room() -> Finding:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    enough = free >= _NEEDED_BYTES
    need = "" if enough else f"; files to save need up to {_NEEDED_BYTES / 1e6:,.0f} MB"
    return Finding(enough, f"{free / 1e9:,.1f} GB are free for temporary files in {folder}{need}")
