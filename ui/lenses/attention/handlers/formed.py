"""When a preference formed: logit attribution by part at every checkpoint of a training run."""

import json
from typing import Annotated

from gptcore.analysis import logit_attribution
from gptcore.errors import GPTCoreError
from gptcore.language_model import MOMENT
from gptcore.tokenizers import describe_token
from ui.payloads import Formed, PairRequest, fields
from ui.services import Services
from ui.shared import inputs
from ui.shared.formed import described
from ui.shared.open_model import open_model, refused
from ui.state.model_store import base_name, moments


def formed(services: Services, request: Annotated[object, PairRequest]) -> Annotated[str, Formed]:
    """How a preference formed over a model's checkpoints; a message where it cannot be, "" without checkpoints."""
    try:
        model, text, *pair = fields(request, "model", "text", "word", "rival")
        lm = open_model(services, model)
        base = base_name(str(model))
        kept = moments(base)
        if not kept:
            return json.dumps({"message": ""})
        high = lm.model.config.vocab_size - 1
        word, rival = (inputs.whole(one, "The token", low=0, high=high) for one in pair)
        written = inputs.text(text, "The text", most=services.limits.max_prompt_chars, least=1)
        ids, _ = inputs.last_window(lm, written)
        names = [*(f"{base}{MOMENT}{step}" for step in kept), base]
        readings = []
        for name in names:
            one = services.models.get(name).model
            readings.append(services.now(lambda one=one: logit_attribution(one, ids, word, rival)))
        labels = [describe_token(lm.tokenizer, token) for token in (word, rival)]
        return json.dumps(described(readings, [*kept, None], labels), ensure_ascii=False)
    except GPTCoreError as error:
        return refused(error)
