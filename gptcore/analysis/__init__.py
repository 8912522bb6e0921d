"""Interpretability tools: attention maps, head roles, ablation, patching, attribution, parameter
counts and costs.
"""

from gptcore.analysis.ablation import Effect, ModelPart, divergence, effects, logits_without
from gptcore.analysis.attention import (
    QueriesAndKeys,
    attention_patterns,
    read_attention,
    without_first_key,
)
from gptcore.analysis.attribution import Attribution, logit_attribution
from gptcore.analysis.circuits import CircuitNode, logits_without_nodes, word_circuit
from gptcore.analysis.costs import (
    activation_bytes,
    cache_arithmetic,
    forward_flops,
    kv_cache_bytes,
    optimizer_bytes,
    training_flops,
    weight_bytes,
)
from gptcore.analysis.head_circuits import HeadCircuits, head_circuits
from gptcore.analysis.heads import (
    ROLES,
    HeadScores,
    head_scores,
    repeated_token_scores,
    uniform_scores,
)
from gptcore.analysis.lens import LogitLens, logit_lens, settled_depths
from gptcore.analysis.neurons import neuron_activations, neuron_writes, outstanding_neurons
from gptcore.analysis.parameters import ParameterCount, count_parameters, tensor_shapes
from gptcore.analysis.patching import patched_logits, patching_grid, patching_rows
from gptcore.analysis.steering import steering_vector
from gptcore.analysis.trace import ForwardTrace, trace
