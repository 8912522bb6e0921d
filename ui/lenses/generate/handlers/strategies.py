"""Named settings of the sampling controls: the usual ways to choose the next token."""

from gptcore.inference.sampling_settings import SamplingSettings

STRATEGIES: dict[str, SamplingSettings] = {
    "Greedy": SamplingSettings(temperature=0.0),
    "T = 0.7": SamplingSettings(temperature=0.7),
    "Top-k = 50": SamplingSettings(top_k=50),
    "Top-p = 0.9": SamplingSettings(top_p=0.9),
    "Combined": SamplingSettings(temperature=0.8, top_k=50, top_p=0.95),
    "Neutral": SamplingSettings(),
}

# Those of well-known lessons, under their names, for the compare view.
LESSONS: dict[str, SamplingSettings] = {
    "Lesson: T = 0.1": SamplingSettings(temperature=0.1),
    "Lesson: T = 0.5": SamplingSettings(temperature=0.5),
    "Lesson: T = 1": SamplingSettings(temperature=1.0),
    "Lesson: T = 1.5": SamplingSettings(temperature=1.5),
    "Lesson: Top-k = 10": SamplingSettings(top_k=10),
    "Lesson: summaries, T = 0.7, top-p = 0.9": SamplingSettings(temperature=0.7, top_p=0.9),
    "Lesson: translation, T = 0.3, top-k = 50": SamplingSettings(temperature=0.3, top_k=50),
    "Lesson: questions, T = 0.5, top-k = 40": SamplingSettings(temperature=0.5, top_k=40),
    "Lesson: stories, T = 0.9, top-p = 0.95": SamplingSettings(temperature=0.9, top_p=0.95),
    "Lesson: sentiment, T = 0.3, top-k = 10": SamplingSettings(temperature=0.3, top_k=10),
}
COMPARED = {**STRATEGIES, **LESSONS}

# In the compare view: whatever the sliders of the write view say.
FROM_SLIDERS = "The sliders"
OFF = "(empty)"


# Ways to choose the next token: name, what it does, what it suits, usual values, how it goes wrong,
# where it begins.
GUIDES = (
    (
        "Greedy",
        "takes the likeliest token, always",
        "short answers, translation, code",
        "temperature 0",
        "loops: the same sentence again and again",
        STRATEGIES["Greedy"],
    ),
    (
        "Temperature",
        "divides the logits: below 1 sharper, above 1 flatter",
        "everything; the first setting to try",
        "0.7 to 1.0",
        "too high: any token may come; too low: greedy",
        STRATEGIES["T = 0.7"],
    ),
    (
        "Top-k",
        "keeps the k likeliest tokens",
        "chat and stories from small models",
        "k = 40 to 50",
        "the same k where one token is right and where a hundred are",
        STRATEGIES["Top-k = 50"],
    ),
    (
        "Top-p (nucleus)",
        "keeps the smallest set that reaches p",
        "open text: few where it is sure, many where not",
        "p = 0.9 to 0.95",
        "a flat distribution lets a long tail in",
        STRATEGIES["Top-p = 0.9"],
    ),
    (
        "Min-p",
        "drops what is below a share of the likeliest",
        "high temperatures",
        "0.05 to 0.1",
        "a confident wrong guess drops the others",
        SamplingSettings(temperature=1.2, min_p=0.05),
    ),
    (
        "Combined",
        "temperature, then top-k, then top-p",
        "a good start for most texts",
        "0.8, 50, 0.95",
        "three dials: hard to say which did it",
        STRATEGIES["Combined"],
    ),
    (
        "Repetition penalty",
        "makes tokens that already occur less likely",
        "small models that loop",
        "1.1 to 1.3",
        "names and “the” become rare too",
        SamplingSettings(temperature=0.8, repetition_penalty=1.2),
    ),
    (
        "No-repeat n-grams",
        "never writes n tokens in a row twice",
        "summaries",
        "n = 3",
        "a full name can be written once only",
        SamplingSettings(temperature=0.0, no_repeat_ngram_size=3),
    ),
    (
        "Minimum length",
        "does not let the text end before n tokens",
        "answers that are too short",
        "10 to 50",
        "the text rambles until it may end",
        SamplingSettings(temperature=0.8, min_new_tokens=50),
    ),
)


def guides() -> list[dict[str, object]]:
    """The guides for the page; settings by the names of the controls."""
    return [{"cells": cells, "settings": settings.on_controls()} for *cells, settings in GUIDES]


def of_strategy(name: str, sliders: SamplingSettings, vocab_size: int) -> SamplingSettings:
    """The settings of a strategy; a top-k that exceeds a small vocabulary becomes all of it."""
    return COMPARED[name].within(vocab_size) if name in COMPARED else sliders
