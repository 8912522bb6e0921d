"""API handlers of the endpoints /attention, /attribution and /patching."""

from typing import Any, cast

from gptcore.analysis import head_scores, logit_attribution, logits_without, patching_grid, uniform_scores
from gptcore.analysis.patching import PATCH_KINDS, PatchKind
from gptcore.inference.generation import prompt_ids
from gptcore.language_model import DEFAULT_MODEL, LanguageModel
from gptcore.tokenizers import describe_token
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.pair.patching import both_answers, read_ids
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError


def attention(
    services: Services,
    prompt: str,
    layer: int | None = None,
    head: int | None = None,
    sink: str = maps.RAW,
    keep: str = "end",
    model: str = DEFAULT_MODEL,
) -> dict[str, Any]:
    """Where every head looks while the model reads a text, and what the heads do.

    Args:
        prompt: text to read.
        layer: from 0; with head, its full map is returned too.
        head: from 0.
        sink: "raw", "end-of-text in front", or "without the first token" (left out, the rest scaled to sum to 1).
        keep: "beginning" or "end" of a text that is longer than the model's window.
        model: a name from the page's list.

    Returns:
        model, tokens, token_ids, note (what was cut), n_layer, n_head, scores on this text and on repeated random
        tokens (name -> one number for each layer and head; null where there is no occasion), roles, and weights
        [reading token][looked-at token] of the chosen head, or null.
    """
    seen = maps.read(services, None, maps.AttentionForm(model, prompt, sink, keep))
    reading = seen.kept.reading
    if (layer is None) != (head is None):
        raise InputError("Give both a layer and a head for a map, or neither for the scores alone.")
    if layer is not None:
        layer = inputs.whole(layer, "The layer", low=0, high=reading.n_layer - 1)
        head = inputs.whole(head, "The head", low=0, high=reading.n_head - 1)

    def described() -> dict[str, Any]:
        weights = None
        if layer is not None and head is not None:
            shown = maps.shown_as(reading.head_weights(layer, head), sink)
            weights = [[None if value != value else round(value, 6) for value in row] for row in shown.tolist()]
        scores, places = head_scores(reading.layers(), reading.token_ids), range(reading.n_layer)
        chance = uniform_scores(reading.token_ids, causal=reading.causal)
        return {
            "model": seen.lm.name,
            "tokens": list(seen.kept.labels),
            "token_ids": list(reading.token_ids),
            "note": seen.note,
            "n_layer": reading.n_layer,
            "n_head": reading.n_head,
            "scores": scores.lists(),
            "random": services.attention_cache.profile(seen.lm).lists(),
            "roles": [[scores.role(at, which, chance) for which in range(reading.n_head)] for at in places],
            "weights": weights,
        }

    return services.now(described)


def attribution(
    services: Services, prompt: str, token: str = "", against: str = "", model: str = DEFAULT_MODEL
) -> dict[str, Any]:
    """Why a token and not another: the difference of their logits as a sum over the parts of the model.

    Args:
        prompt: text that the token follows.
        token: one token's text, such as " ball"; "" for the likeliest.
        against: its rival; "" for the likeliest other one.
        model: a name from the page's list; a pre-norm one.

    Returns:
        model, token, against, total (the difference of both logits) and parts, [name, what it writes], the largest
        first: "token" and "position" for the embeddings, "L0H0" for a head, "L0 MLP", "constants" for biases.
    """
    lm = services.models.get(inputs.model_name(model))
    written = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    ids = prompt_ids(lm, written)[-lm.model.config.n_positions :]
    first, second = services.now(lambda: logits_without(lm.model, ids, [[]])[0].topk(2).indices.tolist())
    word = first if not token else _token(lm, token)
    rival = (second if word == first else first) if not against else _token(lm, against)
    attributed = services.now(lambda: logit_attribution(lm.model, ids, word, rival))
    parts = sorted(zip(attributed.names, attributed.values.tolist(), strict=True), key=lambda part: -abs(part[1]))
    return {
        "model": lm.name,
        "token": describe_token(lm.tokenizer, word),
        "against": describe_token(lm.tokenizer, rival),
        "total": round(attributed.total, 5),
        "parts": [[name, round(value, 5)] for name, value in parts],
    }


def patching(
    services: Services,
    source: str,
    target: str,
    kind: str = "residual",
    model: str = DEFAULT_MODEL,
    token: str = "",
    against: str = "",
) -> dict[str, Any]:
    """Which place of a text carries its answer: another text's run, patched with the first one's values.

    Args:
        source: the text whose values are taken.
        target: the text whose run is patched; of as many tokens, at most 40.
        kind: "residual", "attention", "mlp" or "head".
        model: a name from the page's list.
        token: one token's text, the answer that is carried; "" for what source goes on with.
        against: its rival; "" for what target goes on with.

    Returns:
        model, source and target (tokens), answers (token and against), and grid: the share of the
        difference that comes back, by depth and position for "residual", by layer and position for "attention" and
        "mlp", by layer and head for "head".
    """
    if kind not in PATCH_KINDS:
        raise InputError(f"The kind is {str(kind)[:40]!r}; choose {', '.join(PATCH_KINDS)}.")
    lm = services.models.get(inputs.model_name(model))
    ids, others = read_ids(services, lm, source, "The source"), read_ids(services, lm, target, "The target")
    chosen = tuple(_token(lm, one) if one else None for one in (token, against))
    _, (word, rival) = both_answers(services, lm, [ids, others], (chosen[0], chosen[1]))
    grid = services.now(lambda: patching_grid(lm.model, ids, others, word, rival, cast(PatchKind, kind)).tolist())
    return {
        "model": lm.name,
        "source": [describe_token(lm.tokenizer, one) for one in ids],
        "target": [describe_token(lm.tokenizer, one) for one in others],
        "answers": [describe_token(lm.tokenizer, one) for one in (word, rival)],
        "grid": [[round(share, 5) for share in row] for row in grid],
    }


def _token(lm: LanguageModel, text: object) -> int:
    """The id of a text that is one token."""
    ids = lm.tokenizer.encode(inputs.text(text, "The token", most=200, least=1))
    if len(ids) != 1:
        labels = ", ".join(repr(describe_token(lm.tokenizer, one)) for one in ids[:8])
        raise InputError(f"{str(text)[:40]!r} is {len(ids)} tokens here ({labels}); give one. Most begin with a space.")
    return ids[0]
