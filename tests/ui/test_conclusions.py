"""Sentences above figures follow the numbers, and say so where nothing stands out."""

from ui import conclusions
from ui.lenses.attention.heads.roles import conclusion as heads
from ui.lenses.attention.layers.neurons import conclusion as neuron
from ui.lenses.generate.write.score import conclusion as surprise
from ui.lenses.parameters.handlers.shapes import conclusion as shares
from ui.lenses.zero_shot.handlers.views import conclusion as same_prompt
from ui.lenses.zero_shot.models.scoreboard import Result
from ui.lenses.zero_shot.models.scoreboard import conclusion as scores


def test_how_sure_the_next_token_is():
    labels = [" ball", " cat", "\n"]
    sure = conclusions.next_token(labels, [0.95, 0.02, 0.01], [1.0, 0, 0], 1, 100)
    assert sure == "It is very sure: “ball” has 95%. The settings leave only “ball”."
    said = conclusions.next_token(labels, [0.6, 0.2, 0.1], [0.6, 0.2, 0.1], 100, 100)
    assert said == "It is fairly sure: “ball” has 60%."
    leans = conclusions.next_token(labels, [0.2, 0.1, 0.3], [0.4, 0, 0.6], 2, 100)
    assert (
        leans
        == "It favours a new line (30%) over “ball” (20%). The settings leave 2 of 100 tokens to "
        "draw from."
    )
    none = conclusions.next_token(labels, [0.05, 0.04, 0.03], [0.05, 0.04, 0.03], 100, 100)
    assert "Nothing stands out: the likeliest, “ball”, has only 5%" in none
    assert conclusions.next_token([" a"], [1.0], [1.0], 1, 1).startswith("It is very sure")


def test_two_tokens_that_read_alike_are_told_apart():
    said = conclusions.next_token([" b", "b"], [0.3, 0.2], [0.3, 0.2], 9, 9)
    assert said == "It favours “␣b” (30%) over “b” (20%)."
    assert conclusions.quoted_apart(" cat", " dog") == ("“cat”", "“dog”")


def test_what_the_heads_do():
    roles = [[["previous", False], ["induction", True]], [["previous", False], ["first", False]]]
    said = "On this text, of 4 heads, 2 look at the token before and 1 rests on the first token."
    assert heads(roles) == said
    roles[0][1][1] = False
    assert "1 looks at what came after the same token last time, 2 look" in heads(roles)
    said = heads([[["first", False], ["mixed", False]]])
    assert (
        said
        == "On this text, of 2 heads, 1 rests on the first token; none of the others has a clear "
        "role."
    )
    assert heads([[["first", False]] * 2]) == "On this text all 2 heads rest on the first token."
    assert heads([[["mixed", False]] * 2]).startswith(
        "Nothing stands out: none of the 2 heads has a clear role"
    )
    elsewhere = [["induction", ""], ["induction", "duplicate"]]
    assert heads(roles, elsewhere).endswith(
        " In a test where random tokens repeat, 2 copy what came after it last time: L0H0 and "
        "L1H0; 1 looks at the same token earlier: L1H1."
    )


def test_what_excites_a_neuron():
    tokens = ["Tom", " saw", " Tom", " cat"]
    more = [" ran", " sat", " ate", " had"]
    said = neuron(3, 7, tokens, [0.1, 0.2, 4.0, 2.5], more)
    writes = "without it, “ran”, “sat” and “ate” are less likely there."
    assert said == f"Neuron 7 of layer 3 reacts most to “Tom” and “cat”; {writes}"
    assert "reacts most to “saw”" in neuron(3, 7, tokens, [0.1, 4.2, 1.0, 0.5], more)
    assert neuron(3, 7, tokens, [0.1, 0.2, -0.1, 0], more).startswith("Nothing stands out")


def test_what_surprises():
    seen = [(" mat", 0.9, 1, " mat", 0.9), (" ref", 0.001, 800, " mat", 0.93)]
    assert surprise(seen) == (
        "“ref” surprises it most: it had 0.1% where it expected “mat” (93%). 1 of 2 tokens was "
        "its first guess."
    )
    assert surprise(seen[:1]).startswith("Nothing surprises it: every token had 90% or more.")


def test_where_the_parameters_are():
    said = shares([("MLP", 60), ("Attention", 30), ("Norms", 10)])
    assert said == "MLP holds 60% of the 100 parameters, Attention 30%."
    assert shares([("MLP", 10), ("Attention", 30)]).startswith("Attention holds 75%")


def test_which_test_is_passed_best():
    sums = Result("world: sums", "90%", 0.9, 0.8, 0.2, "exact match")
    word = Result("world: last word", "5 of 10", 0.5, 0.4, None, "exact match")
    story = Result("world: story", "95%", 0.95, 0.9, None, "ROUGE-L")
    few = Result("mini: sums", "1 of 10", 0.1, 0.05, 0.2, "exact match")
    assert (
        scores([few, sums, word])
        == "The best is world: sums, 90%. 1 of 2 with a known chance is clearly above it."
    )
    assert scores([few, few]).startswith(
        "Nothing stands out: none is clearly better than guessing."
    )
    assert scores([]) == "" and scores([word]) == "world: last word: 5 of 10."
    both = scores([word, story])  # a score by one metric is not better than one by another
    assert (
        both
        == "The best is, by exact match, world: last word (5 of 10) and by ROUGE-L, world: story "
        "(95%)."
    )


def test_how_several_answer_the_same_prompt():
    answers = [
        ("mini", False, 0.01),
        ("world", True, 0.6),
        ("gpt2", True, 0.7),
        ("broken", None, None),
    ]
    assert same_prompt(answers) == (
        "2 of 3 answer as expected: world and gpt2. gpt2 gives the expected answer the most "
        "probability, 70%."
    )
    assert same_prompt(answers[:1]) == "It does not answer as expected."
    assert same_prompt([("plain", True, None), ("few", True, None)]) == "All 2 answer as expected."
    assert same_prompt([("plain", None, None)]) == ""


def test_where_a_token_had_led_is_named_by_the_block_behind_which_it_did():
    """The embeddings are depth 0, and what stands behind block 0 is depth 1."""
    assert conclusions.had_led([], "block") == ""
    assert conclusions.had_led([4], "block") == " It had led after block 3, then fell behind."
    assert conclusions.had_led([0, 1, 2], "layer") == (
        " It had led before any layer and after layers 0 and 1, then fell behind."
    )
