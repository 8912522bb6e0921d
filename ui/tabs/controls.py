"""The sampling sliders and what goes with them, under the names that handlers know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import gradio as gr

from ui.handlers import generate
from ui.handlers.strategies import NEUTRAL
from ui.services import Services

T = TypeVar("T")
SAMPLING = list(NEUTRAL)
WRITING = ["max_new_tokens", "stop", "use_cache", "tokens_per_second"]
# What a link holds, besides prompt, seed and model.
LINKED = [*SAMPLING, "max_new_tokens", "tokens_per_second"]

# How an event that changes the page at once is wired.
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}


@dataclass(frozen=True)
class Controls:
    """The components by name, and the two that decide the seed."""

    by_name: dict[str, Any]
    seed: gr.Number
    keep_seed: gr.Checkbox
    new_seed: gr.Button

    @property
    def sampling(self) -> list[Any]:
        """The sliders that change the distribution."""
        return [self.by_name[name] for name in SAMPLING]

    @property
    def inputs(self) -> list[Any]:
        """All of them, in the order that `named` expects."""
        return [self.by_name[name] for name in [*SAMPLING, *WRITING]] + [self.seed, self.keep_seed]


def named(raw: Sequence[Any]) -> dict[str, Any]:
    """Values of `Controls.inputs`, by name; a seed that is not kept is left to chance."""
    *values, seed, keep = raw
    return {**dict(zip([*SAMPLING, *WRITING], values, strict=True)), "seed": seed if keep is True else None}


def main_sliders(values: dict[str, Any], max_new_tokens: int) -> dict[str, Any]:
    """The six that demonstrations move."""
    with gr.Row(elem_classes="sliders"):
        temperature = _slider("Temperature", "0: greedy", 0, 2, 0.05, values["temperature"], "temperature")
        top_k = _slider("Top-k", "k likeliest; 0: off", 0, 200, 1, values["top_k"], "top-k")
        top_p = _slider("Top-p", "smallest set reaching p; 1: off", 0.01, 1, 0.01, values["top_p"], "top-p")
        min_p = _slider("Min-p", "share of the top probability; 0: off", 0, 1, 0.01, values["min_p"], "min-p")
        penalty = _slider("Repetition", "penalty; 1: off", 1, 2, 0.01, values["repetition_penalty"], "repetition")
        length = _slider("Length", "new tokens", 1, max_new_tokens, 1, values["max_new_tokens"], "max-new-tokens")
    return {
        "temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p, "repetition_penalty": penalty,
        "max_new_tokens": length,
    }  # fmt: skip


def seed_row(seed: int) -> tuple[gr.Number, gr.Checkbox, gr.Button]:
    """The seed, whether it is kept, and a button for another."""
    with gr.Row(elem_classes="seeds"):
        number = gr.Number(
            seed, label="Seed", precision=0, minimum=0, maximum=2**31 - 1, elem_id="seed", min_width=0, container=False,
        )  # fmt: skip
        keep = gr.Checkbox(True, label="keep this seed", elem_id="keep-seed", min_width=0, container=False)
        new = gr.Button("New seed", elem_id="new-seed", size="sm", min_width=0)
    return number, keep, new


def more_controls(values: dict[str, Any]) -> dict[str, Any]:
    """What is moved less often."""
    with gr.Row():
        least = _slider("Minimum length", "minimum new tokens", 0, 200, 1, values["min_new_tokens"], "min-new-tokens")
        ngram = _slider("No-repeat n-grams", "0 is off", 0, 6, 1, values["no_repeat_ngram_size"], "no-repeat")
    with gr.Row():
        speed = _slider("Speed limit", "tokens a second; 0 is none", 0, 60, 1, values["tokens_per_second"], "speed")
        stop = gr.Textbox(
            values["stop"], label="Stop strings", info=r"one a line; \n is a newline", lines=1, max_lines=4, min_width=150,
            elem_id="stop-strings",
        )  # fmt: skip
    cache = gr.Checkbox(
        values["use_cache"], label="KV cache", info="Off: every token reads the whole text again. Compare the tokens/s.",
        elem_id="use-cache",
    )  # fmt: skip
    return {
        "min_new_tokens": least, "no_repeat_ngram_size": ngram, "stop": stop, "tokens_per_second": speed, "use_cache": cache,
    }  # fmt: skip


def _slider(label: str, info: str, low: float, high: float, step: float, value: float, elem_id: str) -> gr.Slider:
    return gr.Slider(
        low,
        high,
        value,
        step=step,
        label=label,
        info=info,
        elem_id=elem_id,
        min_width=0,
        buttons=[],
        precision=0 if step == 1 else None,
    )


def event_data(event: gr.EventData) -> dict[str, Any]:
    """What a component sent with an event; nothing where it is not an object, as a program may send."""
    data = getattr(event, "_data", None)
    return data if isinstance(data, dict) else {}


def or_nothing(views: Iterator[T], nothing: T) -> Iterator[T]:
    """The views, or `nothing` where there are none: Gradio empties the outputs of an event that ends without a value."""
    silent = True
    for view in views:
        silent = False
        yield view
    if silent:
        yield nothing


def stop_event(services: Services) -> Callable[[gr.Request], None]:
    """Stops what the visitor has running, outside any queue, so that it never waits behind what it should stop."""

    def on_stop(request: gr.Request) -> None:
        generate.stop(services, request.session_hash)

    return on_stop
