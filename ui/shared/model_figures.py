"""Figures of the bundled models in texts, such as {mini.size}, and what this machine can train
live: filled in, so that none is typed and goes stale.
"""

import re
from functools import cache

import torch

from gptcore.analysis import count_parameters
from gptcore.language_model import bundled_models
from gptcore.weights.checkpoint import read_config
from ui.shared.sheets import big

_NAMED = re.compile(r"\{([\w-]+)\.(\w+)\}")
# A run before an audience, by whether there is a GPU: {live.preset}, {live.length}, {live.writes}.
_LIVE = {
    True: {
        "preset": "A story writer in 30 seconds",
        "length": "thirty seconds",
        "writes": "stories",
    },
    False: {"preset": "2 minutes, letters", "length": "two minutes", "writes": "words"},
}


@cache
def figures(model: str) -> dict[str, str]:
    """Returns the figures of a bundled model that texts may give, by name; none for a model that is
    not there.
    """
    folder = bundled_models().get(model)
    if folder is None:
        return {}
    config = read_config(folder)
    total = count_parameters(config).total
    return {
        "parameters": f"{total:,}", "size": big(total),
        "layers": str(config.n_layer), "heads": str(config.n_head), "width": str(config.n_embd),
        "window": str(config.n_positions), "vocabulary": f"{config.vocab_size:,}",
    }  # fmt: skip


def filled(text: str) -> str:
    """A text with its {model.figure} written out; braces that name none stay as they are."""
    live = _LIVE[torch.cuda.is_available()]
    return _NAMED.sub(
        lambda match: (live if match[1] == "live" else figures(match[1])).get(match[2], match[0]),
        text,
    )
