"""The sampling sliders and what goes with them, under the names that handlers know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ui.handlers.strategies import NEUTRAL

SAMPLING = list(NEUTRAL)
WRITING = ["max_new_tokens", "stop", "use_cache", "tokens_per_second"]

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


def main_sliders(values: dict[str, Any]) -> dict[str, Any]:
    """The four that most demonstrations move."""
    with gr.Row():
        temperature = gr.Slider(0, 2, values["temperature"], step=0.05, label="Temperature", info="0 always takes the favourite",
                                elem_id="temperature", min_width=150)  # fmt: skip
        top_k = gr.Slider(0, 200, values["top_k"], step=1, precision=0, label="Top-k", info="keep the k likeliest; 0 is off",
                          elem_id="top-k", min_width=150)  # fmt: skip
    with gr.Row():
        top_p = gr.Slider(0.01, 1, values["top_p"], step=0.01, label="Top-p (nucleus)", info="likeliest up to p; 1 is off",
                          elem_id="top-p", min_width=150)  # fmt: skip
        min_p = gr.Slider(0, 1, values["min_p"], step=0.01, label="Min-p", info="share of the best; 0 is off",
                          elem_id="min-p", min_width=150)  # fmt: skip
    return {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}


def more_controls(values: dict[str, Any], seed: int, max_new_tokens: int) -> Controls:
    """Everything else; returns only its own components, to be joined with the sliders."""
    with gr.Row():
        length = gr.Slider(1, max_new_tokens, values["max_new_tokens"], step=1, precision=0, label="New tokens",
                           elem_id="max-new-tokens", min_width=150)  # fmt: skip
        least = gr.Slider(0, 200, values["min_new_tokens"], step=1, precision=0, label="Minimum length",
                          info="no end of text before this", min_width=150)  # fmt: skip
        penalty = gr.Slider(
            1, 2, values["repetition_penalty"], step=0.01, label="Repetition penalty", info="1 is off", min_width=150
        )
        ngram = gr.Slider(0, 6, values["no_repeat_ngram_size"], step=1, precision=0, label="No-repeat n-grams",
                          info="no n tokens in a row twice; 0 is off", min_width=150)  # fmt: skip
    with gr.Row():
        stop = gr.Textbox(
            values["stop"],
            label="Stop strings",
            info=r"one a line; \n is a newline",
            lines=1,
            max_lines=4,
            min_width=150,
        )
        speed = gr.Slider(0, 60, values["tokens_per_second"], step=1, label="Speed limit", info="tokens a second; 0 is none",
                          elem_id="speed", min_width=150)  # fmt: skip
        cache = gr.Checkbox(values["use_cache"], label="KV cache", info="Off: every token reads the whole text again.",
                            elem_id="use-cache", min_width=150)  # fmt: skip
    with gr.Row():
        number = gr.Number(seed, label="Seed", precision=0, minimum=0, maximum=2**31 - 1, elem_id="seed", min_width=150,
                           info="same seed, same settings, same text")  # fmt: skip
        keep = gr.Checkbox(
            True,
            label="Keep this seed",
            info="Off: every Generate draws a new one.",
            elem_id="keep-seed",
            min_width=150,
        )
        new = gr.Button("New seed", elem_id="new-seed", min_width=150)
    by_name = {
        "max_new_tokens": length, "min_new_tokens": least, "repetition_penalty": penalty, "no_repeat_ngram_size": ngram,
        "stop": stop, "tokens_per_second": speed, "use_cache": cache,
    }  # fmt: skip
    return Controls(by_name, number, keep, new)
