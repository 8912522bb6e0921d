"""Writes a GPT-2-shaped model as an f16 GGUF file, so that llama.cpp can be measured on the very same weights."""

from pathlib import Path

import gguf
import numpy as np

import gptcore

_PARTS = {
    "ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
    "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down",
}  # fmt: skip


def write_gguf(model: gptcore.GPT, path: Path) -> None:
    """Matrices in f16, vectors in f32; the vocabulary is made up, since only ids are decoded."""
    config = model.config
    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_context_length(config.n_positions)
    writer.add_embedding_length(config.n_embd)
    writer.add_feed_forward_length(config.inner_dim)
    writer.add_block_count(config.n_layer)
    writer.add_head_count(config.n_head)
    writer.add_layer_norm_eps(config.layer_norm_epsilon)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([f"t{i}" for i in range(config.vocab_size)])
    writer.add_token_types([gguf.TokenType.NORMAL] * config.vocab_size)
    writer.add_token_merges(["t 0"])
    writer.add_eos_token_id(config.vocab_size - 1)
    for name, tensor in model.state_dict().items():
        values = tensor.contiguous().numpy()
        writer.add_tensor(_name(name), values.astype(np.float16) if values.ndim == 2 else values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _name(name: str) -> str:
    """This project's tensor name as llama.cpp's."""
    top = {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm", "lm_head": "output"}
    stem, kind = name.rsplit(".", 1)
    if stem in top:
        return f"{top[stem]}.{kind}"
    _, layer, part = stem.split(".", 2)
    return f"blk.{layer}.{_PARTS[part]}.{kind}"
