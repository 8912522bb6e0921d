"""Service container for all handlers: models, sessions and limits."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import torch

from gptcore.inference.generation import continue_together
from gptcore.inference.scoring import ScoredToken, TextScore, score_text
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel
from gptcore.machine import CPU
from gptcore.training.config import Precision, faster_precision
from ui.compute import zero_gpu
from ui.compute.admission import AdmissionQueue
from ui.compute.compute_thread import ComputeThread
from ui.compute.scheduler import Scheduler
from ui.compute.token import Token
from ui.compute.zero_gpu import resumed
from ui.notices import GPU_FULL, log_notice
from ui.runs.run_manager import RunManager
from ui.runs.saved_runs import SavedRuns
from ui.runs.workspaces import Workspace, Workspaces
from ui.state.attention_cache import AttentionCache
from ui.state.broadcasts import NO_TALK, Broadcasts, SpokenTalk
from ui.state.limits import PROFILES, Limits
from ui.state.model_store import ModelStore
from ui.state.sessions import SessionStore
from ui.state.uploaded import Uploaded

T = TypeVar("T")
# seconds: faster updates are hardly visible, and each costs milliseconds
_BETWEEN_UPDATES = 0.07
_EACH_UPDATE = 0.02


@dataclass(frozen=True)
class Services:
    """Shared by all visitors; holds no visitor's data outside `sessions`."""

    models: ModelStore
    sessions: SessionStore
    limits: Limits
    compute_thread: ComputeThread
    measure_thread: ComputeThread
    scheduler: Scheduler
    admission: AdmissionQueue
    heavy: AdmissionQueue
    attention_cache: AttentionCache
    run_manager: RunManager
    broadcasts: Broadcasts = field(default_factory=Broadcasts)
    device: torch.device = CPU  # where models and runs compute
    lan: str = ""  # this machine's address in the local network, where the page is served there
    # sentences that every visitor is told at the beginning
    notices: list[str] = field(default_factory=list)
    uploaded: Uploaded = field(default_factory=Uploaded)  # files that have not been opened yet
    # the server has been told to end
    ending: threading.Event = field(default_factory=threading.Event)
    talk: SpokenTalk = NO_TALK  # the one that the app was started with
    notify: Callable[[str], None] = log_notice  # shows a sentence to the visitor whose work this is

    def compute(self, steps: Iterator[T]) -> Iterator[tuple[T, float]]:
        """Yields (result, seconds) of each step of a long computation, as a background job."""
        return self.compute_thread.each(steps, background=True)

    def write(
        self,
        lm: LanguageModel,
        continuations: Sequence[TokenSequence],
        max_new_tokens: int,
        *,
        use_cache: bool = True,
    ) -> Iterator[Token]:
        """The next tokens of several texts, numbered as these are, written together with those of
        other visitors.
        """
        if max_new_tokens < 1:
            return iter(())
        if not use_cache:
            steps = continue_together(
                lm.model, continuations, max_new_tokens=max_new_tokens, use_cache=False
            )
            computed = self.compute_thread.each(steps)
            return (Token(place, made, seconds) for (place, made), seconds in computed)
        here = partial(self.scheduler.write, lm.model)
        if zero_gpu.wanted(lm):
            return zero_gpu.write(lm, continuations, max_new_tokens, here=here, notify=self.notify)
        if lm.model.wte.weight.device != CPU:
            return self._write_on_gpu(lm, continuations, max_new_tokens)
        return here(continuations, max_new_tokens)

    def _write_on_gpu(
        self, lm: LanguageModel, texts: Sequence[TokenSequence], max_new_tokens: int
    ) -> Iterator[Token]:
        """Writes texts as `write` does, on a GPU; where that has no memory left, the CPU goes on
        with the same texts.
        """
        n_wanted = [text.n_new + max_new_tokens for text in texts]
        try:
            yield from self.scheduler.write(lm.model, texts, max_new_tokens)
            return
        except torch.OutOfMemoryError:
            self.notify(GPU_FULL)
        moved = self.models.on_cpu(lm)
        yield from resumed(moved, texts, n_wanted, partial(self.scheduler.write, moved.model))

    def score(self, lm: LanguageModel, text: str) -> tuple[str, list[ScoredToken], TextScore]:
        """Scores a text as `gptcore.inference.scoring.score_text` does, on ZeroGPU or here,
        wherever the model's work belongs.
        """
        here = partial(self.measure, partial(score_text, lm, text))
        return (
            zero_gpu.score(lm, text, here=here, notify=self.notify)
            if zero_gpu.wanted(lm)
            else here()
        )

    def opened(self, name: object) -> LanguageModel | None:
        """A model that is already open, or None: a component's request must not load one."""
        if not isinstance(name, str):
            return None
        is_open = name in self.models.loaded() or self.workspaces.holder(name) is not None
        return self.models.get(name) if is_open else None

    @property
    def workspaces(self) -> Workspaces:
        """The workspaces in which visitors train."""
        return self.run_manager.workspaces

    @property
    def update_seconds(self) -> float:
        """Minimum interval between two page updates of a text: each costs the server as much as a
        token.
        """
        return max(_BETWEEN_UPDATES, _EACH_UPDATE * self.scheduler.n_texts)

    def now(self, compute: Callable[[], T]) -> T:
        """The result of a short computation."""
        return self.compute_thread.once(compute)

    @property
    def precision(self) -> Precision:
        """The precision that runs train in on this device."""
        return faster_precision(self.device)

    def close(self) -> None:
        """Shuts down all computation; runs are kept as after Stop."""
        self.sessions.stop_all()
        self.run_manager.stop_all()
        self.compute_thread.close()
        self.measure_thread.close()

    def measure(self, compute: Callable[[], T]) -> T:
        """Runs a computation of several seconds on a separate thread, so that nobody else waits for
        it.
        """
        return self.measure_thread.once(compute)


def make_services(
    *,
    limits: Limits = PROFILES["local"],
    model: str = "mini",
    offline: bool = False,
    examples: Sequence[Workspace] = (),
    saved: SavedRuns | None = None,
    lan: str = "",
    talk: SpokenTalk = NO_TALK,
    device: torch.device = CPU,
) -> Services:
    """Makes the services of the app.

    Args:
        limits: of the server, one of `PROFILES` as a rule.
        model: name of the default.
        offline: never use the network.
        examples: runs that everybody may look at.
        saved: where runs are kept on disk.
        lan, talk, device: see Services.
    """
    ending = threading.Event()
    compute_thread = ComputeThread("computing", ending=ending)
    measure_thread = ComputeThread("measuring", idle=0.1, ending=ending)
    run_manager = RunManager(compute_thread, limits, examples=examples, saved=saved, device=device)
    broadcasts = Broadcasts()
    if limits.leader_first:
        run_manager.queue.leads = lambda workspace: broadcasts.leads(workspace.id)
    store = ModelStore(
        limits,
        offline=offline,
        default=model,
        trained=run_manager.workspaces.language_model,
        device=device,
    )
    for thread in (compute_thread, measure_thread):
        thread.failed = store.on_gpu_out_of_memory
    return Services(
        models=store,
        sessions=SessionStore(limits),
        limits=limits,
        run_manager=run_manager,
        device=device,
        compute_thread=compute_thread,
        measure_thread=measure_thread,
        scheduler=Scheduler(compute_thread),
        admission=AdmissionQueue(limits.texts_at_once),
        heavy=AdmissionQueue(limits.heavy_at_once, "computation"),
        attention_cache=AttentionCache(limits.reading_bytes, limits.reading_seconds),
        ending=ending,
        lan=lan,
        talk=talk,
        broadcasts=broadcasts,
    )
