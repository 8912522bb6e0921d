"""What is inside a model: where its heads look, and what its parameters are."""

from gptcore.analysis.attention import attention_patterns
from gptcore.analysis.parameters import ParameterCount, count_parameters

__all__ = ["ParameterCount", "attention_patterns", "count_parameters"]
