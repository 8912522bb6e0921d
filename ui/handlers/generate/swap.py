"""Concept swap: the same text with one word's direction in the residual stream turned into another's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from safetensors.torch import load_file
from torch import Tensor

from gptcore.analysis import ConceptSwap, concept_swap, count_parameters, jacobian_steps, swapped_text
from gptcore.errors import GPTCoreError
from gptcore.inference.generation import generate, prompt_ids
from gptcore.inference.sampling import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.language_model import LanguageModel, bundled_models
from gptcore.model import GPT
from ui.conclusions import quoted
from ui.handlers import inputs
from ui.handlers.generate.steer import ENDED, MOST_STRENGTH, held
from ui.handlers.inputs import InputError
from ui.handlers.streaming import stream_text
from ui.services import Services
from ui.state import token_stream

_FILE = "jacobian.safetensors"  # in a bundled model's folder: {depth: [C, C]}
_LARGEST = 10_000_000  # parameters of the largest model whose Jacobian is fitted on demand
_N_TEXTS, _N_TOKENS, _N_WRITTEN = 8, 40, 60
_SAMPLING = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95)
_fitted: WeakKeyDictionary[GPT, tuple[int, Tensor]] = WeakKeyDictionary()


@dataclass(frozen=True)
class SwapView:
    """Two token streams and a conclusion in words; None stays as it is."""

    plain: str | None = None
    swapped: str | None = None
    said: str | None = None


def swap(
    services: Services,
    session_id: str | None,
    model: object,
    prompt: object,
    words: tuple[object, object],
    strength: object,
    seed: object,
) -> Iterator[SwapView]:
    """Continues a prompt unchanged, then with one word's direction turned into another's; same random numbers.

    A model whose Jacobian is not bundled gets one fitted first, from texts that it writes itself.
    """
    try:
        lm = services.models.get(inputs.model_name(model))
        text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
        ids = prompt_ids(lm, text)
        with services.sessions.get(session_id).turn() as run:
            by = inputs.number(strength, "The strength", low=0, high=MOST_STRENGTH)
            number = inputs.whole(seed, "The seed", low=0, high=2**31 - 1)
            names = ("The word", "The other word")
            source, target = (_token(lm, word, name) for word, name in zip(words, names, strict=True))
            fitting = _jacobian(services, lm)
            for share in fitting:
                yield SwapView(said=f"Computing this model's Jacobian: {share:.0%}…")
                if not run.wanted:
                    yield SwapView(said=ENDED)
                    return
            depth, jacobian = _fitted[lm.model]
            made = services.now(lambda: concept_swap(lm.model, jacobian, depth, source, target, by))
            yield SwapView(plain="", swapped="", said="")
            begun = token_stream.prompt(text).json
            plain = TokenSequence(ids, _SAMPLING, seed=number, tokenizer=lm.tokenizer)
            stream = begun
            for update in stream_text(services, run, lm, [plain], _N_WRITTEN):
                if update.waiting:
                    yield SwapView(plain=stream + token_stream.waiting(update.waiting).json)
                    continue
                stream += "".join(token_stream.token(lm.tokenizer, one).json for _, one in update.tokens)
                yield SwapView(plain=stream)
            if not run.wanted:
                yield SwapView(said=ENDED)
                return
            stream, written = begun, list[int]()
            for token in _swapped(services, lm, ids, made, number):
                written.append(token.id)
                stream += token_stream.token(lm.tokenizer, token).json
                yield SwapView(swapped=stream)
                if not run.wanted:
                    yield SwapView(said=ENDED)
                    return
        labels = [str(word).strip() for word in words]
        counts = [[one.count(token) for token in (source, target)] for one in (plain.ids[len(ids) :], written)]
        yield SwapView(said=conclusion(labels, counts))
    except GPTCoreError as error:
        yield SwapView(plain="", swapped="", said=str(error))


def _swapped(services: Services, lm: LanguageModel, ids: list[int], made: ConceptSwap, seed: int) -> Iterator:
    tokens = swapped_text(lm, ids, made, max_new_tokens=_N_WRITTEN, sampling=_SAMPLING, seed=seed)
    yield from (token for token, _ in services.compute(tokens))


def _jacobian(services: Services, lm: LanguageModel) -> Iterator[float]:
    """Fits a model's Jacobian and yields the progress, 0 to 1; yields nothing if it is available already.

    Raises:
        InputError: a model that is too large for it.
    """
    if lm.model in _fitted:
        return
    folder = bundled_models().get(services.models.bundled_name(lm))
    if folder is not None and (folder / _FILE).is_file():
        ((depth, jacobian),) = load_file(folder / _FILE).items()
        _fitted[lm.model] = int(depth), jacobian.to(torch.float32)
        return
    n = count_parameters(lm.model.config).total
    if n > _LARGEST:
        raise InputError(
            f"{lm.name} has {n:,} parameters; its Jacobian is computed here for at most {_LARGEST:,}. "
            "Pick mini, or a model that you trained here."
        )
    length = min(_N_TOKENS, lm.model.config.n_positions)
    texts = [services.now(lambda seed=seed: _own_text(lm, length, seed)) for seed in range(_N_TEXTS)]
    depth = (lm.model.config.n_layer + 1) // 2
    for rows, _ in services.compute(jacobian_steps(lm.model, texts, depth)):
        yield len(rows) / lm.model.config.n_embd
        if len(rows) == lm.model.config.n_embd:
            _fitted[lm.model] = depth, rows


def _own_text(lm: LanguageModel, length: int, seed: int) -> list[int]:
    """Tokens that a model writes, from its end-of-text token or its first one on."""
    begun = [lm.tokenizer.end_id if lm.tokenizer.end_id is not None else 0]
    written = generate(lm, begun, max_new_tokens=length, seed=seed, stop_at_end=False)
    return [*begun, *(token.id for token in written)][:length]


def _token(lm: LanguageModel, word: object, name: str) -> int:
    """The one token of a word, with a space before it where the model has such a token."""
    plain = inputs.text(word, name, most=100, least=1).strip()
    if not plain:
        raise InputError(f"{name} is empty. Write one, such as dog.")
    for text in (f" {plain}", plain):
        try:
            ids = lm.tokenizer.encode(text)
        except GPTCoreError:
            continue
        if len(ids) == 1:
            return ids[0]
    raise InputError(f"{name} {quoted(plain)} is not a single token of {lm.name}. Choose a commoner word, such as dog.")


def measured(model: object) -> str:
    """How often a swap changes the answer, as a sentence; "" for a model for which that was not measured."""
    found = held().get(str(model), {}).get("swap")
    if not found:
        return ""
    return (
        f"Of {found['tried']} sentences that the model ends correctly, such as “Tom saw a dog. Tom gave food to the”, "
        f"{found['flips']} end with the other word at ×{found['strength']:g}."
    )


def conclusion(words: list[str], counts: list[list[int]]) -> str:
    """What became of both words.

    Args:
        words: the one that is turned into the other.
        counts: how often each comes in the plain text and in the swapped one.
    """
    (one, other), (plain, swapped) = words, counts
    if plain == swapped:
        return f"Nothing stands out: {quoted(one)} and {quoted(other)} come as often with the swap as without it."
    before, after = (f"{quoted(one)} {a} and {quoted(other)} {b} times" for a, b in (plain, swapped))
    return f"Without the swap {before}; with it {after}."
