"""Why one source says 117M and another 124M: every quoted parameter count derived; other numbers in
lessons.
"""

from dataclasses import replace

import torch

from gptcore.analysis import ParameterCount, cache_arithmetic, count_parameters, kv_cache_bytes
from gptcore.config import PRESETS, GPTConfig
from gptcore.model import activation
from ui.shared.sheets import Section, Stack, sheet, size

_SIZES = {
    "gpt2": ("124M", "117M"), "gpt2-medium": ("355M", "345M"),
    "gpt2-large": ("774M", "762M"), "gpt2-xl": ("1558M", "1542M"),
}  # fmt: skip
_GPT1_VOCABULARY = PRESETS["gpt1"].vocab_size
_TABLES = ("token_embedding", "position_embedding")
_COLUMNS = ("what is counted", "how", "parameters")


def quoted() -> str:
    """The sheet: one figure of all numbers for GPT-2's small size, and the arithmetic of every
    pair.
    """
    pairs = [
        *(_two_counts(name, *numbers) for name, numbers in _SIZES.items()),
        _without_embeddings(),
        _twice(),
    ]
    return sheet(
        [_at_a_glance(), *(replace(pair, folded=True) for pair in [*pairs, _gpt1(), _of_lessons()])]
    )


def _at_a_glance() -> Section:
    config = PRESETS["gpt2"]
    count = count_parameters(config)
    known = _GPT1_VOCABULARY * config.n_embd
    blocks = count.without_embeddings
    positions = count.position_embedding
    more = count.token_embedding - known
    stacks = (
        Stack(
            "85M",
            "what computes at every token, without the tables it looks up",
            (blocks, 0, 0, 0, 0),
        ),
        Stack(
            "117M",
            "the paper's number: so many with the vocabulary of GPT-1",
            (blocks, positions, known, 0, 0),
        ),
        Stack("124M", "the released weights, counted here", (blocks, positions, known, more, 0)),
        Stack(
            "163M",
            "where the output head is counted a second time",
            (blocks, positions, known, more, known + more),
        ),
    )
    return Section(
        "One model, four numbers",
        "GPT-2's small size is called 85M, 117M, 124M or 163M. Each is right in its way: they "
        "differ in which tables of tokens they count.",
        ("called", "parameters", "what is counted"),
        [(stack.label, sum(stack.parts), stack.says) for stack in stacks],
        source=(
            "Radford et al. 2019, table 2; README of openai/gpt-2; Kaplan et al. 2020, section 2.1"
        ),
        parts=(
            "blocks and norms",
            "positions",
            "40,478 tokens",
            "9,779 more tokens",
            "a head of its own",
        ),
        stacks=stacks,
        folded=True,
    )


def _parts(count: ParameterCount) -> list[tuple[str, str, int]]:
    blocks = [part for part in count.components if part.name in ("attention", "mlp", "block_norms")]
    rest = {part.name: part for part in count.components}
    rows = [(name.replace("_", " "), rest[name].numbers, rest[name].count) for name in _TABLES]
    rows.append(
        (
            "all blocks",
            " + ".join(part.numbers for part in blocks),
            sum(part.count for part in blocks),
        )
    )
    norm = rest["final_norm"]
    return [*rows, ("final norm", norm.numbers, norm.count)] if norm.count else rows


def _two_counts(name: str, real: str, paper: str) -> Section:
    config = PRESETS[name]
    count = count_parameters(config)
    swapped = count_parameters(replace(config, vocab_size=_GPT1_VOCABULARY))
    fewer = config.vocab_size - _GPT1_VOCABULARY
    rows: list[tuple[str, str, int]] = [
        *_parts(count),
        (
            f"{name} as released: {real}",
            "the sum; the output head is the token embedding again",
            count.total,
        ),
        (
            "tokens that GPT-1 does not have",
            f"− {fewer:,} · {config.n_embd:,}",
            -fewer * config.n_embd,
        ),
        (f"with GPT-1's vocabulary: {paper}", f"{_GPT1_VOCABULARY:,} tokens", swapped.total),
    ]
    n = len(rows)
    text = (
        f"The paper's table 2 says {paper}; the released weights hold {count.total:,}. "
        "OpenAI's repository says that the first counts were wrong, not why. Counted with "
        "GPT-1's vocabulary, all four sizes come out at the paper's numbers: that is this "
        "project's reading of them."
    )
    source = "Radford et al. 2019, table 2; README of openai/gpt-2"
    return Section(f"{paper} or {real}?", text, _COLUMNS, rows, (n - 3, n - 1), source)


def _without_embeddings() -> Section:
    config = PRESETS["gpt2"]
    count = count_parameters(config)
    C = config.n_embd
    L = config.n_layer
    matrices = 12 * L * C * C
    tables = count.token_embedding + count.position_embedding
    rows = [
        ("matrices of attention and MLP", f"12 · {L} · {C}²", matrices),
        ("their biases", f"{L} · (4·{C} + 4·{C} + {C})", L * 9 * C),
        ("norms in the blocks", f"{L} · 2 · 2 · {C}", count.block_norms),
        ("final norm", f"2 · {C}", count.final_norm),
        ("without embeddings: 85M", "the sum", count.without_embeddings),
        (
            "token and position embedding",
            f"({config.vocab_size:,} + {config.n_positions:,}) · {C}",
            tables,
        ),
        ("all of it: 124M", "the sum", count.total),
    ]
    text = (
        "Kaplan et al. count what computes, and leave out the tables that are looked up; "
        "TransformerLens lists 85M, the matrices alone. Not everybody does so: Hoffmann et al. "
        "(Chinchilla) count all parameters."
    )
    source = (
        "Kaplan et al. 2020, section 2.1; Hoffmann et al. 2022, appendix F; TransformerLens model "
        "table"
    )
    return Section("85M or 124M?", text, _COLUMNS, rows, (4, 6), source)


def _twice() -> Section:
    config = PRESETS["gpt2"]
    tied = count_parameters(config)
    untied = count_parameters(replace(config, tie_word_embeddings=False))
    rows = [
        ("with the head tied: 124M", "one table serves at both ends", tied.total),
        ("an output head of its own", f"{config.vocab_size:,} · {config.n_embd}", untied.head),
        ("counted twice: 163M", "the sum", untied.total),
    ]
    text = (
        "Tutorials that give the output head its own matrix, or add up a state dict in which "
        "the shared one appears under two names, find 163M."
    )
    return Section("124M or 163M?", text, _COLUMNS, rows, (2,), "computed here")


def _gpt1() -> Section:
    released = count_parameters(PRESETS["gpt1"])
    variant = count_parameters(PRESETS["gpt1-preln"])
    rows = [
        *_parts(released),
        ("gpt1 as released: 116,534,784", "post-norm: every block ends in a norm", released.total),
        ("final norm of the pre-norm drawings", "2 · 768", variant.final_norm),
        ("gpt1-preln: 116,536,320", "what many tutorials build", variant.total),
    ]
    n = len(rows)
    text = (
        "Both round to 117M. The released GPT-1 normalises after each sum and has no final "
        "norm; drawn pre-norm, it needs one, and has 1,536 parameters more."
    )
    source = "params_shapes.json of openai/finetune-transformer-lm; Radford et al. 2018"
    return Section(
        "GPT-1: with or without a final norm?", text, _COLUMNS, rows, (n - 3, n - 1), source
    )


# Brown et al. 2020, table 2.1
_GPT3 = GPTConfig(n_layer=96, n_embd=12_288, n_head=96, n_positions=2_048)


def _of_lessons() -> Section:
    """Numbers that lessons get wrong, beside those that are computed here."""
    one = torch.ones(1)
    exact, approximate = (float(activation(name, one)) for name in ("gelu", "gelu_new"))
    counted = cache_arithmetic(12, 50, 100)
    T = PRESETS["gpt2"].n_positions
    rows = [
        (
            "GELU(1)",
            f"{exact:.4f}",
            f"{approximate:.4f}",
            f"{exact:.4f} is the exact form; GPT-1 and GPT-2 compute the tanh approximation",
        ),
        (
            "keys and values for 100 tokens after 50, 12 layers, no cache",
            "120,600",
            f"{counted.without:,}",
            "the first new token reads the 50 of the prompt, not 51",
        ),
        (
            "the same with a cache",
            "1,200",
            f"{counted.with_cache:,}",
            "the prompt's 50 are computed once, too; the last token is never read",
        ),
        (
            "GPT-3's cache for 4,096 tokens, 16 bits",
            "10 GB",
            size(kv_cache_bytes(_GPT3, 4_096, bits=16)),
            "keys and values: 2 · 96 layers · 12,288 numbers of 2 bytes a token",
        ),
        (
            "a bigram model of 65 characters, parameters",
            "under 1,000",
            f"{65**2:,}",
            "a score for each pair of characters, 65²",
        ),
        (
            f"pairs of tokens that attention reads, {T:,} tokens",
            f"{T**2:,}: every token reads every other",
            f"{T * (T + 1) // 2:,}",
            "a causal model reads itself and what came before",
        ),
    ]
    text = (
        "Lessons and articles print these, too. Each right number is computed by the app's own "
        "code."
    )
    return Section(
        "Other numbers in lessons", text, ("of what", "often written", "right", "why"), rows
    )
