"""Data of the model diagram on Start: the output of every part of the model at one token."""

import torch
from torch import Tensor

from gptcore.analysis import ForwardTrace, logit_attribution
from gptcore.config import GPTConfig
from gptcore.formatting import percent
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import describe_token
from ui.conclusions import UNSURE, capital, concludes, had_led, head_name, in_front, quoted
from ui.payloads import Block, Choice, Machine, Shape, probability, rounded

_N_LOOKS = 4  # of every head: the words that it looks at hardest
_FAINTEST = 0.05
CLEAR = 0.5  # of a head's attention
_RISES = 0.05  # minimum rise in probability for a block to be named
_JUMPS = 0.3  # minimum rise of which a sentence says so


def described(
    lm: LanguageModel, ids: list[int], traced: ForwardTrace, drawn: ForwardTrace | None = None
) -> Machine:
    """A traced pass as plain values.

    Args:
        lm: the model.
        ids: the text.
        traced: the pass.
        drawn: the pass of the whole model, where parts are switched off: the head that is drawn in
            each block is its.
    """
    config = lm.model.config
    words = [describe_token(lm.tokenizer, token) for token in ids]
    chances = traced.lens.exp()
    choice = int(chances[-1].argmax())
    whole = traced if drawn is None else drawn
    writes = _written_for(lm, ids[: traced.at + 1], *whole.lens[-1].topk(2).indices.tolist())
    strongest = (whole.head_norms if writes is None else writes).argmax(dim=-1).tolist()
    blocks: list[Block] = [
        {
            "guess": likeliest(lm, chances[layer + 1], 1)[0],
            "chance": probability(chances[layer + 1, choice]),
            "attention": rounded(traced.attention_norms[layer]),
            "mlp": rounded(traced.mlp_norms[layer]),
            "stream": rounded(traced.stream_norms[layer + 1]),
            "head": strongest[layer],
            "heads": [rounded(norm) for norm in traced.head_norms[layer]],
            "looks": [looks(weights) for weights in traced.looks[layer]],
        }
        for layer in range(config.n_layer)
    ]
    return {
        "at": traced.at,
        "shape": shape(config),
        "embedding": (rounded(traced.token_norm), rounded(traced.position_norm)),
        "first": {
            "guess": likeliest(lm, chances[0], 1)[0],
            "stream": rounded(traced.stream_norms[0]),
        },
        "blocks": blocks,
        "norm": rounded(traced.final_norm),
        "choice": likeliest(lm, chances[-1], 1)[0],
        "said": ("" if traced.at == len(ids) - 1 else f"After {quoted(words[traced.at])}: ")
        + conclusion(traced, words, describe_token(lm.tokenizer, choice), writes),
    }


def _written_for(lm: LanguageModel, ids: list[int], word: int, rival: int) -> Tensor | None:
    """Computes what each head writes for a word rather than another, float [n_layer, n_head], as
    the view Why this word? does; None for a post-norm model.
    """
    config = lm.model.config
    if config.norm_position != "pre":
        return None
    attributed = logit_attribution(lm.model, ids, word, rival)
    by_name = dict(zip(attributed.names, attributed.values.tolist(), strict=True))
    heads = range(config.n_head)
    return torch.tensor(
        [[by_name[f"L{layer}H{head}"] for head in heads] for layer in range(config.n_layer)]
    )


@concludes("start")
def conclusion(
    traced: ForwardTrace, words: list[str], choice: str, writes: Tensor | None = None
) -> str:
    """Says how the guess forms, from the numbers alone; what a head writes is not yet why.

    Args:
        traced: the traced pass.
        words: of the text, as people read them.
        choice: the likeliest next token, as people read it.
        writes: float [n_layer, n_head], what each head writes for it rather than the second guess,
            in logits; None where that cannot be said.
    """
    chances = traced.lens.exp()
    token = int(chances[-1].argmax())
    of_choice = [float(row[token]) for row in chances]  # after each depth
    word = quoted(choice)
    final = percent(of_choice[-1])
    if of_choice[-1] < UNSURE:
        return f"Nothing stands out: the likeliest next token, {word}, has only {final}."
    settled, before = in_front([int(row.argmax()) == token for row in chances])
    gains = chances[1:, token] - chances[:-1, token]
    layer = int(gains.argmax())
    gain = float(gains[layer])
    strongest = _strongest_head(traced, words, layer, token, choice, writes)
    last = len(gains)
    if settled == last > 1 and layer == last - 1:
        verb = "jumps" if gain >= _JUMPS else "rises"
        decides = f"The last block decides: {word} {verb} from {percent(of_choice[-2])} to {final}."
        return f"{decides}{had_led(before, 'block')} {strongest}"
    if settled == 0:
        formed = f"{word} leads from the start, before any block, and ends at {final}."
    else:
        formed = (
            f"{word} takes the lead in block {settled - 1} and ends at "
            f"{final}.{had_led(before, 'block')}"
        )
    if gain < _RISES:
        return f"{formed} No single block raises its probability by much."
    risen = f"from {percent(of_choice[layer])} to {percent(of_choice[layer + 1])}"
    return f"{formed} Block {layer} does most for it ({risen}). {strongest}"


def _strongest_head(
    traced: ForwardTrace,
    words: list[str],
    layer: int,
    token: int,
    choice: str,
    writes: Tensor | None,
) -> str:
    """Which head of a block pushes most towards the choice, and where it looks.

    Where that is not known, as in a post-norm model, the head with the longest output is named as
    such.
    """
    head = int((traced.head_norms if writes is None else writes)[layer].argmax())
    weights = traced.looks[layer, head]
    position = int(weights.argmax())
    share = float(weights[position])
    named = head_name(layer, head)
    does = f"{capital(named)} "
    does += "writes most" if writes is None else "pushes most towards it"
    if len(words) == 1:
        return f"{does}."  # there is nothing else to look at
    if share < CLEAR:
        return f"{does}; its attention is spread over many words."
    earlier = "the earlier " if words[position] == choice else ""
    return (
        f"{does}, looking back at {earlier}{quoted(words[position])} ({percent(share)} of its "
        "attention)."
    )


def shape(config: GPTConfig) -> Shape:
    """Letters of the shape."""
    return {
        "V": config.vocab_size,
        "C": config.n_embd,
        "H": config.n_head,
        "D": config.head_dim,
        "L": config.n_layer,
        "F": config.inner_dim if config.use_mlp else 0,
        "P": config.n_positions if config.use_positions else 0,
        "pre": config.norm_position == "pre",
    }


def likeliest(lm: LanguageModel, chances: Tensor, n: int) -> list[Choice]:
    """The likeliest tokens."""
    best = chances.topk(min(n, len(chances)))
    pairs = zip(best.indices.tolist(), best.values, strict=True)
    return [
        (describe_token(lm.tokenizer, token), probability(chance), token) for token, chance in pairs
    ]


def looks(weights: Tensor) -> list[tuple[int, float]]:
    """(position, weight) of the tokens that a head attends to most. weights: float [S]."""
    best = weights.topk(min(_N_LOOKS, len(weights)))
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return [(position, probability(weight)) for position, weight in pairs if weight >= _FAINTEST]
