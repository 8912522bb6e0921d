"""Likelihood of given continuations: whole answers, and the labels of a closed question."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from gptcore.errors import PromptError
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.threads import adapted

_MOST_LOGITS = 40_000_000  # at once
_MOST_TOKENS = 8_192


@dataclass(frozen=True)
class Likelihood:
    """A model's likelihood of one continuation of one prompt.

    Attributes:
        logprobs: of each token of the continuation, natural.
        favourites: the model's first choice in place of each token, and after the last.
    """

    logprobs: list[float]
    favourites: list[int]


@adapted()
@torch.inference_mode()
def read_continuations(model: GPT, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Likelihood]:
    """Scores many continuations in batches, each after its own prompt.

    Args:
        model: of any kind; dropout is off while it reads.
        pairs: (token ids of a prompt, at least one; token ids of its continuation, perhaps none) each.

    Raises:
        ContextLengthError, TokenIdError: as the model does.
    """
    likelihoods: dict[int, Likelihood] = {}
    with evaluating(model):
        for places in _batches(pairs, model.config.vocab_size):
            rows = [[*pairs[place][0], *pairs[place][1]] for place in places]
            longest = max(map(len, rows))
            # Right padding: a causal model does not see it.
            ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=model.wte.weight.device)
            hidden = model.hidden_states(ids)  # [B, T, C]
            # Where the model predicts each continuation, and what comes after it.
            wanted = [(n, t) for n, row in enumerate(rows) for t in range(len(pairs[places[n]][0]) - 1, len(row))]
            logits = model.lm_head(hidden[[n for n, _ in wanted], [t for _, t in wanted]]).float()  # [wanted, V]
            for place, one in zip(places, logits.split([len(pairs[place][1]) + 1 for place in places]), strict=True):
                chosen = torch.tensor(list(pairs[place][1]), dtype=torch.long, device=logits.device)
                picked = one[:-1].gather(1, chosen[:, None])[:, 0] - one[:-1].logsumexp(-1)
                likelihoods[place] = Likelihood(picked.tolist(), one.argmax(-1).tolist())
    return [likelihoods[place] for place in range(len(pairs))]


def _batches(pairs: Sequence[tuple[Sequence[int], Sequence[int]]], vocab_size: int) -> Iterator[list[int]]:
    """Batches of pairs of similar length, as indices, within a memory limit."""
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place][0]) + len(pairs[place][1]))
    batch: list[int] = []
    for place in order:
        longest = len(pairs[place][0]) + len(pairs[place][1])  # of the batch, for they come by length
        n_logits = sum(len(pairs[other][1]) + 1 for other in (*batch, place)) * vocab_size
        if batch and ((len(batch) + 1) * longest > _MOST_TOKENS or n_logits > _MOST_LOGITS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


@dataclass(frozen=True)
class LabelScore:
    """A label of a closed question.

    Attributes:
        label: as it is written behind the prompt.
        n_tokens: of it.
        logprob: of the whole label after the prompt, natural.
        share: its probability normalised over all labels.
    """

    label: str
    n_tokens: int
    logprob: float
    share: float

    @property
    def per_token(self) -> float:
        """The mean log-probability of its tokens, which does not penalise long labels."""
        return self.logprob / self.n_tokens


def label_ids(lm: LanguageModel, labels: Sequence[str], lead: str = " ") -> list[list[int]]:
    """The tokens of each label behind a prompt.

    Raises:
        PromptError: fewer than two labels, the same twice, or one that encodes to no tokens.
        TokenizerError: characters that the model does not know.
    """
    cleaned = [label.strip() for label in labels]
    twice = next((label for label in cleaned if cleaned.count(label) > 1), None)
    if twice is not None:
        raise PromptError(f"The label {twice!r} is listed twice. List each label once.")
    if len(cleaned) < 2:
        given = "is one label" if cleaned else "are no labels"
        raise PromptError(f"There {given}; at least two different ones are needed to compare.")
    made = [lm.tokenizer.encode(f"{lead}{label}") if label else [] for label in cleaned]
    for label, ids in zip(labels, made, strict=True):
        if not ids:
            raise PromptError(f"The label {label!r} gives no tokens. Write at least one letter.")
    return made


def score_labels(
    lm: LanguageModel, prompt: Sequence[int], labels: Sequence[str], *, lead: str = " "
) -> list[LabelScore]:
    """The likelihood of each label after a prompt.

    Args:
        lm: of any kind.
        prompt: token ids; with the longest label within the window.
        labels: at least two.
        lead: what stands between prompt and label.

    Raises:
        PromptError, TokenizerError, ContextLengthError: see `label_ids`, and a prompt that is too long.
    """
    made = label_ids(lm, labels, lead)
    sums = [math.fsum(reading.logprobs) for reading in read_continuations(lm.model, [(prompt, ids) for ids in made])]
    shares = torch.tensor(sums, dtype=torch.float64).softmax(0).tolist()
    return [
        LabelScore(label.strip(), len(ids), *values)
        for label, ids, *values in zip(labels, made, sums, shares, strict=True)
    ]
