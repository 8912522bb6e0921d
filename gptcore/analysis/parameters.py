"""How many parameters a model has, by component and down to the tensor, from its shape alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from gptcore.config import GPTConfig


@dataclass(frozen=True)
class Component:
    """One kind of parameter in a model, named as the fields of `ParameterCount`: a formula in
    letters (V vocabulary, P positions, C width, F inner width, L layers), the formula with this
    model's numbers, and the count.
    """

    name: str
    formula: str
    numbers: str
    count: int


@dataclass(frozen=True)
class ParameterCount:
    """Parameter counts. All blocks are counted together, with their projections in `attention` and
    `mlp`; a tied head counts 0. `components` are the same, with formulas.
    """

    token_embedding: int
    position_embedding: int
    attention: int
    mlp: int
    block_norms: int
    final_norm: int
    head: int
    components: tuple[Component, ...]

    @property
    def total(self) -> int:
        """Total number of parameters, as in the real model."""
        return sum(component.count for component in self.components)

    @property
    def without_embeddings(self) -> int:
        """Without both embeddings and an untied head: the N of scaling laws (Kaplan et al. 2020,
        section 2.1).
        """
        return self.total - self.token_embedding - self.position_embedding - self.head


def count_parameters(config: GPTConfig) -> ParameterCount:
    """The count of a model of this shape, without building it."""
    V = config.vocab_size
    P = config.n_positions
    C = config.n_embd
    F = config.inner_dim
    L = config.n_layer
    bias = config.attention_bias
    norms = 2 if config.use_mlp else 1

    def part(name: str, formula: str, count: int, present: bool = True) -> Component:
        if not present:
            return Component(name, "none", "0", 0)
        letters = {"V": V, "P": P, "C": C, "F": F, "L": L}
        numbers = "".join(f"{letters[sign]:,}" if sign in letters else sign for sign in formula)
        return Component(name, formula, numbers, count)

    components = (
        part("token_embedding", "V·C", V * C),
        part("position_embedding", "P·C", P * C, config.use_positions),
        part(
            "attention",
            "L·(4·C² + 4·C)" if bias else "L·4·C²",
            L * (4 * C * C + (4 * C if bias else 0)),
        ),
        part("mlp", "L·(2·C·F + F + C)", L * (2 * C * F + F + C), config.use_mlp),
        part("block_norms", f"L·{norms}·2·C", L * norms * 2 * C),
        part("final_norm", "2·C", 2 * C, config.final_norm),
        part("head", "V·C", V * C)
        if not config.tie_word_embeddings
        else Component("head", "shared", "0", 0),
    )
    return ParameterCount(
        **{component.name: component.count for component in components}, components=components
    )


def tensor_shapes(
    config: GPTConfig, *, layers: range | None = None
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Every parameter tensor of a model of this shape, without building it.

    Args:
        config: the shape.
        layers: which blocks to list; None lists all.

    Yields:
        (component, name as in `GPT.named_parameters`, shape). A tied head has no tensor of its own.
    """
    C = config.n_embd
    F = config.inner_dim
    yield "token_embedding", "wte.weight", (config.vocab_size, C)
    if config.use_positions:
        yield "position_embedding", "wpe.weight", (config.n_positions, C)
    attention = [("attention", "attn.c_attn", (3 * C, C)), ("attention", "attn.c_proj", (C, C))]
    mlp = [
        ("block_norms", "ln_2", (C,)),
        ("mlp", "mlp.c_fc", (F, C)),
        ("mlp", "mlp.c_proj", (C, F)),
    ]
    for layer in range(config.n_layer) if layers is None else layers:
        for component, name, shape in [
            ("block_norms", "ln_1", (C,)),
            *attention,
            *(mlp if config.use_mlp else []),
        ]:
            yield component, f"h.{layer}.{name}.weight", shape
            if component != "attention" or config.attention_bias:
                yield component, f"h.{layer}.{name}.bias", shape[:1]
    if config.final_norm:
        yield "final_norm", "ln_f.weight", (C,)
        yield "final_norm", "ln_f.bias", (C,)
    if not config.tie_word_embeddings:
        yield "head", "lm_head.weight", (config.vocab_size, C)
