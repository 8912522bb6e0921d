"""Model folders: config.json, model.safetensors and the tokenizer, which transformers opens too."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.errors import CheckpointError, ConfigError
from gptcore.model import GPT
from gptcore.tokenizers.base import CONFIG_FILE, Tokenizer
from gptcore.weights import hf_format
from gptcore.weights.contents import INDEX_FILE, WEIGHTS_FILE, files_in, obstacle


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a safetensors file, mapped from disk rather than read into memory.

    Raises:
        CheckpointError: not a safetensors file, or cut short.
    """
    with _opened(path) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def read_metadata(path: Path) -> dict[str, str]:
    """The metadata of a safetensors file. Raises CheckpointError as read_tensors does."""
    with _opened(path) as file:
        return file.metadata() or {}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Opens a safetensors file, with its library's errors made readable."""
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except FileNotFoundError:
        raise CheckpointError(f"There is no file {path}.") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(
            f"{path} is damaged, cut short or not a safetensors file ({error})."
        ) from None


def write_tensors(
    tensors: dict[str, Tensor], path: Path, metadata: dict[str, str] | None = None
) -> None:
    """Writes a safetensors file atomically: under a temporary name, then moved into place."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        # loaded ones may be transposed views
        laid_out = {name: tensor.contiguous() for name, tensor in tensors.items()}
        save_file(laid_out, partial, metadata={"format": "pt", **(metadata or {})})
        partial.chmod(0o644)  # safetensors makes files that only their owner can read
        partial.replace(path)
    except (
        OSError,
        SafetensorError,
    ) as error:  # safetensors has an error of its own for a full disk
        raise CheckpointError(
            f"{path} cannot be written ({getattr(error, 'strerror', None) or error})."
        ) from None
    finally:
        partial.unlink(missing_ok=True)


def read_config(folder: Path) -> GPTConfig:
    """The config of a model folder. Raises CheckpointError when config.json is missing or
    unusable.
    """
    path = folder / CONFIG_FILE
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            raise CheckpointError(f"{path} is not usable: it holds no table of settings.")
        return hf_format.config_from_hf(values)
    except FileNotFoundError:
        why = obstacle(files_in(folder))
        raise CheckpointError(
            f"{folder} is not a model folder: it has no {CONFIG_FILE}. {why}".rstrip()
        ) from None
    except (OSError, ValueError, AttributeError, TypeError, RecursionError, ConfigError) as error:
        raise CheckpointError(f"{path} is not usable: {error}") from None


def load_folder(
    folder: Path,
    *,
    check: Callable[[GPTConfig], None] | None = None,
    notes: list[str] | None = None,
) -> GPT:
    """The model of a folder, in evaluation mode, in fp32.

    fp32 weights stay mapped from the file; 16-bit ones are converted to fp32 in memory.

    Args:
        folder: with config.json and safetensors weights.
        check: sees the config before any weights are read, and may refuse it.
        notes: takes a sentence for each thing that was read otherwise than config.json says.

    Raises:
        CheckpointError: files missing, not safetensors, damaged, or of another shape, by the
        tensor's name.
    """
    if not folder.is_dir():
        raise CheckpointError(f"There is no folder {folder}.")
    config = read_config(folder)
    if check is not None:
        check(config)
    return model_from_files(config, weight_files(folder), notes)


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder, sharded or not. Raises CheckpointError when there are
    none.
    """
    if (folder / WEIGHTS_FILE).is_file():
        return [folder / WEIGHTS_FILE]
    if (folder / INDEX_FILE).is_file():
        return [folder / name for name in shard_names(folder / INDEX_FILE)]
    raise CheckpointError(f"{folder} has no {WEIGHTS_FILE}. {obstacle(files_in(folder))}".rstrip())


def shard_names(index: Path) -> list[str]:
    """File names in a sharded checkpoint's index, each once and inside the index's own folder."""
    try:
        weight_map = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        names = sorted({str(name) for name in weight_map.values()})
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise CheckpointError(f"{index} is not usable as an index of weights ({error}).") from None
    outside = [name for name in names if Path(name).name != name]
    if outside:
        raise CheckpointError(f"{index} points outside its folder: {outside[0]}.")
    return names


def model_from_files(config: GPTConfig, files: list[Path], notes: list[str] | None = None) -> GPT:
    """A model from safetensors files in the Hub's layout. Notes and raises as load_folder does."""
    # mapped, not yet read
    tensors = {name: tensor for file in files for name, tensor in read_tensors(file).items()}
    return hf_format.model_from_hf(config, tensors, notes)


def save_folder(
    folder: str | Path,
    model: GPT,
    tokenizer: Tokenizer | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    most_bytes: int | None = None,
    metadata: dict[str, Any] | None = None,
) -> Path:
    """Writes a model folder, whole or not at all; other files in the folder are kept.

    Args:
        folder: where; made when missing.
        model: its weights are stored as `dtype`, in transformers' names and layout.
        tokenizer: saved beside it.
        dtype: torch.float32, float16 or bfloat16.
        most_bytes: of tensors in one weight file; a larger model takes several and an index, as in
            transformers. A larger tensor has a file of its own. None for one file.
        metadata: how it was made, for config.json under "training".

    Raises:
        CheckpointError: weights that are not finite in `dtype`, or a failed write.
    """
    target = Path(folder).absolute()
    tensors = {name: tensor.to(dtype) for name, tensor in hf_format.tensors_to_hf(model).items()}
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(
                f"The tensor {name} has values that are not finite in {dtype}; it is not saved."
            )
    # What others compute in, however it is stored: training on in float16 would be NaN after one
    # update.
    end = None if tokenizer is None else tokenizer.end_id
    ends = {"bos_token_id": end, "eos_token_id": end}
    config = {**hf_format.config_to_hf(model.config), "torch_dtype": "float32", **ends}
    if metadata:
        config["training"] = metadata
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
            fresh = Path(scratch) / "new"
            shutil.copytree(target, fresh) if target.is_dir() else fresh.mkdir()
            (fresh / CONFIG_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            _write_weights(tensors, fresh, most_bytes)
            if tokenizer is not None:
                tokenizer.save(fresh, model.config.n_positions)
            if target.is_dir():
                target.rename(Path(scratch) / "old")
            fresh.rename(target)
    except OSError as error:
        raise CheckpointError(
            f"The folder {target} cannot be written ({error.strerror or error})."
        ) from None
    return target


def _write_weights(tensors: dict[str, Tensor], folder: Path, most_bytes: int | None) -> None:
    """Writes the weights into one file, or into several and their index, in place of earlier
    ones.
    """
    for earlier in (
        folder / INDEX_FILE,
        folder / WEIGHTS_FILE,
        *folder.glob("model-*-of-*.safetensors"),
    ):
        earlier.unlink(missing_ok=True)
    if most_bytes is None:
        write_tensors(tensors, folder / WEIGHTS_FILE)
        return
    from huggingface_hub import split_torch_state_dict_into_shards  # slow to import

    split = split_torch_state_dict_into_shards(tensors, max_shard_size=most_bytes)
    for name, inside in split.filename_to_tensors.items():
        write_tensors({tensor: tensors[tensor] for tensor in inside}, folder / name)
    if split.is_sharded:
        index = {"metadata": split.metadata, "weight_map": split.tensor_to_filename}
        (folder / INDEX_FILE).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
