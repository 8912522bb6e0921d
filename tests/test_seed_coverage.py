"""Each part of the teaching documents has a place on the page or in the code, and does there what
they say.
"""

import html
import json
import math
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from gptcore import GPT, PRESETS, GPTConfig, attention_patterns, generate, load
from gptcore.analysis import read_attention
from tiny import make_model
from ui.frame.example import page_example
from ui.lenses.train.handlers.files import example_workspaces
from ui.page import build_page
from ui.services import make_services

COVERAGE = Path(__file__).with_name("seed_coverage.md")
LINES = [
    line
    for line in COVERAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`" in line
]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES]
PLACES = sorted({place for row in ROWS for place in re.findall(r"`([^`]+)`", row[2])})
# Modules whose names the inputs use.
MODULES = (
    "gptcore",
    "gptcore.analysis",
    "gptcore.analysis.experiments",
    "gptcore.analysis.verification",
    "gptcore.finetuning",
    "gptcore.model",
    "gptcore.inference.sampling",
    "gptcore.inference.scoring",
    "gptcore.tokenizers.merging",
    "gptcore.training.config",
    "gptcore.training.optimizer",
    "ui.lenses.parameters.handlers.shapes",
    "ui.lenses.train.handlers.forms",
    "ui.lenses.train.handlers.input_forms",
    "ui.lenses.zero_shot.handlers.form",
    "ui.shared.ancestors",
    "ui.shared.fields",
)
TINY = GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)
IDS = torch.arange(5)[None]


@pytest.fixture(scope="module")
def page():
    services = make_services(model="mini", offline=True, examples=example_workspaces())
    return services, build_page(services, page_example(services))


@pytest.fixture(scope="module")
def elements(page):
    return {block.elem_id for block in page[1].blocks.values() if getattr(block, "elem_id", None)}


@pytest.fixture(scope="module")
def names(page) -> dict[str, Any]:
    """What the inputs of the table may use."""
    services, blocks = page
    found = {
        name: value for module in MODULES for name, value in vars(import_module(module)).items()
    }
    return {**found, **_models(), **_handlers(services), **_endpoints(blocks)}


def _masked_softmax(scores: torch.Tensor) -> torch.Tensor:
    future = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -math.inf).softmax(-1)


def _models() -> dict[str, Any]:
    mini = load("mini")
    gpt = make_model(TINY, seed=1)
    ids = mini.tokenizer.encode("The cat sat on the mat.")
    deep = GPT(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=64, n_layer=12, n_head=4)
    ).state_dict()

    def written(**how: Any) -> list[int]:
        settings = {"max_new_tokens": 12, "temperature": 0, "precision": "exact"}
        return [token.id for token in generate(gpt, [1, 2, 3], **settings, **how)]

    def padded_loss() -> bool:
        """Right padding at -100 changes nothing."""
        short = torch.tensor([[1, 2, 3]])
        padded = torch.tensor([[1, 2, 3, 0, 0]])
        targets = torch.tensor([[2, 3, 4]])
        wanted = gpt(short, targets).loss
        return torch.allclose(
            wanted, gpt(padded, F.pad(targets, (0, 2), value=-100)).loss, atol=1e-6
        )

    def l3(weight: float) -> bool:
        from gptcore.finetuning import TaskClassifier

        made = TaskClassifier(gpt, 2, auxiliary_weight=weight)(
            torch.tensor([[[61, 3, 4, 63]]]), torch.tensor([1])
        )
        l2, l1 = made.terms
        return bool(torch.isclose(made.loss, l2 + weight * l1))

    return {
        "math": math,
        "torch": torch,
        "F": F,
        "GPT1": PRESETS["gpt1"],
        "DAY19": PRESETS["char-day19"],
        "TINY": TINY,
        "TINY_GPT": gpt,
        "IDS": IDS,
        "MINI": mini,
        "IDS_MINI": ids,
        "MAPS": attention_patterns(gpt, [1, 2, 3, 4]),
        "X": torch.linspace(-5, 5, 101),
        "Y": torch.randn(3, 6),
        "W": torch.rand(6),
        "B": torch.rand(6),
        "TWENTY": ", ".join(str(5 - 0.4 * index) for index in range(20)),
        "READING": read_attention(gpt, [1, 2, 3, 4]),
        "masked_softmax": _masked_softmax,
        "std": lambda name: float(deep[name].std()),
        "written": written,
        "padded_loss": padded_loss,
        "l3": l3,
    }


def _handlers(services) -> dict[str, Any]:
    from gptcore.inference.sampling import candidates
    from gptcore.inference.sampling_settings import SamplingSettings
    from gptcore.training import StepEvent, Trainer
    from gptcore.training.config import PAPERS, TrainingConfig
    from ui.lenses.generate.compare import probabilities
    from ui.lenses.generate.handlers import strategies
    from ui.lenses.generate.handlers.forms import CompareFields
    from ui.lenses.parameters.drawing import anatomy, architecture
    from ui.lenses.parameters.handlers import shapes
    from ui.lenses.parameters.reference import costs, families
    from ui.lenses.start.handlers import sentence, story
    from ui.lenses.train.handlers.forms import train_form
    from ui.lenses.train.handlers.plan import make_plan
    from ui.lenses.train.handlers.presets import PRESETS as RUNS
    from ui.lenses.zero_shot.handlers.form import defaults, known_task
    from ui.shared.fields import defaults_of

    def shares(**how: Any) -> list[float]:
        left = candidates(
            torch.tensor([2.0, 1.0, 0.075, -5.0]), SamplingSettings(**how)
        ).probabilities
        return [round(p, 3) for p in left.tolist() if p > 0.01]

    def typed(temperatures: list[float], ks: list[int], logits: str) -> dict[str, Any]:
        sent = {
            "model": "mini",
            "text": "",
            "temperature": temperatures,
            "top_k": ks,
            "logits": logits,
        }
        return json.loads(probabilities.probabilities(services, sent))

    def prompt_of(task: str, template: str, n: int) -> str:
        from ui.lenses.zero_shot.handlers import form

        values = {**defaults(task), **form.with_template(defaults(task), template), "n_examples": n}
        return form.task_form(values, services.limits).prompt.text

    def train_of_the_lesson() -> bool:
        """The text of 64 characters, in windows of 32, is learned: its loss falls by half in so
        many updates.
        """
        text = "Hello, World! This is a training example for our tiny GPT model."
        shape = {"n_positions": 32, "n_layer": 2, "n_head": 4, "n_embd": 64, "batch_size": 4}
        values = {**RUNS["30 seconds, letters"], **shape, "corpus": "yours", "written": text}
        plan = make_plan(
            services, train_form({**values, "length": "steps", "max_steps": 60}, services.limits)
        )
        events = Trainer(plan.model(), plan.facts.config, plan.data).events()
        losses = [event.loss for event in events if isinstance(event, StepEvent)]
        return losses[-1] < losses[0] / 2

    told = json.loads(story.chapters(services, None))
    chapters = {chapter["title"]: json.dumps(chapter, ensure_ascii=False) for chapter in told}
    recipe = {
        name: value for name, value in PAPERS["gpt1"].items() if hasattr(TrainingConfig, name)
    }
    record = services.workspaces.get("example").current
    gpt2 = PRESETS["gpt2"]
    return {
        "anatomy": lambda name: anatomy.experiment(services, "mini", name),
        "CHAPTERS": chapters,
        "SENTENCE": json.loads(sentence.opening(services, "mini", "The cat sat")),
        "CURVE": record.curve,
        "OBSERVATIONS": record.snapshots,
        "RECIPE": TrainingConfig(**recipe),
        "shares": shares,
        "probabilities": typed,
        "FIRST_CHOICES": list(defaults_of(CompareFields).values())[:5],
        "GUIDES": strategies.guides(),
        "FAMILIES": families.families(),
        "BREAKDOWN": shapes.breakdown(gpt2),
        "DRAWING": json.dumps(architecture.parts(gpt2), ensure_ascii=False),
        "COSTS": costs.costs(gpt2, 8, 256, 300),
        "prompt_of": prompt_of,
        "known_task": known_task,
        "train_of_the_lesson": train_of_the_lesson,
    }


def _endpoints(blocks) -> dict[str, Any]:
    called = {fn.api_name: fn.fn for fn in blocks.fns.values() if isinstance(fn.api_name, str)}

    def api(name: str, **values: Any) -> dict[str, Any]:
        import inspect

        function = called[name]
        bound = inspect.signature(function).bind(**values)
        bound.apply_defaults()
        answer = function(*bound.args)
        return list(answer)[-1] if inspect.isgenerator(answer) else answer

    def asked(task: str) -> dict[str, Any]:
        from ui.lenses.zero_shot.handlers.form import defaults, known_task

        values = defaults(task)
        given = {
            field: values[f"field_{index}"] for index, field in enumerate(known_task(task).fields)
        }
        return api("zero_shot", task=task, fields=given)

    return {"api": api, "asked": asked}


def test_every_row_names_a_place_an_input_and_an_outcome():
    assert len(ROWS) > 60 and all(len(row) == 5 and all(row) for row in ROWS), [
        row for row in ROWS if len(row) != 5
    ]
    tables = COVERAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(tables) == 5 and all(table.count("\n| ") > 6 for table in tables)


def test_every_named_element_is_on_the_page(elements):
    wanted = {place[1:] for place in PLACES if place.startswith("#")}
    assert len(wanted) > 40 and wanted <= elements, sorted(wanted - elements)


@pytest.mark.parametrize("place", [place for place in PLACES if not place.startswith("#")])
def test_every_named_code_exists(place):
    module, _, name = place.partition(":")
    assert hasattr(import_module(module), name)


@pytest.mark.parametrize(("part", "tried", "gives"), [(row[0], row[3], row[4]) for row in ROWS])
def test_every_input_has_its_outcome(names, part, tried, gives):
    found = eval(tried.strip("`"), names)  # noqa: S307 - of the table in this folder
    if gives.startswith("`"):
        wanted = eval(gives.strip("`"), names)  # noqa: S307
        found, wanted = (
            tuple(item) if isinstance(item, torch.Size) else item for item in (found, wanted)
        )
        plain = isinstance(wanted, float) or (
            isinstance(wanted, list) and isinstance(wanted[0], float)
        )
        assert found == (pytest.approx(wanted, rel=2e-3) if plain else wanted)
    else:
        text = html.unescape(str(found)).replace("−", "-")
        missing = [piece for piece in gives.split(" · ") if piece.replace("−", "-") not in text]
        assert not missing, f"{missing} not in {text[:1500]}"
