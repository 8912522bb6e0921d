"""GPT-2's own prompts with what the real model is known to answer, shown beside figures computed here."""

from collections.abc import Mapping
from dataclasses import dataclass

_GPT2 = "Radford et al. 2019"


@dataclass(frozen=True)
class PublishedPrompt:
    """A prompt that GPT-2's authors or users tried, and the real model's known result.

    Attributes:
        task: one of TASKS.
        title: what it is called.
        values: the task's fields, by name, in words of this project unless the source prints them.
        template: of the task.
        needs: the smallest model that does it at all.
        answered: the answer of the real GPT-2, or its score, as the source has it; "" where none is known.
        source: of the answer.
    """

    task: str
    title: str
    values: Mapping[str, str]
    template: str
    needs: str
    answered: str
    source: str


GPT2_PROMPTS = (
    PublishedPrompt(
        "summarise", "Summarise (TL;DR:)",
        {"text": "Machines have learned to describe pictures, to translate and to write. Many companies build such "
                 "systems, and spend a great deal on them. Some researchers warn that jobs may go, and that nobody can "
                 "yet say why a system decides as it does."},
        "TL;DR", "gpt2-xl",
        "ROUGE-1 / 2 / L of 29.34 / 8.27 / 26.58 on news, barely above three randomly chosen sentences",
        f"{_GPT2}, table 4",
    ),
    PublishedPrompt(
        "translate", "Translate", {"english": "I am hungry."}, "english = french", "gpt2-xl",
        "BLEU 5 from English to French, 11.5 from French to English, after example pairs", f"{_GPT2}, section 3.7",
    ),
    PublishedPrompt(
        "fact", "Question, no text", {"question": "Who wrote the book the origin of species?"}, "Q and A", "gpt2-xl",
        "“Charles Darwin”, its surest answer (83.4%), after example questions; 4.1% of all were right",
        f"{_GPT2}, table 5 and section 3.8",
    ),
    PublishedPrompt(
        "fact", "Question, no text", {"question": "Who is the founder of the ubuntu project?"}, "Q and A", "gpt2-xl",
        "“Mark Shuttleworth” (82.0%), after example questions", f"{_GPT2}, table 5",
    ),
    PublishedPrompt(
        "story", "Go on with a text", {"text": "The dog"}, "As it stands", "gpt2",
        "“The dog was found in a field near the intersection of West and West Streets.” (124M, greedy)",
        "transformers, test_lm_generate_gpt2",
    ),
    PublishedPrompt(
        "story", "Go on with a text", {"text": "Hello, my dog is a little"}, "As it stands", "gpt2",
        "“… bit of a mess. I'm not sure if he's going” (124M, greedy)", "transformers, test_batch_generation",
    ),
    PublishedPrompt(
        "sentiment", "Sentiment", {"text": "The acting was superb and the story kept me engaged."},
        "With the choices", "gpt2", "", "no figure for this prompt was found",
    ),
)  # fmt: skip
