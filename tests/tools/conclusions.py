"""Whether what the page concludes in words is true: `python -m tests.tools.conclusions [--texts
FILE] [--models ...]`

Every conclusion is tested on every text and model against transformers: logits, hidden states and
attentions of the same weights through `to_hf`, nothing of this project's own analysis. Prints a
table of the sentences made and false.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gptcore
from gptcore.analysis import repeated_token_scores, trace
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from tests.tools.conclusion_checks import (
    Check,
    of_circuit,
    of_compare,
    of_heads,
    of_lens,
    of_lens_of_a_text,
    of_neuron,
    of_next_token,
    of_patching,
    of_start,
    of_steering,
    of_surprise,
    of_why,
    of_without_parts,
)
from tests.tools.peer import Peer
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.layers import lens, neurons
from ui.lenses.attention.pair import difference as compare
from ui.lenses.attention.pair import patching
from ui.lenses.attention.why import attribution as why
from ui.lenses.attention.why import circuit
from ui.lenses.generate.handlers import distribution
from ui.lenses.generate.steer import steering
from ui.lenses.generate.write import score
from ui.lenses.start.handlers import sentence
from ui.services import Services, make_services
from ui.state.machine import described
from ui.state.sessions import NextToken

MODELS = ("mini", "world", "assistant", "anthology", "shakespeare-char", "mini@512")
TEXTS = (
    "My little dog wants to",  # no token comes twice
    "The fox saw the fox and the fox saw the",  # much comes twice
    "Once",
    "Grandma told a story about a brave",
    "Do you want to play with",
    "Anna and Ben went to the zoo. Anna saw a lion. Ben saw a",
    'One day, Lily lost her hat. Tom said, "Do not cry, Lily. I will help you find your',
    "Le chat est sur la",
    "🙂 ok 🙂",
    " ".join(
        ["Tom had a big red ball. He liked to play with it in the park near his house every day."]
        * 10
    ),
)
# Conclusions whose words are tested against the numbers that stand beside them, not against
# transformers.
OF_NUMBERS = {
    "shares": "ui/test_conclusions.py::test_where_the_parameters_are",
    "scores": "ui/test_conclusions.py::test_which_test_is_passed_best",
    "same prompt": "ui/test_conclusions.py::test_how_several_answer_the_same_prompt",
    "circuit checked": "ui/lenses/attention/test_circuit.py::test_the_words_follow_the_numbers",
    "a run": "ui/lenses/train/test_verdicts.py::test_what_is_said_follows_the_numbers",
    "a head's weights": "ui/lenses/attention/test_circuit.py::test_the_words_about_a_head_follow_the_numbers",
    "when a preference formed": "ui/lenses/attention/test_circuit.py::test_every_moment_is_that_moment_s_model",
}


Question = Callable[[Services, gptcore.LanguageModel, str], Mapping[str, Any]]


def started(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    ids = lm.tokenizer.encode(text)[-lm.model.config.n_positions :]
    return described(lm, ids, trace(lm.model, ids, len(ids) - 1))


def seen(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    read = maps.read(services, None, maps.AttentionForm(lm.name, text))
    profile = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id)
    return json.loads(maps.describe(read, profile, mode=maps.RAW, text=text))


def through_lens(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    return json.loads(lens.lens(services, None, maps.AttentionForm(lm.name, text)))


def compared(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    ids = lm.tokenizer.encode(text)
    other = lm.tokenizer.decode([*ids[:-1][::-1], ids[-1]])
    return {
        **json.loads(compare.compare(services, None, lm.name, text, lm.name, other)),
        "other": other,
    }


def drawn_from(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    ids = lm.tokenizer.encode(text)[-lm.model.config.n_positions :]
    seen = NextToken(lm.name, tuple(ids), len(ids), last_logits(lm.model, ids))
    return json.loads(distribution.describe(lm.tokenizer, seen, SamplingSettings()))


def scored(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    lines = [json.loads(line) for line in score.score(services, lm.name, text).splitlines()]
    return {"said": next((line["said"] for line in lines if "said" in line), "")}


def without_a_head(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    tag = f"L{lm.model.config.n_layer - 1}H{len(text) % lm.model.config.n_head}"
    ids = lm.tokenizer.encode(text)[-lm.model.config.n_positions :]
    return {**sentence.described_text(services, lm.name, ids, without=tag)["machine"], "tag": tag}


def patched(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    """Patched from the first of several orders of its tokens after which the model says something
    else.
    """
    ids = lm.tokenizer.encode(text)
    body = ids[:-1]
    value: dict[str, Any] = {}
    for order in (
        body[::-1],
        [*body[1:], *body[:1]],
        [*body[-1:], *body[:-1]],
        [*body[:-2], *body[-2:][::-1]],
    ):
        *_, last = patching.grid(
            services, None, lm.name, text, lm.tokenizer.decode([*order, ids[-1]])
        )
        value = json.loads(last)
        if "message" not in value:
            return value
    return value


def steered(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    """Steered along one of the examples; strength and depth differ from text to text."""
    kinds = list(steering.EXAMPLES.values())
    sides = kinds[len(text) % len(kinds)]
    strength = (2.0, -1.0, 4.0, 0.5)[len(text) % 4]
    depth = 1 + len(text) % lm.model.config.n_layer
    form = steering.SteeringForm("\n".join(sides[0]), "\n".join(sides[1]), strength, depth, 1)
    shown: dict[str, str] = {}
    for news in steering.steer(services, None, lm.name, text, form):
        shown |= news
    streams = [
        [json.loads(line) for line in shown[side].splitlines()] for side in ("plain", "steered")
    ]
    made = [[line for line in stream if line["kind"] == "token"] for stream in streams]
    new = [line["id"] for line in made[0]]
    written = [*prompt_ids(lm, text), *new]
    texts = [lm.tokenizer.decode([line["id"] for line in tokens]) for tokens in made]
    told = {
        "sides": sides,
        "strength": strength,
        "depth": depth,
        "written": written,
        "texts": texts,
    }
    return {
        **told,
        "said": shown["said"],
        "n_written": len(new),
        "strengths": [*steering.STRENGTHS, strength],
    }


def traced(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    word, rival = last_logits(lm.model, lm.tokenizer.encode(text)).topk(2).indices.tolist()
    asked = {"model": lm.name, "text": text, "word": word, "rival": rival}
    return {**json.loads(circuit.circuit(services, asked)), "pair": (word, rival)}


def asked(view: Callable[[Services, dict[str, Any]], str], **left: None) -> Question:
    """What a view answers about a text, of which the rest is left to it."""
    return lambda services, lm, text: json.loads(
        view(services, {"model": lm.name, "text": text, **left})
    )


# Of each conclusion: what the page answers, the sentence in it, and what must hold of that.
CHECKS: dict[str, tuple[Question, str, Check]] = {
    "start": (started, "said", of_start),
    "lens": (through_lens, "said", of_lens),
    "lens of a text": (through_lens, "knew", of_lens_of_a_text),
    "heads": (seen, "said", of_heads),
    "why a word": (asked(why.why, word=None, rival=None), "said", of_why),
    "neuron": (asked(neurons.neurons, layer=None, neuron=None), "said", of_neuron),
    "two texts compared": (compared, "said", of_compare),
    "circuit": (traced, "said", of_circuit),
    "next token": (drawn_from, "said", of_next_token),
    "surprise": (scored, "said", of_surprise),
    "without parts": (without_a_head, "said", of_without_parts),
    "patching": (patched, "said", of_patching),
    "steering": (steered, "said", of_steering),
}


@dataclass(frozen=True)
class Finding:
    """One conclusion on one text and model, and what of it does not hold."""

    name: str
    model: str
    text: str
    said: str
    n: int
    false: tuple[str, ...]


def findings(models: tuple[str, ...], texts: tuple[str, ...]) -> Iterator[Finding]:
    """Every conclusion on every text and model."""
    services = make_services(offline=True)
    try:
        for model in models:
            lm = services.models.get(model)
            hf = gptcore.to_hf(lm.model).eval()
            hf.set_attn_implementation("eager")
            for text in texts:
                try:
                    peer = Peer(lm, hf, text)
                except GPTCoreError:  # letters that it does not know
                    continue
                for name, (question, key, check) in CHECKS.items():
                    try:
                        value = question(services, lm, text)
                    except GPTCoreError:
                        continue
                    said = value.get(key, "")
                    tested = check(said, value, peer) if said else []
                    false = tuple(what for what, true in tested if not true)
                    yield Finding(name, model, text, said, len(tested), false)
    finally:
        services.close()


def main() -> int:
    """Prints the table and every false sentence; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="a file with a text a line")
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    options = parser.parse_args()
    texts = (
        tuple(line for line in options.texts.read_text("utf-8").splitlines() if line)
        if options.texts
        else TEXTS
    )
    found = list(findings(tuple(options.models), texts))
    print("| conclusion | sentences | statements | false |\n|---|---|---|---|")
    for name in CHECKS:
        rows = [item for item in found if item.name == name and item.said]
        print(
            f"| {name} | {len(rows)} | {sum(row.n for row in rows)} | "
            f"{sum(len(row.false) for row in rows)} |"
        )
    for entry in found:
        if entry.false:
            print(
                f"\n{entry.name}, {entry.model}, {entry.text[:60]!r}: {', '.join(entry.false)}\n   "
                f"{entry.said}"
            )
    return int(any(item.false for item in found))


if __name__ == "__main__":
    raise SystemExit(main())
