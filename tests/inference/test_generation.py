from dataclasses import asdict, fields, replace

import pytest
import torch

import gptcore
from gptcore import GPTConfig, LanguageModel
from gptcore.errors import CheckpointError, ContextLengthError, SamplingError, TokenIdError
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.generation import continue_together, last_logits
from gptcore.inference.packed import packed_weights
from gptcore.inference.sampling_settings import CONTROLS, SamplingSettings
from gptcore.inference.sequence import TokenSequence, context_start
from gptcore.tokenizers import ByteBPE, CharTokenizer
from tiny import make_model, random_ids

ALPHABET = "".join(chr(64 + i) for i in range(61))


@pytest.fixture
def lm(tiny_model) -> LanguageModel:
    return LanguageModel(tiny_model, CharTokenizer(ALPHABET), "tiny")


def begun(decoder, ids: torch.Tensor) -> torch.Tensor:
    """Rows that have read these contexts, int64 [B, T]: their logits [B, V]."""
    for _ in ids:
        decoder.cache.add()
    return torch.stack([decoder.read(row, text) for row, text in enumerate(ids.tolist())])


def ids_of(tokens) -> list[int]:
    return [token.id for token in tokens]


def step_by_step(lm: LanguageModel, ids: list[int], n: int, settings: SamplingSettings, **how):
    """A text of one token more each time, n times: (the sequence, what came of it)."""
    for n_written in range(n):
        one = TokenSequence(ids, settings, n_written=n_written, **how)
        yield one, [made for _, made in continue_together(lm.model, [one], max_new_tokens=1)]
        ids = one.ids


@pytest.mark.parametrize(
    "settings", [{"top_p": 0.8, "temperature": 1.3, "repetition_penalty": 1.4}, {}]
)
def test_cached_and_uncached_tokens_agree_far_past_the_window(tiny_model, settings):
    prompt = random_ids(tiny_model.config, 5).tolist()
    runs = [
        list(
            gptcore.generate(
                tiny_model, prompt, max_new_tokens=80, seed=4, use_cache=use_cache, **settings
            )
        )
        for use_cache in (True, False)
    ]
    assert ids_of(runs[0]) == ids_of(runs[1])
    assert [t.context_start for t in runs[0]] == [t.context_start for t in runs[1]]
    assert runs[0][-1].context_start > 24


def test_dropout_is_off_while_writing_and_training_mode_is_left_as_it_was():
    model = make_model(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4)
    ).train()
    runs = [
        ids_of(
            gptcore.generate(
                model, [1, 2, 3], max_new_tokens=60, temperature=0, use_cache=use_cache
            )
        )
        for use_cache in (True, False, True)
    ]
    assert runs[0] == runs[1] == runs[2] and model.training


def test_when_the_window_is_full_reading_starts_again_from_its_last_half():
    starts = []
    start = 0
    for n_tokens in range(1, 20):
        start = context_start(n_tokens, start, 8)
        starts.append(start)
    assert starts == [0] * 8 + [5] * 4 + [5] + [10] * 4 + [10, 15]
    assert context_start(2, 0, 1) == 1  # a window of one token still reads that one


@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_decoding_row_by_row_equals_a_full_forward_pass(tiny_model, precision):
    ids = random_ids(tiny_model.config, 3, 20)
    decoder = DecodeEngine(tiny_model, precision=precision)
    rows = [begun(decoder, ids[:, :6])] + [decoder.step(ids[:, i].tolist()) for i in range(6, 20)]
    with torch.inference_mode():
        expected = tiny_model(ids).logits[:, 5:]
    error = (torch.stack(rows, 1) - expected).norm() / expected.norm()
    # fp16 weights round by 5e-4 at most.
    assert error < {"exact": 1e-5, "fast": 2e-3}[precision]


@pytest.mark.parametrize(
    "switches",
    [
        {"use_mlp": False},
        {"use_positions": False},
        {"attention_bias": False, "activation_function": "gelu"},
        {"tie_word_embeddings": False, "activation_function": "relu"},
        {"norm_position": "post", "use_mlp": False},
    ],
)
def test_the_decode_engine_follows_every_switch(switches):
    model = make_model(
        GPTConfig(vocab_size=61, n_positions=24, n_embd=32, n_layer=2, n_head=4, **switches)
    )
    ids = random_ids(model.config, 1, 10)
    decoder = DecodeEngine(model)
    begun(decoder, ids[:, :3])
    for i in range(3, 10):
        logits = decoder.step(ids[:, i].tolist())
    with torch.inference_mode():
        torch.testing.assert_close(logits, model(ids).logits[:, -1], atol=5e-5, rtol=1e-5)


@pytest.mark.parametrize("causal", [True, False])
def test_contexts_read_together_are_as_those_read_one_by_one(causal):
    shape = {"vocab_size": 61, "n_positions": 24, "n_embd": 32, "n_layer": 2, "n_head": 4}
    model = make_model(GPTConfig(**shape, causal=causal))
    contexts = [
        ids[:length]
        for ids, length in zip(
            random_ids(model.config, 5, 9).tolist(), (3, 9, 1, 6, 6), strict=True
        )
    ]
    together, alone = (DecodeEngine(model, precision="exact", capacity=11) for _ in range(2))
    alone.cache.add()
    expected = [alone.read(0, contexts[0])]
    for row, context in enumerate(contexts[1:], start=1):
        alone.cache.add()
        expected.append(alone.read(row, context))
    # joins others
    found = torch.cat([together.read_together(contexts[:2]), together.read_together(contexts[2:])])
    torch.testing.assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-5)
    for _ in range(2):
        new = [4, 8, 15, 16, 23]
        torch.testing.assert_close(together.step(new), alone.step(new), atol=1e-5, rtol=1e-5)
    with pytest.raises(ContextLengthError, match="holds 11 tokens, and a row is full"):
        together.step(new)
    with pytest.raises(ContextLengthError):
        together.read_together([list(range(12))])
    with pytest.raises(TokenIdError, match="no tokens"):
        together.read_together([[1], []])


def test_rows_of_different_lengths_come_and_go(tiny_model):
    ids = random_ids(tiny_model.config, 4, 20).tolist()
    decoder = DecodeEngine(tiny_model, precision="exact")
    texts = list[list[int]]()

    def join(text: list[int]) -> None:
        decoder.cache.add()
        decoder.read(len(texts), text)
        texts.append(list(text))

    def step(n: int) -> None:
        for _ in range(n):
            new = [ids[0][len(text) % 20] for text in texts]
            logits = decoder.step(new)
            for row, (text, token) in enumerate(zip(texts, new, strict=True)):
                text.append(token)
                with torch.inference_mode():
                    expected = tiny_model(torch.tensor([text])).logits[0, -1]
                torch.testing.assert_close(logits[row], expected, atol=5e-5, rtol=1e-5)

    join(ids[0][:3])
    step(2)
    join(ids[1][:9])
    join(ids[2][:1])
    step(3)
    decoder.cache.remove(0)
    texts[0] = texts.pop()
    step(2)
    join(ids[3][:9])
    step(4)
    decoder.cache.remove(2)
    texts.pop()
    step(1)


def test_packed_weights_follow_training_and_are_shared_between_runs(tiny_model):
    first = packed_weights(tiny_model, "exact")
    assert packed_weights(tiny_model, "exact") is first
    optimizer = torch.optim.AdamW(tiny_model.parameters(), lr=1e-2, fused=True)
    ids = random_ids(tiny_model.config, 2, 12)
    tiny_model(ids[:, :-1], ids[:, 1:]).loss.backward()
    optimizer.step()
    decoder = DecodeEngine(tiny_model)
    begun(decoder, ids[:1, :4])
    with torch.inference_mode():
        expected = tiny_model(ids[:1, :5]).logits[:, -1]
    torch.testing.assert_close(decoder.step([int(ids[0, 4])]), expected, atol=5e-5, rtol=1e-5)


def test_the_same_seed_gives_the_same_text_and_another_seed_another(lm):
    texts = [
        "".join(t.text for t in gptcore.generate(lm, "abc", max_new_tokens=30, seed=seed))
        for seed in (1, 1, 2)
    ]
    assert texts[0] == texts[1] != texts[2]


def test_each_token_carries_the_models_own_logprob_rank_and_favourites(lm):
    tokens = list(gptcore.generate(lm, "abc", max_new_tokens=10, seed=3, temperature=2.0, top_k=9))
    ids = lm.tokenizer.encode("abc") + ids_of(tokens)
    for index, token in enumerate(tokens):
        logprobs = last_logits(lm.model, ids[: 3 + index]).log_softmax(0)
        assert token.logprob == pytest.approx(float(logprobs[token.id]), abs=1e-4)
        assert token.rank == 1 + int((logprobs > logprobs[token.id]).sum())
        assert [a.id for a in token.alternatives] == logprobs.topk(5).indices.tolist()
        assert token.n_candidates == 9 and 0 < token.sampling_probability <= 1


def test_a_stop_string_across_tokens_is_left_out_and_nothing_of_it_is_shown(lm):
    free = "".join(t.text for t in gptcore.generate(lm, "abc", max_new_tokens=40, seed=5))
    stop = free[10:13]
    tokens = list(gptcore.generate(lm, "abc", max_new_tokens=40, seed=5, stop=[stop, "never"]))
    assert "".join(t.text for t in tokens) == free[: free.index(stop)]
    assert tokens[-1].end == "stop" and all(t.text for t in tokens)


def test_a_stop_string_is_found_across_texts_written_in_several_goes(lm):
    ids = lm.tokenizer.encode("abc")
    settings = SamplingSettings()
    whole = TokenSequence(ids, settings, seed=5, tokenizer=lm.tokenizer)
    list(continue_together(lm.model, [whole], max_new_tokens=20))
    stop = lm.tokenizer.decode(whole.ids[8:11])
    steps = step_by_step(lm, ids, 20, settings, seed=5, tokenizer=lm.tokenizer, stop=[stop])
    one = next(one for one, _ in steps if one.end == "stop")
    assert one.ids == whole.ids[:10]  # the last token of the stop string is never shown


def test_a_stop_string_at_once_ends_without_a_token_and_what_only_looks_like_one_is_released(lm):
    free = "".join(t.text for t in gptcore.generate(lm, "abc", max_new_tokens=40, seed=5))
    assert list(gptcore.generate(lm, "abc", max_new_tokens=4, seed=5, stop=[free[0]])) == []
    almost = [free[10:13] + "\x00", free[-1] + "\x00"]
    tokens = list(gptcore.generate(lm, "abc", max_new_tokens=40, seed=5, stop=almost))
    assert "".join(t.text for t in tokens) == free and tokens[-1].end == "length"


@pytest.fixture(scope="module")
def bpe() -> ByteBPE:
    return ByteBPE.train(["the cat sat on the mat. " * 20], vocab_size=262)


def test_the_end_of_text_token_ends_the_text_unless_told_otherwise(bpe):
    model = make_model(
        GPTConfig(
            vocab_size=262,
            n_positions=32,
            n_embd=32,
            n_layer=1,
            n_head=2,
            tie_word_embeddings=False,
        )
    )
    with torch.no_grad():
        # whatever is read, the end comes next or never
        model.lm_head.weight[bpe.end_id] = 50 * model.ln_f.weight
        model.lm_head.weight[bpe.end_id] += 0.1
        model.ln_f.bias.fill_(1.0)
    lm = LanguageModel(model, bpe, "ends")
    tokens = list(gptcore.generate(lm, "the cat", max_new_tokens=5, temperature=0))
    assert (
        ids_of(tokens) == [bpe.end_id] and tokens[0].text == "" and tokens[0].end == "end-of-text"
    )
    assert (
        len(
            list(
                gptcore.generate(lm, "the cat", max_new_tokens=5, temperature=0, stop_at_end=False)
            )
        )
        == 5
    )
    longer = list(
        gptcore.generate(lm, "the cat", max_new_tokens=9, temperature=0, min_new_tokens=4)
    )
    assert bpe.end_id not in ids_of(longer)[:4] and longer[4].id == bpe.end_id


def test_parts_of_a_character_are_held_until_it_is_whole(bpe):
    config = GPTConfig(vocab_size=262, n_positions=32, n_embd=32, n_layer=1, n_head=2)
    lm = LanguageModel(make_model(config), bpe, "bytes")
    tokens = list(gptcore.generate(lm, "日", max_new_tokens=60, seed=2))
    text = "".join(t.text for t in tokens)
    assert bpe.decode(ids_of(tokens)).startswith(text) and len(text) > 20
    steps = step_by_step(
        lm, bpe.encode("日"), len(tokens), SamplingSettings(), seed=2, tokenizer=bpe
    )
    # the parts still find each other
    assert [made.text for _, (made,) in steps] == [token.text for token in tokens]


@pytest.mark.parametrize(
    ("prompt", "settings", "error", "words"),
    [
        ("", {}, TokenIdError, "empty"),
        ("a" * 25, {}, ContextLengthError, "25 tokens; this model reads 24"),
        ([61], {}, TokenIdError, "0 to 60"),
        ("abc", {"top_k": 62}, SamplingError, "62"),
        ("abc", {"seed": -1}, SamplingError, "seed"),
        ("abc", {"seed": 2**63}, SamplingError, "seed"),
        ("abc", {"max_new_tokens": 0}, SamplingError, "at least 1"),
        ("abc", {"max_new_tokens": 2.0}, SamplingError, "whole number"),
        ("abc", {"stop": [""]}, SamplingError, "stop string"),
    ],
)
def test_bad_requests_are_refused_before_the_first_token(lm, prompt, settings, error, words):
    with pytest.raises(error, match=words):
        gptcore.generate(lm, prompt, **{"max_new_tokens": 4, **settings})


def test_a_bare_model_takes_ids_and_no_text(tiny_model):
    assert len(list(gptcore.generate(tiny_model, [1, 2], max_new_tokens=3, seed=0))) == 3
    with pytest.raises(TokenIdError, match="tokenizer"):
        gptcore.generate(tiny_model, "text", max_new_tokens=3)


def test_damaged_weights_are_a_sentence_and_not_nonsense(tiny_model):
    with torch.no_grad():
        tiny_model.wte.weight.fill_(float("nan"))
    with pytest.raises(CheckpointError, match="computes NaN"):
        list(gptcore.generate(tiny_model, [1], max_new_tokens=2, seed=0))


def test_writing_token_by_token_equals_writing_at_once_also_past_the_window(lm):
    ids = lm.tokenizer.encode("abcd")
    settings = SamplingSettings(top_k=20)
    at_once = TokenSequence(ids, settings, seed=6)
    list(continue_together(lm.model, [at_once], max_new_tokens=60))
    *_, (one, _) = step_by_step(lm, ids, 60, settings, seed=6)
    assert one.ids == at_once.ids


def test_settings_are_given_as_an_object_or_by_name(lm):
    settings = SamplingSettings(temperature=0.8, top_k=5, top_p=0.9)

    def text(**given):
        return [
            token.id for token in gptcore.generate(lm, "abcd", max_new_tokens=8, seed=1, **given)
        ]

    assert text(settings=settings) == text(**asdict(settings))
    assert text(settings=settings, temperature=0) == text(
        **asdict(replace(settings, temperature=0))
    )
    with pytest.raises(TypeError, match="warmth"):
        text(warmth=1)


def test_every_sampling_option_has_a_control_with_its_neutral_value():
    assert [field.name for field in fields(SamplingSettings)] == [*CONTROLS]
    assert SamplingSettings().on_controls() == {
        name: control.neutral for name, control in CONTROLS.items()
    }


def test_a_stop_string_counts_from_the_minimum_on(lm):
    """Neither one that ends before it nor one that begins before it ends the text; also in several
    goes.
    """
    plain = list(gptcore.generate(lm, "the", max_new_tokens=60, seed=3, temperature=1.0))
    texts = [token.text for token in plain]
    written = "".join(texts[:20])
    stop = written[4:6]
    assert len(list(gptcore.generate(lm, "the", max_new_tokens=60, seed=3, stop=[stop]))) < 20
    for least in (20, 35):
        kept = list(
            gptcore.generate(
                lm, "the", max_new_tokens=60, seed=3, stop=[stop], min_new_tokens=least
            )
        )
        assert len(kept) >= least
        after = "".join(token.text for token in kept[least:])
        assert stop not in after
    across = texts[19][-1:] + texts[20][:1]  # its first letter is of the minimum
    kept = list(
        gptcore.generate(lm, "the", max_new_tokens=30, seed=3, stop=[across], min_new_tokens=20)
    )
    assert len(kept) > 20 and "".join(token.text for token in kept[:21]) == "".join(texts[:21])


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (["Once", "Twice"], r"take generate_batch\(lm"),
        ([[1, 2], [3]], "take generate_batch"),
        (None, "give a text or a list of token ids"),
        (7, "give a text"),
        (b"Once", r"prompt\.decode\(\)"),
        ([1.5, 2], "A token id is 1.5; ids are whole numbers"),
        (torch.tensor([1.5]), "ids are whole numbers"),
        ([], "prompt is empty"),
        ("", "prompt is empty"),
        ([None], "A token id is None"),
    ],
)
def test_a_prompt_of_another_kind_is_said_to_be_one_with_the_way_out(lm, prompt, said):
    with pytest.raises(TokenIdError, match=said):
        gptcore.generate(lm, prompt, max_new_tokens=2)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([1, 2], r"takes a tensor \[B, T\]"),
        (None, "NoneType"),
        (torch.tensor([[1.0]]), "torch.float32"),
        (torch.tensor([[True]]), "torch.bool"),
        (torch.tensor([1, 2]), r"shape \[2\]; it must be \[B, T\]"),
    ],
)
def test_a_model_called_with_something_else_says_what_to_give(lm, ids, said):
    with pytest.raises(TokenIdError, match=said):
        lm.model(ids)


def test_a_list_of_prompts_is_written_as_one_batch_each_as_alone(lm):
    prompts = ["abcde", "a", [1, 2, 3, 4, 5]]
    batch = gptcore.generate_batch(
        lm, prompts, max_new_tokens=12, seed=5, temperature=0.9, stop_at_end=False
    )
    assert [len(tokens) for tokens in batch] == [12, 12, 12]
    for index, (prompt, tokens) in enumerate(zip(prompts, batch, strict=True)):
        alone = gptcore.generate(
            lm, prompt, max_new_tokens=12, seed=5 + index, temperature=0.9, stop_at_end=False
        )
        assert [token.id for token in tokens] == [token.id for token in alone]
    for wrong in ("the cat", [], None):
        with pytest.raises(TokenIdError, match="takes a list of prompts"):
            gptcore.generate_batch(lm, wrong, max_new_tokens=2)
