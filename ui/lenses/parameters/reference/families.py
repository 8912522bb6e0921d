"""GPT among its relatives: sizes, kinds of transformer, and the way from a bigram to a GPT."""

from operator import attrgetter

from gptcore.analysis import count_parameters
from gptcore.config import PRESETS, GPTConfig
from ui.shared import ancestors
from ui.shared.sheets import Section, sheet

_GPT3 = GPTConfig(vocab_size=50257, n_positions=2048, n_layer=96, n_head=96, n_embd=12288)


def families() -> str:
    """The sheet."""
    return sheet([_ancestors(), _sizes(), _training(), _kinds()])


def _sizes() -> Section:
    sizes = {"gpt2": "small", "gpt2-medium": "medium", "gpt2-large": "large", "gpt2-xl": "XL"}
    rows = [
        _row("GPT-1", PRESETS["gpt1"]),
        *(_row(f"GPT-2 {size}", PRESETS[name]) for name, size in sizes.items()),
    ]
    rows.append(["BERT-base", 12, 12, 768, 512, "30,000 (released: 30,522)", "post", "110 million"])
    rows.append(_row("GPT-3", _GPT3))
    text = (
        "Counts of the GPTs are computed from their shapes, BERT's is the paper's. GPT-3's "
        "layers alternate dense and banded sparse attention, which changes no count."
    )
    columns = ("model", "layers", "heads", "width", "window", "vocabulary", "norm", "parameters")
    source = "Radford et al. 2018 and 2019; Devlin et al. 2019; Brown et al. 2020, table 2.1"
    return Section("Sizes", text, columns, rows, source=source, folded=True)


def _row(label: str, config: GPTConfig) -> list[str | int]:
    shape = attrgetter("n_layer", "n_head", "n_embd", "n_positions", "vocab_size", "norm_position")(
        config
    )
    return [label, *shape, f"{count_parameters(config).total:,}"]


def _training() -> Section:
    rows = [
        ("GPT-1", "BooksCorpus, about 7,000 books", "then fine-tuned on each task"),
        (
            "BERT",
            "BooksCorpus and Wikipedia, 3.3 billion words",
            "fills in masked words; then fine-tuned",
        ),
        ("GPT-2", "WebText, 8 million pages, 40 GB", "tasks from a prompt alone (zero-shot)"),
        (
            "GPT-3",
            "300 billion tokens, mostly filtered Common Crawl",
            "tasks from a few examples in the prompt",
        ),
    ]
    columns = ("model", "text", "how it is used")
    return Section(
        "Training text and purpose", "", columns, rows, source="the papers named above", folded=True
    )


def _kinds() -> Section:
    rows = [
        ("encoder (BERT)", "every token sees all others",
         "understanding: classify, find, fill in", "predicts hidden words"),
        ("decoder (GPT)", "a token sees itself and what came before",
         "writing, and any task that can be framed as writing", "predicts the next token"),
        ("encoder-decoder (T5, the first transformer)",
         "the encoder sees all; the decoder its own text, and the encoder by cross-attention",
         "translation, summaries", "predicts the target text"),
    ]  # fmt: skip
    text = "A GPT block has no cross-attention: there is no second text to look at."
    columns = ("kind", "who sees what", "good at", "trained to")
    source = "Vaswani et al. 2017; Devlin et al. 2019; Raffel et al. 2020"
    return Section("Encoder, decoder, both", text, columns, rows, source=source, folded=True)


def _ancestors() -> Section:
    recorded = ancestors.ancestors()
    lesson = PRESETS["char-day19"]
    mixing = {
        "bigram": (
            "bigram: a table of pairs",
            "nothing: the character before decides",
            "1 character",
        ),
        "mlp": (
            "MLP on 3 characters",
            "each at its own place, in one hidden layer",
            "3 characters",
        ),
        "wavenet": ("WaveNet on 8 characters", "two by two, in three layers", "8 characters"),
        "attention": (
            "attention alone",
            "by content: queries and keys",
            f"{lesson.n_positions} characters",
        ),
        "gpt": (
            "the lesson's GPT (char-day19)",
            "by content, and MLPs between",
            f"{lesson.n_positions} characters",
        ),
    }
    rows = [
        (title, how, sees, recorded[name].parameters, f"{recorded[name].loss:.3f}")
        for name, (title, how, sees) in mixing.items()
    ]
    count = count_parameters(lesson).total
    text = (
        f"{ancestors.how()} With the 65 characters of Shakespeare the lesson's GPT has {count:,} "
        "parameters."
    )
    columns = ("model", "how it mixes what it sees", "sees", "parameters", "loss")
    source = "Bengio et al. 2003; van den Oord et al. 2016; measured for this project"
    return Section(
        "From bigram to GPT, in characters", text, columns, rows, source=source, folded=True
    )
