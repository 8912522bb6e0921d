"""Whether what the page concludes in words is true: `python -m tests.tools.conclusions [--texts FILE] [--models ...]`

Every conclusion is tested on every text and model against transformers: logits, hidden states and attentions of the
same weights through `to_hf`, nothing of this project's own analysis. Prints a table of the sentences made and false.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import gptcore
from gptcore.analysis import repeated_token_scores, trace
from gptcore.errors import GPTCoreError
from gptcore.tokenizers import describe_token
from ui.conclusions import quoted
from ui.lenses.attention.handlers import circuit, compare, lens, maps, neurons, why
from ui.services import Services, make_services
from ui.state.machine import described

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
    " ".join(["Tom had a big red ball. He liked to play with it in the park near his house every day."] * 10),
)
# Conclusions whose words are tested against the numbers that stand beside them, not against transformers.
OF_NUMBERS = {
    "next token": "ui/test_conclusions.py::test_how_sure_the_next_token_is",
    "surprise": "ui/test_conclusions.py::test_what_surprises",
    "shares": "ui/test_conclusions.py::test_where_the_parameters_are",
    "scores": "ui/test_conclusions.py::test_which_test_is_passed_best",
    "same prompt": "ui/test_conclusions.py::test_how_several_answer_the_same_prompt",
    "circuit checked": "ui/lenses/attention/test_circuit.py::test_the_words_follow_the_numbers",
    "steering": "ui/lenses/generate/test_steer.py::test_the_conclusion_follows_the_numbers",
    "why it looks there": ("ui/lenses/attention/test_why.py::test_a_cell_of_a_map_says_what_draws_the_attention_there"),
    "a head's weights": "ui/lenses/attention/test_head_weights.py::test_the_words_follow_the_numbers",
    "patching": "ui/lenses/attention/test_why.py::test_the_grid_grows_depth_by_depth_and_a_stop_keeps_it",
    "when a preference formed": "ui/lenses/attention/test_formed.py::test_every_moment_is_that_moment_s_model",
}


class Peer:
    """A model as transformers computes it, on one text."""

    def __init__(self, lm: gptcore.LanguageModel, hf: Any, text: str, *, last: int | None = None) -> None:
        self.lm, self.hf = lm, hf
        self.ids = lm.tokenizer.encode(text, allow_special=True)[-(last or lm.model.config.n_positions) :]
        self.text = text
        with torch.inference_mode():
            self.out = hf(torch.tensor([self.ids]), output_hidden_states=True, output_attentions=True)
        self.logits = self.out.logits[0]  # [T, V]

    def label(self, token: int) -> str:
        return quoted(describe_token(self.lm.tokenizer, token))

    @property
    def labels(self) -> list[str]:
        return [self.label(token) for token in self.ids]

    @cached_property
    def depths(self) -> Tensor:
        """Probabilities after each depth at every place, [L + 1, T, V]."""
        states, last = self.out.hidden_states[:-1], self.out.hidden_states[-1]
        ln, head = self.hf.transformer.ln_f, self.hf.lm_head
        with torch.inference_mode():
            return torch.stack([head(ln(state))[0] for state in states] + [head(last)[0]]).softmax(-1)

    @cached_property
    def shares(self) -> dict[str, Tensor]:
        """Each role's share of every head's attention [L, H], and of even attention [1, 1], as the view defines it."""
        n = len(self.ids)
        weights = torch.stack([layer[0] for layer in self.out.attentions])  # [L, H, T, T]
        even = torch.ones(n, n).tril()
        weights = torch.cat([weights.flatten(0, 1), (even / even.sum(-1, keepdim=True))[None]])
        found = {}
        for role in ("previous", "first", "self", "duplicate", "induction"):
            rows = []
            for q in range(n):
                keys = {
                    "previous": [q - 1] if q > 1 else [],
                    "first": [0] if q else [],
                    "self": [q] if q else [],
                    "duplicate": [k for k in range(1, q) if self.ids[k] == self.ids[q]],
                    "induction": [k for k in range(1, q) if self.ids[k - 1] == self.ids[q]],
                }[role]
                if keys:
                    rows.append(weights[:, q, keys].sum(-1))
            found[role] = torch.stack(rows).mean(0) if rows else torch.zeros(len(weights))
        return found

    def role(self, head: int) -> str | None:
        """A clear role of a head, counted through all layers; None where a share is too near its limit to tell."""
        clear, near = {}, False
        for role in ("induction", "duplicate", "previous", "self"):
            least = max(0.4, 2 * float(self.shares[role][-1]))
            value = float(self.shares[role][head])
            near |= abs(value - least) < 1e-3
            if value >= least:
                clear[role] = value
        if near:
            return None
        if clear:
            return max(clear, key=lambda role: clear[role])
        return "first" if float(self.shares["first"][head]) >= 0.4 else ""

    def written(self, word: int, rival: int) -> Tensor:
        """What every head writes at the end for a word rather than another, in logits, [L, H]."""
        config, ln = self.hf.config, self.hf.transformer.ln_f
        n_head, size = config.n_head, config.n_embd // config.n_head
        rows = []
        with torch.inference_mode():
            before_norm = self.before_norm()
            std = (before_norm.var(unbiased=False) + ln.eps).sqrt()
            weight = self.hf.lm_head.weight
            direction = (weight[word] - weight[rival]) * ln.weight
            for layer, block in enumerate(self.hf.transformer.h):
                values = block.attn.c_attn(block.ln_1(self.out.hidden_states[layer]))[0, :, 2 * config.n_embd :]
                values = values.view(-1, n_head, size).transpose(0, 1)  # [H, T, D]
                mixed = (self.out.attentions[layer][0, :, -1, None] @ values)[:, 0]  # [H, D]
                out = torch.einsum("hd,hdc->hc", mixed, block.attn.c_proj.weight.view(n_head, size, -1))
                out = out - out.mean(-1, keepdim=True)
                rows.append(out @ direction / std)
        return torch.stack(rows)

    def before_norm(self) -> Tensor:
        """The residual stream at the end, before the final norm, [C]."""
        kept = []
        with hooked(self.hf.transformer.ln_f, pre=lambda _, given: kept.append(given[0])), torch.inference_mode():
            self.hf(torch.tensor([self.ids]))
        return kept[0][0, -1]

    def without(self, name: str) -> Tensor:
        """Logits at the end without "head 1.2" or "the MLP of layer 3", [V]."""
        found = re.fullmatch(r"head (\d+)\.(\d+)|the MLP of layer (\d+)", name)
        assert found, name
        size = self.hf.config.n_embd // self.hf.config.n_head
        if found[3] is not None:
            mlp = self.hf.transformer.h[int(found[3])].mlp
            hook = hooked(mlp, post=lambda _, __, out: torch.zeros_like(out))
        else:
            block, at = self.hf.transformer.h[int(found[1])], int(found[2]) * size

            def cut(_: object, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
                changed = given[0].clone()
                changed[..., at : at + size] = 0
                return (changed, *given[1:])

            hook = hooked(block.attn.c_proj, pre=cut)
        with hook, torch.inference_mode():
            return self.hf(torch.tensor([self.ids])).logits[0, -1]


@contextmanager
def hooked(module: torch.nn.Module, *, pre: Any = None, post: Any = None) -> Iterator[None]:
    handle = module.register_forward_pre_hook(pre) if pre else module.register_forward_hook(post)
    try:
        yield
    finally:
        handle.remove()


def near(said: str, value: float) -> bool:
    """Whether a percentage as people read it stands for a value."""
    number = float(re.sub(r"[<>%]", "", said))
    if said.startswith("<"):
        return 100 * value < number + 1e-6
    if said.startswith(">"):
        return 100 * value > number - 1e-6
    step = 10.0 ** -len(said.rstrip("%").partition(".")[2])
    return abs(100 * value - number) <= 0.55 * step + 0.02


Statement = tuple[str, bool]
Made = tuple[str, Callable[[Peer], list[Statement]]]
_P = r"([<>]?[\d.]+%)"


def in_front(said: str, peer: Peer, noun: str, place: int = -1) -> list[Statement]:
    """What a sentence says of when the model's choice was the first guess."""
    chances = peer.depths[:, place]
    token = int(chances[-1].argmax())
    first = [int(row.argmax()) == token for row in chances]
    settled = max((d + 1 for d, right in enumerate(first) if not right), default=0)
    before = [d for d in range(settled) if first[d]]
    found: list[Statement] = []
    if found_from := re.search(rf"is the first guess from {noun} (\d+) on", said):
        found.append((found_from[0], int(found_from[1]) == settled - 1))
    if re.search(r"first at every depth|already the first guess before any", said):
        found.append(("first throughout", settled == 0))
    if re.search(r"^(Only the|The) last block makes", said):
        found.append(("the last block", settled == len(first) - 1))
    if said.startswith("Only the last"):
        found.append(("only the last", not any(first[:-1])))
    lost = re.search(
        r"after it was in front ?(before any \w+)?( and)? ?(?:after \w+ ([\d, and]+))? ?and lost again", said
    )
    told = (
        set() if lost is None else {int(n) + 1 for n in re.findall(r"\d+", lost[3] or "")} | ({0} if lost[1] else set())
    )
    if found and settled:
        found.append(("in front before", told == set(before)))
    return found


def of_start(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    ids = lm.tokenizer.encode(text)[-lm.model.config.n_positions :]
    said = str(described(lm, ids, trace(lm.model, ids, len(ids) - 1))["said"])

    def holds(peer: Peer) -> list[Statement]:
        chances = peer.depths[:, -1]
        token = int(chances[-1].argmax())
        found = [("the choice", peer.label(token) in said), *in_front(said, peer, "block")]
        if weak := re.search(rf"has only {_P}", said):
            return [
                ("nothing stands out", float(chances[-1, token]) < 0.1 and near(weak[1], float(chances[-1, token])))
            ]
        gains = chances[1:, token] - chances[:-1, token]
        if most := re.search(rf"Block (\d+) raises it the most \({_P} to {_P}\)", said):
            layer = int(most[1])
            found.append((most[0], float(gains[layer]) >= float(gains.max()) - 1e-4))
            found += [
                ("from", near(most[2], float(chances[layer, token]))),
                ("to", near(most[3], float(chances[layer + 1, token]))),
            ]
        if writer := re.search(
            r"that writes most for it, (\d+)\.(\d+), (looks at (“.*?”|a space|a new line) \((.*?)\)|spreads)",
            said,
        ):
            layer, head = int(writer[1]), int(writer[2])
            rival = int(chances[-1].topk(2).indices[1])
            wrote = peer.written(token, rival)[layer]
            found.append((writer[0][:45], float(wrote[head]) >= float(wrote.max()) - 1e-2))
            row = peer.out.attentions[layer][0, head, -1]
            if writer[4]:
                found.append(
                    (
                        "where it looks",
                        peer.labels[int(row.argmax())] == writer[4] and near(writer[5], float(row.max())),
                    )
                )
            else:
                found.append(("spreads", float(row.max()) < 0.5 + 1e-3))
        return found

    return said, holds


def of_lens(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    value = json.loads(lens.lens(services, None, maps.AttentionForm(lm.name, text)))
    said = value.get("said", "")

    def holds(peer: Peer) -> list[Statement]:
        if not said:
            return []
        token = int(peer.depths[-1, -1].argmax())
        if weak := re.search(rf"has only {_P}", said):
            chance = float(peer.depths[-1, -1, token])
            return [("nothing stands out", chance < 0.1 and near(weak[1], chance))]
        return [("the choice", peer.label(token) in said), *in_front(said, peer, "layer")]

    return said, holds


def of_lens_of_a_text(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    value = json.loads(lens.lens(services, None, maps.AttentionForm(lm.name, text)))
    said = value.get("knew", "")

    def holds(peer: Peer) -> list[Statement]:
        counted = re.match(r"(\d+) of (\d+) tokens were its first guess", said)
        if not counted:
            return (
                [("none", not any(int(peer.depths[-1, p].argmax()) == t for p, t in enumerate(peer.ids[1:])))]
                if said
                else []
            )
        since, n = [], int(counted[2])
        for place in range(len(peer.ids) - 1 - n, len(peer.ids) - 1):
            token = peer.ids[place + 1]
            first = [int(row.argmax()) == token for row in peer.depths[:, place]]
            if first[-1]:
                since.append(max((d + 1 for d, right in enumerate(first) if not right), default=0))
        found = [("how many", int(counted[1]) == len(since))]
        if half := re.search(r"half of them (before any layer|by layer (\d+))", said):
            depth = 0 if half[2] is None else int(half[2]) + 1
            found.append(("half", len(since) >= 8 and sum(one <= depth for one in since) * 2 >= len(since)))
        return found

    return said, holds


def of_heads(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    seen = maps.read(services, None, maps.AttentionForm(lm.name, text))
    profile = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id)
    said = json.loads(maps.describe(seen, profile, mode=maps.RAW, text=text))["said"]

    def holds(peer: Peer) -> list[Statement]:
        here = said.partition(" Where random tokens repeat")[0]
        roles = [peer.role(head) for head in range(len(peer.shares["first"]) - 1)]
        unclear, found = roles.count(None), []
        for role, words in {
            "induction": "at what came after the same token last time",
            "duplicate": "at the same token earlier",
            "previous": "at the token before",
            "self": "at their own token|at its own token|looks? at their own token",
            "first": "on the first token",
        }.items():
            told = re.search(rf"(\d+) (?:look|looks|rest|rests) (?:{words})", here)
            n = int(told[1]) if told else 0
            found.append((role, roles.count(role) <= n <= roles.count(role) + unclear))
        return found

    return said, holds


def of_why(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    value = json.loads(why.why(services, {"model": lm.name, "text": text, "word": None, "rival": None}))
    said = value.get("said", "")

    def holds(peer: Peer) -> list[Statement]:
        if not said:
            return []
        (_, _, word), (_, _, rival) = value["word"], value["rival"]
        logits = peer.logits[-1]
        total = float(logits[word] - logits[rival])
        found = [("the pair", {word, rival} == set(logits.topk(2).indices.tolist()))]
        if told := re.search(r"([+-][\d.]+)[:)]", said):
            found.append(("the difference", abs(float(told[1]) - total) < 0.06))
        found += _named_parts(said, peer, word, rival, total)
        for name, amount in re.findall(r"Switching (.*?) off (?:really takes|takes only) ([\d.]+) away", said):
            off = peer.without(name)
            found.append((f"without {name}", abs(total - float(off[word] - off[rival]) - float(amount)) < 0.06))
        if later := re.search(
            r"Switching (?:head |the MLP of layer )(\d+).*what later layers do changes with it", said
        ):
            found.append(("later layers", int(later[1]) < lm.model.config.n_layer - 1))
        for name, amount in re.findall(r"below, (.*?) matters most \(([+-][\d.]+)\)", said):
            off = peer.without(name)
            found.append((f"most: {name}", abs(float(off[word] - off[rival]) - total - float(amount)) < 0.06))
        return found

    return said, holds


def _named_parts(said: str, peer: Peer, word: int, rival: int, total: float) -> list[Statement]:
    """What the named parts write, and whether "mostly" may be said of them."""
    named = re.search(r": (mostly |most of all )(.*?)\. ", said)
    parts = re.findall(r"(head \d+\.\d+|the MLP of layer \d+) \(([+-][\d.]+)\)", named[2]) if named else []
    if not parts or not named:
        return []
    found: list[Statement] = []
    wrote = peer.written(word, rival)
    for name, share in parts:
        if name.startswith("head"):
            layer, head = map(int, name[5:].split("."))
            found.append((name, abs(float(wrote[layer, head]) - float(share)) < 0.06))
    whole = sum(float(share) for _, share in parts)
    if abs(whole - total / 2) > 0.2:
        found.append(("mostly", (named[1] == "mostly ") == (whole > total / 2)))
    return found


def of_neuron(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    value = json.loads(neurons.neurons(services, {"model": lm.name, "text": text, "layer": None, "neuron": None}))
    said = value.get("said", "")

    def holds(peer: Peer) -> list[Statement]:
        told = re.search(r"without it, (.*?) (?:is|are) less likely there", said)
        if not told:
            return []
        layer, number = value["layer"], value["neuron"]
        peer = Peer(lm, peer.hf, peer.text, last=len(value["tokens"]))  # the view reads these alone
        activations: list[Tensor] = []
        act = peer.hf.transformer.h[layer].mlp.act
        with hooked(act, post=lambda _, __, out: activations.append(out)), torch.inference_mode():
            peer.hf(torch.tensor([peer.ids]))
        place = int(activations[0][0, :, number].argmax())

        def cut(_: object, __: object, out: Tensor) -> Tensor:
            changed = out.clone()
            changed[0, place, number] = 0
            return changed

        with hooked(act, post=cut), torch.inference_mode():
            after = peer.hf(torch.tensor([peer.ids])).logits[0, place].log_softmax(-1)
        before = peer.logits[place].log_softmax(-1)
        lower = {peer.label(token) for token in range(len(after)) if after[token] < before[token] + 1e-6}
        return [(name, name in lower) for name in re.findall(r"“.*?”|a space|a new line", told[1])]

    return said, holds


def of_compare(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    ids = lm.tokenizer.encode(text)
    other = lm.tokenizer.decode([*ids[:-1][::-1], ids[-1]])
    value = json.loads(compare.compare(services, None, lm.name, text, lm.name, other))
    said = value.get("said", "")

    def holds(peer: Peer) -> list[Statement]:
        twin = Peer(lm, peer.hf, other)
        pairs = zip(peer.out.attentions, twin.out.attentions, strict=True)
        moved = torch.stack([0.5 * (a[0] - b[0]).abs().sum(-1).mean(-1) for a, b in pairs])
        told = re.findall(rf"head (\d+)\.(\d+) \({_P}\)", said)
        best = float(moved.flatten().topk(max(1, len(told))).values.min()) - 2e-3
        found = [(f"{layer}.{head}", share, float(moved[int(layer), int(head)])) for layer, head, share in told]
        return [(name, near(share, value) and value >= best) for name, share, value in found]

    return said, holds


def of_circuit(services: Services, lm: gptcore.LanguageModel, text: str) -> Made:
    ids = lm.tokenizer.encode(text)
    logits = gptcore.inference.generation.last_logits(lm.model, ids)
    word, rival = logits.topk(2).indices.tolist()
    value = json.loads(circuit.circuit(services, {"model": lm.name, "text": text, "word": word, "rival": rival}))
    said = value.get("said", "")

    def holds(peer: Peer) -> list[Statement]:
        total = float(peer.logits[-1, word] - peer.logits[-1, rival])
        found = [
            ("the difference", abs(float(told) - total) < 0.06) for told in re.findall(r", ([+-][\d.]+):", said)[:1]
        ]
        shown = [float(one) for one in re.findall(r"\(([+-][\d.]+)\)", said.partition(", through")[0])]
        if "most of it comes from" in said:
            found.append(("most", sum(shown) > total / 2 - 0.15))
        return found

    return said, holds


CHECKS: dict[str, Callable[[Services, gptcore.LanguageModel, str], Made]] = {
    "start": of_start,
    "lens": of_lens,
    "lens of a text": of_lens_of_a_text,
    "heads": of_heads,
    "why a word": of_why,
    "neuron": of_neuron,
    "two texts compared": of_compare,
    "circuit": of_circuit,
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
                for name, make in CHECKS.items():
                    try:
                        said, holds = make(services, lm, text)
                    except GPTCoreError:
                        continue
                    tested = holds(peer) if said else []
                    yield Finding(
                        name, model, text, said, len(tested), tuple(what for what, true in tested if not true)
                    )
    finally:
        services.close()


def main() -> int:
    """Prints the table and every false sentence; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="a file with a text a line")
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    options = parser.parse_args()
    texts = tuple(line for line in options.texts.read_text("utf-8").splitlines() if line) if options.texts else TEXTS
    found = list(findings(tuple(options.models), texts))
    print("| conclusion | sentences | statements | false |\n|---|---|---|---|")
    for name in CHECKS:
        rows = [one for one in found if one.name == name and one.said]
        print(f"| {name} | {len(rows)} | {sum(one.n for one in rows)} | {sum(len(one.false) for one in rows)} |")
    for one in found:
        if one.false:
            print(f"\n{one.name}, {one.model}, {one.text[:60]!r}: {', '.join(one.false)}\n   {one.said}")
    return int(any(one.false for one in found))


if __name__ == "__main__":
    raise SystemExit(main())
