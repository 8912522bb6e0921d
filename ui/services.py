"""What every handler is given: the models, the visitors and the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from gptcore.config import GPTConfig
from gptcore.continuation import Continuation
from gptcore.generated import GeneratedToken
from gptcore.generation import continue_together
from gptcore.language_model import LanguageModel
from gptcore.scoring import ScoredToken, TextScore, score_text
from gptcore.training.config import Precision
from gptcore.training.precision import faster_precision
from ui import zero_gpu
from ui.admission import Admission
from ui.computing import Computing
from ui.jobs import Bench, Jobs
from ui.limits import PROFILES, Limits
from ui.model_store import ModelStore
from ui.preparations import Preparations
from ui.readings import ReadingStore
from ui.saved_runs import SavedRuns
from ui.sessions import SessionStore
from ui.writers import Writers

T = TypeVar("T")
_BETWEEN_UPDATES, _EACH_UPDATE = 0.07, 0.02  # seconds: more often few see, and each costs some milliseconds


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits
    computing: Computing
    measuring: Computing
    writers: Writers
    admission: Admission
    heavy: Admission
    readings: ReadingStore
    jobs: Jobs
    texts: Preparations

    def compute(self, steps: Iterator[T]) -> Iterator[tuple[T, float]]:
        """The results of a long computation, step by step with its seconds: in the background of texts and looks."""
        return self.computing.each(steps, patient=True)

    def write(
        self, lm: LanguageModel, continuations: Sequence[Continuation], max_new_tokens: int, *, use_cache: bool = True
    ) -> Iterator[tuple[tuple[int, GeneratedToken], float]]:
        """((which continuation, its next token), its seconds): several texts, written with those of other visitors."""
        if max_new_tokens < 1:
            return iter(())
        if not use_cache:
            steps = continue_together(lm.model, continuations, max_new_tokens=max_new_tokens, use_cache=False)
            return self.computing.each(steps)
        here = partial(self.writers.write, lm.model)
        if zero_gpu.wanted(lm):
            return zero_gpu.write(lm, continuations, max_new_tokens, here=here)
        return here(continuations, max_new_tokens)

    def score(self, lm: LanguageModel, text: str) -> tuple[str, list[ScoredToken], TextScore]:
        """As `gptcore.scoring.score_text`, wherever it is computed."""
        here = partial(self.measure, partial(score_text, lm, text))
        return zero_gpu.score(lm, text, here=here) if zero_gpu.wanted(lm) else here()

    def opened(self, name: object) -> LanguageModel | None:
        """A model that is open already, or None: what a component asks must not load one."""
        is_open = isinstance(name, str) and (name in self.models.loaded() or self.jobs.find(name) is not None)
        return self.models.get(name) if isinstance(name, str) and is_open else None

    @property
    def update_seconds(self) -> float:
        """How long a text waits at least between two updates of its page: each costs the server as much as a token."""
        return max(_BETWEEN_UPDATES, _EACH_UPDATE * self.writers.n_texts)

    def now(self, compute: Callable[[], T]) -> T:
        """The result of a short computation."""
        return self.computing.once(compute)

    def precision(self, shape: GPTConfig, batch_size: int, *, window: int | None = None) -> Precision:
        """The precision in which a run learns the faster, tried where runs are computed."""
        return self.now(partial(faster_precision, shape, batch_size, window=window))

    def close(self) -> None:
        """Ends what computes, for a server that ends; runs are kept as after Stop."""
        self.sessions.stop_all()
        self.jobs.stop_all()
        self.computing.close()
        self.measuring.close()

    def measure(self, compute: Callable[[], T]) -> T:
        """The result of a computation of seconds, for which nobody else has to wait."""
        return self.measuring.once(compute)


def make_services(
    *,
    profile: str = "local",
    model: str = "mini",
    offline: bool = False,
    examples: Sequence[Bench] = (),
    saved: SavedRuns | None = None,
) -> Services:
    """The services for a profile: "local", "talk" or "space"; `examples` are runs that everybody may look at."""
    limits = PROFILES[profile]
    computing, measuring = Computing("computing"), Computing("measuring", idle=0.1)
    jobs = Jobs(computing, limits, examples=examples, saved=saved)
    store = ModelStore(limits, offline=offline, default=model, trained=jobs.language_model)
    readings = ReadingStore(limits.reading_bytes, limits.reading_seconds)
    return Services(
        models=store,
        sessions=SessionStore(limits),
        limits=limits,
        computing=computing,
        measuring=measuring,
        writers=Writers(computing),
        admission=Admission(limits.texts_at_once),
        heavy=Admission(limits.heavy_at_once, "computation"),
        readings=readings,
        jobs=jobs,
        texts=Preparations(),
    )
