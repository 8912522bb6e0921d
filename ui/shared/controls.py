"""The sampling sliders and what goes with them, under the names that handlers know."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import WritingForm
from ui.shared.wiring import QUIET

SAMPLING = list(CONTROLS)
WRITING = ["max_new_tokens", "stop", "use_cache", "tokens_per_second"]
# What a link holds, besides prompt, seed and model.
LINKED = [*SAMPLING, "max_new_tokens", "tokens_per_second"]


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


def writing_form(services: Services, raw: Sequence[object]) -> WritingForm:
    """The form behind values of `Controls.inputs`; a seed that is not kept is left to chance."""
    *values, seed, keep = raw
    named = dict(zip([*SAMPLING, *WRITING], values, strict=True))
    return inputs.writing_form({**named, "seed": seed if keep is True else None}, services.limits)


def sampling_of(raw: Sequence[object]) -> SamplingSettings:
    """The sampling settings among values of `Controls.inputs`."""
    return inputs.sampling(dict(zip(SAMPLING, raw, strict=False)))


def main_sliders(form: WritingForm, max_new_tokens: int) -> dict[str, Any]:
    """The four that demonstrations move."""
    with gr.Row(elem_classes="sliders"):
        sliders = {name: _control(name, form) for name in ("temperature", "top_k", "top_p")}
        length = _slider("Length", "new tokens", 1, max_new_tokens, 1, form.max_new_tokens, "max-new-tokens")
    return {**sliders, "max_new_tokens": length}


def settings_opener(elem_id: str) -> None:
    """On a phone, what follows it in its column is hidden until it is pressed, so that the result is on the screen."""
    opener = gr.Button("All settings", size="sm", elem_id=elem_id, elem_classes="settings-opener")
    opener.click(None, None, None, js=f"() => document.getElementById({elem_id!r}).classList.toggle('opened')", **QUIET)


def sentence_strip(text: str, *, label: str, placeholder: str, elem_id: str) -> gr.Textbox:
    """The sentence above the views of a tab; the page's script keeps it the visitor's (`view/sentence.js`)."""
    looks: dict[str, Any] = {"show_label": False, "container": False, "lines": 1, "max_lines": 4}
    return gr.Textbox(text, label=label, placeholder=placeholder, elem_id=elem_id, elem_classes="strip", **looks)


def seed_row(seed: int) -> tuple[gr.Number, gr.Checkbox, gr.Button]:
    """The seed, whether it is kept, and a button for another."""
    with gr.Row(elem_classes="seeds"):
        number = gr.Number(
            seed, label="Seed", precision=0, minimum=0, maximum=2**31 - 1, elem_id="seed", min_width=0, container=False
        )
        keep = gr.Checkbox(True, label="keep this seed", elem_id="keep-seed", min_width=0, container=False)
        new = gr.Button("New seed", elem_id="new-seed", size="sm", min_width=0)
    return number, keep, new


def more_controls(form: WritingForm) -> dict[str, Any]:
    """What is moved less often."""
    made: dict[str, Any] = {}
    for pair in (("min_p", "repetition_penalty"), ("min_new_tokens", "no_repeat_ngram_size")):
        with gr.Row():
            made |= {name: _control(name, form) for name in pair}
    with gr.Row():
        made["tokens_per_second"] = _slider(
            "Speed limit", "tokens a second; 0 is none", 0, 60, 1, form.tokens_per_second, "speed"
        )
        looks: dict[str, Any] = {"info": r"one a line; \n is a newline", "lines": 1, "max_lines": 4, "min_width": 150}
        stops = form.on_controls()["stop"]
        made["stop"] = gr.Textbox(stops, label="Stop strings", elem_id="stop-strings", **looks)
    info = "Off: every token reads the whole text again. Compare the tokens/s."
    made["use_cache"] = gr.Checkbox(form.use_cache, label="KV cache", info=info, elem_id="use-cache")
    return made


# Where a control has a shorter name on the page, or in its address.
_TITLES = {"repetition_penalty": "Repetition"}
_IDS = {"repetition_penalty": "repetition", "no_repeat_ngram_size": "no-repeat"}


def _control(name: str, form: WritingForm) -> gr.Slider:
    """The slider of a sampling option."""
    control, value = CONTROLS[name], form.sampling.on_controls()[name]
    title, elem_id = _TITLES.get(name, control.title), _IDS.get(name, name.replace("_", "-"))
    return _slider(title, control.hint, control.low, control.high, control.step, value, elem_id)


def _slider(label: str, info: str, low: float, high: float, step: float, value: float, elem_id: str) -> gr.Slider:
    looks: dict[str, Any] = {"min_width": 0, "buttons": [], "precision": 0 if step == 1 else None}
    return gr.Slider(low, high, value, step=step, label=label, info=info, elem_id=elem_id, **looks)
