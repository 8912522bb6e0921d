"""What must hold of each conclusion in words, by transformers' own numbers."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from gptcore.tokenizers import describe_token
from tests.tools.peer import Peer, hooked, near

Statement = tuple[str, bool]
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
    if decides := re.search(
        rf"^The last block decides: .* (?:jumps|rises) from {_P} to {_P}", said
    ):
        found.append(("the last block", settled == len(first) - 1))
        found.append(("before", near(decides[1], float(chances[-2, token]))))
        found.append(("after", near(decides[2], float(chances[-1, token]))))
    lost = r"It had led ?(before any \w+)?( and)? ?(?:after \w+ ([\d, and]+))?, then fell behind"
    told = set[int]()
    if again := re.search(lost, said):
        told = {int(n) + 1 for n in re.findall(r"\d+", again[3] or "")} | (
            {0} if again[1] else set()
        )
    if found and settled:
        found.append(("in front before", told == set(before)))
    return found


def unsure(said: str, chance: float) -> list[Statement]:
    """What a sentence says of a choice that has little of the probability; none where it is about a
    clear one.
    """
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
        layer = int(writer[1])
        head = int(writer[2])
        rival = int(chances[-1].topk(2).indices[1])
        wrote = peer.written(token, rival)[layer]
        found.append((writer[0][:45], float(wrote[head]) >= float(wrote.max()) - 1e-2))
        row = peer.out.attentions[layer][0, head, -1]
        looks = peer.labels[int(row.argmax())]
        share = float(row.max())
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
    n = int(counted[2])
    last = len(peer.depths) - 1
    since: dict[int, int] = {}  # place of a token -> the depth from which it was the first guess
    for index in range(len(peer.ids) - 1 - n, len(peer.ids) - 1):
        token = peer.ids[index + 1]
        first = [int(row.argmax()) == token for row in peer.depths[:, index]]
        if first[-1]:
            since[index + 1] = max((d + 1 for d, right in enumerate(first) if not right), default=0)
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
        by = sum(item <= depth for item in since.values())
        found.append(("by then", by == int(some[1]) and 2 * by >= len(since)))
    if late := re.search(r"; (\d+) only with the last layer", said):
        found.append(("late", sum(item == last for item in since.values()) == int(late[1])))
    return found


def of_heads(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    here = said.partition(" In a test where")[0]
    roles = [peer.role(head) for head in range(len(peer.shares["first"]) - 1)]
    unclear = roles.count(None)
    found = []
    for role, words in {
        "induction": "at what came after the same token last time",
        "duplicate": "at the same token earlier",
        "previous": "at the token before",
        "self": "at their own token|at its own token",
        "first": "on the first token",
    }.items():
        if role == "first" and (
            all_heads := re.match(r"On this text all (\d+) heads rest on the first token", here)
        ):
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
    for name, amount in re.findall(
        r"Switching (.*?) off cuts the lead by (?:only )?([\d.]+\d)", said
    ):
        off = peer.without(name)
        found.append(
            (f"without {name}", abs(total - float(off[word] - off[rival]) - number(amount)) < 0.06)
        )
    later_ones = r"Switching (?:L|the MLP of layer )(\d+).*later layers react to the change"
    if later := re.search(later_ones, said):
        found.append(("later layers", int(later[1]) < peer.lm.model.config.n_layer - 1))
    for name, amount in re.findall(r"below, switching off (.*?) does most \(([+−][\d.]+)\)", said):
        off = peer.without(name)
        found.append(
            (f"most: {name}", abs(float(off[word] - off[rival]) - total - number(amount)) < 0.06)
        )
    return found


def _named_parts(said: str, peer: Peer, word: int, rival: int, total: float) -> list[Statement]:
    """What the named parts write, and whether "mostly" may be said of them."""
    named = re.search(r"logits, (mostly |most of all )from (.*?)\. ", said)
    parts = (
        re.findall(r"(L\d+H\d+|the MLP of layer \d+) \(([+−][\d.]+)\)", named[2]) if named else []
    )
    if not parts or not named:
        return []
    found: list[Statement] = []
    wrote = peer.written(word, rival)
    for name, share in parts:
        if head := re.fullmatch(r"L(\d+)H(\d+)", name):
            found.append(
                (name, abs(float(wrote[int(head[1]), int(head[2])]) - number(share)) < 0.06)
            )
    if cancel := re.search(r"cancel: ([+−][\d.]+\d) and ([+−][\d.]+\d) in all", said):
        towards = number(cancel[1])
        against = number(cancel[2])
        found.append(
            (
                "both sides",
                abs(towards + against - total) < 0.15 and abs(against) > 0.4 * abs(total),
            )
        )
        named_sum = sum(number(share) for _, share in parts)
        if abs(named_sum - towards / 2) > 0.2:
            found.append(("mostly", (named[1] == "mostly ") == (abs(named_sum) > abs(towards) / 2)))
    return found


def of_neuron(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    told = re.search(r"without it, (.*?) (?:is|are) less likely there", said)
    if not told:
        return []
    layer = value["layer"]
    number = value["neuron"]
    # the view reads these alone
    peer = Peer(peer.lm, peer.hf, peer.text, last=len(value["tokens"]))
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
    lower = {
        peer.label(token) for token in range(len(after)) if after[token] < before[token] + 1e-6
    }
    return [(name, name in lower) for name in re.findall(r"“.*?”|a space|a new line", told[1])]


def of_compare(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    twin = Peer(peer.lm, peer.hf, value["other"])
    pairs = zip(peer.out.attentions, twin.out.attentions, strict=True)
    moved = torch.stack([0.5 * (a[0] - b[0]).abs().sum(-1).mean(-1) for a, b in pairs])
    told = re.findall(rf"L(\d+)H(\d+) \({_P}\)", said)
    best = float(moved.flatten().topk(max(1, len(told))).values.min()) - 2e-3
    found = [
        (f"{layer}.{head}", share, float(moved[int(layer), int(head)]))
        for layer, head, share in told
    ]
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
        shown = [number(item) for item in re.findall(r"\((?:token \d+, )?([+−][\d.]+\d)\)", side)]
        best = sorted(
            (item for item in brought if share * item > 0), key=lambda item: -share * item
        )[: len(shown)]
        found += [("what brings it", abs(a - b) < 0.06) for a, b in zip(shown, best, strict=True)]
    against = sum(item for item in brought if sign * item < 0)
    is_weak = abs(against) < 0.5 * abs(total) + 0.1 or min(sign * item for item in brought) > -0.56
    found.append(("what opposes", bool(opposed) or is_weak or "no single" in told))
    return found


def of_next_token(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    chances = peer.logits[-1].softmax(-1)
    likeliest = chances.topk(min(40, len(chances))).indices.tolist()
    # Of two tokens that people read alike, the likelier one.
    by_label = {peer.label(token): float(chances[token]) for token in reversed(likeliest)}
    # of two that read alike, a sentence that names both marks the space
    for token in likeliest if "␣" in said else ():
        by_label[f"“{describe_token(peer.lm.tokenizer, token).replace(' ', '␣')}”"] = float(
            chances[token]
        )
    best = float(chances.max())
    told = re.findall(rf"({_WORD})(?:, has only| has(?: only)?| \() ?{_P}", said)
    found = [
        (f"the chance of {label}", near(share, by_label.get(label, -1.0))) for label, share in told
    ]
    found.append(
        ("the likeliest", bool(told) and abs(by_label.get(told[0][0], -1.0) - best) < 1e-3)
    )
    if told:
        first = told[0][1]
        sure = {"very sure": best >= 0.9 - 1e-3, "fairly sure": 0.5 - 1e-3 <= best <= 0.9 + 1e-3}
        found += [(word, holds) for word, holds in sure.items() if word in said]
        found.append(
            (
                "nothing stands out",
                ("Nothing stands out" in said) == (best < 0.1) or near(first, 0.1),
            )
        )
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
    seen = [
        (
            float(chances[index, token]),
            int(chances[index].argmax()) == token,
            peer.label(token),
            chances[index],
        )
        for index, token in enumerate(read[1:])
    ]
    found: list[Statement] = []
    if counted := re.search(r"(\d+) of (\d+) tokens? (?:was|were) its first guess", said):
        found.append(
            (
                "how many",
                (int(counted[1]), int(counted[2])) == (sum(item[1] for item in seen), len(seen)),
            )
        )
    least = min(seen, key=lambda item: item[0])
    if told := re.match(
        rf"({_WORD}) surprises it most: it had {_P}(?: where it expected ({_WORD}) \({_P}\))?", said
    ):
        found.append(("the least expected", told[1] == least[2] and near(told[2], least[0])))
        if told[3]:
            best = int(least[3].argmax())
            found.append(
                (
                    "what was expected",
                    told[3] == peer.label(best) and near(told[4], float(least[3][best])),
                )
            )
    return found


def of_without_parts(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    before = peer.logits[-1].softmax(-1)
    after = peer.without(value["tag"]).softmax(-1)
    guess = int(before.argmax())
    now = int(after.argmax())
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
    word, rival = (int(item.logits[-1].argmax()) for item in (peer, target))

    def lead(logits: Tensor) -> float:
        return float(logits[word] - logits[rival])

    end = lead(peer.logits[-1])
    start = lead(target.logits[-1])
    if abs(end - start) < 0.3:
        return []  # small differences of two runs
    found: list[Statement] = []
    for layer, head, share in re.findall(r"L(\d+)H(\d+) \(([−<>\d.]+%)\)", said):
        part = (lead(target.with_head_of(peer, int(layer), int(head))) - start) / (end - start)
        found.append((f"L{layer}H{head}", abs(number(share.strip("<>%")) / 100 - part) < 0.02))
    places = [
        (lead(target.with_embedding_of(peer, index)) - start) / (end - start)
        for index in range(len(peer.ids))
    ]
    first = max(range(len(places)), key=places.__getitem__)
    for label, share in re.findall(rf"({_WORD}) \(([−\d.]+)%\)", said.partition("; ")[0]):
        told = number(share) / 100
        near_it = [
            abs(told - place) < 0.02
            for place, name in zip(places, peer.labels, strict=True)
            if name == label
        ]
        found.append((f"{label} at first", any(near_it)))
    if "alone holds the difference at first" in said:
        rest = [abs(share) for index, share in enumerate(places) if index != first]
        found.append(("alone", peer.labels[first] in said and max(rest, default=0.0) < 0.16))
    return found


def of_steering(said: str, value: Mapping[str, Any], peer: Peer) -> list[Statement]:
    """The cost in nats of the model's own text, with the vector added in transformers."""
    depth = value["depth"]
    strength = value["strength"]
    block = peer.hf.transformer.h[depth - 1]
    means = []
    for texts in value["sides"]:
        streams = [Peer(peer.lm, peer.hf, text).out.hidden_states for text in texts]
        # The last hidden state of transformers is normed; the block's own output is not.
        outs = (
            [_after_block(peer, text, block) for text in texts]
            if depth == len(streams[0]) - 1
            else None
        )
        rows = outs or [stream[depth][0] for stream in streams]
        means.append(torch.stack([row[1 if len(row) > 1 else 0 :].mean(0) for row in rows]).mean(0))
    vector = means[0] - means[1]
    written = torch.tensor([value["written"][-peer.lm.model.config.n_positions :]])
    n_scored = max(1, min(value["n_written"], written.shape[1] - 1))

    def surprise(times: float) -> float:
        hook = hooked(block, post=lambda _, __, out: _plus(out, times * vector))
        with hook, torch.inference_mode():
            logprobs = peer.hf(written).logits[0, -n_scored - 1 : -1].log_softmax(-1)
        return -float(logprobs.gather(1, written[0, -n_scored:, None]).mean())

    plain = surprise(0.0)
    found: list[Statement] = []
    if at := re.search(r"At ×([−\d.]*\d) the writing ([^(]*)\(([−\d.]+) nats", said):
        cost = surprise(strength) - plain
        found.append(("the strength", number(at[1]) == strength))
        found.append(("its cost", abs(number(at[3]) - cost) < 0.011))
        limits = {
            "does not get worse": (-9.0, 0.005),
            "gets slightly worse": (-0.005, 0.305),
            "gets much": (0.295, 99.0),
        }
        low, high = next(limit for words, limit in limits.items() if at[2].startswith(words))
        found.append((at[2], low <= cost <= high))
    if up_to := re.search(r"stays readable up to about ×([−\d.]*\d)", said):
        costs = {
            other: surprise(other) - plain for other in value["strengths"] if other * strength > 0
        }
        within = [other for other in costs if abs(other) <= abs(number(up_to[1]))]
        found.append((up_to[0], all(costs[other] < 0.31 for other in within)))
        beyond = [other for other in costs if abs(other) > abs(number(up_to[1]))]
        if beyond:
            found.append(("not beyond", costs[min(beyond, key=abs)] > 0.29))
    if counted := re.search(r"appear (once|\d+ times) with steering and (\d+) without", said):
        with_it = 1 if counted[1] == "once" else int(counted[1].split()[0])
        words = [{*_long_words(" ".join(side))} for side in value["sides"]]
        of_kind = [
            sum(word in words[0] - words[1] for word in _long_words(text))
            for text in value["texts"]
        ]
        found.append(("words", of_kind == [int(counted[2]), with_it]))
    return found


def _after_block(peer: Peer, text: str, block: torch.nn.Module) -> Tensor:
    kept: list[Tensor] = []
    with hooked(
        block, post=lambda _, __, out: kept.append(out[0] if isinstance(out, tuple) else out)
    ):
        Peer(peer.lm, peer.hf, text)
    return kept[0][0] if kept[0].dim() == 3 else kept[0]


def _plus(out: Any, vector: Tensor) -> Any:
    return (out[0] + vector, *out[1:]) if isinstance(out, tuple) else out + vector


def _long_words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if len(word) >= 3]
