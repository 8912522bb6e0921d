"""The app as it is served: endpoints against good and bad input, through a real client."""

import gc
import io
import json
import re
import socket
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import gradio as gr
import httpx
import numpy as np
import pytest
import space_check
from gradio_client import Client
from gradio_client.exceptions import AppError
from wire import apart

import app
import gptcore
from serving import served_page
from tiny import ran
from ui.runs.run_manager import RunQueue
from ui.state.limits import PROFILES


@pytest.fixture(scope="module")
def client():
    with served_page() as address:
        yield Client(address, verbose=False)


def test_generate_writes_what_the_core_writes(client):
    reply = client.predict(
        "Once upon a time", max_new_tokens=12, seed=3, top_k=20, api_name="/generate"
    )
    ours = gptcore.generate(gptcore.load(), "Once upon a time", max_new_tokens=12, seed=3, top_k=20)
    assert reply["texts"] == ["".join(token.text for token in ours)]
    assert reply["model"] == "mini" and reply["seed"] == 3


def test_generate_streams_and_stops_at_any_of_a_list(client):
    job = client.submit(
        "Once upon a time", max_new_tokens=200, seed=3, temperature=0.9, api_name="/generate"
    )
    states = list(job)
    texts = [state["texts"][0] for state in states]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert [state["ends"] == [""] for state in states] == [True] * (len(states) - 1) + [False]
    stopped = client.predict(
        "Once upon a time", seed=3, stop=["a little", "there was"], api_name="/generate"
    )
    assert stopped["ends"] == ["stop"]
    with httpx.stream(
        "GET", f"{client.src}gradio_api/queue/data?session_hash={client.session_hash}", timeout=20
    ) as answer:
        assert (
            answer.headers["x-accel-buffering"] == "no"
            and answer.headers["cache-control"] == "no-cache"
        )


def test_a_grid_is_of_the_answers_that_a_program_chooses(client):
    texts = {
        "source": "Tom saw a zebra. Tom gave food to the",
        "target": "Tom saw a lion. Tom gave food to the",
    }
    chosen = client.predict(**texts, token=" ball", against=" cat", api_name="/patching")
    assert chosen["answers"] == [" ball", " cat"] and len(chosen["grid"][0]) == len(
        chosen["source"]
    )
    with pytest.raises(AppError, match="Choose another token or another rival"):
        client.predict(**texts, token=" cat", against=" cat", api_name="/patching")


def test_the_page_comes_without_what_no_browser_reads(client):
    page, info = (httpx.get(client.src + path).text for path in ("", "gradio_api/info"))
    sent = re.findall(r"window.gradio_config = (.*?);</script>", page)[0]
    # a process that has built many pages counts components further
    size = len(re.sub(r"\d+", "0", sent).encode())
    assert size < 491_000  # 13,400 of them the labelled lines that a visitor may edit
    configuration = json.loads(sent)
    assert all(
        "api_info" not in item for item in configuration["components"] if item["type"] != "api"
    )
    # a browser would search the whole page for the target of an event that follows another one
    following = [event for event in configuration["dependencies"] if "trigger_after" in event]
    assert following and all(event["targets"] == [] for event in following)
    drawn = {
        int(number) for number in re.findall(r'"id": ?(\d+)', json.dumps(configuration["layout"]))
    }
    # of named endpoints
    values = {item["id"] for item in configuration["components"] if item["type"] == "api"}
    assert values and not values & drawn and drawn
    events = configuration["dependencies"]
    assert all("render_id" not in event and "targets" in event for event in events)
    assert {f"/{name}" for name in ("generate", "attention", "train")} <= set(
        json.loads(info)["named_endpoints"]
    )
    # Gradio starts all listeners of an event again for one that was deferred: two such start each
    # other for minutes.
    states = {item["id"] for item in configuration["components"] if item["type"] == "state"}
    last = [
        tuple(item)
        for event in events
        if event["trigger_mode"] == "always_last"
        for item in event["targets"]
    ]
    assert [
        item
        for item in set(last)
        if last.count(item) > 1 and item[0] is not None and item[0] not in states
    ] == []
    filling = [
        event for event in events if event["api_visibility"] == "private" and event["outputs"]
    ]
    # or all that it fills is searched
    assert filling and all(event["show_progress_on"] == [] for event in filling)
    assert all(
        item["props"]["value"] is None
        for item in configuration["components"]
        if item["type"] == "state"
    )
    named = [
        item["props"]["value"]
        for item in configuration["components"]
        if item["props"].get("elem_id") == "stream"
    ]
    base = re.search(r"gptlens/\w+", sent)
    assert base and httpx.get(f"{client.src}{base[0]}/first/{named[0]}").text.startswith(
        '{"kind":"prompt"'
    )
    # One event draws the distribution, whatever moves the sliders: the one by which it asks itself.
    ids = {item["props"].get("elem_id"): item["id"] for item in configuration["components"]}
    movers = {ids["temperature"], ids["preset-0"], ids["strategies"]}
    moving = [event for event in events if movers & {target for target, _ in event["targets"]}]
    assert moving and not any(ids["distribution"] in event["outputs"] for event in moving)
    asking = [event for event in events if [ids["distribution"], "ask"] in event["targets"]]
    assert [ids["distribution"]] == [output for event in asking for output in event["outputs"]]


def test_next_token_gives_the_distribution(client):
    reply = client.predict("Once upon a", top_p=0.9, n_rows=5, api_name="/next_token")
    assert [stage["name"] for stage in reply["stages"]] == ["softmax", "temperature", "top-p"]
    assert reply["rows"][0]["label"] == " time" and len(reply["rows"]) == 5


# What an endpoint is asked, beside a prompt that is good, and words of the refusal; forms are tried
# elsewhere.
PROMPTS = {"generate": "a", "next_token": "a", "attention": "a b"}
BAD_INPUT = {
    "generate": [
        ({"prompt": ""}, "prompt is empty"),
        ({"prompt": ["a"]}, "must be text"),
        ({"prompt": "word " * 300}, "this model reads 256"),
        ({"prompt": "x" * 30_000}, "30,000 characters"),
        ({"temperature": "hot"}, "Temperature is"),
        ({"top_k": 5000}, "this model has 4,096 tokens"),
        ({"n": 50}, "number of texts"),
        ({"seed": -3}, "seed is -3"),
        ({"model": "gpt2"}, "on this machine"),
        ({"model": "<b>x</b>"}, "There is no model"),
        ({"use_cache": "yes"}, "KV cache"),
    ],
    "next_token": [
        ({"prompt": ""}, "prompt is empty"),
        ({"n_rows": 0}, "number of rows"),
        ({"min_p": 7}, "Min-p is 7"),
    ],
    "attribution": [
        ({"prompt": "a", "token": " once upon"}, "give one"),
        ({"prompt": ""}, "prompt is empty"),
    ],
    "patching": [
        ({"source": "a b", "target": "a"}, "has 2 tokens and B 1"),
        (
            {"source": "Tom saw", "target": "Lily saw", "kind": "neuron"},
            "choose residual, attention",
        ),
    ],
    "parameters": [
        ({"n_embd": 100, "n_head": 7}, "cannot be divided among n_head=7"),
        ({"vocab_size": 10**13}, "vocabulary is 1"),
        ({"preset": ["gpt2"]}, "choose gpt1, gpt1-preln"),
        ({"norm_position": "both"}, "choose pre or post"),
        ({"preset": "gpt2", "n_tokens": 2000}, "sequence length is 2,000"),
    ],
    "zero_shot": [
        ({"task": "juggling"}, "task is 'juggling'; choose summarise"),
        ({"task": "translate"}, "The English is empty"),
        ({"task": "translate", "fields": {"german": "Hund"}}, "no field 'german'. The task"),
        ({"task": "translate", "fields": "a cat"}, "The fields must be an object"),
        (
            {"task": "translate", "fields": {"english": "a"}, "n_examples": 9},
            "number of examples is 9",
        ),
        ({"task": "fact", "fields": {"question": "a"}, "model": "gpt2"}, "on this machine"),
    ],
    "train": [
        ({"action": "dance"}, "choose start, status or stop"),
        ({"optimizer": "sgd"}, "choose adamw or muon"),
        ({"action": "status", "run": "run-x"}, "no run 'run-x'"),
        ({"preset": "all night"}, "preset is 'all night'; choose 30 seconds, letters; 2 minutes"),
        ({"text": ""}, "text is empty"),
        ({"text": 7}, "must be text"),
        ({"length": "a year"}, "The length is 'a"),
    ],
    "attention": [
        ({"prompt": ""}, "text is empty"),
        ({"prompt": "a"}, "single token"),
        ({"layer": 6, "head": 0}, "The layer is 6"),
        ({"layer": 0}, "both a layer and a head"),
        ({"sink": "<b>"}, "sink mode"),
        ({"keep": 3}, "end to keep"),
        ({"model": "nothing"}, "There is no model"),
    ],
}
ASKED = [(name, *row) for name, rows in BAD_INPUT.items() for row in rows]


@pytest.mark.parametrize(("endpoint", "given", "words"), ASKED)
def test_bad_input_gets_a_sentence_and_no_traceback(client, endpoint, given, words):
    good = {"prompt": PROMPTS[endpoint]} if endpoint in PROMPTS else {}
    with pytest.raises(AppError) as error:
        client.predict(**{**good, **given}, api_name=f"/{endpoint}")
    assert words in str(error.value)
    assert "Traceback" not in str(error.value) and "<b>" not in str(error.value)


def test_a_line_feed_alone_is_a_prompt_wherever_one_is_read(client):
    """It is a token, after which the model guesses as after any other; only what looks back needs
    two.
    """
    named = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    takes = [
        name
        for name, of in named.items()
        if any(item["parameter_name"] == "prompt" for item in of["parameters"])
    ]
    assert {"/generate", "/next_token", "/attribution", "/attention"} <= set(takes)
    for name in takes:
        given = {"task": "fact"} if name == "/zero_shot" else {}
        for prompt in ("\n", "  "):
            try:
                client.predict(prompt=prompt, **given, api_name=name)
            except AppError as error:
                assert "single token" in str(error) or name == "/zero_shot", (name, error)


def test_only_the_documented_endpoints_are_public(client):
    named = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    documented = "attention attribution generate next_token parameters patching train zero_shot"
    assert sorted(named) == [f"/{name}" for name in documented.split()]
    asked = httpx.post(f"{client.src}gradio_api/mcp/", json={})  # without --mcp
    assert asked.status_code == 404 and asked.text.startswith("There is nothing at this address.")


def test_attention_over_http_is_the_models(client):
    reply = client.predict("The cat sat on the mat.", 4, 1, api_name="/attention")
    expected = gptcore.attention_patterns(gptcore.load().model, reply["token_ids"])[4, 1]
    np.testing.assert_allclose(reply["weights"], expected, atol=1e-5)
    assert (
        "".join(reply["tokens"]) == "The cat sat on the mat."
        and len(reply["random"]["induction"]) == 6
    )


def test_causes_over_http_are_the_models(client):
    prompt = "Tom saw a zebra. Lily saw a lion. Tom gave food to the"
    reply = client.predict(prompt, " zebra", " lion", api_name="/attribution")
    lm = gptcore.load()
    ids, (zebra,), (lion,) = (lm.tokenizer.encode(text) for text in (prompt, " zebra", " lion"))
    found = gptcore.analysis.logit_attribution(lm.model, ids, zebra, lion)
    assert reply["total"] == pytest.approx(found.total, abs=1e-3) and len(reply["parts"]) == len(
        found.names
    )
    pair = (
        "Lily and Tom had a cake. Lily shared it with",
        "Lily and Tom had a cake. Tom shared it with",
    )
    reply = client.predict(*pair, api_name="/patching")
    assert reply["answers"] == [" Tom", " Lily"] and reply["grid"][-1][-1] == pytest.approx(
        1, abs=1e-3
    )


def test_parameters_over_http_are_exact_and_a_trillion_is_an_answer(client):
    reply = client.predict(preset="gpt2-xl", api_name="/parameters")
    assert reply["total"] == 1_557_611_200 == sum(part["count"] for part in reply["components"])
    assert reply["bytes"]["weights"]["32"] == 4 * reply["total"]
    assert (
        client.predict(n_layer=10**12, n_embd=10**12, n_head=1, api_name="/parameters")["total"]
        > 10**36
    )
    assert client.predict(preset="induction", api_name="/parameters")["total"] == 45_952


@pytest.mark.slow
def test_a_model_is_trained_over_http_and_then_writes(client, monkeypatch):
    askers = list[str]()
    make_room = RunQueue.make_room
    noted = lambda queue, workspace: (askers.append(workspace.client), make_room(queue, workspace))  # noqa: E731
    monkeypatch.setattr(RunQueue, "make_room", noted)
    begun = client.predict(
        text="the cat sat on the mat. " * 200, length="steps", max_steps=20, api_name="/train"
    )
    assert askers == ["127.0.0.1"]  # whose place in the line it is
    assert begun["state"] in ("starting", "ready", "running") and begun["run"].startswith("run-")
    deadline = time.monotonic() + 60
    while (now := client.predict("status", begun["run"], api_name="/train"))["state"] != "ended":
        assert time.monotonic() < deadline
    assert (
        now["step"] == 20
        and now["final_loss"] < now["lines"]["uniform"]
        and now["reason"] == "All steps are done."
    )
    written = client.predict(
        "the ", max_new_tokens=5, seed=1, model=now["model"], api_name="/generate"
    )
    assert len(written["tokens"][0]) == 5
    assert (
        client.predict("stop", begun["run"], key=begun["key"], api_name="/train")["state"]
        == "ended"
    )


def test_a_task_over_http_is_answered_as_in_the_core(client):
    reply = client.predict(
        "translate", {"english": "the red cat"}, n_examples=2, api_name="/zero_shot"
    )
    assert reply["prompt"].endswith("\nthe red cat =") and reply["model"] == "world"
    lm = gptcore.load("world")
    ours = gptcore.generate(lm, reply["prompt"], max_new_tokens=30, temperature=0, stop=["\n"])
    assert reply["written"] == "".join(token.text for token in ours)
    judged = client.predict("sentiment", {"text": "A wonderful film."}, api_name="/zero_shot")
    assert [label["label"] for label in judged["labels"]] == ["positive", "negative"]
    assert sum(label["share"] for label in judged["labels"]) == pytest.approx(1, abs=1e-3)


def test_the_command_line_has_the_documented_flags(monkeypatch):
    monkeypatch.delenv("SPACE_ID", raising=False)
    written = "--host 0.0.0.0 --port 81 --model gpt2 --offline --profile talk"
    options = app.parse_arguments(written.split())
    assert (options.host, options.port, options.model, options.offline) == (
        "0.0.0.0",
        81,
        "gpt2",
        True,
    )
    assert options.profile == "talk" and app.parse_arguments([]).profile == "local"
    given = app.parse_arguments(
        ["--profile", "space", "--allow-host", "lens.example.org", "--behind-proxy"]
    )
    assert given.behind_proxy and not app.parse_arguments([]).behind_proxy
    assert given.profile == "space" and given.allow_host == ["lens.example.org"]
    framed = ["https://*.example.org:8443"]
    lesson = app.parse_arguments(["--lan", "--training-runs", "4", "--frame-ancestors", *framed])
    assert (lesson.host, lesson.training_runs, lesson.frame_ancestors) == ("0.0.0.0", 4, framed)


def test_a_space_is_called_by_names_of_its_own_and_shown_in_a_frame(monkeypatch):
    for name in ("SPACE_ID", "SPACE_HOST", "GPTLENS_HOSTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GPTLENS_HOSTS", "b, c")
    assert [app.parse_arguments(["--port", port]).port for port in ("1", "65535")] == [1, 65_535]
    alone = app.parse_arguments(["--allow-host", "a"])
    assert alone.allow_host == ["b", "c", "a"] and alone.frame_ancestors == []
    monkeypatch.setenv("SPACE_ID", "someone/space")
    monkeypatch.setenv("SPACE_HOST", "someone-space.hf.space")
    space = app.parse_arguments([])
    assert space.profile == "space" and space.allow_host == [
        "b",
        "c",
        "*",
        "someone-space.hf.space",
    ]
    assert space.frame_ancestors == ["https://huggingface.co", "https://*.hf.space"]


@pytest.mark.slow
def test_a_port_that_is_taken_is_a_sentence_that_waits_for_nothing_which_only_training_loads():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        given = ["--offline", "--model", "induction", "--port", str(taken.getsockname()[1])]
        done = ran("-X", "importtime", "app.py", *given)
    assert (
        done.returncode == 1
        and "Choose another --port" in done.stderr
        and "Traceback" not in done.stderr
    )
    # an optimizer's, a second
    assert "torch.nn\n" in done.stderr and "torch._dynamo" not in done.stderr


def test_steps_over_http_reach_their_answer_and_compare_no_labels(client):
    by_steps = {"template": "Chain of thought", "api_name": "/zero_shot"}
    reply = client.predict("arithmetic", {"sum": "3 + 4"}, n_examples=1, **by_steps)
    assert (
        "step by step.  The" not in reply["prompt"]
        and "The answer is" in reply["written"]
        and reply["answer"]
    )
    judged = client.predict("sentiment", {"text": "A wonderful film."}, **by_steps)
    assert judged["labels"] == [] and judged["answer"] in ("positive", "negative")


def test_what_a_page_costs_the_server_is_bounded(client):
    """The server keeps something for every session id that is invented: so many
    (tests/ui/test_gradio_internals.py).
    """
    blocks = next(
        found for found in gc.get_objects() if isinstance(found, gr.Blocks) and found.is_running
    )
    holder = blocks.state_holder
    assert holder.capacity == PROFILES["local"].page_states


@pytest.mark.slow
def test_starting_with_a_model_that_is_not_there_ends_with_a_sentence():
    done = ran("app.py", "--offline", "--model", "gpt9")
    assert (
        done.returncode == 1
        and "There is no model 'gpt9'" in done.stderr
        and "Traceback" not in done.stderr
    )


def test_a_server_is_checked_from_outside(capsys, monkeypatch):
    with served_page("space") as address:
        monkeypatch.setattr(sys, "argv", ["space_check.py", address])
        assert apart(space_check.main) == 0
        assert capsys.readouterr().out.count(" ok ") == len(space_check.CHECKS)

        async def fails(visitor):
            raise AssertionError("down")

        monkeypatch.setitem(space_check.CHECKS, "attention is drawn", fails)
        assert apart(space_check.main) == 1 and "FAILED" in capsys.readouterr().out
    # it has ended
    assert apart(space_check.main) == 1 and "does not answer" in capsys.readouterr().out


@pytest.mark.parametrize(
    "given",
    [
        ["--port", "0"],
        ["--port", "99999"],
        ["--training-runs", "0"],
        ["--training-runs", "33"],
        ["--frame-ancestors", "'none'"],
        ["--root-path", "lens"],
        ["--frame-ancestors", "https://a.example; script-src *"],
        ["--frame-ancestors", "course.example.org"],
    ],
)
def test_flags_that_cannot_be_used_are_refused_with_the_value(given, capsys):
    with pytest.raises(SystemExit):
        app.parse_arguments(given)
    assert given[1].split(";")[0] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("encoding", "drawn"), [("cp1252", False), ("ascii", False), ("utf-8", True)]
)
def test_a_console_that_lacks_signs_does_not_end_the_server(monkeypatch, encoding, drawn):
    """What Windows gives a program whose output goes to a file."""
    written = io.BytesIO()
    monkeypatch.setattr(app, "own_address", lambda: "192.168.0.7")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    app._print_anything()
    app._announce("http://127.0.0.1:7860/", lan=True, talk="“Bär” 🙂")
    sys.stdout.flush()
    text = written.getvalue().decode(encoding)
    assert (
        "http://192.168.0.7:7860/" in text
        and "#talk" in text
        and ("█" in text or "▄" in text) is drawn
    )


def test_a_folder_for_temporary_files_that_cannot_be_written_is_named(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    app._warn_of_another_folder()
    assert f"TMPDIR is {tmp_path / 'nowhere'}, which cannot be written." in capsys.readouterr().err
    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())
    app._warn_of_another_folder()
    assert capsys.readouterr().err == ""


def test_every_option_that_the_app_reads_is_one_of_its_command_line():
    source = Path(app.__file__).read_text(encoding="utf-8")
    read = set(re.findall(r"\boptions\.(\w+)", source))
    assert len(read) > 10 and read <= vars(app.parse_arguments([])).keys()
