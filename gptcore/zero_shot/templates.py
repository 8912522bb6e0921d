"""Prompts and what they are made of: an instruction, solved examples, the input and the cue that
asks for an answer.

One that is too long for a model's window is truncated, in a given order, with a note on what was
left out.
"""

import re
import string
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gptcore.errors import PromptError
from gptcore.language_model import LanguageModel

PartKind = Literal["instruction", "example", "input", "cue"]
ANSWER = "answer"
STEPS = "steps"


@dataclass(frozen=True)
class Item:
    """A task's input and what is expected.

    Attributes:
        fields: texts by the names of the placeholders that they fill.
        answer: the expected text; "" where nothing particular is.
        choices: the only possible answers, for tasks that have such.
        steps: a way to the answer in words, for chains of thought.
        people, event: names that a good summary has, and words of which it has at least one; in
            place of an answer.
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

    def without(self, index: int) -> "Prompt":
        """The prompt less one of its parts."""
        return Prompt((*self.parts[:index], *self.parts[index + 1 :]))

    def changed(self, index: int, text: str) -> "Prompt":
        """The prompt with another text in one of its parts."""
        return Prompt(
            (*self.parts[:index], replace(self.parts[index], text=text), *self.parts[index + 1 :])
        )


@dataclass(frozen=True)
class Template:
    """The wording of a task, with {placeholders} for its fields and {answer} at the end.

    With {steps} before {answer} it is a chain of thought: the model writes the steps, and the text
    between them and the answer marks where the answer begins.
    """

    # what people call it; "… (held out)" is kept for tests, and the little world never uses it
    name: str
    body: str  # of one item
    instruction: str = ""  # said once, before everything
    # what an answer is called here: {"positive": "good"}; answers that are not listed keep their
    # name
    labels: Mapping[str, str] = field(default_factory=dict)
    between: str = "\n"  # what separates items
    end: str = ""  # what follows an answer
    source: str = ""  # the paper that prints it, if one does

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
        return (
            self.body.partition("{steps}")[2].partition("{answer}")[0].strip()
            if self.chain_of_thought
            else ""
        )

    @property
    def lead(self) -> str:
        """The white space between the cue and the model's answer."""
        cue = self.body[: self._asked]
        return cue[len(cue.rstrip()) :]

    @property
    def _asked(self) -> int:
        """The index in the body at which the model takes over."""
        return self.body.index("{steps}" if self.chain_of_thought else "{answer}")

    def label(self, answer: str) -> str:
        """Returns the template's name for an answer; an unlisted answer keeps its own."""
        return self.labels.get(answer, answer)

    def check(self, needed: Sequence[str]) -> "Template":
        """The template itself, or a PromptError that says which placeholder is missing, unknown or
        in a wrong place.
        """
        try:
            names = _names(self.body)
            pieces = list(string.Formatter().parse(self.body))
        except ValueError:
            raise PromptError(
                "A { or } of the template has no partner. Write {{ and }} for literal braces."
            ) from None
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
            (
                nameless,
                f"A placeholder {{}} has no name. Write {right}, or {{{{}}}} for the braces.",
            ),
            (
                absent,
                f"The template has no {{answer}}. Put it where the model is to answer, after "
                f"{listed}.",
            ),
            (missing is not None, f"The template has no {{{missing}}}. This task needs {right}."),
            (
                unknown is not None,
                f"The template has {{{unknown}}}, which this task does not know. It fills "
                f"{listed}.",
            ),
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
        """Builds the prompt that the model reads: instruction, solved examples, and the item up to
        the point at which the model is to answer.
        """
        parts: list[Part] = []
        if self.instruction:
            parts.append(Part("instruction", f"{self.instruction}\n"))
        parts += [Part("example", self.solved(example) + self.between) for example in examples]
        shown = ""
        cue = ""
        for literal, name in _pieces(self.body[: self._asked]):
            cue += literal
            if name:
                shown = shown + cue + item.fields[name]
                cue = ""
        before, newline, after = cue.rpartition("\n")
        if newline:
            shown = shown + before
            cue = newline + after
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

        For a chain of thought, this is what follows the marker of the answer, or "" if it was not
        reached.
        """
        if self.chain_of_thought:
            _, _, written = written.partition(self.answer_follows)
        return without_end(written.strip(), self.end)


@dataclass(frozen=True)
class Fitted:
    """A prompt truncated to fit the window, its token ids, and a sentence on what was left out, or
    "".
    """

    prompt: Prompt
    ids: list[int]
    note: str = ""


def fit(lm: LanguageModel, prompt: Prompt, n_answer: int) -> Fitted:
    """Leaves out solved examples, the first ones first, then the beginning of the input, until
    there is room.

    The instruction and the cue stay whole, since the task is unclear without them.

    Args:
        lm: whose window counts.
        prompt: in its parts.
        n_answer: tokens reserved for the answer; at most half of the window is kept free for it.

    Raises:
        PromptError: nothing to read, or instruction and cue alone fill the window.
        TokenizerError: characters that the model does not know.
    """
    window = lm.model.config.n_positions
    room = window - min(n_answer, window // 2)
    ids = _ids(lm, prompt)
    if len(ids) <= room:
        return Fitted(prompt, ids)
    n_before = len(ids)
    n_left_out = 0
    notes = []
    n_examples = sum(part.kind == "example" for part in prompt.parts)
    while len(ids) > room and (index := _first(prompt, "example")) is not None:
        prompt = prompt.without(index)
        n_left_out = n_left_out + 1
        ids = _ids(lm, prompt)
    if n_left_out:
        notes.append(
            f"{n_left_out} of {n_examples} examples {'is' if n_left_out == 1 else 'are'} left out"
        )
    if len(ids) > room:
        prompt, cut = _cut(lm, prompt, room)
        ids = _ids(lm, prompt)
        notes.append(
            f"the first {cut} of the input {'is' if cut.startswith('1 ') else 'are'} left out"
        )
    why = (
        f"{n_before:,} tokens and {window - room} for the answer do not fit the window of "
        f"{window:,}"
    )
    left_out = " and ".join(notes)
    return Fitted(prompt, ids, f"{left_out[0].upper()}{left_out[1:]}: {why}. The cue is kept.")


def fit_text(lm: LanguageModel, text: str, n_answer: int) -> Fitted:
    """Fits a prompt that was edited by hand into the window, as `fit` does, but cuts its beginning,
    token by token.

    Raises:
        PromptError: an empty prompt.
        TokenizerError: characters that the model does not know.
    """
    prompt = Prompt((Part("input", text),))
    ids = _ids(lm, prompt)
    window = lm.model.config.n_positions
    room = window - min(n_answer, window // 2)
    if len(ids) <= room:
        return Fitted(prompt, ids)
    n_cut = len(ids) - room
    why = f"{len(ids):,} and {window - room} for the answer do not fit the window of {window:,}"
    kept = Prompt((Part("input", lm.tokenizer.decode(ids[n_cut:])),))
    return Fitted(
        kept,
        ids[n_cut:],
        f"The first {n_cut:,} tokens of the prompt are left out: {why}. Its end is kept.",
    )


def _ids(lm: LanguageModel, prompt: Prompt) -> list[int]:
    ids = lm.tokenizer.encode(prompt.text, allow_special=True)
    if not ids:
        raise PromptError("The prompt is empty. Write an input, or choose one of the examples.")
    return ids


def _first(prompt: Prompt, kind: str) -> int | None:
    return next((index for index, part in enumerate(prompt.parts) if part.kind == kind), None)


def _cut(lm: LanguageModel, prompt: Prompt, room: int) -> tuple[Prompt, str]:
    """Drops the beginning of the input until the prompt fits; returns the prompt, and how much was
    dropped in words.

    Whole words, or characters where no word at all would be left, as of a text without spaces.
    """
    index = _first(prompt, "input")
    whole = "" if index is None else prompt.parts[index].text

    def less(start: int) -> Prompt:
        return prompt if index is None else prompt.changed(index, whole[start:])

    def n_tokens(start: int) -> int:
        return len(lm.tokenizer.encode(less(start).text, allow_special=True))

    def fewest(starts: Sequence[int]) -> int:
        """The first place in `starts` behind which the rest fits; their number if none does."""
        return bisect_left(starts, True, key=lambda start: n_tokens(start) <= room)

    n_rest = n_tokens(len(whole))
    if index is None or n_rest > room:
        raise PromptError(
            f"The prompt has {n_rest:,} tokens even without examples and input, and {room:,} "
            "fit beside the answer. Shorten the instruction, or choose a model with a longer "
            "window."
        )
    words = [match.start() for match in re.finditer(r"\S+", whole)]
    for starts, unit in ((words, "word"), (range(len(whole)), "character")):
        n_cut = fewest(starts)
        if n_cut < len(starts):
            return less(starts[n_cut]), f"{n_cut:,} {unit}{'' if n_cut == 1 else 's'}"
    return less(len(whole)), f"{len(words):,} word{'' if len(words) == 1 else 's'}"


# Signs that keyboards and typesetters write differently for the same, and those around an answer in
# several scripts.
_ALIKE = str.maketrans(
    dict.fromkeys("’‘ʼ′＇", "'") | dict.fromkeys("“”„«»″", '"') | dict.fromkeys("‐‑‒–—−", "-")
)
_AROUND = ".!?,;:\"' …。！？，；：、．「」『』《》¿¡।"


def alike(text: str) -> str:
    """A text for comparing: composed characters (NFC), lower case, one kind of apostrophe,
    quotation mark and dash.
    """
    return unicodedata.normalize("NFC", text).translate(_ALIKE).casefold()


def normalised(answer: str, *, articles: bool = False) -> str:
    """For comparing: as `alike`, without outer punctuation and doubled spaces, and without English
    articles unless they are to stay. Much as SQuAD's script does, which takes the punctuation
    inside away, too.
    """
    words = alike(answer)
    words = words if articles else re.sub(r"\b(the|a|an)\b", " ", words)
    return " ".join(words.split()).strip(_AROUND)


def without_end(answer: str, end: str) -> str:
    """An answer without its ending, even if a stop string has already cut off the final
    punctuation.
    """
    for tail in (end.strip(), end.strip().rstrip(".!?")):
        if tail and answer.endswith(tail):
            return answer.removesuffix(tail).rstrip()
    return answer


def _pieces(body: str) -> list[tuple[str, str]]:
    """(literal text, placeholder after it or "") each."""
    return [(literal, name or "") for literal, name, _, _ in string.Formatter().parse(body)]


def _names(body: str) -> list[str]:
    return [name for _, name in _pieces(body) if name]
