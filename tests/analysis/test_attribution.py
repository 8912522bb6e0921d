"""Attribution sums to what the model computes, and each part is what an independent recomputation
gives.
"""

import pytest
import torch

from gptcore.analysis import logit_attribution
from gptcore.errors import ConfigError, TokenIdError
from tiny import POST, SMALL, Seen, make_model, random_ids


def test_the_parts_sum_to_the_difference_of_logits(model):
    ids = random_ids(model.config, 9).tolist()
    logits = model(torch.tensor([ids])).logits[0, -1].detach()
    for token, against in ((3, 7), (11, None)):
        found = logit_attribution(model, ids, token, against)
        expected = float(logits[token] - (0 if against is None else logits[against]))
        assert found.total == pytest.approx(expected, abs=1e-4)
        assert float(found.values.sum()) == pytest.approx(expected, abs=1e-4)
        n_mlps = model.config.n_layer if model.config.use_mlp else 0
        assert (
            len(found.names)
            == len(set(found.names))
            == 3 + model.config.n_layer * model.config.n_head + n_mlps
        )


def test_a_head_s_value_is_its_direct_path_to_the_logits():
    model = make_model(SMALL)
    ids = random_ids(SMALL, 9).tolist()
    found = logit_attribution(model, ids, 3, 7)
    probe = Seen()
    with torch.no_grad():
        model(torch.tensor([ids]), probe=probe)
        width = SMALL.head_dim
        stream = probe.by_name["residual"][-1][0, -1]
        written = (
            model.blocks[1].attn.c_proj.weight[:, 2 * width : 3 * width]
            @ probe.by_name["heads"][1][0, 2, -1]
        )
        deviation = (stream.var(correction=0) + model.ln_f.eps).sqrt()
        read = (written - written.mean()) / deviation * model.ln_f.weight
        expected = float(read @ (model.lm_head.weight[3] - model.lm_head.weight[7]))
    assert float(found.values[found.names.index("L1H2")]) == pytest.approx(expected, abs=1e-5)


def test_what_cannot_be_split_is_refused_in_a_sentence():
    ids = [1, 2, 3]
    with pytest.raises(ConfigError, match="post-norm"):
        logit_attribution(make_model(POST), ids, 1)
    model = make_model(SMALL)
    for token, against in ((40, None), (-1, None), (1, 99)):
        with pytest.raises(TokenIdError, match="outside this model's vocabulary"):
            logit_attribution(model, ids, token, against)
    with pytest.raises(TokenIdError):
        logit_attribution(model, [], 1)
