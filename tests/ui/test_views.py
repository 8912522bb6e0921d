"""The registry of tabs and views: the page has exactly these, and every tour and link finds
them.
"""

import re
from importlib.machinery import ModuleSpec
from urllib.parse import parse_qs

import gradio as gr
import pytest

from tiny import ROOT
from ui import links, views
from ui.frame.example import page_example
from ui.page import BUILDERS, build_page
from ui.shared import files
from ui.shared.files import style_sheet
from ui.views import TABS


def test_the_page_has_the_registered_tabs_and_views_in_their_order(bundled):
    page = build_page(bundled, page_example(bundled))
    laid_out = [
        (block.id, block.label) for block in page.blocks.values() if isinstance(block, gr.Tab)
    ]
    expected = [
        pair
        for tab in TABS
        for pair in [(tab.name, tab.title), *((v.name, v.title) for v in tab.views)]
    ]
    assert laid_out == expected and list(BUILDERS) == list(views.TAB_NAMES)


def test_what_opens_a_view_from_a_script_names_a_registered_one():
    scripts = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "ui").rglob("*.js"))
    ways = re.findall(r"\{tab: '([^']+)', view: '([^']+)'", scripts)
    assert len(ways) > 3
    for tab, view in ways:
        assert view in views.titles(tab), (tab, view)


def test_a_link_to_a_view_that_is_none_names_those_that_are():
    assert links.mistakes({"tab": "attention", "view": "two sentences"}) == []
    (said,) = links.mistakes({"tab": "attention", "view": "Lenses"})
    assert "'Lenses', which attention does not have; choose 'Heads', 'Layers'" in said
    assert "it has only one" in links.mistakes({"tab": "start", "view": "x"})[0]


def test_every_question_leads_to_a_registered_view_and_none_is_asked_twice():
    assert len({item.text for item in views.QUESTIONS}) == len(views.QUESTIONS) >= 12
    for entry in views.QUESTIONS:
        assert entry.text.endswith("?") and entry.sees
        if entry.view:
            assert parse_qs(entry.way)["view"][0] in views.titles(entry.tab)
        else:
            assert views.titles(entry.tab) == []


def test_what_stands_behind_the_others_comes_last_and_after_a_word():
    marked = re.findall(r"\[data-tab-id='([\w-]+)'\]::before", style_sheet())
    for tab in TABS:
        behind = [view.is_more for view in tab.views]
        assert behind == sorted(behind)
        names = {view.name for view in tab.views}
        assert [view.name for view in tab.views if view.is_more][:1] == [
            name for name in marked if name in names
        ]


def test_without_plotly_the_way_to_install_it_is_said(monkeypatch):
    for found in (None, ModuleSpec("plotly", None)):
        monkeypatch.setattr(files, "find_spec", lambda _, found=found: found)
        with pytest.raises(RuntimeError, match=r"Run: pip install -r requirements\.txt"):
            files._plotly()
