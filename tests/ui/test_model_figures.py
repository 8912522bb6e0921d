"""Figures of bundled models are filled in where texts speak of them, and typed nowhere."""

import re
from pathlib import Path

import pytest

from gptcore.language_model import bundled_models
from ui.server.talks import read_talk
from ui.shared.model_figures import figures, filled

ROOT = Path(__file__).resolve().parents[2]
SPOKEN = [
    file
    for kind in ("py", "js", "html", "txt", "md")
    for file in (ROOT / "ui").rglob(f"*.{kind}")
]  # fmt: skip


def test_a_figure_is_filled_in_and_other_braces_stay():
    config = figures("induction")
    assert config["layers"] == "2" and config["parameters"] == "45,952" and config["size"] == "45,952"
    assert filled("{induction.heads} heads, {induction.nothing}, {nobody.size}, {a}") == (
        f"{config['heads']} heads, {{induction.nothing}}, {{nobody.size}}, {{a}}"
    )


@pytest.mark.parametrize("model", bundled_models())
def test_no_size_of_a_bundled_model_is_typed_on_the_page(model):
    """A model that grows changes them: texts name them by {model.size} or count."""
    sizes = {figures(model)["parameters"], figures(model)["size"], figures(model)["size"].replace("million", "M")}
    typed = re.compile("|".join(rf"(?<![\d,.]){re.escape(size)}(?![\d,]|\.\d)" for size in sizes))
    found = [f"{file.relative_to(ROOT)}: {at[0]}" for file in SPOKEN for at in typed.finditer(file.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize("file", sorted((ROOT / "ui/rooms/hall/talks").glob("*.txt")), ids=lambda file: file.stem)
def test_every_figure_in_a_bundled_talk_is_one_that_is_filled_in(file):
    text, talk = read_talk(file)
    assert not re.search(r"\{[\w-]+\.\w+\}", text) and not talk.stray


@pytest.mark.parametrize("model", bundled_models())
def test_a_card_compares_itself_with_the_mini_by_the_figures_of_now(model):
    """ "11.9 times the parameters" of the mini, where a card says so."""
    card = (bundled_models()[model] / "README.md").read_text(encoding="utf-8")
    own, mini = (int(figures(name)["parameters"].replace(",", "")) for name in (model, "mini"))
    for times in re.findall(r"mini, which has ([\d.]+) times the parameters", card):
        assert float(times) == pytest.approx(mini / own, abs=0.05)
