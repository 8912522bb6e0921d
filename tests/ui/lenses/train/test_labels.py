"""Learning labels: lines in, a classifier that tells them apart out."""

import csv
import io
import itertools
import json
import random
import re
from dataclasses import replace
from types import SimpleNamespace

import gradio as gr
import pytest
from recorded_runs import weights_digest
from test_runs import finished, polled

from gptcore.errors import GPTCoreError
from gptcore.finetuning import SpecialTokens
from gptcore.formatting import percent
from ui.lenses.train import form
from ui.lenses.train.form import _NEEDED, _filled, _needed
from ui.lenses.train.handlers import input_forms, labelled_lines, labels, watching
from ui.lenses.train.handlers.files import EXAMPLES, example_workspaces
from ui.lenses.train.handlers.forms import LabelForm, label_form
from ui.lenses.train.handlers.input_forms import INPUT_FORMS, SETTINGS, example_lines, input_form
from ui.lenses.train.handlers.labelled_lines import read_lines
from ui.lenses.train.handlers.labels import label_plan
from ui.lenses.train.handlers.presets import GPT1_TUNING
from ui.lenses.train.handlers.verdicts import verdict
from ui.runs import training_run as runs
from ui.runs.dataset_cache import completed
from ui.shared.fields import defaults_of
from ui.shared.inputs import InputError

LINES = "\n".join(
    f"animal\tthe {word} ran to the mat {n}" for word in ("cat", "dog") for n in range(20)
)
LINES += "\n" + "\n".join(
    f"place,on the mat and on the {word} {n}" for word in ("mat", "sat") for n in range(20)
)
VALUES = {
    "input_form": "classification",
    "labelled": LINES,
    "batch_size": 8,
    "length": "steps",
    "max_steps": 40,
    "epochs": 3,
    "auxiliary_weight": 0.5,
    "learning_rate": 5e-3,
    "prompt": "the ",
}


ALIKE = ["".join(letters) for letters in itertools.product("tT", "eE", "xX", "tT")]


def taught(services, **changes):
    """The workspace of a run on labels that has ended."""
    form = label_form({**VALUES, **changes}, services.limits)
    return finished(watching.further(services, None, "tiny", form, label_plan))


def planned(services, **changes):
    """What a run on labels would be."""
    form = label_form({**VALUES, **changes}, services.limits)
    return label_plan(services, services.models.get("tiny"), form).facts


def test_a_run_on_labels_learns_them_and_then_tells_them(services):
    workspace = taught(services)
    run = workspace.current
    assert run.final_accuracy == 1.0 and run.snapshots[0].accuracy < 1.0
    for _, loss, *_, of_labels, of_text in run.curve.rows:  # both terms are in the curve
        assert loss == pytest.approx(of_labels + 0.5 * of_text, rel=1e-4)
    told = watching.classify(
        services, {"workspace": workspace.id, "run": run.id, "text": "the dog ran to the mat 5"}
    )
    assert told["labels"][0][0] == "animal" and told["labels"][0][1] > 0.9
    assert sum(p for _, p in told["labels"]) == pytest.approx(1.0, abs=1e-3)
    # the body writes on with its old vocabulary
    assert run.language_model.model.config.vocab_size == 270
    news = polled(services, workspace.id)
    assert news["about"]["kind"] == "labels" and news["looks"][-1]["accuracy"] == 1.0


@pytest.mark.parametrize("header", ["", "label,text\n", "\n\nlabel,text\n"])
@pytest.mark.parametrize("before", ["good,one\n", "good,one\n\n\n", 'good,"one\nand two"\n'])
def test_a_refused_line_has_the_number_that_an_editor_gives_it(header, before):
    text = f"{header}{before}bad,\n" + "good,some words\nbad,other words\n" * 20
    line = f"{header}{before}".count("\n") + 1
    with pytest.raises(InputError, match=f"^Line {line} is 'bad"):
        read_lines(text, INPUT_FORMS["classification"])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "is empty"),
        (None, "must be text"),
        ("no mark here\n" * 20, "Line 1 is 'no mark here'"),
        ("\n".join(f"a\tone {i}" for i in range(20)), "There are 1 different labels"),
        ("a\tone\nb\ttwo", "There are 2 different labelled lines"),
        ("a\tone\nb\ttwo\n" * 9, "There are 2 different"),
        ("\n".join(f"label{i}\ttext" for i in range(30)), "30 different labels"),
        ("a\t\n" * 20, "Line 1"),
        ("\n".join(f"label{i}\ttext" for i in range(20)), "'label0' has a single line"),
        (" \n" * 20, "empty"),
        ("\n".join(f"{'ab'[n % 2]}\t{text}" for n, text in enumerate(ALIKE)), "too much alike"),
    ],
)
def test_lines_that_cannot_be_learned_are_a_sentence(services, lines, words):
    with pytest.raises(GPTCoreError, match=words):
        taught(services, labelled=lines)


def test_what_is_not_clearly_above_the_most_frequent_label_settles_nothing(services):
    news = polled(services, taught(services, max_steps=1, learning_rate=1e-6).id)
    commonest = news["about"]["commonest"]
    assert 0.5 <= commonest <= 1 and f"gets {percent(commonest)} right" in news["verdict"]
    assert "That settles nothing" in news["verdict"]


def test_what_did_best_on_the_held_out_lines_is_kept(services, monkeypatch):
    monkeypatch.setattr(runs, "_SHORTEST_WAIT", 0.0)
    monkeypatch.setattr(runs, "_LONGEST_WAIT", 0.0)
    # Labels by chance: what is learned of the lines by heart makes the held-out loss rise.
    coin = random.Random(4)
    texts = itertools.product(range(5), "cdefgh", "xyz")
    lines = "\n".join(
        f"{coin.choice('ab')}\tthe {word} ran to {which} mat {n}" for n, word, which in texts
    )
    run = taught(services, labelled=lines, max_steps=60, learning_rate=0.02).current
    scores = {look.step: (-look.accuracy, look.valid_loss) for look in run.snapshots}
    assert scores[run.kept_step] == min(scores.values()) < scores[60] and run.kept_step < 60
    assert run.final_loss == pytest.approx(scores[run.kept_step][1], abs=1e-4)


def test_of_the_example_s_answers_the_right_one_is_named(monkeypatch):
    monkeypatch.setattr(input_forms, "_ENDINGS", ["Once.|right|off|wrong"])
    draw = random.Random(2)
    lines = [input_forms._chosen(draw) for _ in range(30)]
    for line in lines:
        label, _, rest = line.partition("\t")
        assert rest.split(" | ")[int(label)] == "right"
    assert len({line.partition("\t")[0] for line in lines}) == 3


def test_of_two_that_get_as_many_lines_right_the_one_with_the_lower_loss_is_kept(
    services, monkeypatch
):
    """Accuracy counts before the loss, and of equals the first one stays."""
    monkeypatch.setattr(runs, "_SHORTEST_WAIT", 0.0)
    monkeypatch.setattr(runs, "_LONGEST_WAIT", 0.0)
    scores = [(0.5, 0.5), (2.0, 0.75), (1.0, 0.75), (1.0, 0.75), (0.4, 0.5)]
    given = []

    def scored(*_: object):
        given.append(scores[min(len(given), len(scores) - 1)])
        return given[-1]
        yield

    def planned_so(services, form):
        return replace(label_plan(services, services.models.get("tiny"), form), evaluate=scored)

    form = label_form({**VALUES, "max_steps": 6}, services.limits)
    workspace = watching.further(services, None, "tiny", form, lambda s, _, f: planned_so(s, f))
    run = finished(workspace).current
    assert run.kept_step == run.snapshots[2].step and len(run.snapshots) > len(scores)


def read(written: str, form: str = "classification") -> tuple[list[str], list[tuple[str, ...]]]:
    """(the labels, label and texts of each line)."""
    found = read_lines(written, input_form(form))
    return list(found.names), [(found.names[label], *texts) for label, texts in found.lines]


REVIEWS = [("pos", f"Good, really good, number {n}") for n in range(6)] + [
    ("neg", f"Bad {n}") for n in range(6)
]


AGAIN = [(label, f"{text}!") for label, text in REVIEWS]


def as_csv(rows, separator=",", quoting=csv.QUOTE_MINIMAL, end="\r\n") -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    return written.getvalue()


# The same lines as people have them.
WRITTEN = {
    "tabs": as_csv(REVIEWS, "\t"),
    "tabs, old Mac": as_csv(REVIEWS, "\t", end="\r"),
    "commas that are not quoted": "\n".join(f"{label}, {text}" for label, text in REVIEWS),
    "a table": as_csv(REVIEWS),
    "all quoted": as_csv(REVIEWS, quoting=csv.QUOTE_ALL),
    "a mark in front": "\ufeff" + as_csv(REVIEWS),
    "semicolons": as_csv(REVIEWS, ";"),
    "a header": as_csv([("label", "text"), *REVIEWS]),
    "a header with tabs": as_csv([("label", "text"), *REVIEWS], "\t"),
    "the text first": as_csv([(text, label) for label, text in REVIEWS]),
    "the text first, with a header": as_csv(
        [("review", "sentiment"), *((text, label) for label, text in REVIEWS)]
    ),
    "as Kaggle has it": as_csv(
        [("v1", "v2", "", "", ""), *((*row, "", "", "") for row in REVIEWS)]
    ),
    "with numbers": as_csv(
        [("id", "label", "text"), *((n, *row) for n, row in enumerate(REVIEWS))]
    ),
    "numbers, no header": as_csv([(n, *row) for n, row in enumerate([*REVIEWS, *AGAIN])]),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_lines_are_read_as_they_are_meant_whatever_wrote_them(kind):
    names, rows = read(WRITTEN[kind])
    assert names == ["neg", "pos"]
    assert rows[: len(REVIEWS)] == REVIEWS
    told = read_lines(WRITTEN[kind], input_form("classification")).told
    assert ("header" in told) == bool(re.match(r"\W*(label|review|v1|id)\W", WRITTEN[kind]))


def test_a_cell_over_two_lines_is_one_and_a_label_between_quotes_may_hold_a_comma():
    rows = [("big, red", f'He said ""no""\nand went {n}') for n in range(6)] + [
        ("b", f"x {n}") for n in range(6)
    ]
    assert read(as_csv(rows))[1] == [("big, red", rows[n][1]) for n in range(6)] + rows[6:]


def test_quotes_that_are_no_quotes_of_a_table_stay_and_swallow_nothing():
    rows = [("a", f'"Great {n}, she said') for n in range(6)] + [
        ("b", f'x "{n}" y') for n in range(6)
    ]
    assert read("\n".join(f"{label}\t{text}" for label, text in rows))[1] == rows


def test_pairs_and_answers_are_columns_of_a_table_too():
    pairs = [("yes" if n % 2 else "no", f"Tom has {n}", f"Tom, has {n + 1}") for n in range(12)]
    for written in (
        "\n".join(f"{label}\t{a} | {b}" for label, a, b in pairs),
        "\n".join(map("\t".join, pairs)),
        as_csv(pairs),
        as_csv([("premise", "hypothesis", "label"), *((a, b, label) for label, a, b in pairs)]),
    ):
        assert read(written, "entailment")[1] == pairs
    answers = [(str(1 + n % 2), f"ctx {n}", "one", "two") for n in range(12)]
    assert read(as_csv(answers), "choice")[1] == answers


def test_a_text_of_many_commas_is_one_text_and_a_flood_of_columns_or_lines_is_read_at_once():
    rows = [("ab"[n % 2], ",".join(map(str, range(n, n + 60)))) for n in range(20)]
    assert read("\n".join(f"{label},{text}" for label, text in rows))[1] == rows
    wide = "a," + "," * 900_000 + "x\n" + "b,c\n" * 99_000
    with pytest.raises(GPTCoreError):
        read(wide)
    with pytest.raises(GPTCoreError, match="200,000 lines; at most 100,000"):
        read("a,b\n" * 200_000)


@pytest.mark.parametrize("separator", "\t,;")
@pytest.mark.parametrize("inside", ["x, y", "x; y", "x, y; z", "x\ty"])
def test_signs_that_every_text_has_do_not_divide_the_lines(separator, inside):
    rows = [("ab"[n % 2], f"{n} {inside}") for n in range(12)]
    if separator not in inside:
        assert read("\n".join(f"{label}{separator}{text}" for label, text in rows))[1] == rows


def test_a_label_of_a_single_line_is_refused_by_name():
    with pytest.raises(GPTCoreError, match="The label 'odd' has a single line"):
        read("\n".join([*("ab"[n % 2] + f"\ttext {n}" for n in range(12)), "odd\talone"]))


def test_the_page_shows_how_lines_are_read_before_a_run_begins():
    shown = form._read(
        "classification",
        as_csv([("label", "text"), *(("<b>", f"x {n}") for n in range(6)), *REVIEWS]),
    )
    assert "header (label, text)" in shown and "the label is in column 1 (label)" in shown
    assert (
        "&lt;b&gt;: 6 · neg: 6 · pos: 6" in shown
        and shown.count("<li>") == 3
        and "<b><b>" not in shown
    )
    assert "There are 0 different labels" in form._read("classification", ",,,\n" * 3)
    assert "is empty" in form._read("classification", " ")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_of_lines_is_read_in_any_encoding(services, tmp_path, encoding, end):
    rows = [("gut" if n % 2 else "schön", f"Größe {n}, “café” – voilà") for n in range(12)]
    written = end.join(f"{label}\t{text}" for label, text in rows)
    file = tmp_path / "lines.csv"
    file.write_bytes(
        ("\ufeff" if encoding == "utf-16-le" else "").encode(encoding) + written.encode(encoding)
    )
    assert read(form._lines_of_file(services.limits, str(file)))[1] == rows


def test_a_file_of_lines_that_is_no_text_is_refused(services, tmp_path):
    file = tmp_path / "lines.csv"
    file.write_bytes(b"PK\x03\x04" + bytes(range(256)) * 40)
    with pytest.raises(gr.Error, match=r"lines\.csv"):
        form._lines_of_file(services.limits, str(file))


def test_no_text_is_on_both_sides(services):
    """Neither in another case, nor with another label."""
    cats = "".join(f"a\tCat {n} ran\nb\tcat  {n} ran\n" for n in range(60))
    dogs = "\n".join(f"b\tdog {n}" for n in range(30))
    alone = "\n".join(f"{'ab'[n % 2]}\tdog {n}" for n in range(150))
    doubled, found = (planned(services, labelled=lines) for lines in (cats + dogs, alone))
    # one that is held out takes its twin with it
    assert doubled.n_valid == 30 and doubled.n_train < 120
    assert (found.n_valid, found.n_train) == (30, 120)


@pytest.mark.parametrize("name", INPUT_FORMS)
def test_every_input_form_has_a_made_up_set_that_is_read_and_learned(services, name):
    written = example_lines(name)
    texts = [frozenset(line.partition("\t")[2].split(" | ")) for line in written.split("\n")]
    # none is held out that was read in another order
    assert written == example_lines(name) and len(set(texts)) == 240
    # The tiny tokenizer reads any text; one update is enough to see that the lines fit the
    # classifier.
    workspace = taught(services, input_form=name, labelled=written, max_steps=1)
    record = workspace.current
    assert record.step == 1 and record.facts.n_valid == 48 and record.facts.input_form == name
    text = written.split("\n")[0].split("\t")[1]
    told = watching.classify(services, {"workspace": workspace.id, "run": record.id, "text": text})
    assert sum(p for _, p in told["labels"]) == pytest.approx(1.0, abs=1e-3)
    assert "Held out:" in polled(services, workspace.id)["verdict"]


def test_answers_compete_and_both_orders_are_read():
    with_choice = INPUT_FORMS["choice"]
    with_both = INPUT_FORMS["similarity"]
    assert with_choice.answers_compete and not with_both.answers_compete
    tokens = SpecialTokens.after(100)
    choice = with_choice.encode([[1, 2], [3], [4], [5]], 2, tokens, 20)
    assert [sequence[-2] for sequence in choice.sequences] == [3, 4, 5] and choice.label == 2
    both = with_both.encode([[1], [2]], 0, tokens, 20).sequences
    assert both == ((100, 1, 101, 2, 102), (100, 2, 101, 1, 102))


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        (
            "entailment",
            "yes\tone text\nno\tanother\n" * 6,
            "Line 1 is 'one text'; write a premise, a hypothesis",
        ),
        ("choice", "1\ta | b | c\n2\ta | b | c | d\n" * 6, "Line 2 has 3 answers; the first has 2"),
        (
            "choice",
            "first\ta | b | c\n" * 12,
            "Line 1 has the label 'first'; write the right answer's number, 1 to 2",
        ),
        (
            "nothing",
            "a\tb\n" * 12,
            "The input form is 'nothing'; choose classification, entailment",
        ),
    ],
)
def test_lines_of_another_form_are_a_sentence(services, name, lines, words):
    with pytest.raises(GPTCoreError, match=re.escape(words)):
        label_form({**VALUES, "input_form": name, "labelled": lines}, services.limits)


def test_epochs_and_the_papers_warm_up_become_updates(services):
    config = planned(services, **{**GPT1_TUNING, "epochs": 30}).config
    assert config.max_steps == 30 * 2 and config.batch_size == 32  # 64 of 80 lines are learned from
    assert (
        config.warmup_steps == 0 and config.learning_rate == 6.25e-5 and config.schedule == "linear"
    )
    assert config.weight_decay == 0.01 and GPT1_TUNING["auxiliary_weight"] == 0.5


def test_a_made_up_set_brings_the_settings_that_it_needs_and_one_s_own_lines_keep_theirs():
    filled = _filled("entailment")
    assert filled == {"labelled": example_lines("entailment"), **SETTINGS["entailment"]}
    assert _filled("similarity") == {
        "labelled": example_lines("similarity"),
        **{name: defaults_of(LabelForm)[name] for name in _NEEDED},
    }
    assert _needed("entailment", example_lines("classification")) == filled
    assert _needed("entailment", "a\tb") == {}  # nothing is changed


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_recording_is_of_the_model_that_is_bundled(kind):
    """Where this fails, the model has changed: `python -m tests.tools.recorded_runs`."""
    assert json.loads(EXAMPLES[kind].read_text(encoding="utf-8"))["made_from"] == {
        "mini": weights_digest("mini")
    }


def test_each_form_opens_with_a_recorded_run_of_its_own_kind():
    found = {workspace.id: workspace.current for workspace in example_workspaces()}
    assert list(found) == ["example", "example-tune", "example-labels", "example-assistant"]
    assert [(run.facts.kind, run.facts.tuned) for run in found.values()] == [
        ("text", False), ("text", True), ("labels", True), ("instructions", True),
    ]  # fmt: skip
    assert (
        found["example-labels"].final_accuracy > 0.9 > found["example-labels"].snapshots[0].accuracy
    )
    assert "It has learned something" in verdict(found["example-labels"])
    tuned = found["example-tune"]
    assert tuned.final_loss < tuned.snapshots[0].valid_loss - 0.5


@pytest.mark.parametrize(
    ("first", "is_header"),
    [("label,text", True), ("text,label", True), ("label,nothing", False), ("nothing,text", False)],
)
def test_a_header_names_a_label_and_a_text(first, is_header):
    records = [first.split(","), ["good", "a fine day"], ["bad", "a sad day"]]
    assert labelled_lines._header(records) == (tuple(records[0]) if is_header else ())


@pytest.mark.parametrize(("whole", "n"), [(False, 200), (True, 250)])
def test_held_out_lines_are_scored_in_parts_and_told_by_their_mean(monkeypatch, whole, n):
    def scored(_, part):
        loss = sum(part) / len(part)
        right = sum(number % 5 == 0 for number in part) / len(part)
        return SimpleNamespace(loss=loss, accuracy=right, n_examples=len(part))

    monkeypatch.setattr(labels, "evaluate_classifier", scored)
    monkeypatch.setattr(labels, "_SCORED_TOGETHER", 64)
    scoring = labels._evaluate(list(range(250)), None, whole)
    assert completed(scoring) == (pytest.approx((n - 1) / 2), pytest.approx(1 / 5))
