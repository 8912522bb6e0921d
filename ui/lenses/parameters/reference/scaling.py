"""Scaling laws: how the loss falls with a model's size and with the text it reads, published and
measured here.
"""

import math
import re
from dataclasses import dataclass

from gptcore.analysis import count_parameters
from gptcore.language_model import bundled_models
from gptcore.weights.checkpoint import read_config
from ui.runs.run_state import RunState
from ui.services import Services

_READ = re.compile(r"\| trained on \| ([\d,]+) (?:tokens|characters)")
_LOSS = re.compile(r"\| held out \|[^|]*?([\d.]+) nats per (token|character)")


@dataclass(frozen=True)
class Law:
    """A published law of the loss in nats per token."""

    name: str  # who measured it
    floor: float  # of the loss, reached by no model
    # parameters, tokens: of the falls (scale / x) ** exponent: (scale, exponent) of the parameters,
    # where text is no limit, and of the tokens, where size is none
    parameters: tuple[float, float]
    tokens: tuple[float, float]
    # measured, measured_tokens: smallest and largest of the models and texts that it was measured
    # on
    measured: tuple[float, float]
    measured_tokens: tuple[float, float]
    source: str  # the paper

    def at(self, *, parameters: float = math.inf, tokens: float = math.inf) -> float:
        """The loss where one of the two is the limit."""
        terms = zip((parameters, tokens), (self.parameters, self.tokens), strict=True)
        return self.floor + sum(
            (scale / x) ** exponent for x, (scale, exponent) in terms if math.isfinite(x)
        )


def _scale(factor: float, exponent: float) -> tuple[float, float]:
    """factor / x ** exponent as (scale / x) ** exponent."""
    return factor ** (1 / exponent), exponent


KAPLAN = Law(
    "Kaplan et al. 2020",
    0.0,
    (8.8e13, 0.076),
    (5.4e13, 0.095),
    (768, 1.5e9),
    (2.2e7, 2.3e10),
    "equations 1.1 and 1.2",
)
CHINCHILLA = Law(
    "Hoffmann et al. 2022 (Chinchilla)",
    1.69,
    _scale(406.4, 0.34),
    _scale(410.7, 0.28),
    (7e7, 1.6e10),
    (5e9, 5e11),
    "equation 10: E, A, B",
)
LAWS = (KAPLAN, CHINCHILLA)


@dataclass(frozen=True)
class Point:
    """A model that was trained."""

    name: str  # on the page
    parameters: int  # without embeddings
    tokens: int  # read in training, those read again counted again
    loss: float  # on held-out text, nats per token of its own
    unit: str  # what its tokens are: "token" or "character"
    own: bool = False  # whether it is a run of this visitor


def bundled() -> list[Point]:
    """The bundled models that learned plain text, from the figures on their cards."""
    points = []
    for name, folder in bundled_models().items():
        card = (
            (folder / "README.md").read_text(encoding="utf-8")
            if (folder / "README.md").is_file()
            else ""
        )
        read = _READ.search(card)
        loss = _LOSS.search(card)
        if read is None or loss is None or not float(loss[1]):
            continue
        size = count_parameters(read_config(folder)).without_embeddings
        points.append(Point(name, size, int(read[1].replace(",", "")), float(loss[1]), loss[2]))
    return points


def of_runs(services: Services, workspace: object) -> list[Point]:
    """A visitor's runs that began from noise and learned a text, and have ended."""
    place = services.workspaces.get(workspace)
    if place is None:
        return []
    points = map(_of_run, place.runs)
    return [point for point in points if point is not None]


def _of_run(run: RunState) -> Point | None:
    facts = run.facts
    lm = run.language_model
    if (
        facts.kind != "text"
        or facts.tuned
        or facts.trick != "none"
        or not math.isfinite(run.final_loss)
    ):
        return None
    if lm is None or not run.step:
        return None
    size = count_parameters(lm.model.config).without_embeddings
    unit = "character" if abs(facts.tokens_per_character - 1) < 1e-9 else "token"
    return Point(
        facts.title, size, run.step * facts.tokens_per_step, run.final_loss, unit, own=True
    )


@dataclass(frozen=True)
class Curve:
    """A law along one axis, where the other is no limit."""

    name: str  # of the law
    x: list[float]
    losses: list[float]
    # whether models of these sizes, or texts of these lengths, were measured; else it is extended
    measured: bool


def lines(along: str) -> list[Curve]:
    """The laws along "parameters" or "tokens": each where it was measured, and extended below and
    above.
    """
    ends = (1e4, 1e12)
    curves = []
    for law in LAWS:
        low, high = law.measured if along == "parameters" else law.measured_tokens
        reach = [min(max(end, ends[0]), ends[1]) for end in (low, high)]
        for start, stop, measured in (
            (ends[0], reach[0], False),
            (*reach, True),
            (reach[1], ends[1], False),
        ):
            if start >= stop:
                continue
            n = 2 + round(8 * math.log10(stop / start))
            x = [start * (stop / start) ** (i / (n - 1)) for i in range(n)]
            curves.append(Curve(law.name, x, [law.at(**{along: value}) for value in x], measured))
    return curves


def said() -> str:
    """States the effect of ten times the parameters or the text by the scaling laws, in words; from
    their constants.
    """
    size, text = (f"{1 - 10**-exponent:.0%}" for _, exponent in (KAPLAN.parameters, KAPLAN.tokens))
    return (
        f"Ten times the parameters lower the loss by {size}, ten times the text by {text}, "
        "each where the other is no limit (Kaplan et al. 2020, on web pages). The dotted parts "
        "of the lines extend the laws beyond what was measured. The models here read simpler "
        "texts, in tokens or letters of their own, and some of it again and again: compare "
        "only points of the same text and tokens."
    )
