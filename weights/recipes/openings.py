"""Documents that begin as people's prompts do: `python -m weights.recipes.openings stories.txt >
openings.txt`.

Stories begin "Once upon a time"; people type "Hello", "2+2=", "Bonjour", one word or the middle of
a sentence. Each document here begins in such a way and goes on as one of the stories does, so that
a model goes on from there as well. Half of them rename the one whom the story is about: a model
then has to read the name instead of knowing it.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from gptcore.corpora import read_documents
from gptcore.tokenizers.base import END_OF_TEXT
from weights.recipes.world.lexicon import entries

_SEED = 23
_FEWEST_WORDS = 50  # of a story after the place where it is entered
_MOST_DOCUMENTS = 16_000
_SENTENCE = re.compile(r'(?<=[.!?])\s+(?=[A-Z"])')
_SPEECH = re.compile(r'"([A-Z][^"\n]{3,120}[.!?,])"')
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})\b")
_NOT_NAMES = {
    "The",
    "One",
    "Mom",
    "Mommy",
    "Dad",
    "Daddy",
    "But",
    "They",
    "She",
    "You",
    "What",
    "Yes",
    "Let",
    "And",
}
_SAID = ("said", "said", "called", "shouted", "whispered")
_GREETINGS, _ELSEWHERE, _QUESTIONS, _ADDRESSED, _NOISE, _SYLLABLES, _FIRST_NAMES = entries(
    "openings.txt", Path(__file__).parent
).values()


def documents(stories: list[str], draw: random.Random) -> Iterator[str]:
    """One document of every story that is long enough to be entered somewhere."""
    ways: dict[Callable[[str, str, random.Random], str], int] = {
        renamed: 20,
        from_a_sentence: 25,
        from_a_word: 12,
        from_speech: 15,
        from_words_of_others: 28,
    }
    for story in stories:
        name = hero(story)
        if name is None:
            continue
        if draw.random() < 0.5:
            other = new_name(draw)
            story = re.sub(rf"\b{name}\b", other, story)
            name = other
        [way] = draw.choices(list(ways), weights=list(ways.values()))
        told = way(story, name, draw)
        if len(told.split()) >= _FEWEST_WORDS:
            yield told


def hero(story: str) -> str | None:
    """The name that a story says most often in the middle of sentences; None where none comes
    twice.
    """
    names = Counter(name for name in _NAME.findall(story) if name not in _NOT_NAMES)
    [(name, times)] = names.most_common(1) or [("", 0)]
    return name if times >= 2 else None


def new_name(draw: random.Random) -> str:
    """A first name, or one that nobody has."""
    if draw.random() < 0.6:
        return draw.choice(_FIRST_NAMES)
    return "".join(draw.sample(_SYLLABLES, draw.choice((2, 2, 3)))).capitalize()


def renamed(story: str, name: str, draw: random.Random) -> str:
    """The whole story; now and then after a space or an empty line, as one leaves them behind."""
    return draw.choice(("", "", "", " ", "\n")) + story


def from_a_sentence(story: str, name: str, draw: random.Random) -> str:
    """The story from a sentence in its first half."""
    sentences = _SENTENCE.split(story)
    start = draw.randrange(1, max(2, len(sentences) // 2))
    return _joined(story, sentences, start)


def from_a_word(story: str, name: str, draw: random.Random) -> str:
    """The story from a word in the middle of an early sentence."""
    words = [place.start() + 1 for place in re.finditer(r" (?=\w)", story[: len(story) // 2])]
    rest = story[draw.choice(words) :] if words else story
    return rest if draw.random() < 0.5 else rest[0].upper() + rest[1:]


def from_speech(story: str, name: str, draw: random.Random) -> str:
    """The story from what somebody says, without the mark that opens it."""
    spoken = [
        place.start(1) for place in _SPEECH.finditer(story) if place.start() < len(story) // 2
    ]
    return story[draw.choice(spoken) :] if spoken else from_a_sentence(story, name, draw)


def from_words_of_others(story: str, name: str, draw: random.Random) -> str:
    """What somebody might type, taken up in a sentence, and the story from where it speaks of its
    hero.
    """
    sentences = _SENTENCE.split(story)
    places = [
        index
        for index in range(1, max(2, len(sentences) // 2))
        if sentences[index].startswith(f"{name} ")
    ]
    rest = _joined(story, sentences, places[0] if places else 0)
    said = draw.choice(_SAID)
    kind = draw.randrange(6)
    if kind == 0:
        return f'{_typed(draw.choice(_GREETINGS), draw)}," {said} {name}. {rest}'
    if kind == 1:
        strange = draw.choice(
            ("It was a word from far away.", "Nobody knew what it meant.", "It sounded nice.")
        )
        return f'{_typed(draw.choice(_ELSEWHERE), draw)}!" {said} {name}. {strange} {rest}'
    if kind == 2:
        asked = _typed(draw.choice(_QUESTIONS), draw)
        return (
            f'{asked}" asked {name}. {rest}'
            if asked.endswith("?")
            else f'{asked}," {said} {name}. {rest}'
        )
    if kind == 3:
        return _letter(story, rest, name, draw)
    if kind == 4:
        return f"{_sum(draw)} {name} could count very well. {rest}"
    silly = draw.choice(
        ("It was a silly word.", "It was only a funny sound.", "Then it was quiet again.")
    )
    return f'{_typed(draw.choice(_NOISE), draw)}," {said} {name}. {silly} {rest}'


def _letter(story: str, rest: str, name: str, draw: random.Random) -> str:
    spoken = [words.rstrip(",") for words in _SPEECH.findall(story) if len(words.split()) > 4][:3]
    body = (
        " ".join(words if words[-1] in ".!?" else f"{words}." for words in spoken)
        or "I hope that you are well."
    )
    addressed = draw.choice((*_ADDRESSED, new_name(draw)))
    after = draw.choice(("wrote a letter", "read the letter again", "put the letter on the table"))
    return f"Dear {addressed},\n{body}\nLove, {name}\n{name} {after}. {rest}"


def _sum(draw: random.Random) -> str:
    first = draw.randint(1, 12)
    second = draw.randint(1, 12)
    operator = draw.choice("++-")
    if operator == "-" and second > first:
        first, second = second, first
    result = first + second if operator == "+" else first - second
    return draw.choice(("", " ")).join((str(first), operator, str(second), "=", f"{result}."))


def _typed(text: str, draw: random.Random) -> str:
    """A text as it is typed in a hurry: small letters, capitals, or a letter that is missing."""
    how = draw.random()
    if how < 0.2:
        return text.lower()
    if how < 0.28:
        return text.upper()
    if how < 0.36 and len(text) > 4:
        gone = draw.randrange(1, len(text) - 1)
        return text[:gone] + text[gone + 1 :]
    return text


def _joined(story: str, sentences: list[str], start: int) -> str:
    """The story from sentence number `start`, its own spaces and lines kept."""
    place = 0
    for sentence in sentences[: start + 1]:
        place = story.index(sentence, place)
    return story[place:]


def main(arguments: list[str] | None = None) -> int:
    """Prints the documents, shuffled; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m weights.recipes.openings", description=__doc__)
    parser.add_argument("stories", type=Path, nargs="+", help="text files of stories")
    parser.add_argument("--documents", type=int, default=_MOST_DOCUMENTS, help="how many at most")
    options = parser.parse_args(arguments)
    draw = random.Random(_SEED)
    stories = [story for path in options.stories for story in read_documents(str(path))]
    draw.shuffle(stories)
    for number, told in enumerate(documents(stories, draw)):
        if number == options.documents:
            break
        sys.stdout.write(f"{told}\n{END_OF_TEXT}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
