"""The C of this folder as one library: compiled by this machine into a cache folder, or built into the package.

A wheel holds the library for some levels of its processor's kind (`setup.py`); the machine's own compiler is preferred.
"""

import atexit
import ctypes
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent  # of the sources and their headers
_FLAGS = ("-O3", "-shared", "-fPIC", "-pthread")
_NATIVE = "native"
# What a wheel is built for, the most capable first, and the flags in /proc/cpuinfo that a processor needs for it.
_V3 = frozenset(("abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"))
_V4 = _V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
LEVELS: dict[str, dict[str, frozenset[str]]] = {
    "x86_64": {"x86-64-v4": _V4, "x86-64-v3": _V3},
    "aarch64": {"armv8-a": frozenset()},
}
_PATIENCE = 120  # seconds for the compiler
OFF = "GPTCORE_NATIVE"  # set to 0, nothing is compiled
log = logging.getLogger("gptlens")


class Matrix(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("weight", ctypes.c_void_p), ("scale", ctypes.c_void_p), ("bias", ctypes.c_void_p),
        ("n", ctypes.c_int64), ("k", ctypes.c_int64), ("format", ctypes.c_int64),
    )  # fmt: skip


class Norm(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("weight", ctypes.c_void_p), ("bias", ctypes.c_void_p), ("epsilon", ctypes.c_float),
        ("present", ctypes.c_int32),
    )  # fmt: skip


class Layer(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("norm_1", Norm), ("norm_2", Norm), ("c_attn", Matrix), ("attn_proj", Matrix), ("c_fc", Matrix),
        ("mlp_proj", Matrix), ("has_mlp", ctypes.c_int64),
    )  # fmt: skip


class Model(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("n_layer", ctypes.c_int64), ("n_head", ctypes.c_int64), ("head_dim", ctypes.c_int64),
        ("n_embd", ctypes.c_int64), ("inner", ctypes.c_int64), ("pre_norm", ctypes.c_int64),
        ("activation", ctypes.c_int64),
        ("wte", ctypes.c_void_p), ("wpe", ctypes.c_void_p), ("layers", ctypes.POINTER(Layer)), ("final_norm", Norm),
        ("lm_head", Matrix),
    )  # fmt: skip


class Step(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("model", ctypes.POINTER(Model)), ("B", ctypes.c_int64), ("tokens", ctypes.c_void_p),
        ("lengths", ctypes.c_void_p), ("cache", ctypes.c_void_p), ("rows", ctypes.c_int64),
        ("positions", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in ("logits", "x", "qkv", "mixed", "inner", "own")),
        ("own_size", ctypes.c_int64), ("threads", ctypes.c_int64),
    )  # fmt: skip


@cache
def library() -> ctypes.CDLL | None:
    """The library, or None where nothing can be compiled and none is built in, or it is switched off.

    Calls release the GIL.
    """
    if os.environ.get(OFF) == "0":
        return None
    return _compiled_here() or _built_in()


def _compiled_here() -> ctypes.CDLL | None:
    compiler = find_compiler()
    if compiler is None:
        return None
    try:
        file = _compiled(compiler)
        try:
            return _loaded(file)
        except OSError:  # a damaged file: compiled once more
            file.unlink()
            return _loaded(_compiled(compiler))
    except (OSError, subprocess.SubprocessError) as error:
        log.info("The core's C cannot be compiled here: %s.", error)
        return None


def _built_in() -> ctypes.CDLL | None:
    """The library that the package brings for the best level that this processor has."""
    flags = set(_processor().split())
    for level, needed in LEVELS.get(platform.machine(), {}).items():
        file = built_file(_FOLDER, level)
        if needed <= flags and file.is_file():
            try:
                return _loaded(file)
            except OSError as error:  # of another system
                log.info("The library that the package brings does not load: %s.", error)
    return None


def _loaded(file: Path) -> ctypes.CDLL | None:
    """A library with its functions declared; None if it is another one."""
    loaded = ctypes.CDLL(str(file))
    sizes = [ctypes.sizeof(one) for one in (Model, Layer, Step)]
    try:
        for number in (loaded.gptcore_sizes, loaded.gptcore_formats, loaded.gptcore_padded):
            number.restype = ctypes.c_int64
        loaded.gptcore_sizes.argtypes = loaded.gptcore_padded.argtypes = (ctypes.c_int64,)
        loaded.gptcore_step.argtypes = (ctypes.POINTER(Step),)
        loaded.gptcore_step.restype = None
    except AttributeError:
        return None
    return loaded if [loaded.gptcore_sizes(which) for which in range(3)] == sizes else None


def find_compiler() -> str | None:
    """The machine's C compiler."""
    return next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


def levels_built() -> list[str]:
    """The levels of processors that a wheel built here holds the library for; none without a compiler."""
    return [] if find_compiler() is None else list(LEVELS.get(platform.machine(), {}))


def build(folder: Path) -> list[Path]:
    """Compiles the library into a folder for every level of this machine's kind of processor, as a wheel brings it.

    Returns:
        the files; none where there is no compiler, or it does not know a level.
    """
    compiler, made = find_compiler(), list[Path]()
    if compiler is None:
        return made
    for level in levels_built():
        file = built_file(folder, level)
        try:
            _compile(compiler, level, file)
        except (OSError, subprocess.SubprocessError) as error:
            log.warning("The library is not built for %s: %s.", level, error)
        else:
            made.append(file)
    return made


def built_file(folder: Path, level: str) -> Path:
    """Where a package has the library of this source for a level of processors."""
    return folder / f"native-{_checksum(*_sources())[:12]}-{level}.so"


def cached_file(compiler: str) -> Path:
    """Where the compiled library of this source, these flags, this compiler and this processor is kept."""
    told = subprocess.run([compiler, "--version"], capture_output=True, check=True, timeout=_PATIENCE).stdout
    name = _checksum(*_sources(), " ".join((*_FLAGS, _NATIVE)).encode(), told, _processor().encode())[:20]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "gptcore" / f"native-{name}.so"


def _compiled(compiler: str) -> Path:
    file = cached_file(compiler)
    if file.is_file():
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        writable = os.access(file.parent, os.W_OK)
    except OSError:
        writable = False
    if not writable:  # compiled for this process alone
        folder = Path(tempfile.mkdtemp(prefix="gptcore-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        file = folder / file.name
    _compile(compiler, _NATIVE, file)
    return file


def _compile(compiler: str, level: str, file: Path) -> None:
    """Compiles the library for a level of processors; the file appears whole or not at all."""
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    sources = map(str, sorted(_FOLDER.glob("*.c")))
    command = [compiler, *_FLAGS, f"-march={level}", *sources, "-o", str(partial), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _sources() -> list[bytes]:
    return [file.read_bytes() for file in sorted(_FOLDER.glob("*.[ch]"))]


def _checksum(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _processor() -> str:
    """What tells processors apart: a file compiled for one may not run on another."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
