"""When a preference formed: logit attribution by part at every checkpoint of a training run."""

from typing import Annotated

from gptcore.analysis import logit_attribution
from gptcore.language_model import MOMENT
from gptcore.tokenizers import describe_token
from ui.lenses.attention.handlers.circuit import asked
from ui.payloads import Formed, PairRequest, fields
from ui.services import Services
from ui.shared.formed import described
from ui.shared.inputs import InputError
from ui.shared.open_model import answering
from ui.state.model_store import base_name, moments


@answering
def formed(services: Services, request: Annotated[object, PairRequest]) -> Formed:
    """How a preference formed over a model's checkpoints; a message where it cannot be."""
    lm, ids, word, rival = asked(services, request)
    base = base_name(fields(request, "model")[0])
    kept = moments(base)
    if not kept:
        raise InputError("No earlier moments of this model’s training are kept.")
    readings = []
    for name in (*(f"{base}{MOMENT}{step}" for step in kept), base):
        one = services.models.get(name).model
        readings.append(services.now(lambda one=one: logit_attribution(one, ids, word, rival)))
    return described(readings, [*kept, None], [describe_token(lm.tokenizer, token) for token in (word, rival)])
