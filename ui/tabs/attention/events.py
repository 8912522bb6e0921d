"""What happens on the Attention tab, and what its component asks the server for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ui.components.attention.attention_view import standalone_page
from ui.errors import shown_to_visitor
from ui.figures import attention as figures
from ui.figures.slide import is_kind
from ui.handlers.attention import ablation, files, lens, maps, texts
from ui.services import Services
from ui.tabs.controls import event_data, or_nothing

HINT = "Every change is read at once. Repeat a name, and see who looks back."
_MOST_CHARS = 3_000_000


def make_events(services: Services) -> tuple[Callable[..., Any], ...]:
    """The tab's events as Gradio wants them: the request first, then the values of the inputs."""

    def on_look(request: gr.Request, shown: str, *raw: Any) -> Iterator[list[Any]]:
        name, text, mode, keep, off, replacement = raw
        visitor, skip = request.session_hash, gr.skip()
        with shown_to_visitor():
            if shown == "off":
                off = ablation.fitting(services, name, off)
                value = ablation.switch_off(services, visitor, name, text, mode, keep, off, replacement)
                yield [skip, value, skip, skip, off]
            elif shown == "lens":
                yield [skip, skip, lens.lens(services, visitor, name, text, mode, keep), skip, skip]
            looks = maps.look(services, visitor, name, text, mode, keep)
            views = ([seen.value, skip, skip, gr.Radio(visible=seen.cut), skip] for seen in looks)
            yield from or_nothing(views, [skip] * 5)

    def on_off(request: gr.Request, event: gr.EventData, *raw: Any) -> list[Any]:
        asked = event_data(event)
        off = asked["off"] if "off" in asked else [[asked.get("layer"), "head", asked.get("head")]]
        name, text, mode, keep, replacement = raw
        with shown_to_visitor():
            value = ablation.switch_off(services, request.session_hash, name, text, mode, keep, off, replacement)
        return [value, off, gr.skip() if "off" in asked else gr.Tabs(selected="off")]

    def on_try(request: gr.Request, *raw: Any) -> Iterator[Any]:
        with shown_to_visitor():
            yield from or_nothing(ablation.try_all(services, request.session_hash, *raw), gr.skip())

    def on_wake(event: gr.EventData, name: str) -> list[Any]:
        asked = event_data(event)
        with shown_to_visitor():
            return list(texts.wake(services, name, asked.get("layer"), asked.get("head")))

    def on_fresh(name: str, linked: bool, *written: Any) -> list[Any]:
        text, text_a, text_b = written
        with shown_to_visitor():
            example = texts.example_text(services.models.get(name))
        wanted = [example, example, texts.other_text(example)]
        kept = [
            linked or not texts.is_example(text),
            *[not texts.is_example(t) for t in (text_a, text_b)],
        ]
        return [False, *(gr.skip() if stays else new for stays, new in zip(kept, wanted, strict=True))]

    def on_generated(request: gr.Request) -> str:
        with shown_to_visitor():
            return maps.generated_text(services, request.session_hash)

    return on_look, on_off, on_try, on_wake, on_fresh, on_generated


def server_functions(services: Services) -> list[Callable[..., Any]]:
    """What the component asks for outside any queue, so that moving from head to head never waits."""

    def head_map(request: Any) -> Any:
        return maps.head_map(services, request)

    def steps(request: Any) -> Any:
        return maps.steps(services, request)

    def arithmetic(request: Any) -> Any:
        return maps.arithmetic(services, request)

    def picture(request: Any) -> str | None:
        where, kind, dark = request if isinstance(request, list) and len(request) == 3 else (None, None, None)
        found = maps.chosen(services, where)
        if found is None or not is_kind(kind):
            return None
        causal, labels = found.kept.reading.causal, found.kept.labels
        title = files.caption(found)
        return figures.draw_map(found.weights, labels, title, kind, dark=dark is True, causal=causal)

    def standalone(request: Any) -> str | None:
        where, value = request if isinstance(request, list) and len(request) == 2 else (None, None)
        maps = files.maps_for_a_page(services, where)
        if maps is None or not isinstance(value, str) or len(value) > _MOST_CHARS:
            return None
        return files.html_url(standalone_page(value, maps))

    def arrays(request: Any) -> str | None:
        return files.arrays(services, request)

    return [head_map, steps, arithmetic, picture, standalone, arrays]
