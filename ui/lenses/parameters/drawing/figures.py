"""A GPT drawn to scale: areas are parameters, every arrow carries the shape of what flows along
it.
"""

import io
from collections.abc import Mapping
from typing import Any

from ui.lenses.parameters.handlers.colours import INK, PARTS
from ui.shared.slide import PLACEHOLDERS, SIZE, Colors, in_both_themes

_FILL = {**PARTS, "norm": PARTS["block_norms"]}
_ACTIVATIONS = {"gelu_new": "GELU (tanh)", "gelu": "GELU (exact)", "relu": "ReLU"}
_KEY = {
    "token_embedding": "embeddings",
    "attention": "attention",
    "mlp": "MLP",
    "norm": "LayerNorm",
    "head": "output head",
}
# of the drawing of a block: its residual stream, and its branches
_TRUNK = 74.0
_LEFT = 87.0
_MIDDLE = 105.0


def inline(shape: Any, counts: Mapping[str, int], name: str) -> tuple[str, str]:
    """The drawing as SVG text for a light and a dark page; every part is a group whose id is
    "part-" and its name.

    Args:
        shape: a GPTConfig; these figures import no core.
        counts: parameters by component, all blocks together.
        name: for the title.
    """
    target = io.StringIO()
    _figure(shape, counts, name, PLACEHOLDERS).savefig(target, format="svg", transparent=True)
    text = target.getvalue()
    return in_both_themes(text[text.index("<svg") :])


def _figure(shape: Any, counts: Mapping[str, int], name: str, look: Colors):  # noqa: ANN202 - matplotlib is imported late
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, facecolor="none")
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    axes.set(xlim=(0, 133), ylim=(0, 75))
    axes.axis("off")
    drawing = _Drawing(axes, shape, look)
    total = sum(counts.values())
    drawing.text(2, 72, f"{name}: {total:,} parameters", 19, weight="bold")
    drawing.whole(counts, total)
    drawing.flow()
    drawing.block()
    for index, (part, title) in enumerate(_KEY.items()):
        drawing.box("key", 66 + 13 * index, 70.8, 1.6, 1.6, _FILL[part])
        drawing.text(68.4 + 13 * index, 71.6, title)
    return figure


class _Drawing:
    """The three parts of the drawing; heights grow upwards."""

    def __init__(self, axes, shape: Any, look: Colors) -> None:
        self._axes = axes
        self._shape = shape
        self._look = look
        self._stream = f"[B, T, {shape.n_embd:,}]"
        self._pre = shape.norm_position == "pre"
        self._dropped = f", dropout {shape.resid_pdrop:g}" if shape.resid_pdrop else ""

    def text(self, x: float, y: float, text: str, size: float = 11, **more: Any) -> None:
        self._axes.text(
            x, y, text, **{"color": self._look.ink, "fontsize": size, "va": "center", **more}
        )

    def box(
        self,
        part: str,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str,
        text: str = "",
        size: int = 12,
    ) -> None:
        from matplotlib.patches import Rectangle

        box = Rectangle((x, y), w, h, facecolor=fill, edgecolor=self._look.ink, linewidth=1.0)
        box.set_gid(f"part-{part}")
        self._axes.add_patch(box)
        if text:
            self.text(x + w / 2, y + h / 2, text, size, ha="center", color=INK)

    def _arrow(
        self, start: tuple[float, float], end: tuple[float, float], text: str = "", side: int = 1
    ) -> None:
        style = {"arrowstyle": "-|>", "color": self._look.ink, "linewidth": 1.3}
        self._axes.annotate("", xy=end, xytext=start, arrowprops=style)
        if text:
            x, y = ((a + b) / 2 for a, b in zip(start, end, strict=True))
            self.text(x + side, y, text, ha="left" if side > 0 else "right", family="monospace")

    def _up(self, x: float, y: float, h: float, says: str = "") -> float:
        """An arrow upwards; returns the height where it ends."""
        self._arrow((x, y), (x, y + h), says)
        return y + h

    def whole(self, counts: Mapping[str, int], total: int) -> None:
        """The model as one column whose heights are shares of the parameters."""
        self.text(2, 67.5, "To scale: height is the share of parameters", 12, va="baseline")
        shape = self._shape
        x = 2.0
        w = 15.0
        room = 58.0
        y = 4.0
        block = (counts["attention"] + counts["mlp"] + counts["block_norms"]) / shape.n_layer
        table = f"[{shape.vocab_size:,}, {shape.n_embd:,}]"
        drawn = min(shape.n_layer, 48)
        places = f"[{shape.n_positions:,}, {shape.n_embd:,}]"
        entries: list[tuple[str, float, str, str]] = [
            ("token_embedding", counts["token_embedding"], "token embedding", table),
            ("position_embedding", counts["position_embedding"], "positions", places),
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
                self.box("attention", x, y, w, h * share, _FILL["attention"])
                if share < 1:
                    self.box("mlp", x, y + h * share, w, h * (1 - share), _FILL["mlp"])
                last_block = y + h
            else:
                self.box(part, x, y, w, h, _FILL.get(part, _FILL["norm"]), label if h > 2.2 else "")
                if dimensions:
                    says = f"{label if h <= 2.2 else ''} {dimensions}\n{count / total:.1%}".strip()
                    self.text(x + w + 1, y + h / 2, says, 9, va="center" if h > 2.2 else "bottom")
            y += h
        middle = (first_block + last_block) / 2
        shares = f"{block:,.0f} each\n{block * shape.n_layer / total:.1%} together"
        self.text(x + w + 1, middle + 1.6, f"{shape.n_layer:,} blocks", 13, weight="bold")
        self.text(x + w + 1, middle - 1.2, shares, va="top")
        self._up(x + w / 2, 1.0, 3.0, "token ids [B, T]")
        self._up(x + w / 2, y, 3.2, f"logits [B, T, {shape.vocab_size:,}]")

    def flow(self) -> None:
        """From token ids to the probabilities of the next token; the tie as an arrow between both
        ends of the table.
        """
        shape = self._shape
        x = 44.0
        w = 15.0
        middle = x + w / 2
        half = w / 2 - 0.5
        self.text(x - 4, 67.5, "From ids to probabilities", 12, va="baseline")
        self.text(middle, 2.6, "token ids", ha="center")
        wide = half if shape.use_positions else w
        self.box("token_embedding", x, 6, wide, 4, _FILL["token_embedding"], "wte")
        if shape.use_positions:
            self.box(
                "position_embedding", x + half + 1, 6, half, 4, _FILL["position_embedding"], "wpe"
            )
        for start in (x + half / 2, x + w - half / 2) if shape.use_positions else (middle,):
            self._arrow((middle, 3.8), (start, 6))
            self._arrow((start, 10), (middle, 13))
        self.text(middle, 14, "+" if shape.use_positions else "", 17, ha="center")
        steps = [("", f"dropout {shape.resid_pdrop:g}", 3.0)] if shape.resid_pdrop else []
        steps += [("attention", "", 14.0), *([("final_norm", "ln_f", 3.0)] if self._pre else [])]
        y = 15.2
        head = 0.0
        for part, label, h in [*steps, ("head", "lm_head", 4.0), ("", "softmax", 3.0)]:
            y = self._up(middle, y, 2.2)
            fill = _FILL["norm" if part == "final_norm" else part] if part else self._look.paper
            self.box(part or "softmax", x, y, w, h, fill)
            if part == "attention" and shape.use_mlp:
                self.box("mlp", x, y + h / 2, w, h / 2, _FILL["mlp"], "MLP")
            if part == "attention":
                self.text(
                    middle,
                    y + h / (4 if shape.use_mlp else 2),
                    "attention",
                    12,
                    ha="center",
                    color=INK,
                )
                self.text(x + w + 0.7, y + h / 2, f"× {shape.n_layer:,}", 13, weight="bold")
            self.text(
                middle, y + h / 2, label, 12, ha="center", color=INK if part else self._look.ink
            )
            head = y + h / 2 if part == "head" else head
            y += h
        self.text(
            middle, self._up(middle, y, 2.4) + 1, "probabilities of the next token", ha="center"
        )
        if shape.tie_word_embeddings:
            style = {
                "arrowstyle": "<|-|>",
                "linestyle": "--",
                "connectionstyle": "bar,fraction=-0.06",
            }
            self._axes.annotate(
                "", xy=(x, head), xytext=(x, 8), arrowprops={**style, "color": self._look.ink}
            )
            self.text(x - 4.6, (head + 8) / 2, "tied: one table", rotation=90)

    def block(self) -> None:
        """One block, from its input at the bottom to its output at the top, with shapes on the
        arrows.
        """
        pre = "pre-norm (GPT-2): the norm stands inside the branch"
        post = "post-norm (GPT-1): the norm follows the sum"
        self.text(66, 67.5, f"One block, {pre if self._pre else post}", 12, va="baseline")
        y = self._attention()
        if self._shape.use_mlp:
            self._mlp(y)
        else:
            self._trunk(y, 64.0, f"{self._stream} to the next block")

    def _attention(self) -> float:
        """From the input through attention to the first sum; returns the height from which the
        trunk goes on.
        """
        H = self._shape.n_head
        C = self._shape.n_embd
        self._trunk(2.0, 28.4 if self._pre else 27.4, self._stream)
        y = self._branches(4.0, "ln_1", 2.2)
        y = self._step("attention", y, 2.4, self._stream, 4.2, f"c_attn   {C:,} → 3·{C:,}")
        mixed = f"softmax(q·kᵀ / √{C // H}, no future) · v\n{H} maps [T, T]{self._dropped}"
        y = self._step("attention", y, 2.6, f"q, k, v: each [B, {H}, T, {C // H}]", 5.0, mixed, 11)
        y = self._step("attention", y, 2.2, self._stream, 3.2, f"c_proj   {C:,} → {C:,}")
        self._joins(y, y + 1.6)
        y += 3.2
        if self._pre:
            return y
        self._up(_TRUNK, y - 0.4, 2.0)
        self._norm("ln_1", _TRUNK - 7, y + 1.6, 14)
        return y + 4.6

    def _mlp(self, y: float) -> None:
        """From a height of the trunk through the MLP to the second sum and the block's output."""
        C = self._shape.n_embd
        F = self._shape.inner_dim
        last = 61.5 if self._pre else 57.0
        self._trunk(y, last - 1.6, self._stream)
        y = self._branches(y + 1.0, "ln_2", 2.0)
        inner = f"c_fc   {C:,} → {F:,}, then {_ACTIVATIONS[self._shape.activation_function]}"
        y = self._step(
            "mlp", y, 2.2, self._stream, 3.8, inner, wide=min(48.0, 36 * max(1.0, F / (4 * C)) + 8)
        )
        y = self._step("mlp", y, 2.4, f"[B, T, {F:,}]", 3.4, f"c_proj   {F:,} → {C:,}")
        self._joins(y, last)
        if not self._pre:
            self._up(_TRUNK, last + 1.4, 1.4)
            self._norm("ln_2", _TRUNK - 7, last + 2.8, 14)
            last += 4.6
        self._trunk(last + 1.4, 66.0)

    def _trunk(self, begin: float, end: float, says: str = "") -> None:
        """The trunk between two heights."""
        self._arrow((_TRUNK, begin), (_TRUNK, end), says, -1)

    def _branches(self, y: float, norm: str, h: float) -> float:
        """A branch leaves the trunk, through a norm that stands inside it; returns the height where
        it goes on.
        """
        self._axes.plot([_TRUNK, _MIDDLE], [y, y], color=self._look.ink, linewidth=1.3)
        if not self._pre:
            return y
        self._norm(norm, _LEFT, self._up(_MIDDLE, y, h), 36)
        return y + h + 2.6

    def _step(
        self,
        part: str,
        y: float,
        way: float,
        says: str,
        h: float,
        text: str,
        size: int = 12,
        wide: float = 36,
    ) -> float:
        """An arrow into a box of a branch, both of some height; returns the height above."""
        y = self._up(_MIDDLE, y, way, says)
        self.box(part, _MIDDLE - wide / 2, y, wide, h, _FILL[part], text, size)
        return y + h

    def _norm(self, part: str, x: float, y: float, w: float) -> None:
        self.box(part, x, y, w, 2.6, _FILL["norm"], f"{part}   2·{self._shape.n_embd:,}", 11)

    def _joins(self, y: float, top: float) -> None:
        """A branch that ends at a height goes back to the trunk, and is added there."""
        self._axes.plot([_MIDDLE, _MIDDLE], [y, top], color=self._look.ink, linewidth=1.3)
        self._arrow((_MIDDLE, top), (_TRUNK + 1.6, top))
        self.text(_LEFT + 19, y + 0.9, self._dropped.lstrip(", "), 10)
        around = {
            "boxstyle": "circle,pad=0.15",
            "facecolor": self._look.paper,
            "edgecolor": self._look.ink,
        }
        self.text(_TRUNK, top, "+", 20, ha="center", bbox=around)
