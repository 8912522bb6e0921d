"""Texts that are written together: each is what it would be alone, whenever the others begin and
end.
"""

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.errors import SamplingError
from gptcore.inference.batch import RunningBatch
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.generation import last_logits, prompt_ids
from gptcore.inference.sampling_settings import SamplingSettings
from gptcore.inference.sequence import TokenSequence
from gptcore.kv_cache import RaggedKVCache
from tiny import make_model

SETTINGS = (
    SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
    SamplingSettings(temperature=0),
    SamplingSettings(repetition_penalty=1.3, no_repeat_ngram_size=3),
)


@pytest.fixture(scope="module")
def mini():
    return gptcore.load("mini")


def text(lm, place: int, *, seed: int | None = None) -> TokenSequence:
    prompt = [
        "Once upon a time",
        "The dog",
        "Lily and her mother went to the park. They",
        "One day, a bird",
    ][place % 4]
    settings = SETTINGS[place % len(SETTINGS)]
    seed = place if seed is None else seed
    return TokenSequence(prompt_ids(lm, prompt), settings, seed=seed, tokenizer=lm.tokenizer)


def written(model, texts: list[TokenSequence], n_tokens: int, **how) -> list[list[int]]:
    """The texts' tokens once all are done."""
    batch = RunningBatch(model, **how)
    for item in texts:
        batch.join(item, n_tokens)
    return finished(batch, texts)


def finished(batch: RunningBatch, texts: list[TokenSequence]) -> list[list[int]]:
    while len(batch):
        list(batch.step())
    return [item.ids for item in texts]


def alone(lm, place: int, n_tokens: int) -> list[int]:
    return written(lm.model, [text(lm, place)], n_tokens)[0]


@pytest.mark.parametrize("use_cache", [True, False])
def test_texts_that_join_at_any_moment_are_the_same_as_alone(mini, use_cache):
    lengths = [30, 9, 41, 17, 1, 25]
    batch = RunningBatch(mini.model, use_cache=use_cache)
    texts = []
    given = {}
    for index, n_tokens in enumerate(lengths):
        texts.append(text(mini, index))
        batch.join(texts[-1], n_tokens)
        for _ in range(4):
            for continuation, token in batch.step():
                given.setdefault(continuation, []).append(token.id)
    while len(batch):
        for continuation, token in batch.step():
            given.setdefault(continuation, []).append(token.id)
    for place, (item, n_tokens) in enumerate(zip(texts, lengths, strict=True)):
        assert item.ids == alone(mini, place, n_tokens)
        assert given[item] == item.ids[item.n_prompt :]


@pytest.mark.parametrize("row", range(3))
def test_a_row_that_is_removed_leaves_to_the_last_one_its_place_and_to_each_what_it_read(row):
    config = GPTConfig(vocab_size=9, n_positions=8, n_embd=4, n_layer=2, n_head=2)
    cache = RaggedKVCache(config)
    for length in (2, 5, 3):
        cache.add()
        cache.lengths[-1] = length
        cache.data[:, :, len(cache) - 1] = length
    kept = [2, 5, 3]
    kept[row] = kept[-1]
    cache.remove(row)
    assert cache.lengths == kept[:-1]
    for place, length in enumerate(cache.lengths):
        assert cache.data[:, :, place, :, :length].unique().tolist() == [length]


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_context_that_several_texts_begin_with_is_read_once(mini, use_cache, monkeypatch):
    ids = prompt_ids(mini, "Lily and her mother went to the park.")
    reads = []
    read = DecodeEngine.read
    monkeypatch.setattr(
        DecodeEngine,
        "read",
        lambda self, row, ids: reads.append(tuple(ids)) or read(self, row, ids),
    )

    def together(*seeds: int) -> list[list[int]]:
        texts = [
            TokenSequence(ids, SETTINGS[0], seed=seed, tokenizer=mini.tokenizer) for seed in seeds
        ]
        batch = RunningBatch(mini.model, use_cache=use_cache)
        for index, item in enumerate(texts):
            # the first one leaves in the step in which it was read
            batch.join(item, 1 if index == 0 else 8)
        return finished(batch, texts)

    found = together(1, 2, 3, 4)
    # by the first, which leaves, and by the second for all others
    assert reads.count(tuple(ids)) == 2
    assert found == [
        together(0, seed)[1] if index else together(seed)[0]
        for index, seed in enumerate((1, 2, 3, 4))
    ]
    assert len({tuple(item) for item in found}) == 4


def test_each_text_slides_its_own_window():
    model = make_model(GPTConfig(vocab_size=40, n_positions=12, n_embd=16, n_layer=2, n_head=2))
    prompts = [[1, 2, 3], list(range(12)), [7]]

    def together(*chosen: int) -> list[list[int]]:
        return written(
            model, [TokenSequence(prompts[n], SamplingSettings(), seed=n) for n in chosen], 40
        )

    assert together(0, 1, 2) == [together(place)[0] for place in (0, 1, 2)]
    # which fill the window: the first reads again at once
    prompts += [list(range(12)), list(range(12))]
    assert together(1, 3, 4) == [together(place)[0] for place in (1, 3, 4)]


def test_a_text_that_is_given_up_leaves_and_the_others_go_on(mini):
    batch = RunningBatch(mini.model)
    texts = [text(mini, index) for index in range(3)]
    for item in texts:
        batch.join(item, 20)
    list(batch.step())
    batch.leave(texts[0])
    batch.leave(texts[0])  # twice is once
    n_written = texts[0].n_new
    found = finished(batch, texts[1:])
    assert texts[0].n_new == n_written
    assert found == [alone(mini, place, 20) for place in (1, 2)]


def test_a_text_given_up_while_a_step_is_looked_at_gets_nothing_more(mini):
    batch = RunningBatch(mini.model)
    texts = [text(mini, index) for index in range(2)]
    for item in texts:
        batch.join(item, 20)
    list(batch.step())
    for continuation, _ in batch.step():
        if continuation is texts[0]:
            batch.leave(texts[1])
    assert len(batch) == 1 and texts[0].n_new == texts[1].n_new + 1


def test_what_does_not_fit_the_vocabulary_is_refused_before_it_joins(mini):
    batch = RunningBatch(mini.model)
    wrong = TokenSequence([1], SamplingSettings(top_k=10**6), seed=1)
    with pytest.raises(SamplingError):
        batch.join(wrong, 5)
    for length in (0, -1, 1.5, None):
        with pytest.raises(SamplingError, match="at least 1"):
            batch.join(text(mini, 0), length)
    assert len(batch) == 0


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_text_that_looks_ahead_ends_with_the_logits_after_its_last_token(use_cache):
    model = make_model(GPTConfig(vocab_size=40, n_positions=12, n_embd=16, n_layer=2, n_head=2))
    lengths = [1, 8, 9, 10, 40]  # before, at and past the window of 12
    texts = [TokenSequence([1, 2, 3], SamplingSettings(), seed=n, look_ahead=True) for n in lengths]
    other = TokenSequence([1, 2, 3], SamplingSettings(), seed=4)
    batch = RunningBatch(model, use_cache=use_cache)
    for entry, n_tokens in zip([*texts, other], [*lengths, 20], strict=True):
        batch.join(entry, n_tokens)
    given = []
    while len(batch):
        given += [continuation for continuation, _ in batch.step()]
        assert all(item.complete == (item.next_logits is not None) for item in texts)
    for one, n_tokens in zip(texts, lengths, strict=True):
        assert given.count(one) == n_tokens == one.n_new
        torch.testing.assert_close(
            one.next_logits, last_logits(model, one.ids, n_prompt=3), atol=1e-4, rtol=1e-4
        )
    assert other.complete and other.next_logits is None


def test_a_text_that_looks_ahead_and_meets_its_stop_string_is_complete_without(mini):
    stopped = TokenSequence(
        prompt_ids(mini, "Once upon a time"),
        SamplingSettings(temperature=0),
        seed=1,
        tokenizer=mini.tokenizer,
        stop=["."],
        look_ahead=True,
    )
    written(mini.model, [stopped], 100)
    assert stopped.end == "stop" and stopped.complete and stopped.next_logits is None


def test_a_model_without_causal_mask_is_reread_for_every_token():
    model = make_model(
        GPTConfig(vocab_size=40, n_positions=16, n_embd=24, n_layer=2, n_head=4, causal=False)
    )
    found = []
    for use_cache in (True, False):
        one = TokenSequence([3, 1, 4, 1, 5], SamplingSettings(temperature=0), seed=1)
        found += written(model, [one], 10, use_cache=use_cache)
    by_hand = [3, 1, 4, 1, 5]
    for _ in range(10):
        by_hand.append(int(last_logits(model, by_hand).argmax()))
    assert found == [by_hand, by_hand]
