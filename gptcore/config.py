"""Model configuration: the shape of a GPT and the switches for lessons, in one frozen, validated
dataclass.
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from gptcore.errors import ConfigError

# The names are transformers' own: "gelu_new" is the tanh approximation that GPT-1 and GPT-2 use.
Activation = Literal["gelu_new", "gelu", "relu"]
NormPosition = Literal["pre", "post"]


@dataclass(frozen=True, kw_only=True)
class GPTConfig:
    """Everything that decides a GPT's tensors and arithmetic. Field names follow transformers'
    GPT2Config.

    Args:
        vocab_size: V, number of token ids.
        n_positions: longest sequence the model reads, in tokens.
        n_embd: C, width of the residual stream. A multiple of n_head.
        n_layer: number of blocks.
        n_head: H, attention heads in a block.
        n_inner: width inside the MLP; None means 4 * n_embd.
        activation_function: "gelu_new" (tanh GELU, GPT-1 and GPT-2), "gelu" (exact, erf) or "relu".
        norm_position: "pre" (GPT-2: norm before each sublayer, and ln_f at the end) or
            "post" (GPT-1 as released: norm after each residual sum, no ln_f).
        tie_word_embeddings: the output head shares the token embedding's matrix.
        attention_bias: biases in attn.c_attn and attn.c_proj.
        use_mlp: False leaves attention-only blocks.
        use_positions: False leaves out the learned position embedding.
        causal: False lets every token see the future (a lesson in why the mask exists).
        residual_scaling: initialise the projections into the residual stream with
            initializer_range / sqrt(2 * n_layer) (GPT-2 paper, section 2.3).
        embd_pdrop, attn_pdrop, resid_pdrop: dropout probabilities in [0, 1).
        layer_norm_epsilon: added to the variance in every LayerNorm.
        initializer_range: standard deviation of the initial weights.

    Raises:
        ConfigError: an invalid value; the message names the value and the limit.
    """

    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None
    activation_function: Activation = "gelu_new"
    norm_position: NormPosition = "pre"
    tie_word_embeddings: bool = True
    attention_bias: bool = True
    use_mlp: bool = True
    use_positions: bool = True
    causal: bool = True
    residual_scaling: bool = True
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    resid_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    def __post_init__(self) -> None:
        for name in _SIZES:
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
            self._require(
                name,
                whole or (name == "n_inner" and value is None),
                "be a whole number of at least 1",
            )
        if self.n_embd % self.n_head:
            raise ConfigError(
                f"The width n_embd={self.n_embd} cannot be divided among n_head={self.n_head} "
                f"heads; choose a multiple of {self.n_head}, such as "
                f"{-(-self.n_embd // self.n_head) * self.n_head}."
            )
        for name, kind in (("activation_function", Activation), ("norm_position", NormPosition)):
            self._require(
                name,
                getattr(self, name) in get_args(kind),
                f"be one of {', '.join(get_args(kind))}",
            )
        for name in _SWITCHES:
            self._require(name, isinstance(getattr(self, name), bool), "be True or False")
        for name in _DROPOUTS:
            self._require(
                name,
                _is_share(getattr(self, name), or_none=True),
                "lie in [0, 1), as a dropout probability",
            )
        for name in ("layer_norm_epsilon", "initializer_range"):
            self._require(name, _is_share(getattr(self, name)), "lie between 0 and 1")

    def _require(self, name: str, holds: bool, what: str) -> None:
        if not holds:
            raise ConfigError(f"{name} is {getattr(self, name)!r}; it must {what}.")

    @property
    def head_dim(self) -> int:
        """D, width of one attention head."""
        return self.n_embd // self.n_head

    @property
    def inner_dim(self) -> int:
        """Width inside the MLP."""
        return 4 * self.n_embd if self.n_inner is None else self.n_inner

    @property
    def final_norm(self) -> bool:
        """Whether ln_f exists: pre-norm models need it, post-norm ones end in a norm anyway."""
        return self.norm_position == "pre"

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> "GPTConfig":
        """A preset by name, with any field changed. Raises ConfigError for an unknown name."""
        if name not in PRESETS:
            raise ConfigError(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
        return replace(PRESETS[name], **changes)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "GPTConfig":
        """The config in a dictionary, such as a parsed config.json; unknown keys are ignored."""
        known = {field.name for field in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


_SIZES = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "n_inner")
_DROPOUTS = ("embd_pdrop", "attn_pdrop", "resid_pdrop")
_SWITCHES = (
    "tie_word_embeddings",
    "attention_bias",
    "use_mlp",
    "use_positions",
    "causal",
    "residual_scaling",
)


def _is_share(value: object, *, or_none: bool = False) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 < value < 1 or (or_none and value == 0)


def _without_dropout(**shape: Any) -> GPTConfig:
    return GPTConfig(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0, **shape)


_GPT1 = GPTConfig(vocab_size=40478, n_positions=512, residual_scaling=False)

PRESETS: dict[str, GPTConfig] = {
    # Released by OpenAI in 2018: post-norm, no ln_f, 116,534,784 parameters.
    "gpt1": replace(_GPT1, norm_position="post"),
    # What many tutorials call GPT-1: pre-norm with ln_f, 116,536,320 parameters. No weights exist
    # for it.
    "gpt1-preln": _GPT1,
    "gpt2": GPTConfig(),
    "gpt2-medium": GPTConfig(n_layer=24, n_head=16, n_embd=1024),
    "gpt2-large": GPTConfig(n_layer=36, n_head=20, n_embd=1280),
    "gpt2-xl": GPTConfig(n_layer=48, n_head=25, n_embd=1600),
    # The 65-character lesson model: 4 layers x 128, window 64, attention without biases, exact
    # GELU.
    "char-day19": GPTConfig(
        vocab_size=65,
        n_positions=64,
        n_layer=4,
        n_head=4,
        n_embd=128,
        attention_bias=False,
        residual_scaling=False,
        activation_function="gelu",
    ),
    # This project's own: the bundled models, and one small enough for tests and a first look.
    "mini": _without_dropout(vocab_size=4096, n_positions=256, n_layer=6, n_head=7, n_embd=336),
    "induction": _without_dropout(
        vocab_size=64,
        n_positions=64,
        n_layer=2,
        n_head=4,
        n_embd=64,
        use_mlp=False,
        tie_word_embeddings=False,
    ),
    "nano": _without_dropout(vocab_size=512, n_positions=128, n_layer=3, n_head=3, n_embd=48),
}
