"""The Parameters tab's handlers, without Gradio: shapes, costs, scaling laws, recorded norms."""

import base64
import json
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from gptcore.config import PRESETS, GPTConfig
from gptcore.errors import GPTCoreError
from ui.lenses.parameters.drawing import anatomy, anatomy_figures, architecture, norms
from ui.lenses.parameters.drawing import figures as drawings
from ui.lenses.parameters.handlers import shapes
from ui.lenses.parameters.reference import charts, costs, quoted, scaling
from ui.lenses.train.handlers.presets import PRESETS as RUNS
from ui.shared.slide import DARK, LIGHT, PLACEHOLDERS

GPT2 = shapes.controls_of(PRESETS["gpt2"])


def sections(sheet):
    return {section["title"]: section for section in json.loads(sheet)["sections"]}


@pytest.mark.parametrize("preset", list(PRESETS))
def test_the_controls_of_a_preset_give_it_back(preset):
    config = shapes.shape(shapes.controls_of(PRESETS[preset]))
    assert shapes.name_of(config) in PRESETS
    assert shapes.controls_of(config) == shapes.controls_of(PRESETS[preset])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_known_by_its_shape_whatever_its_dropout(preset):
    config = PRESETS[preset]
    without = replace(config, embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0)
    alike = {
        name
        for name, other in PRESETS.items()
        if shapes.controls_of(other) == shapes.controls_of(config)
    }
    assert {shapes.name_of(config), shapes.name_of(without)} <= alike
    assert shapes.name_of(replace(config, n_layer=config.n_layer + 1)) == ""


@pytest.mark.parametrize(
    "preset", ["gpt1", "gpt1-preln", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]
)
def test_the_breakdown_adds_up_and_matches_the_real_model(preset):
    value = json.loads(shapes.breakdown(PRESETS[preset]))
    assert value["agrees"] is True and value["name"] == preset
    assert sum(row["count"] for row in value["rows"]) == value["total"]
    for row in value["rows"]:
        by_tensor = 0
        for _, dimensions, times in row["tensors"]:
            size = times
            for dimension in dimensions:
                size *= dimension
            by_tensor += size
        assert by_tensor == row["count"]


def test_a_formula_that_is_wrong_is_shown_as_a_mismatch(monkeypatch):
    monkeypatch.setattr(
        shapes, "tensor_shapes", lambda *_, **__: iter([("token_embedding", "wte.weight", (1, 1))])
    )
    agrees, said = shapes.check_against_the_module(
        PRESETS["mini"], shapes.count_parameters(PRESETS["mini"])
    )
    assert agrees is False and "DOES NOT match" in said


def test_absurd_sizes_are_answered_at_once_and_a_shape_that_no_model_can_have_is_a_sentence():
    huge = shapes.shape(
        {**GPT2, "n_layer": 10**12, "n_embd": 12 * 10**10, "n_head": 12, "n_inner": 0}
    )
    value = json.loads(shapes.breakdown(huge))
    assert value["agrees"] is None and value["total"] > 10**33
    assert "ZB" in costs.costs(huge, 8, 256, 300)
    with pytest.raises(GPTCoreError, match="such as 105"):
        shapes.shape({**GPT2, "n_embd": 100, "n_head": 7})


def test_every_quoted_number_is_the_end_of_an_equation_that_adds_up():
    found = sections(quoted.quoted())
    lessons = found.pop("Other numbers in lessons")
    right = [row[2] for row in lessons["rows"]]
    without = 12 * sum(range(50, 150))  # each new token is read with all before it
    assert right[:3] == ["0.8412", f"{without:,}", f"{12 * 149:,}"] and right[4] == "4,225"
    assert all(often != right for _, often, right, _ in lessons["rows"])
    glance = found.pop("One model, four numbers")
    for stack, (label, parameters, _) in zip(glance["stacks"], glance["rows"], strict=True):
        assert (
            f"{sum(stack['parts']) / 1e6:.0f}M" == stack["label"] == label
            and sum(stack["parts"]) == parameters
        )
    assert len(found) == 7
    for section in found.values():
        running = 0
        for index, (label, _, count) in enumerate(section["rows"]):
            if index in section["sums"]:
                assert count == running, (section["title"], label)
            else:
                running += count
    ends = {title: [row[2] for row in s["rows"]][s["sums"][-1]] for title, s in found.items()}
    for title, count in ends.items():
        if (
            title.endswith("M?")
            and title[0] in "1379"
            and title not in ("124M or 163M?", "85M or 124M?")
        ):
            assert round(count / 1e6) == int(title.split("M")[0])


def test_costs_are_those_of_the_core_and_bad_fields_are_sentences():
    found = sections(costs.costs(PRESETS["gpt2"], 8, 512, 300))
    memory = {row[0]: row[2] for row in found["Memory for inference"]["rows"]}
    assert (
        memory["weights, fp32"] == "497.8 MB" and memory["KV cache, full window, fp32"] == "75.5 MB"
    )
    lesson = found["Keys and values: 100 tokens after a prompt of 50"]["rows"]
    assert [row[2] for row in lesson[:2]] == ["119,400", "1,788"]
    for batch, length, millions in (
        (0, 8, 1),
        (8, 2000, 1),
        (8, 8, float("nan")),
        (None, 8, 1),
        (8, "x", 1),
    ):
        with pytest.raises(GPTCoreError):
            costs.costs(PRESETS["gpt2"], batch, length, millions)


def test_measurements_on_request_give_figures_or_a_sentence(services, monkeypatch):
    monkeypatch.setattr(costs, "_MEASURED_SECONDS", 0.2)
    small = GPTConfig(vocab_size=61, n_positions=32, n_embd=16, n_layer=1, n_head=2)
    said = costs.measure_training(services, small, 2, 16, 1)
    assert "tokens a second on this machine" in said and "would take" in said
    assert "times faster" in costs.measure_cache(services, "tiny")
    with pytest.raises(GPTCoreError, match="Training this takes"):
        costs.measure_training(services, PRESETS["gpt2-xl"], 64, 1024, 1)
    with pytest.raises(GPTCoreError, match="One update of this would take"):
        costs.measure_training(services, PRESETS["gpt2"], 4, 1024, 1)
    monkeypatch.setattr(costs, "_LONGEST_MEASURED", 0.0)
    # cut short: the same number with a cache
    assert " 1 tokens after" in costs.measure_cache(services, "tiny")


@pytest.mark.parametrize(
    "changes",
    [
        {"n_layer": 1},
        {"n_layer": 96},
        {"use_mlp": False},
        {"use_positions": False},
        {"n_inner": 1, "vocab_size": 1},
    ],
)
def test_every_shape_can_be_drawn(changes):
    shape = architecture.drawn(shapes.shape({**GPT2, **changes}))
    light, dark = drawings.inline(*shape)
    assert light.startswith("<svg") and dark.startswith("<svg")
    assert DARK.ink not in light and LIGHT.muted not in dark
    assert light.count(LIGHT.ink) > dark.count(LIGHT.ink) and dark.count(DARK.ink) > 10
    assert not any(placeholder in light + dark for placeholder in PLACEHOLDERS)


@pytest.mark.parametrize("name", list(anatomy.EXPERIMENTS))
def test_every_experiment_has_a_figure_and_a_paragraph_with_its_numbers(services, name):
    found = anatomy.experiment(services, "tiny", name)
    drawn = getattr(anatomy_figures, found.figure)(**found.arguments)
    light, dark = (base64.b64decode(url.partition(",")[2]).decode() for url in drawn)
    assert "<svg" in light and DARK.paper in dark and DARK.paper not in light
    assert not any(placeholder in light + dark for placeholder in PLACEHOLDERS)
    assert any(character.isdigit() for character in found.text)
    with pytest.raises(GPTCoreError, match="no experiment"):
        anatomy.experiment(services, "tiny", name + "!")


def test_the_activations_come_with_a_table_of_slopes_and_the_function_by_hand(services):
    slopes, by_hand = anatomy.experiment(services, "tiny", "GELU against ReLU").tables
    rows = {row[0]: row[1:] for row in slopes.rows}
    assert rows["ReLU: slope"] == ("0.000", "0.000", "0.000", "0.000", "1.000", "1.000", "1.000")
    assert rows["GELU, exact: value"][1] == "−0.159"  # the normal distribution below -1
    assert float(by_hand.rows[-1][-1]) < 1e-5


def test_the_drawing_names_activation_and_dropout_and_ties_the_two_ends():
    def text(**changes):
        figure = drawings._figure(*architecture.drawn(shapes.shape({**GPT2, **changes})), LIGHT)
        return " ".join(text.get_text() for axes in figure.axes for text in axes.texts)

    whole = text()
    assert (
        "GELU (tanh)" in whole
        and "dropout 0.1" in whole
        and "tied: one table" in whole
        and "softmax" in whole
    )
    assert "ReLU" in text(activation_function="relu") and "dropout" not in text(dropout=0)
    assert "tied" not in text(tie_word_embeddings=False)
    assert "ln_f" in whole and "ln_f" not in text(norm_position="post")


def test_the_laws_are_the_papers():
    # Kaplan et al. 2020: a model of 8.8e13 parameters, or 5.4e13 tokens, would have a loss of 1
    # nat.
    assert (
        scaling.KAPLAN.at(parameters=8.8e13)
        == pytest.approx(1)
        == pytest.approx(scaling.KAPLAN.at(tokens=5.4e13))
    )
    # Hoffmann et al. 2022, equation 10, with both terms: Chinchilla, 70 billion parameters and 1.4
    # trillion tokens.
    chinchilla = 1.69 + 406.4 / 70e9**0.34 + 410.7 / 1.4e12**0.28
    assert scaling.CHINCHILLA.at(parameters=70e9, tokens=1.4e12) == pytest.approx(chinchilla)
    assert "16%" in scaling.said() and "20%" in scaling.said()
    assert 1 - scaling.KAPLAN.at(parameters=1e9) / scaling.KAPLAN.at(
        parameters=1e8
    ) == pytest.approx(0.16, abs=0.005)


def test_both_pictures_hold_lines_and_points():
    points = scaling.bundled()
    for along in ("parameters", "tokens"):
        traces = json.loads(charts.laws(along, scaling.lines(along), points))["data"]
        lines = [trace for trace in traces if trace["mode"] == "lines"]
        assert [line["name"] for line in lines if line["showlegend"]] == [
            law.name for law in scaling.LAWS
        ]
        assert [trace["name"] for trace in traces if trace["mode"] == "markers"] == [
            point.name for point in points
        ]
        assert [trace["x"] for trace in traces[-len(points) :]] == [
            [getattr(point, along)] for point in points
        ]


def test_a_law_is_dotted_beyond_what_was_measured_and_goes_on_without_a_gap():
    measured = {"parameters": "measured", "tokens": "measured_tokens"}
    for along, name in measured.items():
        for law in scaling.LAWS:
            parts = [line for line in scaling.lines(along) if line.name == law.name]
            assert parts[0].x[0] == 1e4 and parts[-1].x[-1] == pytest.approx(1e12)
            for before, after in pairwise(parts):
                assert before.x[-1] == pytest.approx(after.x[0]) and before.losses[
                    -1
                ] == pytest.approx(after.losses[0])
            (solid,) = (part for part in parts if part.measured)
            low, high = getattr(law, name)
            assert (solid.x[0], solid.x[-1]) == pytest.approx((max(1e4, low), high))


def test_the_sentence_changes_with_the_recorded_runs_whose_shape_the_live_race_has():
    made = norms.recorded()
    said = norms.verdict(made)
    runs = made["runs"]
    assert "is stuck at 3.08" in said and "100 updates of warm-up bring it to 2.60" in said
    assert (
        norms.verdict({**made, "runs": dict.fromkeys(runs, runs[norms.PRE])})
        == "learns as well (2.39)"
    )
    assert "so with one" in norms.verdict(
        {**made, "runs": {**runs, norms.WARMED: runs[norms.POST]}}
    )
    preset = RUNS["Norm before or after, no warm-up"]
    shape = (
        preset["n_layer"],
        preset["n_embd"],
        preset["learning_rate"],
        preset["warmup_steps"],
        preset["rival"],
    )
    assert shape == (made["layers"], made["width"], made["rate"], 0, "norm")


def test_the_cache_is_timed_against_writing_without_it(services, monkeypatch):
    used = []

    def times(model, ids, n_new, *, use_cache):
        used.append(use_cache)
        return [0.25] * 4 if use_cache else [0.5] * 4

    monkeypatch.setattr(costs, "_token_times", times)
    said = costs.measure_cache(services, "tiny")
    assert used == [False, True]
    assert "2.00 s without a cache, 1.00 s with one, 2.0 times faster" in said


@pytest.mark.parametrize(
    ("window", "n_prompt", "n_new"), [(24, 8, 16), (149, 49, 100), (256, 50, 100)]
)
def test_the_cache_is_timed_within_the_window(tiny_lm, monkeypatch, window, n_prompt, n_new):
    asked = []
    monkeypatch.setattr(
        costs,
        "_token_times",
        lambda model, ids, n_new, **_: asked.append((len(ids), n_new)) or [1.0] * n_new,
    )
    config = replace(tiny_lm.model.config, n_positions=window)
    lm = replace(tiny_lm, model=SimpleNamespace(config=config))
    services = SimpleNamespace(
        models=SimpleNamespace(get=lambda _: lm), measure=lambda compute: compute()
    )
    costs.measure_cache(services, "tiny")
    assert asked == [(n_prompt, n_new)] * 2


def test_the_speed_of_training_is_told_with_what_follows_from_it(services, monkeypatch):
    small = GPTConfig(vocab_size=61, n_positions=32, n_embd=16, n_layer=1, n_head=2)
    monkeypatch.setattr(costs, "_training_rate", lambda *_: (12_500.0, 7))
    monkeypatch.setattr(costs, "training_flops", lambda config, T: 3_000_000)
    said = costs.measure_training(services, small, 2, 16, 90)
    assert "12,500 tokens a second on this machine (7 updates of 2 x 16 tokens" in said
    # 90 million tokens take 7,200 s
    assert "would take 2.0 h, and about 37.5 GFLOP a second" in said


def test_the_drawing_says_how_large_a_block_is():
    svg, _ = drawings.inline(*architecture.drawn(PRESETS["gpt2"]))
    assert "12 blocks" in svg and "7,087,872 each" in svg and "68.3% together" in svg
