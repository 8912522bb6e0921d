"""Every setting of a model, of sampling and of training: what is taken, and what is refused by the
setting's name (derived from the fields).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from gptcore import GPTConfig, SamplingSettings
from gptcore.errors import ConfigError, SamplingError, TrainingError
from gptcore.training import TrainingConfig


@dataclass(frozen=True)
class Setting:
    """Values of a setting that are taken, and others that are refused with its name."""

    taken: Sequence[object]
    refused: Sequence[object]


_SIZE = Setting([1, 24], [0, -1, 1.0, True, "2", None])
_SWITCH = Setting([True, False], [0, 1, None, "True"])
_DROPOUT = Setting([0, 0.0, 0.999], [1.0, -0.1, True, None, math.nan])
_SHARE = Setting([1e-12, 0.999], [0.0, 1.0, True, None, math.nan])
_COUNT = Setting([1, 10**9], [0, 1.0, True, None])
_RATE = Setting([1e-9, 1.0, np.float32(0.5)], [0.0, -1e-9, math.inf, math.nan, True, "1"])
_DECAY = Setting([0, 0.0, 2.5], [-1e-9, math.inf, math.nan, True, None])
_BETA = Setting([0.0, 0.999], [1.0, -0.1, math.nan, None])
_TOP = Setting([0, 5], [-1, 1.0, True, "1"])
SETTINGS: Mapping[type, Mapping[str, Setting]] = {
    GPTConfig: {
        "vocab_size": _SIZE,
        "n_positions": _SIZE,
        "n_embd": _SIZE,
        "n_layer": _SIZE,
        "n_head": _SIZE,
        "n_inner": Setting([1, None], [0, 1.0, True]),
        "activation_function": Setting(["gelu_new", "gelu", "relu"], ["tanh", None]),
        "norm_position": Setting(["pre", "post"], ["", None]),
        "embd_pdrop": _DROPOUT,
        "attn_pdrop": _DROPOUT,
        "resid_pdrop": _DROPOUT,
        "layer_norm_epsilon": _SHARE,
        "initializer_range": _SHARE,
    },
    SamplingSettings: {
        "temperature": Setting([0, 0.0, 9.9e299], [-1e-9, 1e300, math.nan, True, "1", None]),
        "repetition_penalty": Setting([1e-9, 5], [0, -1.0, math.inf, True, None]),
        "top_p": Setting([1e-9, 1, None], [0.0, 1.01, True, math.nan]),
        "min_p": Setting([0, 1, None], [-0.01, 1.01, True]),
        "top_k": replace(_TOP, taken=[0, 5, None]),
        "no_repeat_ngram_size": replace(_TOP, refused=[*_TOP.refused, None]),
        "min_new_tokens": replace(_TOP, refused=[*_TOP.refused, None]),
    },
    TrainingConfig: {
        "max_steps": _COUNT,
        "time_budget": replace(_RATE, taken=[1e-9, 1e9, None]),
        "batch_size": _COUNT,
        "accumulation_steps": _COUNT,
        "optimizer": Setting(["adamw", "muon"], ["sgd", None]),
        "learning_rate": _RATE,
        "muon_learning_rate": _RATE,
        "warmup_steps": _DECAY,
        "schedule": Setting(["cosine", "linear", "constant"], ["", None]),
        "weight_decay": _DECAY,
        "beta1": _BETA,
        "beta2": _BETA,
        "max_grad_norm": _RATE,
        "precision": Setting(["fp32", "bf16"], ["fp16", None]),
        "seed": Setting([0, 2**63 - 1], [-1, 2**63, 1.0, True, None]),
        "eval_every": _COUNT,
        "checkpoint_every": _RATE,
    },
}
SWITCHES = {
    setting.name: _SWITCH for setting in fields(GPTConfig) if isinstance(setting.default, bool)
}


def test_every_setting_is_tried():
    for kind, settings in SETTINGS.items():
        known = settings | (SWITCHES if kind is GPTConfig else {})
        assert known.keys() == {setting.name for setting in fields(kind)}


@pytest.mark.parametrize(
    ("kind", "name", "setting"),
    [
        (kind, name, setting)
        for kind, settings in [*SETTINGS.items(), (GPTConfig, SWITCHES)]
        for name, setting in settings.items()
    ],
)
def test_a_setting_is_taken_within_its_limits_and_else_refused_by_its_name(kind, name, setting):
    shape = {"n_embd": 24, "n_head": 1} if kind is GPTConfig else {}
    for value in setting.taken:
        assert getattr(kind(**{**shape, name: value}), name) == value
    for value in setting.refused:
        with pytest.raises((ConfigError, SamplingError, TrainingError)) as caught:
            kind(**{**shape, name: value})
        assert str(caught.value).startswith(f"{name} is {value!r}; it must ")
