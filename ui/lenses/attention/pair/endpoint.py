"""The endpoint /patching."""

from dataclasses import dataclass
from typing import Any, cast

from gptcore.analysis import patching_grid
from gptcore.analysis.patching import PATCH_KINDS, PatchKind
from gptcore.language_model import DEFAULT_MODEL
from gptcore.tokenizers import describe_token
from ui.lenses.attention.handlers.single_token import LONGEST_TOKEN, token_id
from ui.lenses.attention.pair.patching import both_answers, read_ids
from ui.services import Services
from ui.shared import inputs
from ui.shared.endpoint import MODEL, Endpoint, needed, written
from ui.shared.fields import Choice, Text, declared


def _token(title: str, about: str) -> Text:
    return Text(title=title, help=about, most=LONGEST_TOKEN)


@dataclass(frozen=True, kw_only=True)
class PatchingRequest:
    """The request of a program to /patching."""

    source: str = needed(written("Source", "the text whose values are taken."))
    target: str = needed(
        written("Target", "the text whose run is patched; of as many tokens, at most 40.")
    )
    kind: str = declared(
        Choice(
            title="Kind",
            help='"residual", "attention", "mlp" or "head".',
            options={kind: kind for kind in PATCH_KINDS},
        ),
        "residual",
    )
    model: str = declared(MODEL, DEFAULT_MODEL)
    token: str = declared(
        _token(
            "Token",
            'one token\'s text, the answer that is carried; "" for what source goes on with.',
        ),
        "",
    )
    against: str = declared(_token("Rival", 'its rival; "" for what target goes on with.'), "")


def patching(services: Services, request: PatchingRequest) -> dict[str, Any]:
    """Which place of a text carries its answer: another text's run, patched with the first one's
    values.

    Returns:
        model, source and target (tokens), answers (token and against), and grid: the share of the
        difference that comes back, by depth and position for "residual", by layer and position for
        "attention" and "mlp", by layer and head for "head".
    """
    lm = services.models.get(inputs.model_name(request.model))
    ids = read_ids(services, lm, request.source, "The source")
    others = read_ids(services, lm, request.target, "The target")
    token = token_id(lm, request.token) if request.token else None
    against = token_id(lm, request.against) if request.against else None
    _, (word, rival) = both_answers(services, lm, [ids, others], (token, against))
    kind = cast(PatchKind, request.kind)
    grid = services.now(lambda: patching_grid(lm.model, ids, others, word, rival, kind).tolist())
    return {
        "model": lm.name,
        "source": [describe_token(lm.tokenizer, item) for item in ids],
        "target": [describe_token(lm.tokenizer, other) for other in others],
        "answers": [describe_token(lm.tokenizer, item) for item in (word, rival)],
        "grid": [[round(share, 5) for share in row] for row in grid],
    }


ENDPOINTS = (Endpoint("patching", PatchingRequest, patching),)
