"""What is inside a model: where its heads look, what they do, what they matter, and what its parameters are."""

from gptcore.analysis.ablation import Part, divergence, effects, logits_without
from gptcore.analysis.attention import AttentionReading, attention_patterns, read_attention, without_first_key
from gptcore.analysis.heads import ROLES, HeadScores, head_scores, repeated_token_scores, uniform_scores
from gptcore.analysis.lens import LogitLens, logit_lens
from gptcore.analysis.parameters import ParameterCount, count_parameters

__all__ = [
    "ROLES",
    "AttentionReading",
    "HeadScores",
    "LogitLens",
    "ParameterCount",
    "Part",
    "attention_patterns",
    "count_parameters",
    "divergence",
    "effects",
    "head_scores",
    "logit_lens",
    "logits_without",
    "read_attention",
    "repeated_token_scores",
    "uniform_scores",
    "without_first_key",
]
