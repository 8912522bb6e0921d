"""The Attention tab's forms: every setting, declared once."""

from dataclasses import dataclass

from ui.shared.fields import Choice, Flag, Text, declared
from ui.shared.parts import LONGEST_OFF

RAW = "raw"
IN_FRONT = "end-of-text in front"
WITHOUT_FIRST = "without the first token"
MODES = (RAW, IN_FRONT, WITHOUT_FIRST)
ENDS = ("beginning", "end")
LONGEST_SENTENCE = 2_000  # characters


@dataclass(frozen=True, kw_only=True)
class HeadsFields:
    """The settings for reading a text, and the parts that are switched off."""

    sink: str = declared(
        Choice(
            title="First token (attention sink)",
            noun="The sink mode",
            help=(
                '"raw", "end-of-text in front", or "without the first token" (left out, the rest '
                "scaled to sum to 1)."
            ),
            options={
                RAW: "as it is",
                IN_FRONT: "end-of-text token in front",
                WITHOUT_FIRST: "first token left out",
            },
        ),
        RAW,
    )
    keep: str = declared(
        Choice(
            title="The text is too long: keep its",
            noun="The end to keep",
            help='"beginning" or "end" of a text that is longer than the model\'s window.',
            id="keep-end",
            options={end: end for end in ENDS},
        ),
        "end",
    )
    replacement: str = declared(
        Choice(
            title="Replace it with",
            noun="The replacement",
            options={"zero": "zero", "mean": "its average over this text"},
        ),
        "zero",
    )
    off: str = declared(
        Text(
            title="Parts switched off",
            noun="The list of parts to switch off",
            info="such as L5H6,L0-attention,L2-mlp",
            most=LONGEST_OFF,
        ),
        "",
    )
    recorded: str = declared(
        Text(title="Recorded text", id="recorded-text", most=LONGEST_SENTENCE), ""
    )


@dataclass(frozen=True, kw_only=True)
class PairFields:
    """Two sentences, and who reads the second."""

    pair_a: str = declared(
        Text(title="Sentence A", id="pair-a", most=LONGEST_SENTENCE, lines=2), ""
    )
    pair_b: str = declared(
        Text(
            title="Sentence B (same number of tokens)",
            noun="Sentence B",
            id="pair-b",
            most=LONGEST_SENTENCE,
            lines=2,
        ),
        "",
    )
    same_model: bool = declared(Flag(title="B is read by the same model", id="same-model"), True)
    model_b: str = declared(
        Text(
            title="Model of B",
            noun="The model of B",
            id="model-b",
            only=("same_model", False),
            most=300,
        ),
        "",
    )
