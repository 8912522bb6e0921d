"""What papers report for zero-shot tasks: to stand beside figures computed here, never in their place."""

from __future__ import annotations

from dataclasses import dataclass

_GPT2 = "Radford et al. 2019"


@dataclass(frozen=True)
class Published:
    """A figure from a paper.

    Attributes:
        task: one of TASKS.
        model: with the paper's name for its size.
        measure: what is counted, on which data.
        value: as printed.
        source: the paper and its table or section.
        examples: solved examples in the prompt.
    """

    task: str
    model: str
    measure: str
    value: str
    source: str
    examples: str = "0"


PUBLISHED = (
    Published("cloze", "GPT-2 117M", "LAMBADA, last word", "45.99%", f"{_GPT2}, table 3"),
    Published("cloze", "GPT-2 345M", "LAMBADA, last word", "55.48%", f"{_GPT2}, table 3"),
    Published("cloze", "GPT-2 762M", "LAMBADA, last word", "60.12%", f"{_GPT2}, table 3"),
    Published("cloze", "GPT-2 1542M", "LAMBADA, last word", "63.24%", f"{_GPT2}, table 3"),
    Published(
        "summarise", "GPT-2 1542M", "CNN and Daily Mail, ROUGE-1 / 2 / L", "29.34 / 8.27 / 26.58", f"{_GPT2}, table 4"
    ),
    Published("question", "GPT-2 1542M", "CoQA, F1", "55", f"{_GPT2}, section 3.5"),
    Published(
        "fact",
        "GPT-2 1542M",
        "Natural Questions, exact match",
        "4.1%",
        f"{_GPT2}, section 3.8",
        "a few question-answer pairs",
    ),
    Published("translate", "GPT-2 1542M", "WMT-14 English to French, BLEU", "5", f"{_GPT2}, section 3.7", "a few"),
    Published(
        "sentiment", "GPT-1 117M, fine-tuned", "SST-2, accuracy", "91.3%", "Radford et al. 2018, table 4", "fine-tuned"
    ),
)
