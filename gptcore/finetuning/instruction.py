"""Instructions: a chat format, and prompts with their answers that are synthesised from stories.

Sources: Ouyang et al. 2022, "Training language models to follow instructions with human feedback",
section 3.5 (supervised fine-tuning, the first of three steps); Eldan and Li 2023, "TinyStories"
(stories with given words); PROMETHEUS (Bertin 2025, repository), which makes the instructions from
the corpus's own stories, as here.
"""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from gptcore.errors import PromptError, TrainingError

Role = Literal["System", "User", "Assistant"]
Kind = Literal["words", "sentence", "about", "continue", "ending", "question", "talk"]
USER: Role = "User"
ASSISTANT: Role = "Assistant"
SYSTEM: Role = "System"
STOP = f"\n{USER}:"  # where a model would continue with the user's next turn
N_WORDS = 3  # words requested by an instruction
LEAST_SENTENCES = 3  # of a story that something is asked of
_LONGEST_REQUEST = 3  # words of one that is requested: "a red ball"

_WORD = re.compile(r"\b[a-z]{3,12}\b")
_NOUN = re.compile(r"\b(?:a|the|his|her) ([a-z]{3,12})[.,!?]")
_SENTENCE_END = re.compile(r'(?:(?<=[.!?])|(?<=[.!?]["”]))(?<!Mr\.)(?<!Mrs\.)\s+(?![a-z])')
_NAMED = re.compile(r"\b(?:a|an) ((?:[a-z]+ ){0,2}[a-z]+) (?:named|called) ([A-Z][a-z]+)")
# The list behind "the words", "these words in a story:", "Words:" or "a story with"; see
# `requested_words`.
_LISTED = re.compile(
    r"(?:\b(?:the|these) words?(?: in an? (?:\w+ )?(?:story|sentence))?\b|(?:^|[.!?]\s+)words:|"
    r"\b(?:story|sentence) with(?! (?:the|these) words?\b)(?=[^.!?]*(?:,| and )))"
    r"\s*:?\s*([^.!?\n]+)",
    re.IGNORECASE,
)
_COMMONEST = 160  # most frequent words, which are not specific to a story
_CONTINUED = 0.25  # of the instructions have turns before them
_AGAIN = 0.1  # of the small talk among those asks the same again
_RAREST = 4  # minimum number of stories that contain a word
SHARES: Mapping[Kind, float] = {
    "words": 0.50, "about": 0.20, "continue": 0.07, "ending": 0.05, "question": 0.06, "talk": 0.12,
}  # fmt: skip
# A story has few of its requested words among many others; in a sentence nearly every word counts,
# so that a short training learns from these to use the words of a prompt. Replies are short, and so
# need a large share.
TEACHING_SHARES: Mapping[Kind, float] = {
    "sentence": 0.39,
    "words": 0.22,
    "about": 0.09,
    "continue": 0.03,
    "ending": 0.02,
    "question": 0.03,
    "talk": 0.22,
}
_ASKS_WORDS = (
    "Write a story with the words: {words}.", "Write a story with the words: {words}.",
    "Write a story with the words {words}.", "Tell me a story with the words {words}.",
    "Write a short story with these words: {words}.", "Can you write a story with {words}?",
    "Please use these words in a story: {words}.", "Write a story. Words: {words}.",
)  # fmt: skip
_ASKS_ABOUT = (
    "Write a story about {about}.",
    "Tell me a story about {about}.",
    "Can you tell me a story about {about}?",
    "Write a short story about {about}.",
    "Please write a story about {about}.",
    "I want a story about {about}.",
)
_ASKS_ANY = (
    "Tell me a story.",
    "Write a story.",
    "Another story, please.",
    "Surprise me.",
    "Write something.",
    "One more story!",
    "Can you tell me a story?",
    "I want a story.",
    "Please write a little story.",
    "A story, please.",
    "Tell me another.",
)
_ANY = 0.1  # of the requests for a story about something leave open what
_ASKS_SENTENCE = (
    "Write a sentence with the words: {words}.", "Write a sentence with the words {words}.",
    "Can you write a sentence with {words}?", "Please use these words in a sentence: {words}.",
    "Write a sentence. Words: {words}.",
)  # fmt: skip
_ASKS_BOTH = (
    "Write a story about {about}, with the words: {words}.",
    "Tell me a story about {about}, with the words {words}.",
)
# What people say to an assistant beside asking for stories, and short answers; the texts are a
# file.
_TALK = Path(__file__).with_name("small_talk.txt")
_SLOT = re.compile(r"\{(\w+)\}")
_SYLLABLES = (
    "ba",
    "dri",
    "fen",
    "ga",
    "ho",
    "ju",
    "ka",
    "lo",
    "mir",
    "na",
    "pe",
    "ro",
    "sha",
    "ti",
    "vel",
    "wu",
    "zo",
)
_NAMED_SHARE = (
    0.1  # of the exchanges are about a name in any case, since copying one is the hardest to learn
)
_INVENTED = 0.4  # of the names, so that a name is copied and not recognised
# how a message is typed
_TYPED = (("as it is", 0.66), ("lower", 0.13), ("upper", 0.11), ("bare", 0.10))


@dataclass(frozen=True)
class Message:
    """A turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True)
class Instruction:
    """A user's request and its answer."""

    prompt: str  # the user's turn
    answer: str  # the assistant's
    kind: Kind  # what is asked for
    words: tuple[str, ...] = ()  # those that the answer must contain, if the prompt requests any
    earlier: tuple[
        str, ...
    ] = ()  # what was said before: the user's turns and the assistant's, in turn

    @property
    def messages(self) -> list[Message]:
        """The conversation up to the request."""
        turns = (*self.earlier, self.prompt)
        return [Message(ASSISTANT if index % 2 else USER, turn) for index, turn in enumerate(turns)]


def chat_prompt(messages: Sequence[Message]) -> str:
    """A conversation as plain text, up to where the assistant's next turn begins.

    Plain labels and no special tokens, so that any model and any vocabulary can read it.

    Raises:
        PromptError: the last message is not the user's.
    """
    if not messages or messages[-1].role != USER or not messages[-1].text.strip():
        raise PromptError("There is nothing to answer: write a message first.")
    return (
        "".join(f"{message.role}: {message.text.strip()}\n" for message in messages)
        + f"{ASSISTANT}:"
    )


def instructions(
    stories: Sequence[str], n: int, *, seed: int = 1, shares: Mapping[Kind, float] = SHARES
) -> list[Instruction]:
    """Instructions whose answers are stories, parts of them, or what one says in a talk.

    Args:
        stories: plain texts of some sentences each.
        n: how many to make.
        seed: of the choices.
        shares: how often each kind is tried, relative to the others; not every story lends itself
            to each.

    Raises:
        TrainingError: no story has words to ask for.
    """
    stories = [story.strip() for story in stories if len(sentences(story)) >= LEAST_SENTENCES]
    # each word of a story once, in its order: of equally frequent ones the first are commonest
    frequency = Counter(word for story in stories for word in dict.fromkeys(_WORD.findall(story)))
    commonest = {word for word, _ in frequency.most_common(min(_COMMONEST, len(frequency) // 4))}
    least = _RAREST if len(stories) >= 200 else 1
    telling = {
        word for word, count in frequency.items() if count >= least and word not in commonest
    }
    nouns = {word for story in stories for word in _NOUN.findall(story)} & telling
    draw = random.Random(seed)
    made = list[Instruction]()
    kinds = list(shares)
    weights = list(shares.values())
    tries = 0
    while len(made) < n:
        tries += 1
        if not stories or tries > 20 * n + 1000:
            wanted = (
                f"give more texts of at least {LEAST_SENTENCES} sentences with different words."
            )
            raise TrainingError(
                f"{len(stories)} stories gave {len(made)} of {n} instructions; {wanted}"
            )
        one = _make(draw, draw.choices(kinds, weights)[0], draw.choice(stories), telling, nouns)
        if one is not None:
            made.append(in_conversation(draw, one, made[-1:]))
    return made


def requested_words(prompt: str) -> tuple[str, ...]:
    """The words that a prompt asks for, as it writes them; () where it asks for none."""
    match = _LISTED.search(prompt)
    items = re.split(r",|\band\b", match[1]) if match is not None else []
    words = (re.sub(r"^\W+|\W+$", "", item) for item in items)
    return tuple(
        dict.fromkeys(word for word in words if word and len(word.split()) <= _LONGEST_REQUEST)
    )


def unseen(
    instructions: Sequence[Instruction], learned: Sequence[Instruction]
) -> list[Instruction]:
    """Drops instructions whose prompt or answer occurs in `learned`; keeps each prompt once."""
    prompts = {item.prompt for item in learned}
    answers = {item.answer for item in learned}
    new = {
        instruction.prompt: instruction
        for instruction in instructions
        if instruction.prompt not in prompts and instruction.answer not in answers
    }
    return list(new.values())


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in _SENTENCE_END.split(text.strip()) if part]


def in_conversation(
    draw: random.Random, instruction: Instruction, others: Sequence[Instruction] = ()
) -> Instruction:
    """Adds earlier turns to an instruction with probability _CONTINUED: small talk, one of
    `others`, or the same question and answer.
    """
    if draw.random() >= _CONTINUED:
        return instruction
    if instruction.kind == "talk" and not instruction.earlier and draw.random() < _AGAIN:
        return replace(instruction, earlier=(instruction.prompt, instruction.answer))
    if instruction.kind == "talk" and others and draw.random() < 0.5:
        before = draw.choice(others)
        turns: tuple[str, ...] = (before.prompt, before.answer)
    else:
        talk = small_talk(draw)
        turns = () if len(talk) > 2 else talk
    # What was said about oneself stays first: it is to be remembered over the turns that follow.
    return replace(instruction, earlier=(*instruction.earlier, *turns))


def _make(
    draw: random.Random, kind: Kind, story: str, telling: set[str], nouns: set[str]
) -> Instruction | None:
    """An instruction of a kind, or None where the story does not lend itself to it."""
    if kind == "talk":
        *earlier, said, answer = small_talk(draw)
        return Instruction(said, answer, kind, earlier=tuple(earlier))
    if kind in ("words", "about"):
        return _of_story(draw, kind, story, telling, nouns)
    parts = sentences(story)
    if kind == "sentence":
        return _of_sentence(draw, draw.choice(parts), telling)
    if kind == "question":
        named = _NAMED.search(story)
        if named is None:
            return None
        being, name = named.groups()
        text = " ".join(parts[:4])
        is_a = _a(being)
        if name not in text:
            return None
        asked = (
            (f"What is the {being} called?", name),
            (f"Who is {name}?", is_a),
            (f"What is {name}?", is_a),
        )
        question, answer = draw.choice(asked)
        return Instruction(f"{text}\n{question}", f"{answer[0].upper()}{answer[1:]}.", kind)
    if len(parts) < 5:
        return None
    cut = draw.randint(1, 2) if kind == "continue" else len(parts) - draw.randint(1, 2)
    begun = " ".join(parts[:cut])
    rest = " ".join(parts[cut:])
    if kind == "continue":
        return Instruction(
            draw.choice(("Continue: ", "Continue this story: ", "Go on: ")) + begun, rest, kind
        )
    end = draw.choice(("How does it end?", "How does the story end?", "Write the end."))
    return Instruction(f"{begun}\n{end}", rest, kind)


def _of_story(
    draw: random.Random, kind: Kind, story: str, telling: set[str], nouns: set[str]
) -> Instruction | None:
    """An instruction whose answer is the whole story: with words of it, about somebody in it, or
    both.
    """
    present = list(dict.fromkeys(word for word in _WORD.findall(story) if word in telling))
    if len(present) < N_WORDS:
        return None
    words = tuple(draw.sample(present, N_WORDS))
    if kind == "words":
        return Instruction(
            draw.choice(_ASKS_WORDS).format(words=_listed(draw, words)), story, kind, words
        )
    named = _NAMED.search(story)
    things = [word for word in present if word in nouns]
    if named is None and not things:
        return None
    if kind == "about" and draw.random() < _ANY:
        return Instruction(draw.choice(_ASKS_ANY), story, kind)
    about = _a(named[1] if named is not None else draw.choice(things))
    if draw.random() < 0.3 and named is not None:
        about = f"{_a(named[1])} named {named[2]}"
    if draw.random() < 0.4:
        return Instruction(
            draw.choice(_ASKS_BOTH).format(about=about, words=_listed(draw, words)),
            story,
            kind,
            words,
        )
    return Instruction(draw.choice(_ASKS_ABOUT).format(about=about), story, kind)


def _a(noun: str) -> str:
    """With its indefinite article."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _of_sentence(draw: random.Random, sentence: str, telling: set[str]) -> Instruction | None:
    """A request for a sentence with words of this one, which is the answer."""
    present = list(dict.fromkeys(word for word in _WORD.findall(sentence) if word in telling))
    if len(present) < N_WORDS - 1:
        return None
    words = tuple(draw.sample(present, min(N_WORDS, len(present))))
    question = draw.choice(_ASKS_SENTENCE).format(words=_listed(draw, words))
    return Instruction(question, sentence, "sentence", words)


def _listed(draw: random.Random, words: Sequence[str]) -> str:
    *front, last = words
    return ", ".join(words) if draw.random() < 0.6 else f"{', '.join(front)} and {last}"


def small_talk(draw: random.Random) -> tuple[str, ...]:
    """An exchange of a random kind: the user's turns and the answers to them, in turn; an answer is
    the last.
    """
    blocks, slots = _texts()
    named = [block for block in blocks if any("{name}" in answer for answer in block[1])]
    messages, answers = draw.choice(named if draw.random() < _NAMED_SHARE else blocks)
    filled: dict[str, str] = {}

    def fill(text: str) -> str:
        return _SLOT.sub(
            lambda slot: filled.setdefault(slot[1], _filling(draw, slot[1], slots)), text
        )

    *earlier, message = (fill(turn) for turn in draw.choice(messages).split(" >> "))
    return (*earlier, _as_typed(draw, message), fill(draw.choice(answers)))


def _filling(draw: random.Random, slot: str, slots: dict[str, tuple[str, ...]]) -> str:
    if slot == "name" and draw.random() < _INVENTED:
        return "".join(draw.sample(_SYLLABLES, draw.choice((2, 2, 3)))).capitalize()
    return draw.choice(slots[slot])


def _as_typed(draw: random.Random, text: str) -> str:
    """Rewrites a text as people type it: mostly unchanged, else in small letters, in capitals, or
    without the full stop or exclamation mark at its end.
    """
    (way,) = draw.choices([way for way, _ in _TYPED], [share for _, share in _TYPED])
    if way == "lower":
        return text.lower()
    if way == "upper":
        return text.upper()
    return (text[:-1] if way == "bare" and text[:-1] and text[-1] in ".!" else text).strip()


@cache
def _texts() -> tuple[list[tuple[list[str], list[str]]], dict[str, tuple[str, ...]]]:
    """The blocks of the file, each of messages and the answers that fit any of them; and what
    stands in the slots.
    """
    slots: dict[str, tuple[str, ...]] = {}
    blocks = list[tuple[list[str], list[str]]]()
    for part in _TALK.read_text(encoding="utf-8").split("\n\n"):
        messages = list[str]()
        answers = list[str]()
        for line in part.splitlines():
            if line.startswith("{") and " = " in line:
                name, _, values = line.partition(" = ")
                slots[name.strip("{}")] = (*slots.get(name.strip("{}"), ()), *values.split(" | "))
            elif line.startswith("=> "):
                answers += line.removeprefix("=> ").split(" | ")
            elif not line.startswith("# "):
                messages += line.split(" | ")
        if messages:
            blocks.append((messages, answers))
    return blocks, slots
