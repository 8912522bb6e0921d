"""Activation patching: which activations of sentence A, copied into sentence B's run, bring back
A's answer.
"""

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor

from gptcore.analysis import logits_without, patched_logits, patching_rows
from gptcore.errors import GPTCoreError
from gptcore.formatting import percent
from gptcore.inference.generation import prompt_ids
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.conclusions import above_half, concludes, head_tag, listed, listed_first, quoted
from ui.lenses.attention.payloads import PairLists, Patched, PatchingGrid, PatchRequest
from ui.payloads import Choice, fields, probability
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError
from ui.shared.open_model import answering, as_json, open_model
from ui.shared.sheets import message
from ui.state.machine import likeliest
from ui.state.model_store import base_name

_MOST_TOKENS = 40  # of each sentence: the grid takes as many passes of all layers
_CARRIES = 0.5  # share of the answer that a place brings back, to be named
_HEADS = 0.15  # and a head
_N_HEADS = 3
_N_NEXT = 5
_MOST_CELLS = 400

# Sentence pairs of equal length that differ in one word, each answered correctly and differently by
# a bundled model.
PAIRS = {
    "mini": (
        ("Tom saw a zebra. Tom gave food to the", "Tom saw a lion. Tom gave food to the"),
        ("Ben was hungry. He wanted to", "Ben was sleepy. He wanted to"),
        ("Lily had a red ball. She lost her red", "Lily had a red hat. She lost her red"),
        ('Tom and Lily went out. "Look, Lily!" said', 'Tom and Lily went out. "Look, Tom!" said'),
        (
            "Lily and Tom had a cake. Lily shared it with",
            "Lily and Tom had a cake. Tom shared it with",
        ),
    ),
    "world": (
        ("Question: What is 2 plus 3?\nAnswer:", "Question: What is 2 plus 4?\nAnswer:"),
        ("Review: I loved this film.\nSentiment:", "Review: I hated this film.\nSentiment:"),
        ("Translate English to French: dog =", "Translate English to French: cat ="),
        ("Question: What is 7 minus 3?\nAnswer:", "Question: What is 7 minus 4?\nAnswer:"),
        ("man is to woman as king is to", "man is to woman as boy is to"),
    ),
    "induction": (("kat ka", "kar ka"), ("mat sat mat s", "mut sit mut s")),
    "anthology": (("He was not able t", "He was not able a"),),
    "shakespeare-char": (("thou ar", "thou ha"), ("my lord, my l", "my wife, my w")),
}


def pairs(model: object) -> tuple[tuple[str, str], ...]:
    """Example pairs for a model; a model without any gets those of mini."""
    return PAIRS.get(base_name(inputs.model_name(model)), PAIRS["mini"])


def is_example(first: object, second: object) -> bool:
    """Whether two sentences are a bundled example pair."""
    return any((first, second) == pair for known in PAIRS.values() for pair in known)


def grid(
    services: Services, session_id: str | None, model: object, first: object, second: object
) -> Iterator[str]:
    """Patches one value of B's run at a time with A's, and yields the recovered share of A's
    answer.

    Yields:
        JSON of a `PatchingGrid`, depth by depth; where it cannot be, a message, and of sentences
        that could be read what each goes on with, as `PairLists`.
    """
    try:
        lm = services.models.get(inputs.model_name(model))
        source = read_ids(services, lm, first, "Sentence A")
        target = read_ids(services, lm, second, "Sentence B")
        try:
            chances, words = both_answers(services, lm, [source, target])
        except InputError as error:
            both = [_next_words(services, lm, ids) for ids in (source, target)]
            yield as_json(PairLists(message=str(error), both=both))
            return
        labels = [
            [describe_token(lm.tokenizer, token) for token in item] for item in (source, target)
        ]
        shown: PatchingGrid = {
            "texts": [str(first), str(second)],
            "model": lm.name,
            "a": labels[0],
            "b": labels[1],
            "answers": [describe_token(lm.tokenizer, token) for token in words],
            "chances": [[probability(row[token]) for token in words] for row in chances],
            "next": services.now(lambda: likeliest(lm, chances[1], _N_NEXT)),
            "rows": [],
            "total": lm.model.config.n_layer + 1,
            "stopped": False,
            "said": "",
        }
        yield as_json(shown)
        with services.sessions.get(session_id).turn() as run:
            for (_, row), _seconds in services.compute(
                patching_rows(lm.model, source, target, *words)
            ):
                shown["rows"].append([round(share, 3) for share in row.tolist()])
                yield as_json(shown)
                if not run.wanted:
                    yield as_json({**shown, "stopped": True})
                    return
            by_head = patching_rows(lm.model, source, target, *words, "head")
            heads = [
                [round(share, 3) for share in row.tolist()]
                for (_, row), _ in services.compute(by_head)
            ]
        yield as_json({**shown, "said": conclusion(labels[0], labels[1], shown["rows"], heads)})
    except GPTCoreError as error:
        yield message(str(error))


@answering
def patched(services: Services, request: Annotated[object, PatchRequest]) -> Patched:
    """Computes the likeliest tokens after sentence B, with A's values in some cells; a message
    where it cannot be.
    """
    model, first, second, cells = fields(request, "model", "first", "second", "cells")
    lm = open_model(services, model)
    source = read_ids(services, lm, first, "Sentence A")
    target = read_ids(services, lm, second, "Sentence B")
    chosen = [_cell(cell) for cell in (cells if isinstance(cells, list) else [None])][:_MOST_CELLS]
    carried = services.now(lambda: patched_logits(lm.model, source, target, chosen).softmax(-1))
    return {"next": services.now(lambda: likeliest(lm, carried, _N_NEXT))}


def _next_words(services: Services, lm: LanguageModel, ids: list[int]) -> list[Choice]:
    """The likeliest tokens after a sentence."""
    return services.now(
        lambda: likeliest(lm, logits_without(lm.model, ids, [[]])[0].softmax(-1), _N_NEXT)
    )


def _cell(value: object) -> tuple[int, int]:
    depth, position = value if isinstance(value, list) and len(value) == 2 else [None, None]
    return inputs.whole(depth, "The depth", low=0, high=1000), inputs.whole(
        position, "The place", low=0, high=10_000
    )


@concludes("patching")
def conclusion(
    a: list[str], b: list[str], rows: list[list[float]], heads: list[list[float]]
) -> str:
    """Describes at which tokens the difference between two sentences stands, depth by depth, and
    which heads carry it.

    Args:
        a, b: labels of the tokens.
        rows: share that comes back, by depth and position.
        heads: by layer and head.
    """
    stands = [max(range(len(row)), key=row.__getitem__) for row in rows]
    clear = [
        stand if row[stand] >= _CARRIES else None for stand, row in zip(stands, rows, strict=True)
    ]
    first = clear[0]
    last = len(a) - 1
    carriers = sorted(
        ((share, layer, head) for layer, row in enumerate(heads) for head, share in enumerate(row))
    )[::-1]
    strong = [carrier for carrier in carriers[:_N_HEADS] if carrier[0] >= _HEADS]
    by = _carried_by(
        strong, [carrier for carrier in carriers[::-1][:_N_HEADS] if carrier[0] <= -_HEADS]
    )
    if first is None:
        changed = [
            index for index, (item, other) in enumerate(zip(a, b, strict=True)) if item != other
        ]
        positions = listed_first([quoted(a[position]) for position in changed], _N_HEADS)
        return (
            f"Nothing stands out: no single place carries the difference; {positions} carry it "
            f"together.{by}"
        )
    leaves = next((depth for depth, position in enumerate(clear) if position != first), len(rows))
    arrives = next((depth for depth in range(len(rows)) if clear[depth] == last), len(rows) - 1)
    if first == last or arrives < leaves:
        return f"The difference is at the last token, {quoted(a[last])}, from the beginning.{by}"
    blocks = (
        f"in block {arrives - 1}"
        if arrives == leaves
        else f"in blocks {leaves - 1} to {arrives - 1}"
    )
    others = [
        index for index, share in enumerate(rows[0]) if index != first and abs(share) >= _HEADS
    ]
    holds = "alone holds the difference at first"
    if others:
        also = listed([f"{quoted(a[other])} ({percent_of(rows[0][other])})" for other in others])
        holds = (
            f"({percent_of(rows[0][first])}) holds most of the difference at first, beside {also}"
        )
    return (
        f"{quoted(a[first])} {holds}; {blocks} it moves to the last token, {quoted(a[last])}, "
        f"where the answer is read off.{by}"
    )


def percent_of(share: float) -> str:
    """A share that may be below 0 or above 1, with the minus of print."""
    return percent(share) if 0 <= share <= 1 else f"{100 * share:.0f}%".replace("-", "−")


def _carried_by(strong: list[tuple[float, int, int]], against: list[tuple[float, int, int]]) -> str:
    """A sentence on the heads (share, layer, head) that carry the difference, and those that work
    against it.
    """
    if not strong:
        return " No single head carries much of it."

    def named(heads: list[tuple[float, int, int]]) -> str:
        return listed(
            [f"{head_tag(layer, head)} ({percent_of(share)})" for share, layer, head in heads]
        )

    is_most = not against and above_half(sum(share for share, _, _ in strong), 1.0)
    sentence = (
        f" {'Most of it is carried by' if is_most else 'It is carried most by'} {named(strong)}"
    )
    if not against:
        return f"{sentence}."
    return f"{sentence}; {named(against)} {'works' if len(against) == 1 else 'work'} against it."


def both_answers(
    services: Services,
    lm: LanguageModel,
    ids: list[list[int]],
    chosen: tuple[int | None, int | None] = (None, None),
) -> tuple[Tensor, tuple[int, int]]:
    """Next-token probabilities of both sentences, float [2, V], and both answers: the chosen ones,
    else the top tokens.

    Raises:
        InputError: sentences of different lengths, or with one answer.
    """
    if len(ids[0]) != len(ids[1]):
        raise InputError(
            f"Sentence A has {len(ids[0])} tokens and B {len(ids[1])}. Values are copied "
            "position by position, so both need the same number of tokens. Swap a word for one "
            "that makes the counts equal."
        )
    chances = services.now(
        lambda: torch.cat([logits_without(lm.model, item, [[]]).softmax(-1) for item in ids])
    )
    best = services.now(lambda: chances.argmax(-1).tolist())
    word, rival = (top if item is None else item for top, item in zip(best, chosen, strict=True))
    if word == rival:
        way_out = "Change B so that another word is expected, or choose a token and its rival."
        if chosen != (None, None):
            way_out = "Choose another token or another rival."
        both = quoted(describe_token(lm.tokenizer, word))
        raise InputError(
            f"The answer of both is {both}: there is no difference to explain. {way_out}"
        )
    return chances, (word, rival)


def read_ids(services: Services, lm: LanguageModel, text: object, name: str) -> list[int]:
    """Encodes a text for patching. Raises InputError for no text, too many characters, and too many
    tokens.
    """
    ids = prompt_ids(lm, inputs.text(text, name, most=services.limits.max_prompt_chars, least=1))
    most = min(_MOST_TOKENS, lm.model.config.n_positions)
    if len(ids) > most:
        raise InputError(
            f"{name} has {len(ids):,} tokens; at most {most} are compared. Shorten it."
        )
    return ids
