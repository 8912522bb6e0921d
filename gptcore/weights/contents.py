"""The files of a model folder, and what a folder or an archive holds that is no model which is read
here.
"""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from gptcore.tokenizers.base import CONFIG_FILE, GENERATION_FILE, TOKENIZER_FILES

WEIGHTS_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
# All that the readers of a folder open, beside the shards that an index names.
MODEL_FILES = (CONFIG_FILE, GENERATION_FILE, WEIGHTS_FILE, INDEX_FILE, *TOKENIZER_FILES)
_MOST_LISTED = 2_000  # files of a folder that are looked at

_ADAPTER = (
    "It is an adapter of peft; merge it first: AutoPeftModelForCausalLM.from_pretrained(FOLDER)"
    ".merge_and_unload().save_pretrained(NEW)."
)
_PICKLE = (
    "{file} is a pickle, which can run code when opened; convert it to safetensors: "
    "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(NEW)."
)
_OTHER = "{file} is of {program}; take the model's safetensors version."
# Files that tell what else a folder is, the surest first: a pattern of the path, and what to do.
_SIGNS = (
    (r"(^|/)adapter_config\.json$", _ADAPTER),
    (
        r"mp_rank_\d+|zero_pp_rank_\d+|(^|/)global_step\d+/",
        "{file} is a training state of DeepSpeed; run its zero_to_fp32.py, then save it by "
        "save_pretrained(NEW).",
    ),
    (r"\.gguf$", _OTHER.replace("{program}", "llama.cpp")),
    (r"\.onnx$", _OTHER.replace("{program}", "ONNX")),
    (r"\.h5$", _OTHER.replace("{program}", "TensorFlow")),
    (r"\.msgpack$", _OTHER.replace("{program}", "Flax")),
    (
        r"(^|/)ckpt\.pt$",
        "ckpt.pt is a pickle, which can run code when opened, as nanoGPT saves it; load it "
        "there and save its weights with safetensors, in transformers' names, beside a "
        "config.json.",
    ),
    (r"\.bin\.index\.json$|\.(bin|pt|pth|ckpt|pkl)$", _PICKLE),
)
_CHECKPOINT = re.compile(r"^checkpoint-(\d+)/")  # as the Trainer of transformers names its folders


def obstacle(names: Iterable[str]) -> str:
    """Explains why a folder or archive with these files cannot be loaded as a model, and what to
    do instead.

    Args:
        names: paths inside it, with "/" between folders.

    Returns:
        The explanation; "" if no file name gives one.
    """
    listed = sorted(names)
    steps = [int(found[1]) for name in listed if (found := _CHECKPOINT.match(name))]
    if steps:
        return (
            f"It holds checkpoints of a Trainer; the newest is checkpoint-{max(steps)}. Give that "
            "one."
        )
    for pattern, sentence in _SIGNS:
        file = next((name for name in listed if re.search(pattern, name, re.IGNORECASE)), None)
        if file is not None:
            return sentence.format(file=PurePosixPath(file).name)
    return ""


def files_in(folder: Path) -> list[str]:
    """The paths inside a folder, with "/" between folders; of a large one the first that are
    found.
    """
    found = list[str]()
    for path in folder.rglob("*"):
        if len(found) == _MOST_LISTED:
            break
        found.append(path.relative_to(folder).as_posix() + ("/" if path.is_dir() else ""))
    return found
