"""Figures of bundled models are filled in where texts speak of them, and typed nowhere; a card is
its model's.
"""

import re

import pytest

from gptcore.errors import GPTCoreError
from gptcore.language_model import bundled_models
from tiny import ROOT
from ui.frame.handlers.model import card
from ui.server.talks import read_talk
from ui.shared.model_figures import figures, filled

SPOKEN = [
    file for kind in ("py", "js", "html", "txt", "md") for file in (ROOT / "ui").rglob(f"*.{kind}")
]


def test_a_figure_is_filled_in_and_other_braces_stay():
    config = figures("induction")
    assert (
        config["layers"] == "2" and config["parameters"] == "45,952" and config["size"] == "45,952"
    )
    said = filled("{induction.heads} heads, {induction.nothing}, {nobody.size}, {a}")
    assert said == f"{config['heads']} heads, {{induction.nothing}}, {{nobody.size}}, {{a}}"


@pytest.mark.parametrize("model", bundled_models())
def test_no_size_of_a_bundled_model_is_typed_on_the_page(model):
    """A model that grows changes them: texts name them by {model.size} or count."""
    sizes = {
        figures(model)["parameters"],
        figures(model)["size"],
        figures(model)["size"].replace("million", "M"),
    }
    typed = re.compile("|".join(rf"(?<![\d,.]){re.escape(size)}(?![\d,]|\.\d)" for size in sizes))
    found = [
        f"{file.relative_to(ROOT)}: {at[0]}"
        for file in SPOKEN
        for at in typed.finditer(file.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "file", sorted((ROOT / "ui/rooms/hall/talks").glob("*.txt")), ids=lambda file: file.stem
)
def test_every_figure_in_a_bundled_talk_is_one_that_is_filled_in(file):
    text, talk = read_talk(file)
    assert not re.search(r"\{[\w-]+\.\w+\}", text) and not talk.unlinked


@pytest.mark.parametrize("model", bundled_models())
def test_a_model_shows_its_card_which_compares_itself_with_the_mini_by_the_figures_of_now(model):
    """ "11.9 times the parameters" of the mini, where a card says so."""
    told = (bundled_models()[model] / "README.md").read_text(encoding="utf-8")
    own, mini = (int(figures(name)["parameters"].replace(",", "")) for name in (model, "mini"))
    for times in re.findall(r"mini, which has ([\d.]+) times the parameters", told):
        assert float(times) == pytest.approx(mini / own, abs=0.05)
    text = card(model)
    assert "| parameters |" in text and not text.startswith("#") and "![" not in text


def test_a_moment_has_the_card_of_its_model_and_others_say_where_theirs_is():
    assert card("mini@512") == card("mini")
    assert "Hugging Face" in card("gpt2")
    with pytest.raises(GPTCoreError):
        card(3)
