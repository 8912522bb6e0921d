import json

import pytest

import gptcore
from gptcore.evaluation import doubled_rate, longest_shared, main, repeated_share, roles, written
from gptcore.inference.sampling_settings import SamplingSettings


def test_repetition_is_counted_within_each_text():
    assert repeated_share(["one two three four five six"]) == 0
    # Seven runs of four words, of which the last three have been there.
    assert repeated_share(["a b c d e a b c d e a b"]) == pytest.approx(4 / 9)
    assert repeated_share(["a b c d", "a b c d"]) == 0 == repeated_share([""])


def test_doubled_words_are_found_with_articles_too():
    text = "The dragon and the dragon met. Cats and dogs ran. Red and red."
    assert doubled_rate([text]) == pytest.approx(1000 * 2 / 13)
    assert doubled_rate(["bread and breadth"]) == 0


def test_the_longest_copied_passage_is_found_wherever_it_begins():
    corpus = "".join(chr(97 + (place * place) % 23) for place in range(5000))
    corpus += "the quick brown fox jumps over the lazy dog again"
    for start in range(30):
        passage = ("x" * start + corpus)[1000 + start : 1077 + start]
        found = longest_shared(["ZZ" + passage + "ZZ", "nothing of it"], corpus)
        assert passage in found or len(found) >= 77
    assert longest_shared(["nothing of it at all, not a single passage"], corpus) == ""


def test_samples_are_those_of_generate_and_take_turns(tiny_model):
    lm = gptcore.load("induction")
    settings = SamplingSettings(temperature=0.8, top_k=20)
    texts = written(lm, ["abc abc ", "kitten kitt"], n=3, max_new_tokens=8, settings=settings, seed=5)
    for place, prompt in enumerate(["abc abc ", "kitten kitt", "abc abc "]):
        tokens = gptcore.generate(lm, prompt, max_new_tokens=8, temperature=0.8, top_k=20, seed=5 + place)
        assert texts[place] == prompt + "".join(token.text for token in tokens)


def test_the_command_prints_a_table_and_json(tmp_path, capsys):
    text = tmp_path / "held_out.txt"
    text.write_text("kitten kitten kitten kitten\n<|endoftext|>\nab ab ab ab ab ab\n")
    options = ["induction", "--text", str(text), "--samples", "2", "--prompt", "ab ab a", "--max-new-tokens", "5"]
    assert main(options) == 0
    table = capsys.readouterr().out
    assert "bits per byte" in table and "induction" in table and "repeated 4-grams" in table
    assert main([*options, "--training", str(text), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"] == "induction" and any(figure["name"].startswith("longest") for figure in found["figures"])
    assert main(["nothing-of-this-name"]) == 1 and "There is no model" in capsys.readouterr().err


def test_the_induction_model_has_its_roles():
    assert roles(gptcore.load("induction"))["induction"] == 4
