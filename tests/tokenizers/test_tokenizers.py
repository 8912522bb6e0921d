import hashlib
import json
import re

import numpy as np
import pytest
import transformers

from gptcore.errors import HubError, TokenizerError
from gptcore.tokenizers import (
    END_OF_TEXT,
    ByteBPE,
    CharTokenizer,
    GPT1Tokenizer,
    StreamingText,
    byte_bpe,
    describe_token,
    load_tokenizer,
)
from gptcore.tokenizers.rust import panics_as_errors

UNICODE = [
    "", " ", "\n\n\t ", "naïve café", "日本語テキスト", "🙂👩‍👩‍👧", "a\x00b",
    "I'll don't O'Neil", "x" * 300, "שלום עולם", END_OF_TEXT,
]  # fmt: skip


@pytest.fixture(scope="module")
def bpe() -> ByteBPE:
    text = ["The quick brown fox jumps over the lazy dog, and the dog does not mind at all.\n" * 30]
    return ByteBPE.train(text, vocab_size=300, name="test")


def test_the_end_of_text_marker_is_one_token_only_when_allowed(bpe):
    text = f"a{END_OF_TEXT}b"
    assert bpe.encode(text, allow_special=True).count(bpe.end_id) == 1
    assert bpe.end_id not in bpe.encode(text)
    assert bpe.end_id == bpe.vocab_size - 1


def test_digits_apart_learns_no_number_of_two_digits_and_leaves_the_words_as_they_are():
    text = ["In 1918 and 1919 the 1918 dogs met 1919 foxes; in 1918 they did. " * 30]
    together, apart = (
        ByteBPE.train(text, vocab_size=285, digits_apart=how) for how in (False, True)
    )
    # a space may be joined to a digit
    assert len(together.encode(" 1918")) < 4 == len(apart.encode(" 1918"))
    assert any(apart.decode([token]) == " dogs" for token in range(apart.vocab_size - 1))
    assert apart.decode(apart.encode("2 + 1919 = 1921")) == "2 + 1919 = 1921"


def test_saved_bpe_reads_back_and_transformers_gives_the_same_ids(bpe, tmp_path):
    bpe.save(tmp_path)
    ours = load_tokenizer(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text in [*UNICODE[:-1], "the lazy fox and the quick dog's bone\n"]:
        assert ours.encode(text) == bpe.encode(text) == theirs.encode(text)
    assert theirs.decode(bpe.encode("the lazy fox")) == "the lazy fox"
    assert theirs.eos_token_id == bpe.end_id


def test_saved_characters_read_back_and_transformers_gives_the_same_ids(tmp_path):
    chars = CharTokenizer.train("hello, wörld\n日本")
    chars.save(tmp_path)
    ours = load_tokenizer(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert ours.characters == chars.characters
    assert theirs.encode("hello\n日") == chars.encode("hello\n日")
    assert (
        theirs.decode(chars.encode("hello\n日"))
        == "hello\n日"
        == chars.decode(chars.encode("hello\n日"))
    )


def test_unknown_characters_are_named():
    chars = CharTokenizer.train("abc ")
    with pytest.raises(
        TokenizerError, match=r"4 characters, but not 'd', 'é'.*It knows a space, abc"
    ):
        chars.encode("abcdé")
    with pytest.raises(TokenizerError, match="'l', 'm' and 4 more"):
        chars.encode("defghijklmnopq")
    with pytest.raises(TokenizerError, match=r"not a line break. .*It knows a space$"):
        CharTokenizer(" ").encode("\n")


@pytest.mark.parametrize("text", ["a\ud800", None, 3])
def test_what_is_no_text_is_refused(bpe, text):
    with pytest.raises(TokenizerError):
        bpe.encode(text)


def test_ids_outside_the_vocabulary_are_refused(bpe):
    with pytest.raises(TokenizerError, match="ids run from 0 to 299"):
        bpe.decode([300])
    with pytest.raises(TokenizerError):
        CharTokenizer("ab").decode([-1])


def test_too_small_a_vocabulary_or_text_is_refused():
    with pytest.raises(TokenizerError, match="at least 257"):
        ByteBPE.train(["text"], vocab_size=256)
    with pytest.raises(TokenizerError, match="smaller vocabulary"):
        ByteBPE.train(["aaaa"], vocab_size=4000)


def test_merges_are_the_pairs_that_lower_ranks_lead_to():
    letters = {b"a": 0, b"b": 1, b"c": 2}
    assert byte_bpe._merges(letters | {b"ab": 3, b"abc": 4}) == [(b"a", b"b"), (b"ab", b"c")]
    assert byte_bpe._merges(letters | {b"bc": 3, b"ab": 4, b"abc": 5}) == [
        (b"b", b"c"),
        (b"a", b"b"),
        (b"a", b"bc"),  # "bc" comes first
    ]
    # a name of which no two parts are a token, or only by a later rank
    assert byte_bpe._merges(letters | {b"abc": 3}) == []
    assert byte_bpe._merges(letters | {b"abc": 3, b"ab": 4}) == [(b"a", b"b")]


def test_streaming_text_holds_back_parts_of_a_character(bpe):
    stream = StreamingText(bpe)
    pieces = [stream.push(i) for i in bpe.encode("é🙂!")]
    assert "".join(pieces) == "é🙂!" and "�" not in "".join(pieces)
    assert stream.push(bpe.encode("é")[0]) == "" and stream.push(bpe.end_id) == "�"


def test_a_token_that_is_part_of_a_character_is_described_by_its_bytes(bpe):
    assert describe_token(bpe, bpe.encode("é")[0]) == "<0xC3>"
    assert describe_token(bpe, bpe.encode("\x07")[0]) == "<0x07>"
    assert describe_token(bpe, bpe.end_id) == END_OF_TEXT


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not readable as JSON"),
        ("[]", "holds a list where a table of tokens belongs"),
        ('{"model": {}}', "it lacks 'type'"),
        ('{"model": {"type": "BPE", "vocab": {"a": "x"}}}', "is BPE with the decoder none"),
    ],
)
def test_damaged_tokenizer_files_are_a_sentence(tmp_path, content, words):
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(TokenizerError, match=rf"tokenizer\.json .*{words}"):
        load_tokenizer(tmp_path)


def test_a_folder_without_a_tokenizer_and_an_unknown_name_are_sentences(tmp_path):
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        load_tokenizer(tmp_path)
    with pytest.raises(TokenizerError, match="'gpt9'"):
        load_tokenizer("gpt9")


def test_gpt2s_vocabulary_offline_says_how_to_bring_it(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr("gptcore.hub.cached", lambda *_: None)
    with pytest.raises(HubError, match="TIKTOKEN_CACHE_DIR"):
        load_tokenizer("gpt2", offline=True)
    with pytest.raises(HubError, match=r"vocab\.json of openai-community/openai-gpt"):
        load_tokenizer("gpt1", offline=True)


@pytest.fixture
def gpt2(shared, monkeypatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(shared / "tiktoken-cache"))
    return load_tokenizer("gpt2", offline=True)


@pytest.mark.shared
def test_gpt2_golden_cases(gpt2, shared):
    golden = json.loads(
        (shared / "golden" / "gpt2_tokenizer_golden.json").read_text(encoding="utf-8")
    )
    assert gpt2.vocab_size == golden["n_vocab"] and gpt2.end_id == golden["eot_id"]
    for case in golden["cases"]:
        assert gpt2.encode(case["text"]) == case["ids"]
        assert gpt2.decode(case["ids"]) == case["text"]
    for case in golden["special_cases"]:
        assert gpt2.encode(case["text"], allow_special=True) == case["ids"]


@pytest.mark.shared
def test_gpt2_golden_whole_files(gpt2, shared):
    golden = json.loads(
        (shared / "golden" / "gpt2_tokenizer_golden.json").read_text(encoding="utf-8")
    )["whole_files"]
    checked = 0
    for name, facts in golden.items():
        data = (shared / name).read_bytes()
        # some files were shortened after the figures were taken
        if len(data) != facts["utf8_bytes"]:
            continue
        ids = np.array(gpt2.encode(data.decode()), dtype="<u2")
        assert len(ids) == facts["n_tokens_encode_ordinary"]
        assert (
            hashlib.sha256(ids.tobytes()).hexdigest() == facts["sha256_of_ids_little_endian_uint16"]
        )
        checked += 1
    assert checked


@pytest.mark.shared
def test_gpt2s_vocabulary_from_the_hubs_files_equals_tiktokens(gpt2, shared, tmp_path):
    (tmp_path / "vocab.json").write_bytes((shared / "gpt2" / "encoder.json").read_bytes())
    (tmp_path / "merges.txt").write_bytes((shared / "gpt2" / "vocab.bpe").read_bytes())
    same = load_tokenizer(tmp_path)
    text = (shared / "corpora" / "tinystories_valid.txt").read_text(encoding="utf-8")[
        :20_000
    ] + "".join(UNICODE)
    assert same.encode(text) == gpt2.encode(text)


@pytest.mark.shared
def test_gpt1_golden_cases(shared, tmp_path):
    tokenizer = GPT1Tokenizer.from_files(
        shared / "gpt1" / "encoder_bpe_40000.json", shared / "gpt1" / "vocab_40000.bpe"
    )
    golden = json.loads(
        (shared / "golden" / "gpt1_tokenizer_golden.json").read_text(encoding="utf-8")
    )
    for case in golden["cases"]:
        assert tokenizer.encode(case["text"]) == case["ids"]
    assert tokenizer.vocab_size == 40478
    assert tokenizer.decode(tokenizer.encode("Hello, world!")) == "hello , world !"
    tokenizer.save(tmp_path)
    again = load_tokenizer(tmp_path)
    assert again.kind == "gpt1" and again.encode("Once upon a time") == tokenizer.encode(
        "Once upon a time"
    )


def test_a_character_vocabulary_with_gaps_is_refused_and_not_renumbered(tmp_path):
    CharTokenizer("ab").save(tmp_path)
    file = tmp_path / "tokenizer.json"
    made = json.loads(file.read_text(encoding="utf-8"))
    made["model"]["vocab"] = {"a": 5, "b": 9}
    file.write_text(json.dumps(made), encoding="utf-8")
    with pytest.raises(TokenizerError, match="without gaps"):
        load_tokenizer(tmp_path)


def test_a_vocabulary_without_a_token_for_unknown_characters_is_refused():
    with pytest.raises(TokenizerError, match="no <unk>"):
        GPT1Tokenizer.from_merges({"a</w>": 0, "a": 1}, [])


BLANKS = [" ", "\n", "\t", "\u00a0", "\u2003", " \n", "\r\n\t "]


@pytest.mark.parametrize("after", ["", "x", " x", "\x1cx", "123", "\u3000end", "<|endoftext|>b"])
@pytest.mark.parametrize("blank", BLANKS)
def test_a_long_run_of_blanks_is_encoded_as_the_whole(monkeypatch, blank, after):
    """In pieces where a run is long, which here begins at a few; the same ids as by tiktoken at
    once.
    """
    tokenizer = ByteBPE.train(
        ["a  b    c\n\n\nd" * 30 + "the cat sat on the mat. " * 20], vocab_size=272
    )
    for n in (3, 4, 9):
        text = f"begin{blank * n}{after}{blank * 5}z"
        whole = tokenizer.encode(text)
        marked = tokenizer.encode(text, allow_special=True)
        monkeypatch.setattr(
            "gptcore.tokenizers.byte_bpe._LONG_RUN", re.compile(r"[^\S\x1c-\x1f]{3,}")
        )
        assert tokenizer.encode(text) == whole == tokenizer._encoding.encode_ordinary(text)
        assert tokenizer.encode(text, allow_special=True) == marked
        assert marked == tokenizer._encoding.encode(
            text, allowed_special={END_OF_TEXT}, disallowed_special=()
        )
        monkeypatch.undo()


def test_a_million_blanks_are_encoded_and_learned_from():
    text = "one" + " " * 1_100_000 + "two" + "\n" * 1_100_000
    tokenizer = ByteBPE.train([text, "the cat sat on the mat. " * 20], vocab_size=262)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_panic_of_a_library_is_a_sentence():
    class PanicException(BaseException):
        pass

    with (
        pytest.raises(TokenizerError, match="Encoding this text is beyond"),
        panics_as_errors("Encoding this text"),
    ):
        raise PanicException("called `Result::unwrap()`")
    with pytest.raises(KeyboardInterrupt), panics_as_errors("Encoding this text"):
        raise KeyboardInterrupt
