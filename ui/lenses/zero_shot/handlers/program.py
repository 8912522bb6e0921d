"""API handler of the endpoint /zero_shot, with the validation of the tab."""

from dataclasses import replace
from typing import Any

from gptcore.inference.sequence import TokenSequence, check_seed
from ui.lenses.zero_shot.handlers import asking, form
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError


def zero_shot(
    services: Services,
    task: str,
    fields: dict[str, str] | None = None,
    template: str = "",
    n_examples: int = 0,
    prompt: str = "",
    labels: str = "",
    max_new_tokens: int | None = None,
    temperature: float | None = None,
    top_k: int | None = None,
    seed: int = 1,
    model: str = asking.TASK_MODEL,
    top_p: float | None = None,
) -> dict[str, Any]:
    """Puts a task to a model from a prompt alone.

    Args:
        task: summarise, translate, question, fact, sentiment, story, cloze, arithmetic or analogy.
        fields: the task's inputs, such as {"english": "the red cat"} or {"text": ..., "question": ...}.
        template: a template's name; "" takes the first.
        n_examples: worked examples first, 0 to 8.
        prompt: what the model shall read instead of the assembled prompt, if not "".
        labels: answers to compare by likelihood, one a line; "" takes the task's, if it has some.
        max_new_tokens: of the answer; null takes the paper's setting.
        temperature: 0 always takes the most likely token; null takes the paper's setting.
        top_k: 0 is off; null takes the paper's setting.
        seed: the same seed gives the same answer.
        model: a name from the page's list.
        top_p: 1 is off; null takes the paper's setting.

    Returns:
        model, task, template, prompt, parts (kind, text), note (what was cut), budget (tokens), answer, written,
        seed, tokens (id, text, natural logprob), and labels (label, logprob, per_token, share).
    """
    given = {
        "labels": labels or None, "max_new_tokens": max_new_tokens, "temperature": temperature, "top_k": top_k,
        "top_p": top_p, "seed": seed,
    }  # fmt: skip
    fields, known = fields or {}, form.known_task(task)
    unknown = next(iter(set(fields) - set(known.fields)), None) if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or unknown is not None:
        what = f"There is no field {str(unknown)[:40]!r}" if unknown is not None else "The fields must be an object"
        wanted = ", ".join(f'"{field}": "..."' for field in known.fields)
        raise InputError(f"{what}. The task {task} takes {{{wanted}}}.")
    values = form.defaults(task)
    values |= {f"field_{place}": fields.get(field, "") for place, field in enumerate(known.fields)}
    values |= {"expected": "", "n_examples": n_examples, "prompt": prompt}
    values |= form.with_template(values, template or known.templates[0].name)
    values |= {key: value for key, value in given.items() if value is not None}
    if isinstance(prompt, str) and prompt.strip():  # then the fields do not count
        values |= {f"field_{place}": values[f"field_{place}"] or "-" for place in range(len(known.fields))}
    parsed = form.task_form(values, services.limits)
    lm = services.models.get(inputs.model_name(model))
    fitted = parsed.fitted(lm)
    settings = replace(parsed.settings, top_k=asking.within(parsed.settings.top_k, lm))
    seed = check_seed(parsed.seed)
    continuation = TokenSequence(fitted.ids, settings, seed=seed, tokenizer=lm.tokenizer, stop=parsed.stop)
    with services.admission.turn():
        made = [token.made for token in services.write(lm, [continuation], parsed.max_new_tokens)]
    written = "".join(token.text for token in made)
    shown = asking.parts_of(services, lm, parsed, fitted)
    return {
        "model": lm.name, "task": task, "template": parsed.template.name, "prompt": fitted.prompt.text,
        **{key: shown[key] for key in ("parts", "note", "budget")},
        "answer": parsed.template.found(written), "written": written, "seed": seed,
        "tokens": [{"id": one.id, "text": one.text, "logprob": round(one.logprob, 6)} for one in made],
        "labels": asking.labels_of(services, lm, parsed, fitted),
    }  # fmt: skip
