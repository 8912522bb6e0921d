"""A GPT drawn to scale: areas are parameters, every arrow carries the shape of what flows along it."""

import io
from collections.abc import Mapping
from typing import Any

from ui.shared.colours import INK, PARTS
from ui.shared.slide import SIZE, Colors, colors

_FILL = {**PARTS, "norm": PARTS["block_norms"]}
_ACTIVATIONS = {"gelu_new": "GELU (tanh)", "gelu": "GELU (exact)", "relu": "ReLU"}
_KEY = {
    "token_embedding": "embeddings", "attention": "attention", "mlp": "MLP", "norm": "LayerNorm", "head": "output head",
}  # fmt: skip


def inline(shape: Any, counts: Mapping[str, int], name: str, *, dark: bool) -> str:
    """The drawing as SVG text for a page; every part is a group whose id is "part-" and its name.

    Args:
        shape: a GPTConfig; these figures import no core.
        counts: parameters by component, all blocks together.
        name: for the title.
        dark: for a dark page.
    """
    target = io.StringIO()
    _figure(shape, counts, name, colors(dark)).savefig(target, format="svg", transparent=True)
    text = target.getvalue()
    return text[text.index("<svg") :]


def _figure(shape: Any, counts: Mapping[str, int], name: str, look: Colors):  # noqa: ANN202 - matplotlib is imported late
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor="none")
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    axes.set_xlim(0, 133)
    axes.set_ylim(0, 75)
    axes.axis("off")
    total = sum(counts.values())
    axes.text(2, 72, f"{name}: {total:,} parameters", color=look.ink, fontsize=19, weight="bold", va="center")
    _whole(axes, shape, look, counts, total)
    _flow(axes, shape, look)
    _block(axes, shape, look)
    _key(axes, look)
    return figure


def _box(axes, look: Colors, part: str, x: float, y: float, w: float, h: float, fill: str, text: str, size: float = 12):  # noqa: ANN202
    from matplotlib.patches import Rectangle

    box = Rectangle((x, y), w, h, facecolor=fill, edgecolor=look.ink, linewidth=1.0)
    box.set_gid(f"part-{part}")
    axes.add_patch(box)
    if text:
        axes.text(x + w / 2, y + h / 2, text, color=INK, fontsize=size, ha="center", va="center")


def _text(axes, look: Colors, x: float, y: float, text: str, size: float = 11, **more: Any) -> None:
    axes.text(x, y, text, **{"color": look.ink, "fontsize": size, "va": "center", **more})


def _arrow(axes, look: Colors, start: tuple[float, float], end: tuple[float, float], text: str = "", side: int = 1):  # noqa: ANN202
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": look.ink, "linewidth": 1.3})
    if text:
        x, y = ((a + b) / 2 for a, b in zip(start, end, strict=True))
        _text(axes, look, x + side, y, text, ha="left" if side > 0 else "right", family="monospace")


def _whole(axes, shape: Any, look: Colors, counts: Mapping[str, int], total: int) -> None:
    """The model as one column whose heights are shares of the parameters."""
    axes.text(2, 67.5, "To scale: height is the share of parameters", color=look.ink, fontsize=12)
    x, w, room, y = 2.0, 15.0, 58.0, 4.0
    block = (counts["attention"] + counts["mlp"] + counts["block_norms"]) / shape.n_layer
    table, drawn = f"[{shape.vocab_size:,}, {shape.n_embd:,}]", min(shape.n_layer, 48)
    entries: list[tuple[str, float, str, str]] = [
        ("token_embedding", counts["token_embedding"], "token embedding", table),
        ("position_embedding", counts["position_embedding"], "positions", f"[{shape.n_positions:,}, {shape.n_embd:,}]"),
        *((f"block-{layer}", block * shape.n_layer / drawn, "", "") for layer in range(drawn)),
        ("final_norm", counts["final_norm"], "", ""),
        ("head", counts["head"], "output head", table),
    ]
    first_block = last_block = y
    for part, count, label, dimensions in entries:
        if not count:
            continue
        h = max(0.18, room * count / total)
        if part.startswith("block-"):
            first_block = y if part == "block-0" else first_block
            share = counts["attention"] / max(1, counts["attention"] + counts["mlp"])
            _box(axes, look, "attention", x, y, w, h * share, _FILL["attention"], "")
            if share < 1:
                _box(axes, look, "mlp", x, y + h * share, w, h * (1 - share), _FILL["mlp"], "")
            last_block = y + h
        else:
            _box(axes, look, part, x, y, w, h, _FILL.get(part, _FILL["norm"]), label if h > 2.2 else "")
            if dimensions:
                says = f"{label if h <= 2.2 else ''} {dimensions}\n{count / total:.1%}".strip()
                _text(axes, look, x + w + 1, y + h / 2, says, 9, va="center" if h > 2.2 else "bottom")
        y += h
    middle = (first_block + last_block) / 2
    shares = f"{block:,.0f} each\n{block * shape.n_layer / total:.1%} together"
    _text(axes, look, x + w + 1, middle + 1.6, f"{shape.n_layer:,} blocks", 13, weight="bold")
    _text(axes, look, x + w + 1, middle - 1.2, shares, va="top")
    _arrow(axes, look, (x + w / 2, 1.0), (x + w / 2, 4.0), "token ids [B, T]")
    _arrow(axes, look, (x + w / 2, y), (x + w / 2, y + 3.2), f"logits [B, T, {shape.vocab_size:,}]")


def _flow(axes, shape: Any, look: Colors) -> None:
    """From token ids to the probabilities of the next token; the tie as an arrow between the two ends of the table."""
    x, w = 44.0, 15.0
    middle, half = x + w / 2, w / 2 - 0.5
    axes.text(x - 4, 67.5, "From ids to probabilities", color=look.ink, fontsize=12)
    axes.text(middle, 2.6, "token ids", color=look.ink, fontsize=11, ha="center", va="center")
    if shape.use_positions:
        _box(axes, look, "token_embedding", x, 6, half, 4, _FILL["token_embedding"], "wte")
        _box(axes, look, "position_embedding", x + half + 1, 6, half, 4, _FILL["position_embedding"], "wpe")
        for start in (x + half / 2, x + w - half / 2):
            _arrow(axes, look, (middle, 3.8), (start, 6))
            _arrow(axes, look, (start, 10), (middle, 13))
    else:
        _box(axes, look, "token_embedding", x, 6, w, 4, _FILL["token_embedding"], "wte")
        _arrow(axes, look, (middle, 3.8), (middle, 6))
        _arrow(axes, look, (middle, 10), (middle, 13))
    axes.text(middle, 14, "+" if shape.use_positions else "", color=look.ink, fontsize=17, ha="center", va="center")
    steps = [("", f"dropout {shape.resid_pdrop:g}", 3.0)] if shape.resid_pdrop else []
    steps += [("attention", "", 14.0)]
    steps += [("final_norm", "ln_f", 3.0)] if shape.norm_position == "pre" else []
    steps += [("head", "lm_head", 4.0), ("", "softmax", 3.0)]
    y, head = 15.2, 0.0
    for part, label, h in steps:
        _arrow(axes, look, (middle, y), (middle, y + 2.2))
        fill = _FILL["norm" if part == "final_norm" else part] if part else look.paper
        _box(axes, look, part or "softmax", x, y + 2.2, w, h, fill, "")
        if part == "attention" and shape.use_mlp:
            _box(axes, look, "mlp", x, y + 2.2 + h / 2, w, h / 2, _FILL["mlp"], "MLP")
        if part == "attention":
            lower = y + 2.2 + h / (4 if shape.use_mlp else 2)
            axes.text(middle, lower, "attention", color=INK, fontsize=12, ha="center", va="center")
            _text(axes, look, x + w + 0.7, y + 2.2 + h / 2, f"× {shape.n_layer:,}", 13, weight="bold")
        _text(axes, look, middle, y + 2.2 + h / 2, label, 12, ha="center", color=INK if part else look.ink)
        head = y + 2.2 + h / 2 if part == "head" else head
        y += 2.2 + h
    _arrow(axes, look, (middle, y), (middle, y + 2.4))
    _text(axes, look, middle, y + 3.4, "probabilities of the next token", ha="center")
    if shape.tie_word_embeddings:
        way = {"arrowstyle": "<|-|>", "color": look.ink, "linestyle": "--", "connectionstyle": "bar,fraction=-0.06"}
        axes.annotate("", xy=(x, head), xytext=(x, 8), arrowprops=way)
        _text(axes, look, x - 4.6, (head + 8) / 2, "tied: one table", rotation=90)


def _key(axes, look: Colors) -> None:
    """What the colours mean."""
    for place, (part, name) in enumerate(_KEY.items()):
        _box(axes, look, "key", 66 + 13 * place, 70.8, 1.6, 1.6, _FILL[part], "")
        _text(axes, look, 68.4 + 13 * place, 71.6, name)


def _block(axes, shape: Any, look: Colors) -> None:
    """One block, from its input at the bottom to its output at the top, with shapes on the arrows."""
    pre, post = "pre-norm (GPT-2): the norm stands inside the branch", "post-norm (GPT-1): the norm follows the sum"
    axes.text(66, 67.5, f"One block, {pre if shape.norm_position == 'pre' else post}", color=look.ink, fontsize=12)
    part = _BlockParts(axes, shape, look)
    y = part.attention()
    if shape.use_mlp:
        part.mlp(y)
    else:
        _arrow(axes, look, (part.trunk, y), (part.trunk, 64.0), f"{part.stream} to the next block", -1)


class _BlockParts:
    """The branches of a block beside its trunk, the residual stream; heights grow upwards."""

    trunk, left, middle = 74.0, 87.0, 105.0

    def __init__(self, axes, shape: Any, look: Colors) -> None:
        self._axes, self._shape, self._look = axes, shape, look
        self.stream = f"[B, T, {shape.n_embd:,}]"
        self._dropped = f", dropout {shape.resid_pdrop:g}" if shape.resid_pdrop else ""

    def attention(self) -> float:
        """From the input through attention to the first sum; returns the height from which the trunk goes on."""
        axes, shape, look, middle = self._axes, self._shape, self._look, self.middle
        C, D = shape.n_embd, shape.n_embd // shape.n_head
        self._up(2.0, 28.4 if shape.norm_position == "pre" else 27.4, self.stream)
        y = 4.0
        axes.plot([self.trunk, middle], [y, y], color=look.ink, linewidth=1.3)
        if shape.norm_position == "pre":
            _arrow(axes, look, (middle, y), (middle, y + 2.2))
            self._norm("ln_1", self.left, y + 2.2, 36)
            y += 4.8
        _arrow(axes, look, (middle, y), (middle, y + 2.4), self.stream)
        self._box("attention", y + 2.4, 4.2, f"c_attn   {C:,} → 3·{C:,}", 12)
        y += 6.6
        _arrow(axes, look, (middle, y), (middle, y + 2.6), f"q, k, v: each [B, {shape.n_head}, T, {D}]")
        mixed = f"softmax(q·kᵀ / √{D}, no future) · v\n{shape.n_head} maps [T, T]{self._dropped}"
        self._box("attention", y + 2.6, 5.0, mixed, 11)
        y += 7.6
        _arrow(axes, look, (middle, y), (middle, y + 2.2), self.stream)
        self._box("attention", y + 2.2, 3.2, f"c_proj   {C:,} → {C:,}", 12)
        y += 5.4
        top = y + 1.6
        self._joins(y, top)
        y = top + 1.6
        if shape.norm_position == "pre":
            return y
        _arrow(axes, look, (self.trunk, y - 0.4), (self.trunk, y + 1.6))
        self._norm("ln_1", self.trunk - 7, y + 1.6, 14)
        return y + 4.6

    def mlp(self, y: float) -> None:
        """From a height of the trunk through the MLP to the second sum and the block's output."""
        axes, shape, look, middle = self._axes, self._shape, self._look, self.middle
        C, F = shape.n_embd, shape.inner_dim
        last = 61.5 if shape.norm_position == "pre" else 57.0
        self._up(y, last - 1.6, self.stream)
        y += 1.0
        axes.plot([self.trunk, middle], [y, y], color=look.ink, linewidth=1.3)
        if shape.norm_position == "pre":
            _arrow(axes, look, (middle, y), (middle, y + 2.0))
            self._norm("ln_2", self.left, y + 2.0, 36)
            y += 4.6
        _arrow(axes, look, (middle, y), (middle, y + 2.2), self.stream)
        wide = min(48.0, 36 * max(1.0, F / (4 * C)) + 8)
        inner = f"c_fc   {C:,} → {F:,}, then {_ACTIVATIONS[shape.activation_function]}"
        self._box("mlp", y + 2.2, 3.8, inner, 12, wide=wide)
        y += 6.0
        _arrow(axes, look, (middle, y), (middle, y + 2.4), f"[B, T, {F:,}]")
        self._box("mlp", y + 2.4, 3.4, f"c_proj   {F:,} → {C:,}", 12)
        y += 5.8
        self._joins(y, last)
        if shape.norm_position != "pre":
            _arrow(axes, look, (self.trunk, last + 1.4), (self.trunk, last + 2.8))
            self._norm("ln_2", self.trunk - 7, last + 2.8, 14)
            last += 4.6
        self._up(last + 1.4, 66.0, "")

    def _up(self, begin: float, end: float, says: str) -> None:
        """The trunk between two heights."""
        _arrow(self._axes, self._look, (self.trunk, begin), (self.trunk, end), says, -1)

    def _box(self, part: str, y: float, h: float, text: str, size: int, *, wide: float = 36) -> None:
        _box(self._axes, self._look, part, self.middle - wide / 2, y, wide, h, _FILL[part], text, size)

    def _norm(self, part: str, x: float, y: float, w: float) -> None:
        _box(self._axes, self._look, part, x, y, w, 2.6, _FILL["norm"], f"{part}   2·{self._shape.n_embd:,}", 11)

    def _joins(self, y: float, top: float) -> None:
        """A branch that ends at a height goes back to the trunk, and is added there."""
        axes, look, middle = self._axes, self._look, self.middle
        axes.plot([middle, middle], [y, top], color=look.ink, linewidth=1.3)
        _arrow(axes, look, (middle, top), (self.trunk + 1.6, top))
        _text(axes, look, self.left + 19, y + 0.9, self._dropped.lstrip(", "), 10)
        around = {"boxstyle": "circle,pad=0.15", "facecolor": look.paper, "edgecolor": look.ink}
        axes.text(self.trunk, top, "+", color=look.ink, fontsize=20, ha="center", va="center", bbox=around)
