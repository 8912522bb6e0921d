"""The four input forms of the GPT-1 paper's figure 1: how a line becomes token sequences for one and the same model."""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gptcore.finetuning import EncodedExample, SpecialTokens, classification, entailment, multiple_choice, similarity
from gptcore.tokenizers import Tokenizer
from ui.shared.inputs import InputError

Encode = Callable[[Sequence[Sequence[int]], int, SpecialTokens, int], EncodedExample]


@dataclass(frozen=True)
class InputForm:
    """One way to put a task as token sequences."""

    title: str  # on the page
    line: str  # what a line holds, after the label
    # least, most: how many texts a line has
    least: int
    most: int
    sequences: tuple[tuple[str, ...], ...]  # what the model reads, a list of parts for each; for the drawing
    joins: str  # what is done with what it reads
    encode: Encode  # (ids of the texts, label, special tokens, window) -> what the classifier reads

    @property
    def answers_compete(self) -> bool:
        """Whether the label is the number of the right answer, and every answer gets one score."""
        return self.most > 2


INPUT_FORMS: dict[str, InputForm] = {
    "classification": InputForm(
        "Classification", "a text", 1, 1,
        (("start", "text", "extract"),),
        "a linear layer reads the extract token",
        lambda texts, label, tokens, window: classification(texts[0], label, tokens=tokens, window=window),
    ),
    "entailment": InputForm(
        "Entailment", "a premise, a hypothesis", 2, 2,
        (("start", "premise", "delimiter", "hypothesis", "extract"),),
        "a linear layer reads the extract token",
        lambda texts, label, tokens, window: entailment(texts[0], texts[1], label, tokens=tokens, window=window),
    ),
    "similarity": InputForm(
        "Similarity", "two texts", 2, 2,
        (("start", "text 1", "delimiter", "text 2", "extract"), ("start", "text 2", "delimiter", "text 1", "extract")),
        "both orders, since neither comes first; their final states are added, then a linear layer",
        lambda texts, label, tokens, window: similarity(texts[0], texts[1], label, tokens=tokens, window=window),
    ),
    "choice": InputForm(
        "Multiple choice", "a context, and 2 to 5 answers", 3, 6,
        (("start", "context", "delimiter", "answer 1", "extract"),
         ("start", "context", "delimiter", "answer 2", "extract")),
        "one score for each answer, then a softmax over the answers; the label is the right answer's number",
        lambda texts, label, tokens, window: multiple_choice(
            texts[0], texts[1:], label, tokens=tokens, window=window),
    ),
}  # fmt: skip


def input_form(name: object) -> InputForm:
    """By its name. Raises InputError for an unknown one."""
    if not isinstance(name, str) or name not in INPUT_FORMS:
        raise InputError(f"{str(name)[:40]!r} is not an input form. Choose {', '.join(INPUT_FORMS)}.")
    return INPUT_FORMS[name]


def texts_of(form: InputForm, written: str, what: str) -> tuple[str, ...]:
    """The texts of a line, between tabs or bars where there are several. Raises InputError for an invalid line."""
    if form.most == 1:
        return (written.strip(),)
    texts = tuple(part.strip() for part in written.replace("\t", "|").split("|"))
    if not form.least <= len(texts) <= form.most or not all(texts):
        raise InputError(f"{what} is {written[:40]!r}; write {form.line}, with a bar | or a tab between them.")
    return texts


def encoded(
    form: InputForm, tokenizer: Tokenizer, texts: Sequence[str], label: int, tokens: SpecialTokens, window: int
) -> EncodedExample:
    """A line as the classifier reads it. Raises TokenizerError and ContextLengthError where it cannot be."""
    return form.encode([tokenizer.encode(text) for text in texts], label, tokens, window)


def drawing(name: str) -> str:
    """The token sequences of a form as HTML: boxes for the parts, the special tokens marked."""
    form = INPUT_FORMS[name]
    rows = ""
    for sequence in form.sequences:
        kinds = ["special" if part in ("start", "delimiter", "extract") else "text" for part in sequence]
        boxes = (f"<span class='if-{kind}'>{part}</span>" for kind, part in zip(kinds, sequence, strict=True))
        rows += f"<div class='u-row u-type-xs'>{''.join(boxes)}<i>→ transformer →</i></div>"
    return f"<div class='if-drawing'>{rows}<p>{html.escape(form.joins)}</p></div>"
