"""Whether what the page concludes in words is true: `python -m tests.tools.conclusions [--texts FILE] [--models ...]`

Every conclusion is tested on every text and model against transformers: logits, hidden states and attentions of the
same weights through `to_hf`, nothing of this project's own analysis. Prints a table of the sentences made and false.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import gptcore
from gptcore.analysis import repeated_token_scores, trace
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import last_logits
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.tokenizers import describe_token
from tests.tools.peer import Peer, hooked, near
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.layers import lens, neurons
from ui.lenses.attention.pair import difference as compare
from ui.lenses.attention.pair import patching
from ui.lenses.attention.why import attribution as why
from ui.lenses.attention.why import circuit
from ui.lenses.generate.handlers import distribution
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
    " ".join(["Tom had a big red ball. He liked to play with it in the park near his house every day."] * 10),
)
# Conclusions whose words are tested against the numbers that stand beside them, not against transformers.
OF_NUMBERS = {
    "shares": "ui/test_conclusions.py::test_where_the_parameters_are",
    "scores": "ui/test_conclusions.py::test_which_test_is_passed_best",
    "same prompt": "ui/test_conclusions.py::test_how_several_answer_the_same_prompt",
    "circuit checked": "ui/lenses/attention/test_circuit.py::test_the_words_follow_the_numbers",
    "a run": "ui/lenses/train/test_verdicts.py::test_what_is_said_follows_the_numbers",
    "steering": "ui/lenses/generate/test_steer.py::test_the_conclusion_follows_the_numbers",
    "a head's weights": "ui/lenses/attention/test_circuit.py::test_the_words_about_a_head_follow_the_numbers",
    "when a preference formed": "ui/lenses/attention/test_circuit.py::test_every_moment_is_that_moment_s_model",
}


Statement = tuple[str, bool]
Question = Callable[[Services, gptcore.LanguageModel, str], Mapping[str, Any]]
Check = Callable[[str, Mapping[str, Any], Peer], list[Statement]]
_P = r"([<>]?[\d.]+%)"
_WORD = r"“[^”]*”|a space|a new line|a tab|a carriage return|a no-break space"


def number(said: str) -> float:
    """A number as sentences have it, with the minus of print."""
    return float(said.replace("−", "-"))


def in_front(said: str, peer: Peer, noun: str, place: int = -1) -> list[Statement]:
    """What a sentence says of when the model's choice was the first guess."""
    chances = peer.depths[:, place]
    token = int(chances[-1].argmax())
    first = [int(row.argmax()) == token for row in chances]
    settled = max((d + 1 for d, right in enumerate(first) if not right), default=0)
    before = [d for d in range(settled) if first[d]]
    found: list[Statement] = []
    if found_from := re.search(rf"takes the lead in {noun} (\d+)", said):
        found.append((found_from[0], int(found_from[1]) == settled - 1))
    if re.search(r"leads at every depth|leads from the start", said):
        found.append(("first throughout", settled == 0))
    if decides := re.search(rf"^The last block decides: .* (?:jumps|rises) from {_P} to {_P}", said):
        found.append(("the last block", settled == len(first) - 1))
        found.append(("before", near(decides[1], float(chances[-2, token]))))
        found.append(("after", near(decides[2], float(chances[-1, token]))))
    lost = r"It had led ?(before any \w+)?( and)? ?(?:after \w+ ([\d, and]+))?, then fell behind"
    told = set[int]()
    if again := re.search(lost, said):
        told = {int(n) + 1 for n in re.findall(r"\d+", again[3] or "")} | ({0} if again[1] else set())
    if found and settled:
        found.append(("in front before", told == set(before)))
    return found


def unsure(said: str, chance: float) -> list[Statement]:
    """What a sentence says of a choice that has little of the probability; none where it is about a clear one."""
    weak = re.search(rf"has only {_P}", said)
    return [("nothing stands out", chance < 0.1 and near(weak[1], chance))] if weak else []


def of_start(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    chances = peer.depths[:, -1]
    token = int(chances[-1].argmax())
    if weak := unsure(said, float(chances[-1, token])):
        return weak
    found = [("the choice", peer.label(token) in said), *in_front(said, peer, "block")]
    gains = chances[1:, token] - chances[:-1, token]
    if most := re.search(rf"Block (\d+) does most for it \(from {_P} to {_P}\)", said):
        layer = int(most[1])
        found.append((most[0], float(gains[layer]) >= float(gains.max()) - 1e-4))
        found.append(("from", near(most[2], float(chances[layer, token]))))
        found.append(("to", near(most[3], float(chances[layer + 1, token]))))
    if writer := re.search(
        r"Layer (\d+), head (\d+) pushes most towards it"
        r"(?:, looking back at (?:the earlier )?(“.*?”|a space|a new line) \((.*?) of its attention\)|; its attention)",
        said,
    ):
        layer, head = int(writer[1]), int(writer[2])
        rival = int(chances[-1].topk(2).indices[1])
        wrote = peer.written(token, rival)[layer]
        found.append((writer[0][:45], float(wrote[head]) >= float(wrote.max()) - 1e-2))
        row = peer.out.attentions[layer][0, head, -1]
        looks, share = peer.labels[int(row.argmax())], float(row.max())
        if writer[3]:
            found.append(("where it looks", looks == writer[3] and near(writer[4], share)))
        else:
            found.append(("spreads", share < 0.5 + 1e-3))
    return found


def of_lens(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    token = int(peer.depths[-1, -1].argmax())
    if weak := unsure(said, float(peer.depths[-1, -1, token])):
        return weak
    return [("the choice", peer.label(token) in said), *in_front(said, peer, "layer")]


def of_lens_of_a_text(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    counted = re.match(r"(\d+) of (\d+) tokens? (?:was|were) its first guess", said)
    if not counted:
        right = (int(peer.depths[-1, p].argmax()) == t for p, t in enumerate(peer.ids[1:]))
        return [("none", not any(right))] if said else []
    n, last = int(counted[2]), len(peer.depths) - 1
    since: dict[int, int] = {}  # place of a token -> the depth from which it was the first guess
    for place in range(len(peer.ids) - 1 - n, len(peer.ids) - 1):
        token = peer.ids[place + 1]
        first = [int(row.argmax()) == token for row in peer.depths[:, place]]
        if first[-1]:
            since[place + 1] = max((d + 1 for d, right in enumerate(first) if not right), default=0)
    found = [("how many", int(counted[1]) == len(since))]
    if "only with the last layer." in said and ":" not in said:
        found.append(("all late", set(since.values()) == {last}))
    if told := re.search(r"the earliest, (.*?), (?:before any layer|from layer (\d+) on)", said):
        earliest = min(since.values())
        found.append(("the earliest", earliest == (0 if told[2] is None else int(told[2]) + 1)))
        tied = {peer.label(peer.ids[place]) for place, depth in since.items() if depth == earliest}
        named = set(re.findall(r"“.*?”|a space|a new line|a tab", told[1]))
        found.append(("all of the earliest", named == tied if named else len(tied) > 3))
    if some := re.search(r"; (\d+) of them (before any layer|by layer (\d+))", said):
        depth = 0 if some[3] is None else int(some[3]) + 1
        by = sum(one <= depth for one in since.values())
        found.append(("by then", by == int(some[1]) and 2 * by >= len(since)))
    if late := re.search(r"; (\d+) only with the last layer", said):
        found.append(("late", sum(one == last for one in since.values()) == int(late[1])))
    return found


def of_heads(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    here = said.partition(" In a test where")[0]
    roles = [peer.role(head) for head in range(len(peer.shares["first"]) - 1)]
    unclear, found = roles.count(None), []
    for role, words in {
        "induction": "at what came after the same token last time",
        "duplicate": "at the same token earlier",
        "previous": "at the token before",
        "self": "at their own token|at its own token",
        "first": "on the first token",
    }.items():
        if role == "first" and (all_heads := re.match(r"On this text all (\d+) heads rest on the first token", here)):
            found.append((role, roles.count(role) + unclear == int(all_heads[1])))
            continue
        told = re.search(rf"(\d+) (?:look|looks|rest|rests|copy|copies) (?:{words})", here)
        n = int(told[1]) if told else 0
        found.append((role, roles.count(role) <= n <= roles.count(role) + unclear))
    return found


def of_why(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    (_, _, word), (_, _, rival) = value["word"], value["rival"]
    logits = peer.logits[-1]
    total = float(logits[word] - logits[rival])
    found = [("the pair", {word, rival} == set(logits.topk(2).indices.tolist()))]
    if told := re.search(r"(?:the lead is |\()([+−][\d.]+\d)(?: logits|\))", said):
        found.append(("the difference", abs(number(told[1]) - total) < 0.06))
    found += _named_parts(said, peer, word, rival, total)
    for name, amount in re.findall(r"Switching (.*?) off cuts the lead by (?:only )?([\d.]+\d)", said):
        off = peer.without(name)
        found.append((f"without {name}", abs(total - float(off[word] - off[rival]) - number(amount)) < 0.06))
    later_ones = r"Switching (?:L|the MLP of layer )(\d+).*later layers react to the change"
    if later := re.search(later_ones, said):
        found.append(("later layers", int(later[1]) < peer.lm.model.config.n_layer - 1))
    for name, amount in re.findall(r"below, switching off (.*?) does most \(([+−][\d.]+)\)", said):
        off = peer.without(name)
        found.append((f"most: {name}", abs(float(off[word] - off[rival]) - total - number(amount)) < 0.06))
    return found


def _named_parts(said: str, peer: Peer, word: int, rival: int, total: float) -> list[Statement]:
    """What the named parts write, and whether "mostly" may be said of them."""
    named = re.search(r"logits, (mostly |most of all )from (.*?)\. ", said)
    parts = re.findall(r"(L\d+H\d+|the MLP of layer \d+) \(([+−][\d.]+)\)", named[2]) if named else []
    if not parts or not named:
        return []
    found: list[Statement] = []
    wrote = peer.written(word, rival)
    for name, share in parts:
        if head := re.fullmatch(r"L(\d+)H(\d+)", name):
            found.append((name, abs(float(wrote[int(head[1]), int(head[2])]) - number(share)) < 0.06))
    if cancel := re.search(r"cancel: ([+−][\d.]+\d) and ([+−][\d.]+\d) in all", said):
        towards, against = number(cancel[1]), number(cancel[2])
        found.append(("both sides", abs(towards + against - total) < 0.15 and abs(against) > 0.4 * abs(total)))
        named_sum = sum(number(share) for _, share in parts)
        if abs(named_sum - towards / 2) > 0.2:
            found.append(("mostly", (named[1] == "mostly ") == (abs(named_sum) > abs(towards) / 2)))
    return found


def of_neuron(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    told = re.search(r"without it, (.*?) (?:is|are) less likely there", said)
    if not told:
        return []
    layer, number = value["layer"], value["neuron"]
    peer = Peer(peer.lm, peer.hf, peer.text, last=len(value["tokens"]))  # the view reads these alone
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


def of_compare(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    twin = Peer(peer.lm, peer.hf, value["other"])
    pairs = zip(peer.out.attentions, twin.out.attentions, strict=True)
    moved = torch.stack([0.5 * (a[0] - b[0]).abs().sum(-1).mean(-1) for a, b in pairs])
    told = re.findall(rf"L(\d+)H(\d+) \({_P}\)", said)
    best = float(moved.flatten().topk(max(1, len(told))).values.min()) - 2e-3
    found = [(f"{layer}.{head}", share, float(moved[int(layer), int(head)])) for layer, head, share in told]
    return [(name, near(share, value) and value >= best) for name, share, value in found]


def of_circuit(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    word, rival = value["pair"]
    total = float(peer.logits[-1, word] - peer.logits[-1, rival])
    amounts = re.findall(r"the lead is ([+−][\d.]+\d) logits", said)[:1]
    found = [("the difference", abs(number(told) - total) < 0.06) for told in amounts]
    if said.startswith("Nothing stands out"):
        return found
    brought = [*value["words"], value["constants"]]
    sign = 1 if total > 0 else -1
    told, _, opposed = said.partition(" logits; ")[2].partition(" Against it: ")
    for side, share in ((told.partition(", through")[0], sign), (opposed, -sign)):
        shown = [number(one) for one in re.findall(r"\((?:token \d+, )?([+−][\d.]+\d)\)", side)]
        best = sorted((one for one in brought if share * one > 0), key=lambda one: -share * one)[: len(shown)]
        found += [("what brings it", abs(a - b) < 0.06) for a, b in zip(shown, best, strict=True)]
    against = sum(one for one in brought if sign * one < 0)
    is_weak = abs(against) < 0.5 * abs(total) + 0.1 or min(sign * one for one in brought) > -0.56
    found.append(("what opposes", bool(opposed) or is_weak or "no single" in told))
    return found


def of_next_token(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    chances = peer.logits[-1].softmax(-1)
    likeliest = chances.topk(min(40, len(chances))).indices.tolist()
    # Of two tokens that people read alike, the likelier one.
    by_label = {peer.label(token): float(chances[token]) for token in reversed(likeliest)}
    for token in likeliest if "␣" in said else ():  # of two that read alike, a sentence that names both marks the space
        by_label[f"“{describe_token(peer.lm.tokenizer, token).replace(' ', '␣')}”"] = float(chances[token])
    best = float(chances.max())
    told = re.findall(rf"({_WORD})(?:, has only| has(?: only)?| \() ?{_P}", said)
    found = [(f"the chance of {label}", near(share, by_label.get(label, -1.0))) for label, share in told]
    found.append(("the likeliest", bool(told) and abs(by_label.get(told[0][0], -1.0) - best) < 1e-3))
    if told:
        first = told[0][1]
        sure = {"very sure": best >= 0.9 - 1e-3, "fairly sure": 0.5 - 1e-3 <= best <= 0.9 + 1e-3}
        found += [(word, holds) for word, holds in sure.items() if word in said]
        found.append(("nothing stands out", ("Nothing stands out" in said) == (best < 0.1) or near(first, 0.1)))
    return found


def of_surprise(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    """The first token of a text is read after an end-of-text token, where the model has one."""
    end = peer.lm.tokenizer.end_id
    ids = peer.lm.tokenizer.encode(peer.text)
    read = [*([] if end is None else [end]), *ids]
    if len(read) > peer.lm.model.config.n_positions:
        return []
    with torch.inference_mode():
        chances = peer.hf(torch.tensor([read])).logits[0].softmax(-1)
    seen = [(float(chances[place, token]), int(chances[place].argmax()) == token, peer.label(token), chances[place])
            for place, token in enumerate(read[1:])]  # fmt: skip
    found: list[Statement] = []
    if counted := re.search(r"(\d+) of (\d+) tokens? (?:was|were) its first guess", said):
        found.append(("how many", (int(counted[1]), int(counted[2])) == (sum(one[1] for one in seen), len(seen))))
    least = min(seen, key=lambda one: one[0])
    if told := re.match(rf"({_WORD}) surprises it most: it had {_P}(?: where it expected ({_WORD}) \({_P}\))?", said):
        found.append(("the least expected", told[1] == least[2] and near(told[2], least[0])))
        if told[3]:
            best = int(least[3].argmax())
            found.append(("what was expected", told[3] == peer.label(best) and near(told[4], float(least[3][best]))))
    return found


def of_without_parts(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    before, after = peer.logits[-1].softmax(-1), peer.without(value["tag"]).softmax(-1)
    guess, now = int(before.argmax()), int(after.argmax())
    told = re.search(rf"({_WORD}) (?:falls|rises) from {_P} to {_P}", said)
    found = [("the first guess", peer.label(guess) in said.replace("␣", ""))]
    if told:
        is_guess = told[1].replace("␣", "") == peer.label(guess)
        found.append(("before", is_guess and near(told[2], float(before[guess]))))
        found.append(("after", near(told[3], float(after[guess]))))
        found.append(("falls", ("falls" in said) == (float(after[guess]) < float(before[guess]))))
    if takes := re.search(rf"({_WORD}) takes first place with {_P}", said):
        is_now = takes[1].replace("␣", "") == peer.label(now)
        found.append(("takes first place", is_now and near(takes[2], float(after[now]))))
    elif "stays the first guess" in said:
        found.append(("stays", now == guess))
    return found


def of_patching(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    """Shares of the named heads and places, each patched in transformers."""
    target = Peer(peer.lm, peer.hf, value["texts"][1])
    word, rival = (int(one.logits[-1].argmax()) for one in (peer, target))

    def lead(logits: Tensor) -> float:
        return float(logits[word] - logits[rival])

    end, start = lead(peer.logits[-1]), lead(target.logits[-1])
    if abs(end - start) < 0.3:
        return []  # small differences of two runs
    found: list[Statement] = []
    for layer, head, share in re.findall(r"L(\d+)H(\d+) \(([−<>\d.]+%)\)", said):
        part = (lead(target.with_head_of(peer, int(layer), int(head))) - start) / (end - start)
        found.append((f"L{layer}H{head}", abs(number(share.strip("<>%")) / 100 - part) < 0.02))
    places = [(lead(target.with_embedding_of(peer, place)) - start) / (end - start) for place in range(len(peer.ids))]
    first = max(range(len(places)), key=places.__getitem__)
    for label, share in re.findall(rf"({_WORD}) \(([−\d.]+)%\)", said.partition("; ")[0]):
        told = number(share) / 100
        near_it = [abs(told - one) < 0.02 for one, name in zip(places, peer.labels, strict=True) if name == label]
        found.append((f"{label} at first", any(near_it)))
    if "alone holds the difference at first" in said:
        rest = [abs(share) for place, share in enumerate(places) if place != first]
        found.append(("alone", peer.labels[first] in said and max(rest, default=0.0) < 0.16))
    return found


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
    return {**json.loads(compare.compare(services, None, lm.name, text, lm.name, other)), "other": other}


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
    """Patched from the first of several orders of its tokens after which the model says something else."""
    ids = lm.tokenizer.encode(text)
    body = ids[:-1]
    value: dict[str, Any] = {}
    for order in (body[::-1], [*body[1:], *body[:1]], [*body[-1:], *body[:-1]], [*body[:-2], *body[-2:][::-1]]):
        *_, last = patching.grid(services, None, lm.name, text, lm.tokenizer.decode([*order, ids[-1]]))
        value = json.loads(last)
        if "message" not in value:
            return value
    return value


def traced(services: Services, lm: gptcore.LanguageModel, text: str) -> Mapping[str, Any]:
    word, rival = last_logits(lm.model, lm.tokenizer.encode(text)).topk(2).indices.tolist()
    asked = {"model": lm.name, "text": text, "word": word, "rival": rival}
    return {**json.loads(circuit.circuit(services, asked)), "pair": (word, rival)}


def asked(view: Callable[[Services, dict[str, Any]], str], **left: None) -> Question:
    """What a view answers about a text, of which the rest is left to it."""
    return lambda services, lm, text: json.loads(view(services, {"model": lm.name, "text": text, **left}))


# Of each conclusion: what the page answers, the sentence in it, and what must hold of that.
CHECKS: dict[str, tuple[Question, str, Check]] = {
    "start": (started, "said", of_start), "lens": (through_lens, "said", of_lens),
    "lens of a text": (through_lens, "knew", of_lens_of_a_text), "heads": (seen, "said", of_heads),
    "why a word": (asked(why.why, word=None, rival=None), "said", of_why),
    "neuron": (asked(neurons.neurons, layer=None, neuron=None), "said", of_neuron),
    "two texts compared": (compared, "said", of_compare), "circuit": (traced, "said", of_circuit),
    "next token": (drawn_from, "said", of_next_token), "surprise": (scored, "said", of_surprise),
    "without parts": (without_a_head, "said", of_without_parts), "patching": (patched, "said", of_patching),
}  # fmt: skip


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
