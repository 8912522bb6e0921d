"""GPT-1 and GPT-2 from scratch in PyTorch: the model, its tokenizers, weights, generation and
training.
"""

from gptcore.analysis import attention_patterns, count_parameters
from gptcore.config import PRESETS, GPTConfig
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import generate, generate_batch
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.token import GeneratedToken
from gptcore.language_model import LanguageModel, bundled_models, load
from gptcore.model import GPT, GPTOutput
from gptcore.tokenizers import Tokenizer, load_tokenizer
from gptcore.weights.checkpoint import load_folder, save_folder
from gptcore.weights.hf_format import from_hf, to_hf

__version__ = "1.0.0"
__all__ = [
    "GPT",
    "PRESETS",
    "GPTConfig",
    "GPTCoreError",
    "GPTOutput",
    "GeneratedToken",
    "LanguageModel",
    "SamplingSettings",
    "Tokenizer",
    "attention_patterns",
    "bundled_models",
    "count_parameters",
    "from_hf",
    "generate",
    "generate_batch",
    "load",
    "load_folder",
    "load_tokenizer",
    "save_folder",
    "to_hf",
]
