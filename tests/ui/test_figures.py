"""Every figure that the page tells has a test of its value: those of a model by transformers' own
numbers, the others worked out by hand where they are made.
"""

import ast
import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import torch
from typing_extensions import get_original_bases, is_typeddict

import gptcore
from gptcore.analysis import trace
from tests.tools.peer import Peer
from tiny import ROOT
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.layers import lens
from ui.state.machine import described

HERE = Path(__file__).parent
TEXT = "the cat sat on the mat and the dog"
# Files whose functions check answers for others, and assert nothing themselves.
CHECKS = (ROOT / "tests" / "tools" / "conclusion_checks.py",)


def has_number(hint: Any) -> bool:
    """Whether a type is of numbers, or of what holds some; other payloads have their own."""
    if hint in (int, float):
        return True
    return any(has_number(item) for item in get_args(hint) if not is_typeddict(item))


def figures() -> Iterator[tuple[str, str, str]]:
    """(folder of `ui`, type, field) of every number in an answer of the server."""
    for file in sorted((ROOT / "ui").rglob("payloads.py")):
        folder = file.parent.relative_to(ROOT)
        module = importlib.import_module(".".join([*folder.parts, "payloads"]))
        for name, kind in vars(module).items():
            own = is_typeddict(kind) and kind.__module__ == module.__name__
            if not own or name.endswith("Request"):
                continue
            hints = get_type_hints(kind)
            inherited = {
                field
                for base in get_original_bases(kind)
                if is_typeddict(base)
                for field in base.__annotations__
            }
            for field in sorted(kind.__annotations__.keys() - inherited):
                if has_number(hints[field]):
                    yield str(folder), name, field


@cache
def read(file: Path) -> frozenset[str]:
    """The words in a file's tests that assert something, and in what checks answers for others."""
    functions = [
        node
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    ]

    def is_test(nodes: list[ast.AST]) -> bool:
        named = isinstance(nodes[0], ast.FunctionDef) and nodes[0].name.startswith("test_")
        return named and any(isinstance(node, ast.Assert) for node in nodes)

    nodes = [list(ast.walk(function)) for function in functions]
    return frozenset(
        node.value
        for within in nodes
        if file in CHECKS or is_test(within)
        for node in within
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@pytest.mark.parametrize(("folder", "kind", "field"), figures())
def test_a_figure_is_read_by_a_test_of_those_that_mirror_it(folder, kind, field):
    mirror = ROOT / "tests" / folder
    tests = [*mirror.rglob("test_*.py"), *HERE.glob("test_*.py"), *CHECKS]
    if folder == "ui/runs":
        tests += (HERE / "lenses" / "train").glob("test_*.py")
    assert any(field in read(file) for file in tests), f"{kind}.{field} has no test"


@pytest.fixture(scope="module")
def peer(tiny_lm) -> Peer:
    hf = gptcore.to_hf(tiny_lm.model).eval()
    hf.set_attn_implementation("eager")  # which gives the attention weights
    return Peer(tiny_lm, hf, TEXT)


def near(value: object) -> object:
    """A figure of three digits."""
    return pytest.approx(value, rel=6e-3, abs=1e-6)


def test_the_picture_of_a_model_has_its_figures(tiny_lm, peer):
    seen = described(tiny_lm, peer.ids, trace(tiny_lm.model, peer.ids))
    chances = peer.depths[:, -1]
    choice = int(chances[-1].argmax())
    streams = [*(state[0, -1] for state in peer.out.hidden_states[:-1]), peer.before_norm()]
    transformer = peer.hf.transformer
    with torch.inference_mode():
        token = transformer.wte.weight[peer.ids[-1]].norm()
        position = transformer.wpe.weight[len(peer.ids) - 1].norm()
    assert seen["at"] == len(peer.ids) - 1
    assert seen["embedding"] == near((float(token), float(position)))
    assert seen["first"]["stream"] == near(float(streams[0].norm()))
    assert seen["norm"] == near(float(peer.out.hidden_states[-1][0, -1].norm()))
    assert seen["choice"][1:] == near((float(chances[-1, choice]), choice))
    for layer, block in enumerate(seen["blocks"]):
        assert block["chance"] == near(float(chances[layer + 1, choice]))
        assert block["guess"][2] == int(chances[layer + 1].argmax())
        assert block["stream"] == near(float(streams[layer + 1].norm()))
        first, weight = block["looks"][0][0]
        row = peer.out.attentions[layer][0, 0, -1]
        assert first == int(row.argmax()) and weight == near(float(row.max()))
    assert seen["shape"] == {
        "V": 270,
        "C": 32,
        "H": 4,
        "D": 8,
        "L": 2,
        "F": 128,
        "P": 32,
        "pre": True,
    }


def test_the_lens_has_its_figures(services, peer):
    services.models.get("tiny")
    seen = json.loads(lens.lens(services, None, maps.AttentionForm("tiny", TEXT)))
    final = int(peer.depths[-1, -1].argmax())
    of_each = peer.depths.max(dim=-1).values
    assert seen["probability"] == [near(row) for row in of_each.tolist()]
    ends = peer.depths[-1].argmax(dim=-1)
    shares = torch.stack([peer.depths[:, at, token] for at, token in enumerate(ends)], dim=1)
    assert seen["share"] == [near(row) for row in shares.tolist()]
    above = (peer.depths[:, -1] > peer.depths[:, -1, final, None]).sum(dim=-1)
    assert [row[-1] for row in seen["rank"]] == (above + 1).tolist()
    assert seen["first"] == 0


def test_the_steps_of_attention_have_their_figures(services, peer):
    services.models.get("tiny")
    key = maps.read(services, None, maps.AttentionForm("tiny", TEXT)).key
    head = {"key": key, "layer": 1, "head": 2, "mode": maps.RAW}
    block = peer.hf.transformer.h[1]
    with torch.inference_mode():
        qkv = block.attn.c_attn(block.ln_1(peer.out.hidden_states[1]))[0]
    q, k = (part.view(len(peer.ids), 4, 8)[:, 2] for part in qkv.split(32, dim=-1)[:2])
    scores = q @ k.T / 8**0.5
    assert maps.steps(services, head)["largest"] == pytest.approx(
        float(scores.abs().max()), rel=1e-3
    )
    row = maps.arithmetic(services, {**head, "row": 5, "column": 2})
    assert row["largest"] == pytest.approx(float(scores[5, :6].max()), abs=1e-5)
    exps = (scores[5, :6] - scores[5, :6].max()).exp()
    assert row["sum"] == pytest.approx(float(exps.sum()), rel=1e-4)
