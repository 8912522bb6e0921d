"""The zero-shot harness: prompts as papers print them, likelihoods as transformers computes them,
honest figures.
"""

import json
import math
import re

import pytest
import torch

import gptcore
from gptcore import GPTConfig, LanguageModel
from gptcore.errors import PromptError
from gptcore.tokenizers import ByteBPE, CharTokenizer
from gptcore.zero_shot import TASKS, Item, Part, Prompt, Template, likelihood
from gptcore.zero_shot import __main__ as harness
from gptcore.zero_shot.__main__ import main, parse_arguments
from gptcore.zero_shot.evaluation import (
    Case,
    Score,
    Trial,
    evaluate,
    greedy_answers,
    helped,
    quick_accuracies,
    score,
)
from gptcore.zero_shot.items import examples, lambada, make_trial, parallel, reviews
from gptcore.zero_shot.likelihood import (
    answer_logprobs,
    part_effects,
    read_continuations,
    score_labels,
    word_effects,
)
from gptcore.zero_shot.metrics import difference, estimate, exact_match, rouge, tells
from gptcore.zero_shot.templates import fit, fit_text, normalised
from tiny import NO_DROPOUT, make_model

TEXT = (
    "the film was good and the film was bad. the cat sat on the mat = le chat. review: sentiment: "
)
TEXT = f"{TEXT}positive negative. " * 9


@pytest.fixture(scope="module", params=["gpt2", "gpt1"])
def lm(request) -> LanguageModel:
    shape = {"vocab_size": 300, "n_positions": 96, "n_embd": 32, "n_layer": 3, "n_head": 4}
    config = GPTConfig.from_preset(request.param, **shape, **NO_DROPOUT)
    return LanguageModel(make_model(config), ByteBPE.train([TEXT], vocab_size=300), "tiny")


OTTERS = [
    Item({"english": "sea otter"}, "loutre de mer"),
    Item({"english": "peppermint"}, "menthe poivrée"),
]


@pytest.mark.parametrize(
    ("task", "body", "fields", "shown", "text"),
    [
        ("summarise", "TL;DR:", {"text": "A long article."}, [], "A long article.\n\nTL;DR:"),
        (
            "translate",
            "{english} =",
            {"english": "a cat"},
            OTTERS,
            "sea otter = loutre de mer\npeppermint = menthe poivrée\na cat =",
        ),
        (
            "translate",
            "=>",
            {"english": "cheese"},
            OTTERS,
            "Translate English to French:\nsea otter => loutre de mer\npeppermint => menthe "
            "poivrée\ncheese =>",
        ),
        (
            "question",
            "Q:",
            {"text": "Tom has a cat.", "question": "Who?"},
            [],
            "Tom has a cat.\n\nQ: Who?\nA:",
        ),
        (
            "fact",
            "Q:",
            {"question": "Who wrote the book?"},
            [Item({"question": "Who?"}, "Ann")],
            "Q: Who?\nA: Ann\nQ: Who wrote the book?\nA:",
        ),
        ("sentiment", "very", {"text": "I liked it."}, [], "I liked it. very"),
        (
            "arithmetic",
            "step by step",
            {"sum": "3 + 4"},
            [],
            "Q: What is 3 + 4?\nA: Let's think step by step.",
        ),
    ],
)
def test_tasks_are_asked_for_as_the_papers_print_them(task, body, fields, shown, text):
    template = next(template for template in TASKS[task].templates if body in template.body)
    assert template.prompt(Item(fields), shown).text == text


def test_tasks_are_answered_as_in_the_papers():
    assert (TASKS["summarise"].max_new_tokens, TASKS["summarise"].top_k) == (100, 2)
    assert TASKS["question"].temperature == TASKS["fact"].temperature == 0
    assert TASKS["sentiment"].choices == ("positive", "negative")
    chain = TASKS["arithmetic"].chain
    assert chain is not None and chain.chain_of_thought
    assert chain.found(" From 3 count 4 on: 4, 5, 6, 7. The answer is 7.") == "7"
    assert chain.found(" I do not know.") == ""


def test_a_prompt_knows_its_parts():
    template = TASKS["translate"].templates[1]
    made = template.prompt(Item({"english": "cheese"}), [Item({"english": "cat"}, "chat")])
    assert [part.kind for part in made.parts] == ["instruction", "example", "input", "cue"]
    assert made.of("cue") == " =>" and made.of("input") == "cheese"
    question = TASKS["question"].templates[0].prompt(Item({"text": "Hm.", "question": "Who?"}))
    assert question.parts == (Part("input", "Hm.\n\nQ: Who?"), Part("cue", "\nA:"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{text} so", "no {answer}"),
        ("so {answer}", "no {text}"),
        ("{text} {film} {answer}", "{film}, which this task does not know"),
        ("{answer} {text}", "must be the last placeholder"),
        ("{text} {answer} {answer}", "may stand in the template once"),
        ("{text} {answer} and so on", "Nothing may follow {answer}"),
        ("{text {answer}", "has no partner|does not know"),
        ("{text:>999999999} {answer}", "has a : or ! in it"),
        ("{text} {answer!r}", "has a : or ! in it"),
        ("{{answer}} {text} {answer}", "may stand in the template once"),
        ("{steps} {text} {answer}", "{steps} the one before it"),
        ("{text} {} {answer}", "has no name"),
        ("{} {text} {answer}", "has no name"),
    ],
)
def test_a_template_that_cannot_work_says_what_it_lacks(body, message):
    with pytest.raises(PromptError, match=message):
        Template("mine", body).check(("text",))


def test_label_likelihoods_equal_those_of_transformers(lm):
    """1e-4: both compute in fp32, in another order."""
    reference = gptcore.to_hf(lm.model).eval()
    prompt = lm.tokenizer.encode("review: the film was good\nsentiment:")
    labels = ["positive", "negative", "a cat"]
    scores = score_labels(lm, prompt, labels)
    for scored, label in zip(scores, labels, strict=True):
        ids = lm.tokenizer.encode(f" {label}")
        with torch.no_grad():
            logits = reference(torch.tensor([[*prompt, *ids]])).logits[0].log_softmax(-1)
        expected = sum(float(logits[len(prompt) - 1 + n, token]) for n, token in enumerate(ids))
        assert scored.logprob == pytest.approx(expected, rel=2e-5, abs=1e-4)
        assert scored.n_tokens == len(ids) and scored.per_token == pytest.approx(
            scored.logprob / len(ids)
        )
    weights = [math.exp(scored.logprob) for scored in scores]
    assert [scored.share for scored in scores] == pytest.approx(
        [weight / sum(weights) for weight in weights]
    )


def test_continuations_read_together_are_read_as_alone(lm):
    generator = torch.Generator().manual_seed(0)
    pairs = []
    for n in range(1, 30):
        ids = torch.randint(300, (n + 7,), generator=generator).tolist()
        pairs.append((ids[:n], ids[n : n + n % 6]))
    together = read_continuations(lm.model, pairs)
    for pair, reading in zip(pairs, together, strict=True):
        alone = read_continuations(lm.model, [pair])[0]
        assert (
            reading.favourites == alone.favourites and len(reading.favourites) == len(pair[1]) + 1
        )
        assert reading.logprobs == pytest.approx(alone.logprobs, abs=1e-4)


def test_continuations_are_read_in_batches_that_fit(monkeypatch):
    pairs = [([1] * n, [1]) for n in (5, 2, 3, 4)]  # of 6, 3, 4 and 5 tokens
    in_order = [1, 2, 3, 0]
    for most_tokens, most_logits, batches in (
        (24, 80, [in_order]),  # four times six tokens, four times two rows of ten logits
        (23, 80, [[1, 2, 3], [0]]),
        (24, 79, [[1, 2, 3], [0]]),
        (14, 80, [[1, 2], [3, 0]]),
        (1, 1, [[1], [2], [3], [0]]),
    ):
        monkeypatch.setattr(likelihood, "_MOST_TOKENS", most_tokens)
        monkeypatch.setattr(likelihood, "_MOST_LOGITS", most_logits)
        assert list(likelihood._batches(pairs, 10)) == batches


def test_labels_that_are_no_labels_are_sentences(lm):
    with pytest.raises(PromptError, match="at least two"):
        score_labels(lm, [1], ["good"])
    with pytest.raises(PromptError, match="'good' is listed twice"):
        score_labels(lm, [1], ["good", "good "])
    with pytest.raises(PromptError, match="gives no tokens"):
        score_labels(lm, [1], ["good", " "])


def test_greedy_answers_are_those_of_generate(lm):
    prompts = ["the film was", "a", "the cat sat on the mat = le"]
    ids = [lm.tokenizer.encode(prompt) for prompt in prompts]
    together = greedy_answers(lm, ids, max_new_tokens=12, stop=())
    for prompt, found in zip(prompts, together, strict=True):
        made = gptcore.generate(lm, prompt, max_new_tokens=12, temperature=0, precision="exact")
        assert found == "".join(token.text for token in made) or "�" in found
    assert lm.model.training is False


def test_each_answer_goes_on_to_the_end_of_its_own_window(lm):
    window = lm.model.config.n_positions
    prompts = [[5] * window, [5] * (window - 3), [5]]
    found = greedy_answers(lm, prompts, max_new_tokens=6, stop=())
    for prompt, text, n in zip(prompts, found, (1, 4, 6), strict=True):
        made = gptcore.generate(
            lm, prompt, max_new_tokens=n, temperature=0, precision="exact", stop_at_end=False
        )
        assert text == lm.tokenizer.decode([token.id for token in made])


def test_an_answer_ends_at_a_stop_string_after_it_has_begun():
    tokenizer = CharTokenizer("ab\n.")
    lm = LanguageModel(
        make_model(GPTConfig(vocab_size=4, n_positions=32, n_embd=16, n_layer=1, n_head=2)),
        tokenizer,
        "c",
    )
    whole = greedy_answers(lm, [tokenizer.encode("ab")], max_new_tokens=12, stop=())[0]
    first = whole.strip()[0]
    place = whole.index(first)
    assert (
        greedy_answers(lm, [tokenizer.encode("ab")], max_new_tokens=12, stop=(first,))[0]
        == whole[:place]
    )


def test_what_does_not_fit_is_left_out_in_order_and_the_cue_stays(lm):
    template = TASKS["sentiment"].templates[0]
    shown = [Item({"text": f"the film was good {n}"}, "positive") for n in range(12)]
    fitted = fit(lm, template.prompt(Item({"text": "the film was bad"}), shown), 4)
    assert (
        len(fitted.ids) <= 92
        and "examples are left out" in fitted.note
        and "cue is kept" in fitted.note
    )
    assert fitted.prompt.text.endswith("Review: the film was bad\nSentiment:")
    long = fit(lm, template.prompt(Item({"text": "the cat sat on the mat " * 50}), shown), 4)
    assert re.search(
        r"12 of 12 examples are left out and the first \d+ words of the input are left out",
        long.note,
    )
    assert long.prompt.text.endswith("mat \nSentiment:") and 75 <= len(long.ids) <= 92
    with pytest.raises(PromptError, match="even without examples and input"):
        fit(
            lm,
            Template("mine", "{text} " + "because of the mat " * 30 + "{answer}").prompt(
                Item({"text": "a"})
            ),
            4,
        )


def test_an_edited_prompt_loses_its_beginning_and_an_empty_one_is_a_sentence(lm):
    fitted = fit_text(lm, "the cat sat on the mat. " * 40, 8)
    assert len(fitted.ids) == 88 and "Its end is kept" in fitted.note
    assert fit_text(lm, "the cat", 8).note == ""
    with pytest.raises(PromptError, match="The prompt is empty"):
        fit_text(lm, "", 8)


def test_of_a_long_prompt_the_last_words_are_tried_each_in_its_place(lm, monkeypatch):
    prompt = TASKS["sentiment"].templates[0].prompt(Item({"text": "a good film"}))
    _, whole = word_effects(lm, prompt, " positive")
    monkeypatch.setattr(likelihood, "MOST_WORDS", 2)
    _, words = word_effects(lm, prompt, " positive")
    assert [word.text for word in words] == [word.text for word in whole]
    effects = [word.effect for word in words]
    assert effects[:3] == [0, 0, 0]
    assert effects[3:] == pytest.approx([word.effect for word in whole[3:]], abs=1e-4)


def test_effects_are_differences_of_log_probabilities(lm):
    template = TASKS["sentiment"].templates[0]
    item = Item({"text": "a good film"})
    prompt = template.prompt(item)
    base, words = word_effects(lm, prompt, " positive")
    assert "".join(word.text for word in words) == prompt.text
    assert [word.text.strip() for word in words] == ["Review:", "a", "good", "film", "Sentiment:"]
    without = Prompt((Part("input", "Review: a film"), Part("cue", "\nSentiment:")))
    assert words[2].effect == pytest.approx(
        base - answer_logprobs(lm, [without], " positive")[0], abs=1e-4
    )
    shown = [Item({"text": "bad"}, "negative"), Item({"text": "good"}, "positive")]
    base, changes = part_effects(lm, template, item, shown, " positive")
    names = [change.name for change in changes]
    assert names == [
        "without the cue",
        "with an empty input",
        "without the examples",
        "examples in reverse order",
        "examples with each other's answers",
    ]
    assert all(change.effect == pytest.approx(base - change.logprob) for change in changes)
    with pytest.raises(PromptError, match="no answer"):
        answer_logprobs(lm, [prompt], " ")


def test_intervals_and_differences_are_those_of_the_textbook():
    reached = estimate([1.0] * 8 + [0.0] * 2)
    # Wilson
    assert (reached.mean, round(reached.low, 4), round(reached.high, 4)) == (0.8, 0.4902, 0.9433)
    assert estimate([1.0] * 20).high == 1.0 and 0.8 < estimate([1.0] * 20).low < 0.9
    assert estimate([0.5, 0.7]).low < 0.6 < estimate([0.5, 0.7]).high
    # Newcombe 1998, table 2: 36 pairs right both times, 12 only the second and 2 only the first.
    change = difference([1] * 36 + [0] * 12 + [1] * 2, [1] * 36 + [1] * 12 + [0] * 2)
    assert (change.mean, round(change.low, 4), round(change.high, 4), change.is_clear) == (
        0.2,
        0.0569,
        0.3404,
        True,
    )
    # p = 2 / 2 ** n
    assert [difference([0] * n, [1] * n).is_clear for n in (4, 5, 6)] == [False, False, True]
    assert not difference([1, 0] * 10, [1, 0] * 10).is_clear
    # Student's t of 4 degrees of freedom
    shares = difference([0.2, 0.3, 0.4, 0.5, 0.1], [0.3, 0.4, 0.6, 0.6, 0.2])
    assert (
        shares.low == pytest.approx(0.12 - 2.776 * 0.04472 / 5**0.5, abs=3e-4) and shares.is_clear
    )


def test_answers_are_compared_without_articles_case_and_points():
    assert exact_match("the red key", " A red key. ") == 1.0 and exact_match("Anna", "Anne") == 0.0
    assert normalised('"The  cat!"') == "cat"
    # Lin 2004, section 3
    assert rouge("police killed gunman", "police kill gunman") == pytest.approx(2 / 3)
    assert rouge("police killed gunman", "gunman kill police") == pytest.approx(1 / 3)
    assert rouge("a b", "") == 0.0
    assert (
        rouge("the cat sat", "a cat sat") == pytest.approx(2 / 3)
        and rouge("the dog, the cat", "The dog") == 2 / 3
    )
    assert exact_match("il a un chien", "il un chien") == 1.0
    assert (
        exact_match("il a un chien", "il un chien", articles=True) == 0.0
        and TASKS["translate"].articles
    )
    assert tells(["Ian"], ["ring"], "Ian found the rings.") == 1.0
    assert (
        tells(["Ian"], ["ring"], "Ian was bringing") == 0.0 == tells(["Ian"], ["..."], "Ian slept.")
    )


def test_a_test_is_the_same_for_the_same_seed_and_shows_examples_from_training():
    assert make_trial("translate", n_items=5).items == make_trial("translate", n_items=5).items
    assert (
        make_trial("translate", n_items=5).items != make_trial("translate", n_items=5, seed=1).items
    )
    test = make_trial("sentiment", n_items=5, n_examples=4)
    assert [item.answer for item in test.examples] == ["positive", "negative"] * 2
    assert test.chance == 0.5 and not {i.fields["text"] for i in test.items} & {
        i.fields["text"] for i in test.examples
    }
    assert examples("sentiment", 4) == list(test.examples)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "juggling"}, "no test for the task 'juggling'"),
        ({"task": "story"}, "no test for the task"),
        ({"task": "translate", "template": "shouting"}, "no template 'shouting'"),
        ({"task": "arithmetic", "split": "word"}, "no split 'word'"),
        ({"task": "translate", "n_items": 0}, "0 items"),
        ({"task": "translate", "n_examples": 99}, "99 examples"),
    ],
)
def test_a_test_that_does_not_exist_is_a_sentence(options, message):
    with pytest.raises(PromptError, match=message):
        make_trial(**options)


@pytest.mark.parametrize(
    "task", ["summarise", "translate", "sentiment", "cloze", "arithmetic", "analogy"]
)
def test_every_task_is_scored_on_any_model(lm, task):
    test = make_trial(task, n_items=20, n_examples=1)
    cases = [case for some in evaluate(lm, test) for case in some]
    assert len(cases) == len(test.items) and all(
        0 <= case.score <= 1 and case.logprob < 0 for case in cases
    )
    row = Score(test, cases).to_dict()
    assert row["items"] == len(cases) and 0 <= row["low"] <= row["score"] <= row["high"] <= 1


def test_it_is_said_when_examples_do_not_help():
    test = make_trial("sentiment", n_items=6)

    def reached(*scores: float) -> Score:
        return Score(test, [Case(Prompt(()), "", "", item, 0.0) for item in scores])

    wrong = reached(*[0.0] * 6)
    right = reached(*[1.0] * 6)
    assert helped(wrong, right)[1].startswith("helps (+100 points")
    assert helped(right, wrong)[1].startswith("hurts (-100 points")
    four = (reached(0, 0, 0, 0), reached(1, 1, 1, 1))  # one time in eight by chance
    assert "no difference that 4 items can detect (+100 points" in helped(*four)[1]
    assert (
        "no difference that 4 items can detect"
        in helped(reached(1, 0, 1, 0), reached(1, 1, 0, 0))[1]
    )


@pytest.mark.parametrize("separator", "\r\v\f\x1c\x85\u2028", ids=ascii)
def test_a_line_of_a_file_ends_at_a_line_feed_alone(tmp_path, separator):
    passages = tmp_path / "last.jsonl"
    text = f"the cat sat{separator}on the mat"
    passages.write_text(json.dumps({"text": text}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert [item.fields["text"] for item in lambada(passages).items] == [text.removesuffix(" mat")]


def test_a_task_of_the_world_is_tried_on_each_way_of_holding_out_and_then_in_steps():
    given = ["--items", "5", "--examples", "0", "2", "--chain-of-thought"]
    ways = ["combination", "strict", "template"]
    options = parse_arguments([*given, "--held-out", *ways])
    found = [
        (way, trial.split, len(trial.examples), trial.template.chain_of_thought)
        for way, trial in harness._of_world(options, "arithmetic")
    ]
    plain = [item for item in found if item[0] in ("combination", "strict")]
    assert plain == [(way, way, n, False) for n in (0, 2) for way in ("combination", "strict")]
    assert ("template", "combination", 2, False) in found
    assert found[-2:] == [(f"{way}, in steps", way, 1, True) for way in ("combination", "strict")]


def test_files_become_tests(lm, tmp_path):
    passages = tmp_path / "last.jsonl"
    passages.write_text(
        '{"text": "the cat sat on the mat"}\n{"text": "the film was good"}\n', encoding="utf-8"
    )
    test = lambada(passages)
    assert [item.answer for item in test.items] == ["mat", "good"] and test.metric == "last word"
    english = tmp_path / "en.txt"
    french = tmp_path / "fr.txt"
    english.write_text("one\nthe cat\n", encoding="utf-8")
    french.write_text("un\nle chat\n", encoding="utf-8")
    translated = score(lm, parallel(english, french, n_examples=1))
    assert len(translated.cases) == 1
    lines = tmp_path / "reviews.tsv"
    lines.write_text(
        "train\t1\tgood\ntest\t0\ta bad film\ntest\t1\ta good film\n", encoding="utf-8"
    )
    assert [item.answer for item in reviews(lines).items] == ["negative", "positive"]
    with pytest.raises(PromptError, match="not a JSON object"):
        lambada(english)
    with pytest.raises(PromptError, match="cannot be read"):
        lambada(tmp_path / "none")
    with pytest.raises(PromptError, match="more than the 2 examples"):
        parallel(english, french, n_examples=2)
    with pytest.raises(PromptError, match="no line that begins with"):
        reviews(english)


@pytest.mark.slow
def test_the_command_prints_a_table_and_json(tmp_path, capsys):
    passages = tmp_path / "last.jsonl"
    passages.write_text('{"text": "Once upon a time"}\n', encoding="utf-8")
    given = [
        "--model",
        "induction",
        "--offline",
        "--items",
        "6",
        "--tasks",
        "arithmetic",
        "--held-out",
        "combination",
    ]
    # The induction model reads 65 characters and no digits: what it cannot read is a sentence.
    assert main(given) == 1
    assert "error:" in capsys.readouterr().err
    given[1] = "mini"
    assert main([*given, "--chain-of-thought", "--lambada", str(passages)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == ["arithmetic"] * 3 + [
        "cloze"
    ] and "perplexity of the word" in out[-1]
    assert main([*given, "--json", "--examples", "0", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "mini" and [row["examples"] for row in found["rows"]] == [0, 2]


def test_a_text_without_spaces_is_cut_by_characters_and_not_thrown_away(lm):
    template = Template("mine", "{text}\nTL;DR: {answer}")
    whole = "x" * 900
    fitted = fit(lm, template.prompt(Item({"text": whole})), 4)
    left = fitted.prompt.parts[0].text
    assert left and set(left) == {"x"} and len(fitted.ids) <= lm.model.config.n_positions - 4
    assert f"The first {900 - len(left)} characters of the input are left out" in fitted.note
    one = fit(
        lm,
        template.prompt(Item({"text": "the " + "the cat " * 5 + "x" * 1})),
        lm.model.config.n_positions // 2,
    )
    assert not one.note or re.search(
        "first 1 word of the input is|words of the input are", one.note
    )


def test_a_task_with_an_unknown_character_is_left_out_whole():
    letters = CharTokenizer(sorted({*TEXT, *"=+0123456789\n"}))
    config = GPTConfig(
        vocab_size=letters.vocab_size, n_positions=64, n_embd=16, n_layer=1, n_head=2
    )
    lm = LanguageModel(make_model(config), letters, "letters")
    template = Template("mine", "{text} {answer}")
    trial = Trial(
        "cloze", template, [Item({"text": "the cat sat on the"}, "mat"), Item({"text": "Ω"}, "mat")]
    )
    known = Trial("fact", template, [Item({"text": "the film was"}, "bad")])
    assert list(quick_accuracies(lm, [trial, known])) == ["fact"]


@pytest.mark.parametrize("make", [fit_text, lambda lm, text, n: fit(lm, prompt_of(text), n)])
def test_an_answer_reserves_half_of_the_window_at_most(lm, make):
    window = lm.model.config.n_positions
    text = "the cat sat on the mat " * 40
    assert len(make(lm, text, 10 * window).ids) >= window // 2 - 6
    assert len(make(lm, text, 10 * window).ids) <= window // 2
    assert len(make(lm, text, 6).ids) > window // 2


def prompt_of(text):
    return TASKS["sentiment"].templates[0].prompt(Item({"text": text}))
