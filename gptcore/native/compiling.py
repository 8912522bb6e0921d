"""The C of this folder as one library, compiled by this machine into a cache folder."""

import atexit
import ctypes
import hashlib
import logging
import os
import platform
import secrets
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent  # of the sources and their headers
_FLAGS = ("-O3", "-shared", "-fPIC", "-pthread")
_NATIVE = "native"
_PATIENCE = 120  # seconds for the compiler
OFF = "GPTCORE_NATIVE"  # set to 0, nothing is compiled
_NUMBER = ctypes.c_int64
_AT = ctypes.c_void_p
_log = logging.getLogger("gptlens")


class Matrix(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("weight", _AT),
        ("scale", _AT),
        ("bias", _AT),
        ("n", _NUMBER),
        ("k", _NUMBER),
        ("format", _NUMBER),
    )


class Norm(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("weight", _AT),
        ("bias", _AT),
        ("epsilon", ctypes.c_float),
        ("present", ctypes.c_int32),
    )


class Layer(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("norm_1", Norm),
        ("norm_2", Norm),
        ("c_attn", Matrix),
        ("attn_proj", Matrix),
        ("c_fc", Matrix),
        ("mlp_proj", Matrix),
        ("has_mlp", _NUMBER),
    )


class Model(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        *(
            (name, _NUMBER)
            for name in (
                "n_layer",
                "n_head",
                "head_dim",
                "n_embd",
                "inner",
                "pre_norm",
                "activation",
            )
        ),
        ("wte", _AT),
        ("wpe", _AT),
        ("layers", ctypes.POINTER(Layer)),
        ("final_norm", Norm),
        ("lm_head", Matrix),
    )


class Step(ctypes.Structure):
    """See `decode.c`."""

    _fields_ = (
        ("model", ctypes.POINTER(Model)),
        ("B", _NUMBER),
        *((name, _AT) for name in ("tokens", "lengths", "cache")),
        ("rows", _NUMBER),
        ("positions", _NUMBER),
        *((name, _AT) for name in ("logits", "x", "qkv", "mixed", "inner", "own")),
        ("own_size", _NUMBER),
        ("threads", _NUMBER),
    )


@cache
def library() -> ctypes.CDLL | None:
    """The library, or None where nothing can be compiled, or it is switched off.

    Calls release the GIL.
    """
    compiler = None if os.environ.get(OFF) == "0" else find_compiler()
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
        _log.info("The core's C cannot be compiled here: %s.", error)
        return None


def _loaded(file: Path) -> ctypes.CDLL | None:
    """A library with its functions declared; None if it is another one."""
    loaded = ctypes.CDLL(str(file))
    sizes = [ctypes.sizeof(item) for item in (Model, Layer, Step)]
    try:
        for number in (loaded.gptcore_sizes, loaded.gptcore_formats, loaded.gptcore_padded):
            number.restype = ctypes.c_int64
        loaded.gptcore_sizes.argtypes = loaded.gptcore_padded.argtypes = (ctypes.c_int64,)
        loaded.gptcore_step.argtypes = (ctypes.POINTER(Step),)
        loaded.gptcore_step.restype = None
    except AttributeError:
        return None
    its_sizes = [loaded.gptcore_sizes(which) for which in range(3)]
    return loaded if its_sizes == sizes else None


def find_compiler() -> str | None:
    """The machine's C compiler."""
    return next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


def cached_file(compiler: str) -> Path:
    """Returns the path at which the compiled library of this source, these flags, this compiler and
    this CPU is cached.
    """
    told = subprocess.run(
        [compiler, "--version"], capture_output=True, check=True, timeout=_PATIENCE
    ).stdout
    sources = [file.read_bytes() for file in sorted(_FOLDER.glob("*.[ch]"))]
    parts = (*sources, " ".join((*_FLAGS, _NATIVE)).encode(), told, _processor().encode())
    name = hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "gptcore" / f"native-{name}.so"


def _compiled(compiler: str) -> Path:
    file = cached_file(compiler)
    if _is_whole(file):
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
    # Both appear whole or not at all; a library that was cut short since would end the process at
    # its first call.
    partial = file.with_name(f"{file.name}.{os.getpid()}-{secrets.token_hex(4)}")
    sources = map(str, sorted(_FOLDER.glob("*.c")))
    command = [compiler, *_FLAGS, f"-march={_NATIVE}", *sources, "-o", str(partial), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
        digest = hashlib.sha256(partial.read_bytes()).hexdigest()
        partial.replace(file)
        partial.write_text(digest, encoding="ascii")
        partial.replace(_sum_of(file))
    finally:
        partial.unlink(missing_ok=True)
    return file


def _sum_of(file: Path) -> Path:
    """Returns the path of the file with the SHA-256 digest of a compiled library."""
    return file.with_name(f"{file.name}.sha256")


def _is_whole(file: Path) -> bool:
    """Whether a compiled library is what was written."""
    try:
        wanted = _sum_of(file).read_text(encoding="ascii")
        return hashlib.sha256(file.read_bytes()).hexdigest() == wanted
    except (OSError, ValueError):
        return False


def _processor() -> str:
    """Returns a description that tells CPUs apart: a library compiled for one may not run on
    another.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(
        sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    )
