"""API handler of the endpoint /zero_shot, with the validation of the tab."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gptcore.inference.sequence import TokenSequence, check_seed
from ui.lenses.zero_shot.handlers import asking, form
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError


def by_program(
    services: Services,
    model: str,
    name: str,
    fields: object,
    template: str,
    n_examples: int,
    prompt: str,
    given: Mapping[str, object],
) -> dict[str, Any]:
    """A task for the endpoint: the prompt as it is assembled, the greedy or sampled answer, and the labels.

    Args:
        services: of the app.
        model, name, template: by name; "" takes the task's first template.
        fields: the task's inputs by their names.
        n_examples: solved ones of the little world in front.
        prompt: instead of the assembled one, if not "".
        given: labels, max_new_tokens, temperature, top_k, seed; None takes the task's.
    """
    task = form.known_task(name)
    unknown = next(iter(set(fields) - set(task.fields)), None) if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or unknown is not None:
        what = f"There is no field {str(unknown)[:40]!r}" if unknown is not None else "The fields must be an object"
        wanted = ", ".join(f'"{field}": "..."' for field in task.fields)
        raise InputError(f"{what}. The task {name} takes {{{wanted}}}.")
    values = form.defaults(name)
    values |= {f"field_{place}": fields.get(field, "") for place, field in enumerate(task.fields)}
    values |= {"expected": "", "n_examples": n_examples, "prompt": prompt}
    values |= form.with_template(values, template or task.templates[0].name)
    values |= {key: value for key, value in given.items() if value is not None}
    if isinstance(prompt, str) and prompt.strip():  # then the fields do not count
        values |= {f"field_{place}": values[f"field_{place}"] or "-" for place in range(len(task.fields))}
    parsed = form.task_form(values, services.limits)
    lm = services.models.get(inputs.model_name(model))
    fitted = parsed.fitted(lm)
    settings = replace(parsed.settings, top_k=asking.within(parsed.settings.top_k, lm))
    seed = check_seed(parsed.seed)
    continuation = TokenSequence(fitted.ids, settings, seed=seed, tokenizer=lm.tokenizer, stop=parsed.stop)
    with services.admission.turn():
        made = [token for (_, token), _ in services.write(lm, [continuation], parsed.max_new_tokens)]
    written = "".join(token.text for token in made)
    shown = asking.parts_of(services, lm, parsed, fitted)
    return {
        "model": lm.name,
        "task": name,
        "template": parsed.template.name,
        "prompt": fitted.prompt.text,
        **{key: shown[key] for key in ("parts", "note", "budget")},
        "answer": parsed.template.found(written),
        "written": written,
        "seed": seed,
        "tokens": [{"id": one.id, "text": one.text, "logprob": round(one.logprob, 6)} for one in made],
        "labels": asking.labels_of(services, lm, parsed, fitted),
    }
