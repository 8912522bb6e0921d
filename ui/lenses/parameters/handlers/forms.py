"""The Parameters tab's settings beside the shape: where it starts from, what it costs, what is
examined.
"""

from dataclasses import dataclass

from gptcore.config import PRESETS
from ui.lenses.parameters.drawing.anatomy import EXPERIMENTS
from ui.shared.fields import Choice, Number, Whole, declared
from ui.shared.uses import ABOVE

_MOST = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class ReferenceFields:
    """The settings of the reference pages: the shape to start from, the training whose cost is
    computed, and the experiment.
    """

    shape_from: str = declared(
        Choice(
            title="Start from",
            noun="The shape to start from",
            id="shape-from",
            options={name: name for name in (ABOVE, *PRESETS)},
            listed=True,
        ),
        ABOVE,
    )
    reference_page: str = declared(
        Choice(
            title="Page",
            id="reference-page",
            options={"cost": "Cost", "history": "History", "numbers": "Which number is right?"},
            shows={"cost": "page-cost", "history": "page-history", "numbers": "page-numbers"},
        ),
        "cost",
    )
    cost_batch: int = declared(
        Whole(title="Sequences in a batch", noun="The batch", id="cost-batch", low=1, high=_MOST), 8
    )
    cost_length: int = declared(
        Whole(
            title="Tokens in each", noun="The sequence length", id="cost-length", low=1, high=_MOST
        ),
        256,
    )
    cost_tokens: float = declared(
        Number(
            title="Training tokens, millions",
            noun="The number of training tokens",
            id="cost-tokens",
            low=0.001,
            high=_MOST,
        ),
        300,
    )
    experiment: str = declared(
        Choice(title="Experiment", options={name: name for name in EXPERIMENTS}),
        next(iter(EXPERIMENTS)),
    )
