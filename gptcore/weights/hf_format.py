"""Converts between Hugging Face's names and layouts for GPT-1 and GPT-2 and this project's."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from gptcore.config import GPTConfig
from gptcore.errors import CheckpointError
from gptcore.model import GPT

if TYPE_CHECKING:
    from transformers import PreTrainedModel

T = TypeVar("T")
# transformers' Conv1D stores [in, out]; nn.Linear stores [out, in].
_TRANSPOSED = re.compile(r"(c_attn|c_proj|c_fc)\.weight$")
# Mask buffers in old checkpoints; they are not parameters.
_BUFFER = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)$")
# Heads of transformers' classes for other tasks, and of trl's value model, beside a GPT's body.
_OTHER_HEAD = re.compile(r"(score|classifier|multiple_choice_head|qa_outputs|v_head)\.")
_LAYER = re.compile(r"h\.(\d+)\.")
# Tensors that every GPT has, by the end of their names: what stands before it is a prefix of all
# names.
_ANCHORS = ("wte.weight", "tokens_embed.weight", "h.0.ln_1.weight")
# Far above any published GPT; a file that claims more is damaged or malicious.
_LARGEST_SIZE = 1 << 24
_GPT1_NAMES = {"wte.weight": "tokens_embed.weight", "wpe.weight": "positions_embed.weight"}
# Other names of fields, as transformers' GPT-1 and GPT-2 read them beside their own.
_ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
# transformers' names of one function, up to rounding: the tanh approximation of GELU, and GELU
# itself.
_ACTIVATIONS = {
    **dict.fromkeys(
        ("gelu_fast", "gelu_accurate", "gelu_python_tanh", "gelu_pytorch_tanh"), "gelu_new"
    ),
    "gelu_python": "gelu",
}
_MOST_TENSORS = 40  # of a layer, buffers of old checkpoints included
# The model type in config.json for models that no transformers class implements.
OWN_MODEL_TYPE = "gptlens"


def transformers_obstacle(config: GPTConfig) -> str | None:
    """Why no transformers class implements this model, or None if one does."""
    if not config.causal:
        return "its attention sees the future (causal=False)"
    if not config.use_mlp:
        return "its blocks have no MLP (use_mlp=False)"
    if config.norm_position == "post":
        if config.inner_dim != 4 * config.n_embd:
            return f"transformers' GPT-1 has an MLP of 4 * n_embd, this one of {config.inner_dim}"
        if config.activation_function == "gelu":
            return "transformers' GPT-1 has no exact GELU (activation_function='gelu')"
    return None


def config_to_hf(config: GPTConfig) -> dict[str, Any]:
    """The config.json of a model folder: transformers' fields, and this project's switches beside
    them.
    """
    # n_ctx is the older name of the window, which llama.cpp's converter reads.
    shared = {**config.to_dict(), "n_ctx": config.n_positions}
    if transformers_obstacle(config):
        return {"model_type": OWN_MODEL_TYPE, **shared}
    if config.norm_position == "post":
        afn = {"gelu_new": "gelu", "relu": "relu"}[config.activation_function]
        return {
            "model_type": "openai-gpt",
            "architectures": ["OpenAIGPTLMHeadModel"],
            "afn": afn,
            **shared,
        }
    return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], **shared}


def config_from_hf(values: dict[str, Any]) -> GPTConfig:
    """The config in a parsed config.json of GPT-1, GPT-2 or this project.

    Raises:
        CheckpointError: another architecture, or a GPT-2 variant whose arithmetic differs.
        ConfigError: a shape that no model can have.
    """
    values = {
        **values,
        **{own: values[alias] for alias, own in _ALIASES.items() if alias in values},
    }
    for name in ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "n_inner"):
        value = values.get(name)
        if isinstance(value, int) and value > _LARGEST_SIZE:
            raise CheckpointError(
                f"config.json has {name}={value:,}; at most {_LARGEST_SIZE:,} is read."
            )
    model_type = values.get("model_type")
    if model_type not in ("gpt2", "openai-gpt", OWN_MODEL_TYPE):
        raise CheckpointError(
            f"config.json is of a {model_type!r} model; GPT Lens reads 'gpt2' and 'openai-gpt'."
        )
    for name, expected in {
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
    }.items():
        if values.get(name, expected) != expected:
            raise CheckpointError(
                f"config.json has {name}={values[name]!r}; only {expected!r} is implemented."
            )
    if quantised := values.get("quantization_config"):
        method = (
            quantised.get("quant_method", "some method")
            if isinstance(quantised, dict)
            else "some method"
        )
        raise CheckpointError(
            f"The weights are quantised by {method}; plain weights are read here. Load the "
            "model in transformers, then model.dequantize().save_pretrained(NEW)."
        )
    known = dict(values)
    if model_type == "openai-gpt":
        names = {"gelu": "gelu_new", "relu": "relu"}
        afn = values.get("afn", "gelu")
        if afn not in names:
            raise CheckpointError(
                f"config.json has the activation afn={afn!r}; 'gelu' and 'relu' are implemented."
            )
        defaults = {"vocab_size": 40478, "n_positions": 512, "residual_scaling": False}
        known = {**defaults, **values, "activation_function": names[afn], "norm_position": "post"}
    elif (activation := known.get("activation_function")) in _ACTIVATIONS:
        known["activation_function"] = _ACTIVATIONS[activation]
    return GPTConfig.from_dict(known)


def check_shapes(config: GPTConfig, shapes: dict[str, list[int]]) -> None:
    """Compares a config with the names and shapes in a file's header, before anything of the
    config's size is made.

    Args:
        config: of the model that is asked for.
        shapes: of the tensors, by the checkpoint's names.

    Raises:
        CheckpointError: other layers or another embedding than the config says; `tensors_from_hf`
        compares the rest.
    """
    shapes = plain_names(shapes)
    most = _MOST_TENSORS * (config.n_layer + 1)
    if len(shapes) > most:
        raise CheckpointError(
            f"The weights hold {len(shapes):,} tensors; a GPT of {config.n_layer:,} layers has "
            "fewer."
        )
    layers = {int(match[1]) for name in shapes if (match := _LAYER.match(name))}
    if len(layers) != config.n_layer:
        raise CheckpointError(
            f"config.json says {config.n_layer:,} layers and the weights hold {len(layers):,}. "
            "One of them is of another model."
        )
    embedding = shapes.get("wte.weight", shapes.get(_GPT1_NAMES["wte.weight"]))
    expected = [config.vocab_size, config.n_embd]
    if embedding is not None and embedding != expected:
        raise CheckpointError(
            f"The token embedding has the shape {embedding}; config.json says {expected}."
        )


def plain_names(tensors: Mapping[str, T]) -> dict[str, T]:
    """The same under names without the prefixes of wrappers: "transformer.", "module.",
    "_orig_mod.", "model.".
    """
    ends = (
        (name, anchor)
        for anchor in _ANCHORS
        for name in tensors
        if f".{name}".endswith(f".{anchor}")
    )
    name, anchor = next(ends, ("", ""))
    body = name.removesuffix(anchor)
    whole = body.removesuffix("transformer.")  # the head stands beside the body
    plain = {}
    for name, tensor in tensors.items():
        prefix = body if name.startswith(body) else whole
        plain[name.removeprefix(prefix)] = tensor
    return plain


def model_from_hf(
    config: GPTConfig, tensors: Mapping[str, Tensor], notes: list[str] | None = None
) -> GPT:
    """A model from a checkpoint's tensors, which is what transformers computes with them.

    Args:
        config: of its config.json.
        tensors: by the checkpoint's names; nothing is copied but what is not in fp32.
        notes: takes a sentence for each thing that was read otherwise than the config says.

    Raises:
        CheckpointError: as `check_shapes` and `tensors_from_hf`; a weight that is no floating-point
        number.
    """
    check_shapes(config, {name: list(tensor.shape) for name, tensor in tensors.items()})
    plain = plain_names(tensors)
    told = [] if notes is None else notes
    other = {name: found[1] for name in plain if (found := _OTHER_HEAD.match(name))}
    if other:
        head = min(other.values())
        told.append(f"It has a head for another task ({head}), which is not read; its body is.")
    kept = {name: tensor for name, tensor in plain.items() if name not in other}
    table = kept.get("wte.weight", kept.get(_GPT1_NAMES["wte.weight"]))
    head = kept.get("lm_head.weight")
    if (
        config.tie_word_embeddings
        and table is not None
        and head is not None
        and not _same(table, head)
    ):
        config = replace(config, tie_word_embeddings=False)
        told.append(
            "config.json says that the output head is the token embedding; the weights differ, "
            "so both are read."
        )
    return model_from_tensors(config, tensors_from_hf(config, kept))


def _same(table: Tensor, head: Tensor) -> bool:
    return table.shape == head.shape and (
        table.data_ptr() == head.data_ptr() or torch.equal(table, head)
    )


def tensors_from_hf(config: GPTConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Checkpoint tensors under this project's names in fp32, as views without copying where they
    are in fp32.

    Args:
        config: the model they are for.
        tensors: by the checkpoint's names, with or without the prefixes of wrappers.

    Raises:
        CheckpointError: a tensor missing, left over, of the wrong shape or no floating-point
        numbers, by its name.
    """
    with torch.device("meta"):
        expected = {name: list(tensor.shape) for name, tensor in GPT(config).state_dict().items()}
    own_names = {theirs: ours for ours, theirs in _GPT1_NAMES.items()}
    state: dict[str, Tensor] = {}
    plain = plain_names(tensors)
    # all that safetensors' save_model keeps of the two
    if config.tie_word_embeddings and "lm_head.weight" in plain:
        plain.setdefault(
            "wte.weight", plain.get(_GPT1_NAMES["wte.weight"], plain["lm_head.weight"])
        )
        plain.pop(_GPT1_NAMES["wte.weight"], None)
    for theirs, tensor in plain.items():
        name = own_names.get(theirs, theirs)
        if name in expected:
            if not tensor.is_floating_point():
                kind = tensor.dtype
                raise CheckpointError(
                    f"The tensor {theirs} has the type {kind}; weights are floating-point numbers."
                )
            transposed = _TRANSPOSED.search(name) is not None
            shape = expected[name][::-1] if transposed else expected[name]
            if list(tensor.shape) != shape:
                raise CheckpointError(
                    f"The tensor {theirs} has the shape {list(tensor.shape)}; it should be {shape}."
                )
            state[name] = (tensor.t() if transposed else tensor).float()
        elif (
            tensor.is_floating_point()
            and not _BUFFER.search(name)
            and not _is_zero_placeholder(config, name, tensor)
        ):
            raise CheckpointError(f"The tensor {theirs} does not belong to a model of this config.")
    if config.tie_word_embeddings and "wte.weight" in state:
        state["lm_head.weight"] = state["wte.weight"]
    missing = [name for name in expected if name not in state]
    if missing:
        raise CheckpointError(
            f"The checkpoint lacks the tensor {missing[0]} ({len(missing)} missing in all)."
        )
    return state


def tensors_to_hf(model: GPT) -> dict[str, Tensor]:
    """The model's tensors as transformers stores them: its names, Conv1D layout, zeros for absent
    biases.
    """
    config = model.config
    tensors = {}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            if not config.tie_word_embeddings:
                tensors[name] = tensor
            continue
        theirs = _GPT1_NAMES.get(name, name) if config.norm_position == "post" else name
        tensors[f"transformer.{theirs}"] = tensor.t() if _TRANSPOSED.search(name) else tensor
    if not transformers_obstacle(config):
        tensors.update(_absent_as_zeros(config, model.wte.weight))
    return {name: tensor.detach().contiguous() for name, tensor in tensors.items()}


def from_hf(hf_model: "PreTrainedModel") -> GPT:
    """A transformers GPT2LMHeadModel or OpenAIGPTLMHeadModel as a GPT; fp32 weights share their
    memory.

    Raises:
        CheckpointError: another architecture.
    """
    return model_from_hf(config_from_hf(hf_model.config.to_dict()), hf_model.state_dict())


def to_hf(model: GPT, *, end_id: int | None = None) -> "PreTrainedModel":
    """The same model as a transformers one, on a copy of the weights.

    Args:
        model: to be copied.
        end_id: the token that ends a document, `lm.tokenizer.end_id`, at which its `generate`
            stops; None for none.

    Raises:
        CheckpointError: a switch that transformers cannot express, by its name.
    """
    obstacle = transformers_obstacle(model.config)
    if obstacle:
        raise CheckpointError(f"transformers cannot express this model: {obstacle}.")
    import transformers

    values = {
        **config_to_hf(model.config),
        "bos_token_id": end_id,
        "eos_token_id": end_id,
        "pad_token_id": end_id,
    }
    if model.config.norm_position == "post":
        hf_model = transformers.OpenAIGPTLMHeadModel(transformers.OpenAIGPTConfig.from_dict(values))
    else:
        hf_model = transformers.GPT2LMHeadModel(transformers.GPT2Config.from_dict(values))
    # copies them
    hf_model.load_state_dict({"lm_head.weight": model.wte.weight, **tensors_to_hf(model)})
    return hf_model.eval()


def model_from_tensors(config: GPTConfig, tensors: dict[str, Tensor]) -> GPT:
    """A model, in evaluation mode, that holds these tensors without a copy; names and shapes are
    the model's own.
    """
    with torch.device("meta"):
        model = GPT(config)
    model.load_state_dict(tensors, assign=True)
    model.tie()
    return model.eval()


def clone(model: GPT, device: torch.device | None = None) -> GPT:
    """A copy of a model's weights as they are now, in evaluation mode and without gradients.

    Args:
        model: to be copied.
        device: of the copy; the model's own when left out.
    """
    weights = {
        name: value.detach().to(device, copy=True) for name, value in model.state_dict().items()
    }
    return model_from_tensors(model.config, weights).requires_grad_(False)


def _absent_as_zeros(config: GPTConfig, like: Tensor) -> dict[str, Tensor]:
    """Zeros where transformers expects a bias or a position that this model does without."""
    absent: dict[str, Tensor] = {}
    if not config.attention_bias:
        for layer in range(config.n_layer):
            absent[f"transformer.h.{layer}.attn.c_attn.bias"] = like.new_zeros(3 * config.n_embd)
            absent[f"transformer.h.{layer}.attn.c_proj.bias"] = like.new_zeros(config.n_embd)
    if not config.use_positions:
        name = "positions_embed" if config.norm_position == "post" else "wpe"
        absent[f"transformer.{name}.weight"] = like.new_zeros(config.n_positions, config.n_embd)
    return absent


def _is_zero_placeholder(config: GPTConfig, name: str, tensor: Tensor) -> bool:
    """Whether a surplus tensor is one of the zeros that `_absent_as_zeros` writes."""
    names = {theirs.removeprefix("transformer.") for theirs in _absent_as_zeros(config, tensor)}
    own = {_GPT1_NAMES.get(name, name), name}
    return bool(names & own) and not bool(tensor.any())
