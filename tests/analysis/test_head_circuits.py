"""A head's circuits equal the whole products of weights, which a small model can hold."""

from dataclasses import replace

import pytest
import torch

import gptcore
from gptcore.analysis import head_circuits, repeated_token_scores
from gptcore.errors import ConfigError
from tiny import POST, SMALL, make_model


def folded(model, layer, head):
    """Query, key, value [D, C] and output [C, D] with the norm's gain and centring written out as
    matrices.
    """
    C = model.config.n_embd
    D = model.config.head_dim
    block = model.blocks[layer]
    centre = torch.eye(C) - torch.ones(C, C) / C
    rows = [block.attn.c_attn.weight[i * C + head * D : i * C + (head + 1) * D] for i in range(3)]
    output = block.attn.c_proj.weight[:, head * D : (head + 1) * D]
    return *(row @ torch.diag(block.ln_1.weight) @ centre for row in rows), output


def full_ov(model, layer, head):
    """[V, V]: what looking at the column's token adds to the row's logit, compared with the mean of
    the rows.
    """
    C = model.config.n_embd
    centre = torch.eye(C) - torch.ones(C, C) / C
    embedded = model.wte.weight
    if layer:  # behind the first block, with its MLP's answer
        embedded = embedded + model.h[0].mlp(model.h[0].ln_2(embedded))
    embedded = embedded @ centre / (embedded.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
    _, _, value, output = folded(model, layer, head)
    head_rows = model.lm_head.weight - model.lm_head.weight.mean(0)
    return head_rows @ torch.diag(model.ln_f.weight) @ centre @ output @ value @ embedded.T


@pytest.fixture(
    params=[
        SMALL,
        replace(SMALL, n_layer=2, n_head=2, attention_bias=False, tie_word_embeddings=False),
    ]
)
def model(request):
    return make_model(request.param)


@torch.no_grad()
def test_copied_and_suppressed_tokens_and_the_score_are_those_of_the_whole_matrix(model):
    for layer, head in ((0, 1), (1, 0)):
        whole = full_ov(model, layer, head)
        found = head_circuits(model, layer, head, n=5)
        own = whole.diagonal()
        assert [token for token, _ in found.copied] == own.topk(5).indices.tolist()
        assert [logit for _, logit in found.copied] == pytest.approx(
            own.topk(5).values.tolist(), abs=1e-4
        )
        assert [token for token, _ in found.suppressed] == (-own).topk(5).indices.tolist()
        assert [logit for _, logit in found.suppressed] == pytest.approx(
            own.sort().values[:5].tolist(), abs=1e-4
        )
        eigenvalues = torch.linalg.eigvals(whole.double())
        assert found.copying == pytest.approx(
            float(eigenvalues.real.sum() / eigenvalues.abs().sum()), abs=1e-3
        )


def test_a_head_that_copies_scores_one():
    """Values and outputs that carry a token's embedding through unchanged, as far as the head is
    wide.
    """
    model = make_model(replace(SMALL, n_layer=1, n_head=1))
    with torch.no_grad():
        model.h[0].attn.c_attn.weight[48:] = torch.eye(24)
        model.h[0].attn.c_proj.weight.copy_(torch.eye(24))
    assert head_circuits(model, 0, 0).copying == pytest.approx(1, abs=1e-3)
    with torch.no_grad():
        model.h[0].attn.c_proj.weight.neg_()
    found = head_circuits(model, 0, 0)
    assert found.copying == pytest.approx(-1, abs=1e-3) and found.copied[0][1] < 0


def test_what_is_no_head_is_refused(model):
    for layer, head in ((9, 0), (0, 9), (-1, 0)):
        with pytest.raises(ConfigError, match="There is no layer"):
            head_circuits(model, layer, head)
    with pytest.raises(ConfigError, match="post-norm"):
        head_circuits(make_model(POST), 0, 0)


def test_the_mini_s_induction_heads_copy_and_the_one_for_pronouns_is_seen():
    lm = gptcore.load()
    scores = repeated_token_scores(lm.model, first_id=lm.tokenizer.end_id)
    shape = lm.model.config
    every = [(layer, head) for layer in range(shape.n_layer) for head in range(shape.n_head)]
    looking = [place for place in every if scores.role(*place) == "induction"]
    assert len(looking) >= 4
    for layer, head in looking[:2]:
        assert head_circuits(lm.model, layer, head).copying > 0.9
    found = [lm.tokenizer.decode([token]) for token, _ in head_circuits(lm.model, 3, 2).copied]
    assert {" him", " her", " them"} <= set(found)
