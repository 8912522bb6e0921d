"""A model as transformers computes it on one text: what the page's conclusions are tested
against.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

import gptcore
from gptcore.tokenizers import describe_token
from ui.conclusions import quoted


class Peer:
    """A model as transformers computes it, on one text."""

    def __init__(
        self, lm: gptcore.LanguageModel, hf: Any, text: str, *, last: int | None = None
    ) -> None:
        self.lm = lm
        self.hf = hf
        self.ids = lm.tokenizer.encode(text, allow_special=True)[
            -(last or lm.model.config.n_positions) :
        ]
        self.text = text
        with torch.inference_mode():
            self.out = hf(
                torch.tensor([self.ids]), output_hidden_states=True, output_attentions=True
            )
        self.logits = self.out.logits[0]  # [T, V]

    def label(self, token: int) -> str:
        return quoted(describe_token(self.lm.tokenizer, token))

    @property
    def labels(self) -> list[str]:
        return [self.label(token) for token in self.ids]

    @cached_property
    def depths(self) -> Tensor:
        """Probabilities after each depth at every place, [L + 1, T, V]."""
        states = self.out.hidden_states[:-1]
        last = self.out.hidden_states[-1]
        ln = self.hf.transformer.ln_f
        head = self.hf.lm_head
        with torch.inference_mode():
            return torch.stack([head(ln(state))[0] for state in states] + [head(last)[0]]).softmax(
                -1
            )

    @cached_property
    def shares(self) -> dict[str, Tensor]:
        """Each role's share of every head's attention [L, H], and of even attention [1, 1], as the
        view defines it.
        """
        n = len(self.ids)
        weights = torch.stack([layer[0] for layer in self.out.attentions])  # [L, H, T, T]
        even = torch.ones(n, n).tril()
        weights = torch.cat([weights.flatten(0, 1), (even / even.sum(-1, keepdim=True))[None]])
        found = {}
        for role in ("previous", "first", "self", "duplicate", "induction"):
            rows = []
            for q in range(n):
                keys = {
                    "previous": [q - 1] if q > 1 else [],
                    "first": [0] if q else [],
                    "self": [q] if q else [],
                    "duplicate": [k for k in range(1, q) if self.ids[k] == self.ids[q]],
                    "induction": [k for k in range(1, q) if self.ids[k - 1] == self.ids[q]],
                }[role]
                if keys:
                    rows.append(weights[:, q, keys].sum(-1))
            found[role] = torch.stack(rows).mean(0) if rows else torch.zeros(len(weights))
        return found

    def role(self, head: int) -> str | None:
        """A clear role of a head, counted through all layers; None where a share is too near its
        limit to tell.
        """
        clear = {}
        near = False
        for role in ("induction", "duplicate", "previous", "self"):
            least = max(0.4, 2 * float(self.shares[role][-1]))
            value = float(self.shares[role][head])
            near |= abs(value - least) < 1e-3
            if value >= least:
                clear[role] = value
        if near:
            return None
        if clear:
            return max(clear, key=lambda role: clear[role])
        return "first" if float(self.shares["first"][head]) >= 0.4 else ""

    def written(self, word: int, rival: int) -> Tensor:
        """What every head writes at the end for a word rather than another, in logits, [L, H]."""
        config = self.hf.config
        ln = self.hf.transformer.ln_f
        n_head = config.n_head
        size = config.n_embd // config.n_head
        rows = []
        with torch.inference_mode():
            before_norm = self.before_norm()
            std = (before_norm.var(unbiased=False) + ln.eps).sqrt()
            weight = self.hf.lm_head.weight
            direction = (weight[word] - weight[rival]) * ln.weight
            for layer, block in enumerate(self.hf.transformer.h):
                values = block.attn.c_attn(block.ln_1(self.out.hidden_states[layer]))[
                    0, :, 2 * config.n_embd :
                ]
                values = values.view(-1, n_head, size).transpose(0, 1)  # [H, T, D]
                mixed = (self.out.attentions[layer][0, :, -1, None] @ values)[:, 0]  # [H, D]
                out = torch.einsum(
                    "hd,hdc->hc", mixed, block.attn.c_proj.weight.view(n_head, size, -1)
                )
                out = out - out.mean(-1, keepdim=True)
                rows.append(out @ direction / std)
        return torch.stack(rows)

    def before_norm(self) -> Tensor:
        """The residual stream at the end, before the final norm, [C]."""
        kept = []
        with (
            hooked(self.hf.transformer.ln_f, pre=lambda _, given: kept.append(given[0])),
            torch.inference_mode(),
        ):
            self.hf(torch.tensor([self.ids]))
        return kept[0][0, -1]

    def with_head_of(self, source: "Peer", layer: int, head: int) -> Tensor:
        """Logits at the end with a head's output, at every place, of another text of as many
        tokens, [V].
        """
        size = self.hf.config.n_embd // self.hf.config.n_head
        proj = self.hf.transformer.h[layer].attn.c_proj
        at = slice(head * size, (head + 1) * size)
        kept: list[Tensor] = []
        with (
            hooked(proj, pre=lambda _, given: kept.append(given[0].clone())),
            torch.inference_mode(),
        ):
            source.hf(torch.tensor([source.ids]))

        def put(_: object, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            changed = given[0].clone()
            changed[..., at] = kept[0][..., at]
            return (changed, *given[1:])

        with hooked(proj, pre=put), torch.inference_mode():
            return self.hf(torch.tensor([self.ids])).logits[0, -1]

    def with_embedding_of(self, source: "Peer", place: int) -> Tensor:
        """Logits at the end with the embedding of one place of another text of as many tokens,
        [V].
        """
        ids = list(self.ids)
        ids[place] = source.ids[place]
        with torch.inference_mode():
            return self.hf(torch.tensor([ids])).logits[0, -1]

    def without(self, name: str) -> Tensor:
        """Logits at the end without "L1H2" or "the MLP of layer 3", [V]."""
        found = re.fullmatch(r"L(\d+)H(\d+)|the MLP of layer (\d+)", name)
        assert found, name
        size = self.hf.config.n_embd // self.hf.config.n_head
        if found[3] is not None:
            mlp = self.hf.transformer.h[int(found[3])].mlp
            hook = hooked(mlp, post=lambda _, __, out: torch.zeros_like(out))
        else:
            block = self.hf.transformer.h[int(found[1])]
            at = int(found[2]) * size

            def cut(_: object, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
                changed = given[0].clone()
                changed[..., at : at + size] = 0
                return (changed, *given[1:])

            hook = hooked(block.attn.c_proj, pre=cut)
        with hook, torch.inference_mode():
            return self.hf(torch.tensor([self.ids])).logits[0, -1]


@contextmanager
def hooked(module: torch.nn.Module, *, pre: Any = None, post: Any = None) -> Iterator[None]:
    handle = module.register_forward_pre_hook(pre) if pre else module.register_forward_hook(post)
    try:
        yield
    finally:
        handle.remove()


def near(said: str, value: float) -> bool:
    """Whether a percentage as people read it stands for a value."""
    number = float(re.sub(r"[<>%]", "", said))
    if said.startswith("<"):
        return 100 * value < number + 1e-6
    if said.startswith(">"):
        return 100 * value > number - 1e-6
    step = 10.0 ** -len(said.rstrip("%").partition(".")[2])
    return abs(100 * value - number) <= 0.55 * step + 0.02
