"""The tasks and the ways to ask for them, as papers print them and as people write; GPT-2's own
prompts and answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gptcore.errors import PromptError
from gptcore.zero_shot.templates import Template

_PAPER = "Radford et al. 2019"
GPT2 = f"GPT-2, {_PAPER}"
GPT3 = "GPT-3, Brown et al. 2020"
GPT1 = "GPT-1, Radford et al. 2018"
KOJIMA = "Kojima et al. 2022"

_STEP_BY_STEP = "Let's think step by step."
_STEPS_TOKENS = 64  # room for steps and answer


@dataclass(frozen=True)
class Task:
    """A task that a language model may do from its prompt alone.

    Attributes:
        title: what it is called on a page.
        about: a plain sentence on it.
        fields: names of its inputs and what they are.
        templates: the first is the default.
        choices: the only answers, for tasks that have such.
        max_new_tokens, temperature, top_k, stop: the papers' settings, for plain answers;
            temperature 0 is greedy.
        settings_from: who set these.
        n_examples: solved examples that few-shot starts with.
        articles: "a", "an" and "the" count when an answer is compared with the expected one.
    """

    title: str
    about: str
    fields: Mapping[str, str]
    templates: tuple[Template, ...]
    choices: tuple[str, ...] = ()
    max_new_tokens: int = 24
    temperature: float = 0.0
    top_k: int | None = None
    stop: tuple[str, ...] = ("\n",)
    settings_from: str = "greedy"
    n_examples: int = 3
    articles: bool = False

    def __post_init__(self) -> None:
        for template in self.templates:
            template.check(tuple(self.fields))

    def template(self, name: str) -> Template:
        """The template of a name, the first for "". Raises PromptError for an unknown name."""
        found = [template for template in self.templates if name in ("", template.name)]
        if not found:
            listed = ", ".join(template.name for template in self.templates)
            raise PromptError(
                f"There is no template {name!r} for this task. Choose one of: {listed}."
            )
        return found[0]

    def length(self, template: Template) -> int:
        """The maximum number of answer tokens for a template."""
        return (
            max(self.max_new_tokens, _STEPS_TOKENS)
            if template.chain_of_thought
            else self.max_new_tokens
        )

    def stops(self, template: Template) -> tuple[str, ...]:
        """The stop strings for a template."""
        return ("\n",) if template.chain_of_thought else self.stop

    @property
    def chain(self) -> Template | None:
        """Its chain-of-thought template, if any."""
        return next((template for template in self.templates if template.chain_of_thought), None)


_GOOD = {"positive": "good", "negative": "bad"}
_CAPITAL = {"positive": "Positive", "negative": "Negative"}
_STARS = {"positive": "5", "negative": "1"}
_YES = {"positive": "yes", "negative": "no"}
_MOOD = {"positive": "happy", "negative": "unhappy"}

TASKS: dict[str, Task] = {
    "summarise": Task(
        "Summarise",
        "a text in a sentence",
        {"text": "the text"},
        (
            Template("TL;DR", "{text}\n\nTL;DR: {answer}", between="\n\n\n", source=GPT2),
            Template("In short", "{text}\n\nIn short: {answer}", between="\n\n\n"),
            Template("Story and summary", "Story: {text}\nSummary: {answer}", between="\n\n"),
            Template("What happened", "{text}\n\nWhat happened? {answer}", between="\n\n\n"),
            Template(
                "In one sentence (held out)",
                "{text}\n\nIn one sentence: {answer}",
                between="\n\n\n",
            ),
            Template("Text and gist (held out)", "Text: {text}\nGist: {answer}", between="\n\n"),
        ),
        max_new_tokens=100,
        temperature=1.0,
        top_k=2,
        settings_from=f"100 tokens, top-k 2: {GPT2}; there, the first three sentences count",
        n_examples=1,
    ),
    "translate": Task(
        "Translate",
        "English to French",
        {"english": "the English"},
        (
            Template("english = french", "{english} = {answer}", source=GPT2),
            Template(
                "Translate English to French",
                "{english} => {answer}",
                "Translate English to French:",
                source=GPT3,
            ),
            Template("English and French", "English: {english}\nFrench: {answer}"),
            Template("How do you say", 'Q: How do you say "{english}" in French?\nA: {answer}'),
            Template("In English, in French", "In English: {english}\nIn French: {answer}"),
            Template("dash", "{english} - {answer}", "English - French"),
            Template("arrow", "{english} -> {answer}"),
            Template("EN and FR (held out)", "EN: {english}\nFR: {answer}"),
            Template("The French for (held out)", 'The French for "{english}" is: {answer}'),
        ),
        max_new_tokens=30,
        settings_from=f"greedy, the first sentence: {GPT2}",
        n_examples=4,
        articles=True,
    ),
    "question": Task(
        "Answer from a text",
        "a question about a given text",
        {"text": "the text", "question": "the question"},
        (
            Template(
                "Q and A", "{text}\n\nQ: {question}\nA: {answer}", between="\n\n\n", source=GPT2
            ),
            Template("Context", "Context: {text}\n\nQ: {question}\nA: {answer}", between="\n\n\n"),
            Template(
                "Question and answer",
                "{text}\nQuestion: {question}\nAnswer: {answer}",
                between="\n\n",
            ),
            Template("Interview", "{text}\nReader: {question}\nWriter: {answer}", between="\n\n"),
            Template(
                "Chain of thought",
                f"{{text}}\n\nQ: {{question}}\nA: {_STEP_BY_STEP} {{steps}} The answer is "
                f"{{answer}}",
                between="\n\n\n",
                end=".",
                source=KOJIMA,
            ),
            Template(
                "Passage (held out)",
                "Passage: {text}\nAsk: {question}\nReply: {answer}",
                between="\n\n",
            ),
            Template(
                "Student and teacher (held out)",
                "{text}\nTeacher: {question}\nStudent: {answer}",
                between="\n\n",
            ),
        ),
        settings_from=f"greedy: {GPT2}",
        n_examples=1,
    ),
    "fact": Task(
        "Answer from memory",
        "a question without a text",
        {"question": "the question"},
        (
            Template("Q and A", "Q: {question}\nA: {answer}", source=GPT2),
            Template("Question and answer", "Question: {question}\nAnswer: {answer}"),
            Template("Interview", "Reader: {question}\nWriter: {answer}"),
            Template("Ask and reply (held out)", "Ask: {question}\nReply: {answer}"),
        ),
        settings_from=(
            "greedy, this app's choice; GPT-2's paper puts question-answer pairs in front"
        ),
    ),
    "sentiment": Task(
        "Sentiment",
        "does somebody like it or not",
        {"text": "the review"},
        (
            Template("Review and sentiment", "Review: {text}\nSentiment: {answer}", between="\n\n"),
            Template(
                "With the choices",
                "Review: {text}\nSentiment (positive/negative): {answer}",
                between="\n\n",
            ),
            Template(
                "Classify",
                "Review: {text}\nSentiment: {answer}",
                "Classify the following reviews as Positive or Negative.\n",
                labels=_CAPITAL,
                between="\n\n",
            ),
            Template(
                "Overall", "{text} Overall, it was {answer}", labels=_GOOD, end=".", between="\n\n"
            ),
            Template("Stars", "Review: {text}\nStars: {answer}", labels=_STARS, between="\n\n"),
            Template("It is a", "{text} This is a {answer}", end=" review.", between="\n\n"),
            Template(
                "Recommend",
                "{text}\nWould they recommend it? {answer}",
                labels=_YES,
                between="\n\n",
            ),
            Template("Comment and attitude", "Comment: {text}\nAttitude: {answer}", between="\n\n"),
            Template("Good or bad", "{text}\nGood or bad? {answer}", labels=_GOOD, between="\n\n"),
            Template(
                "Chain of thought",
                f"Review: {{text}}\n{_STEP_BY_STEP} {{steps}} So the sentiment is {{answer}}",
                between="\n\n",
                end=".",
                source=KOJIMA,
            ),
            Template(
                "Opinion and feeling (held out)",
                "Opinion: {text}\nFeeling: {answer}",
                between="\n\n",
            ),
            Template(
                "Mood (held out)",
                "{text}\nThe customer is {answer}",
                labels=_MOOD,
                end=".",
                between="\n\n",
            ),
            Template(
                "Very positive or very negative (held out)",
                "{text} very {answer}",
                between="\n\n",
                source=GPT1,
            ),
        ),
        choices=("positive", "negative"),
        max_new_tokens=5,
        settings_from=f"the likelier label: {GPT1}",
    ),
    "story": Task(
        "Finish a story",
        "go on from a beginning",
        {"text": "the beginning"},
        (Template("As it stands", "{text}{answer}", between="\n\n"),),
        max_new_tokens=100,
        temperature=0.9,
        top_k=40,
        stop=(),
        settings_from=(
            "top-k 40 as in the samples of GPT-2's release; the temperature "
            "of 0.9 is this app's "
            "choice"
        ),
        n_examples=0,
    ),
    "cloze": Task(
        "The last word",
        "say the last word of a text, for which one needs all of it",
        {"text": "the text without its last word"},
        (Template("As it stands", "{text} {answer}", end=".", between="\n\n", source=GPT2),),
        max_new_tokens=6,
        stop=("\n", ".", "!", "?"),
        settings_from=f"greedy: {GPT2}",
        n_examples=1,
    ),
    "arithmetic": Task(
        "Sums",
        "little sums",
        {"sum": "the sum"},
        (
            Template("3 + 4 =", "{sum} = {answer}"),
            Template("What is", "Q: What is {sum}?\nA: {answer}", source=GPT3),
            Template("How much is", "How much is {sum}? {answer}"),
            Template("equals", "{sum} equals {answer}", end="."),
            Template("Exercise and solution", "Exercise: {sum}\nSolution: {answer}"),
            Template(
                "Chain of thought",
                f"Q: What is {{sum}}?\nA: {_STEP_BY_STEP} {{steps}} The answer is {{answer}}",
                end=".",
                source=KOJIMA,
            ),
            Template("Makes (held out)", "The sum {sum} makes {answer}", end="."),
            Template("Calculate (held out)", "Calculate: {sum}\nResult: {answer}"),
        ),
        max_new_tokens=6,
        settings_from="greedy, this app's choice",
    ),
    "analogy": Task(
        "Analogy",
        "one pair of words is like another",
        {"a": "the first word", "b": "what goes with it", "c": "the second word"},
        (
            Template("is to", "{a} is to {b} as {c} is to {answer}", source=GPT3),
            Template("a : b, c :", "{a} : {b}, {c} : {answer}"),
            Template("and, and", "{a} and {b}, {c} and {answer}", end="."),
            Template("so is", "As {a} is to {b}, so is {c} to {answer}", end="."),
            Template("arrows", "{a} -> {b}\n{c} -> {answer}", between="\n\n"),
            Template(
                "goes with (held out)", "If {a} goes with {b}, then {c} goes with {answer}", end="."
            ),
        ),
        max_new_tokens=6,
        stop=("\n", "."),
        settings_from=f"greedy; the paper ranks given answers: {GPT3}",
    ),
}


@dataclass(frozen=True)
class PublishedPrompt:
    """A prompt that GPT-2's authors or users tried, and the real model's known result, shown beside
    what is computed.

    `values` are the task's fields, in words of this project unless the source prints them; `needs`
    is the smallest model that does it at all, `answered` the real GPT-2's answer or score as the
    source has it, "" where none is known.
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
        "summarise",
        "Summarise (TL;DR:)",
        {
            "text": "Machines have learned to describe pictures, to translate and to write. Many "
            "companies build such systems, and spend a great deal on them. Some researchers "
            "warn that jobs may go, and that nobody can yet say why a system decides as it "
            "does."
        },
        "TL;DR",
        "gpt2-xl",
        "ROUGE-1 / 2 / L of 29.34 / 8.27 / 26.58 on news, barely above three randomly chosen "
        "sentences",
        f"{_PAPER}, table 4",
    ),
    PublishedPrompt(
        "translate",
        "Translate",
        {"english": "I am hungry."},
        "english = french",
        "gpt2-xl",
        "BLEU 5 from English to French, 11.5 from French to English, after example pairs",
        f"{_PAPER}, section 3.7",
    ),
    PublishedPrompt(
        "fact",
        "Question, no text",
        {"question": "Who wrote the book the origin of species?"},
        "Q and A",
        "gpt2-xl",
        "“Charles Darwin”, its surest answer (83.4%), after example questions; 4.1% of all "
        "were right",
        f"{_PAPER}, table 5 and section 3.8",
    ),
    PublishedPrompt(
        "fact",
        "Question, no text",
        {"question": "Who is the founder of the ubuntu project?"},
        "Q and A",
        "gpt2-xl",
        "“Mark Shuttleworth” (82.0%), after example questions",
        f"{_PAPER}, table 5",
    ),
    PublishedPrompt(
        "story",
        "Go on with a text",
        {"text": "The dog"},
        "As it stands",
        "gpt2",
        "“The dog was found in a field near the intersection of West and West Streets.” (124M, "
        "greedy)",
        "transformers, test_lm_generate_gpt2",
    ),
    PublishedPrompt(
        "story",
        "Go on with a text",
        {"text": "Hello, my dog is a little"},
        "As it stands",
        "gpt2",
        "“… bit of a mess. I'm not sure if he's going” (124M, greedy)",
        "transformers, test_batch_generation",
    ),
    PublishedPrompt(
        "sentiment",
        "Sentiment",
        {"text": "The acting was superb and the story kept me engaged."},
        "With the choices",
        "gpt2",
        "",
        "no figure for this prompt was found",
    ),
)
