"""Prompts and what they are made of: an instruction, solved examples, the input and the cue that asks for an answer."""

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gptcore.errors import PromptError

PartKind = Literal["instruction", "example", "input", "cue"]
ANSWER, STEPS = "answer", "steps"


@dataclass(frozen=True)
class Item:
    """A task's input and what is expected.

    Attributes:
        fields: texts by the names of the placeholders that they fill.
        answer: the expected text; "" where nothing particular is.
        choices: the only possible answers, for tasks that have such.
        steps: a way to the answer in words, for chains of thought.
        people, event: names that a good summary has, and words of which it has at least one; in place of an answer.
    """

    fields: Mapping[str, str]
    answer: str = ""
    choices: tuple[str, ...] = ()
    steps: str = ""
    people: tuple[str, ...] = ()
    event: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A piece of a prompt and its purpose."""

    kind: PartKind
    text: str


@dataclass(frozen=True)
class Prompt:
    """A prompt as a sequence of parts; joined, they are its text."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    def of(self, kind: PartKind) -> str:
        """The text of all parts of a kind."""
        return "".join(part.text for part in self.parts if part.kind == kind)

    def without(self, place: int) -> "Prompt":
        """The prompt less one of its parts."""
        return Prompt((*self.parts[:place], *self.parts[place + 1 :]))

    def changed(self, place: int, text: str) -> "Prompt":
        """The prompt with another text in one of its parts."""
        return Prompt((*self.parts[:place], replace(self.parts[place], text=text), *self.parts[place + 1 :]))


@dataclass(frozen=True)
class Template:
    """How a task is written down, with {placeholders} for its fields and {answer} at the end.

    With {steps} before {answer} it is a chain of thought: the model writes the steps, and the text between them
    and the answer marks where the answer begins.

    Attributes:
        name: what people call it; "… (held out)" is kept for tests, and the little world never uses it.
        body: of one item.
        instruction: said once, before everything.
        labels: what an answer is called here: {"positive": "good"}; answers that are not listed keep their name.
        between: what separates items.
        end: what follows an answer.
        source: the paper that prints it, if one does.
    """

    name: str
    body: str
    instruction: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    between: str = "\n"
    end: str = ""
    source: str = ""

    @property
    def held_out(self) -> bool:
        """Whether training never shows it."""
        return self.name.endswith("(held out)")

    @property
    def chain_of_thought(self) -> bool:
        """Whether the model is to write steps before its answer."""
        return STEPS in _names(self.body)

    @property
    def answer_follows(self) -> str:
        """The text between the steps and the answer of a chain of thought; else ""."""
        return self.body.partition("{steps}")[2].partition("{answer}")[0].strip() if self.chain_of_thought else ""

    @property
    def lead(self) -> str:
        """The white space between the cue and the model's answer."""
        cue = self.body[: self._asked]
        return cue[len(cue.rstrip()) :]

    @property
    def _asked(self) -> int:
        """Where in the body the model takes over."""
        return self.body.index("{steps}" if self.chain_of_thought else "{answer}")

    def label(self, answer: str) -> str:
        """What an answer is called here."""
        return self.labels.get(answer, answer)

    def check(self, needed: Sequence[str]) -> "Template":
        """The template itself, or a PromptError that says which placeholder is missing, unknown or in a wrong place."""
        try:
            names = _names(self.body)
            pieces = list(string.Formatter().parse(self.body))
        except ValueError:
            raise PromptError("A { or } of the template has no partner. Write {{ and }} for literal braces.") from None
        listed = ", ".join(f"{{{name}}}" for name in needed)
        missing = next((name for name in needed if name not in names), None)
        unknown = next((name for name in names if name not in (*needed, ANSWER, STEPS)), None)
        formatted = any(spec or conversion for _, _, spec, conversion in pieces)
        nameless = any(name == "" for _, name, _, _ in pieces)
        absent = ANSWER not in names
        twice = max(self.body.count("{answer}"), self.body.count("{steps}")) > 1
        misplaced = names[-1:] != [ANSWER] or (STEPS in names and names[-2] != STEPS)
        trailing = self.body.partition("{answer}")[2].strip() != ""
        right = f"{listed} and then {{answer}}"
        faults = (  # such as {text:>999999999}, which would make as many spaces
            (formatted, f"A placeholder has a : or ! in it. Write plain names: {right}."),
            (nameless, f"A placeholder {{}} has no name. Write {right}, or {{{{}}}} for the braces."),
            (absent, f"The template has no {{answer}}. Put it where the model is to answer, after {listed}."),
            (missing is not None, f"The template has no {{{missing}}}. This task needs {right}."),
            (unknown is not None, f"The template has {{{unknown}}}, which this task does not know. It fills {listed}."),
            (twice, "{answer} and {steps} may stand in the template once."),
            (misplaced, "{answer} must be the last placeholder, and {steps} the one before it."),
            (trailing, "Nothing may follow {answer}: the prompt ends where the model answers."),
        )
        for is_wrong, sentence in faults:
            if is_wrong:
                raise PromptError(sentence)
        return self

    def solved(self, item: Item) -> str:
        """An item with its answer, as an example shows it."""
        answer = self.label(item.answer)
        return self.body.format(**{**item.fields, STEPS: item.steps, ANSWER: answer}) + self.end

    def prompt(self, item: Item, examples: Sequence[Item] = ()) -> Prompt:
        """What the model is given to read: instruction, solved examples, and the item up to where it is to answer."""
        parts: list[Part] = []
        if self.instruction:
            parts.append(Part("instruction", f"{self.instruction}\n"))
        parts += [Part("example", self.solved(example) + self.between) for example in examples]
        shown, cue = "", ""
        for literal, name in _pieces(self.body[: self._asked]):
            cue += literal
            if name:
                shown, cue = shown + cue + item.fields[name], ""
        before, newline, after = cue.rpartition("\n")
        if newline:
            shown, cue = shown + before, newline + after
        if shown:
            parts.append(Part("input", shown))
        if cue.rstrip():
            parts.append(Part("cue", cue.rstrip()))
        return Prompt(tuple(parts))

    def document(self, items: Sequence[Item]) -> str:
        """A text that shows the task: items with their answers."""
        head = f"{self.instruction}\n" if self.instruction else ""
        return head + self.between.join(self.solved(item) for item in items)

    def found(self, written: str) -> str:
        """Extracts the answer from the model's output, without the template's ending.

        For a chain of thought, this is what follows the marker of the answer, or "" if it was not reached.
        """
        if self.chain_of_thought:
            _, _, written = written.partition(self.answer_follows)
        return without_end(written.strip(), self.end)


def normalised(answer: str, *, articles: bool = False) -> str:
    """For comparing: lower case, without outer punctuation and doubled spaces, and without English articles.

    Much as SQuAD's script does, which takes the punctuation inside away, too.

    Args:
        answer: any text.
        articles: keep them.
    """
    words = answer.lower() if articles else re.sub(r"\b(the|a|an)\b", " ", answer.lower())
    return " ".join(words.split()).strip(".!?,;:\"' ")


def without_end(answer: str, end: str) -> str:
    """An answer without its ending, even if a stop string has already cut off the final punctuation."""
    for tail in (end.strip(), end.strip().rstrip(".!?")):
        if tail and answer.endswith(tail):
            return answer.removesuffix(tail).rstrip()
    return answer


def _pieces(body: str) -> list[tuple[str, str]]:
    """(literal text, placeholder after it or "") each."""
    return [(literal, name or "") for literal, name, _, _ in string.Formatter().parse(body)]


def _names(body: str) -> list[str]:
    return [name for _, name in _pieces(body) if name]
