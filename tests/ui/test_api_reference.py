"""The named endpoints describe themselves: in the README, on the API page, and in an example that
runs.
"""

import contextlib
import io
import re
from collections.abc import Mapping

import gradio as gr
import pytest

from serving import served_page
from tiny import ROOT
from ui.endpoints import ENDPOINTS, add_endpoints
from ui.server.gradio_internals.api_reference import Described, describe, tell_of
from ui.shared.endpoint import Endpoint

README = ROOT / "gptcore" / "README.md"


@pytest.fixture(scope="module")
def described(bundled):
    with gr.Blocks() as page:
        add_endpoints(bundled)
    tell_of(page, ENDPOINTS)
    return ENDPOINTS, page.get_api_info()["named_endpoints"]


def markdown(endpoints: Mapping[str, Endpoint]) -> str:
    """The reference as it stands in the core's README."""
    parts = []
    for endpoint in endpoints.values():
        lines = [
            f"#### /{endpoint.name}",
            "",
            endpoint.about,
            "",
            "| value | type | default | |",
            "|---|---|---|---|",
        ]
        for value in map(describe, endpoint.values()):
            choices = (
                f" One of {', '.join(f'`{choice}`' for choice in value.choices)}."
                if value.choices
                else ""
            )
            default = f"`{value.default}`" if value.default else "(needed)"
            kind = value.kind.replace("|", "or")
            lines.append(f"| `{value.name}` | {kind} | {default} | {sentence(value)}{choices} |")
        parts.append("\n".join([*lines, "", f"Answers: {endpoint.returns}"]))
    return "\n\n".join(parts) + "\n"


def sentence(value: Described) -> str:
    """What a value is, with a capital unless it begins with one of its choices."""
    names = (*value.choices, value.default.strip("'"))
    return (
        value.about
        if value.about.split(",")[0] in names
        else value.about[:1].upper() + value.about[1:]
    )


def test_the_readme_has_the_reference_that_the_endpoints_make(described):
    found = re.search(
        r"<!-- reference:[^\n]*-->\n(.*)<!-- end -->", README.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found[1] == markdown(described[0])


def test_every_value_has_a_name_a_type_and_a_meaning_and_every_answer_its_keys(described):
    endpoints, info = described
    assert {f"/{name}" for name in endpoints} == set(info)
    for name, endpoint in endpoints.items():
        known = info[f"/{name}"]
        assert [p["parameter_name"] for p in known["parameters"]] == [
            value.name for value in endpoint.values()
        ]
        for parameter, value in zip(
            known["parameters"], map(describe, endpoint.values()), strict=True
        ):
            assert value.about and value.kind, f"/{name} {value.name}"
            assert parameter["label"] == f"{value.name}: {value.about}"
            assert parameter["type"].get("enum", []) == list(value.choices)
        (answer,) = known["returns"]
        assert answer["type"] == {"type": "object"} and len(answer["label"]) > 20


def test_the_example_runs():
    (code,) = re.findall(
        r"```python\n(from gradio_client.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    said = io.StringIO()
    with served_page() as address, contextlib.redirect_stdout(said):
        exec(code.replace("http://127.0.0.1:7860", address), {})  # noqa: S102
    assert len(said.getvalue().strip().splitlines()[-1]) > 20
