"""How well a model predicts a text: log-probability of each token, perplexity, bits per byte."""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gptcore.errors import SamplingError, TokenIdError
from gptcore.language_model import LanguageModel
from gptcore.model import GPT, evaluating
from gptcore.threads import adapted
from gptcore.tokenizers import StreamingText


@adapted()
@torch.inference_mode()
def token_logprobs(
    model: GPT, token_ids: Sequence[int] | Tensor, *, batch_size: int = 16
) -> Tensor:
    """The log-probability of every token but the first, given those before it.

    A text longer than the window is read in windows that overlap by half, and each token is scored
    where it has the most context, so every token after the first window sees at least half a
    window.

    Args:
        model: of any kind; dropout is off while it reads.
        token_ids: int [N], N >= 2.
        batch_size: windows computed together.

    Returns:
        float32 [N - 1], natural logarithms.

    Raises:
        TokenIdError: fewer than two tokens, or an id outside the vocabulary.
        SamplingError: a batch of no window.
    """
    if batch_size < 1:
        raise SamplingError(f"batch_size is {batch_size}; it must be 1 or more.")
    ids = torch.as_tensor(token_ids, dtype=torch.long).cpu()
    if ids.dim() != 1 or len(ids) < 2:
        raise TokenIdError(f"The text has {ids.numel()} token(s); a prediction needs at least two.")
    read = _windows(model, ids, batch_size)
    return torch.cat(
        [rows.gather(1, came[:, None])[:, 0] - rows.logsumexp(dim=-1) for rows, came in read]
    ).cpu()


@dataclass(frozen=True)
class TextScore:
    """The score of a text under a model: its size in tokens and bytes, and its summed negative
    log-probability.
    """

    n_tokens: int  # tokens scored
    n_bytes: int  # UTF-8 bytes of the text
    nats: float  # summed negative log-probability

    @property
    def loss(self) -> float:
        """Mean loss in nats per token."""
        return self.nats / self.n_tokens

    @property
    def perplexity(self) -> float:
        """exp of the mean loss: the number of equally likely tokens it amounts to."""
        return math.exp(min(700.0, self.loss))

    @property
    def bits_per_byte(self) -> float:
        """Comparable between tokenizers, unlike perplexity."""
        return self.nats / math.log(2) / self.n_bytes


@dataclass(frozen=True)
class ScoredToken:
    """A token of a given text with the model's log-probability (natural), its rank, and (id,
    logprob) favourites.
    """

    id: int
    text: str
    logprob: float
    rank: int
    alternatives: tuple[tuple[int, float], ...]


def score_text(
    lm: LanguageModel, text: str, *, n_alternatives: int = 5
) -> tuple[str, list[ScoredToken], TextScore]:
    """Scores every token of a text.

    If the tokenizer has an end-of-text token, it is prepended, so that the first token is scored
    too; otherwise the first token only serves as context.

    Returns:
        (the text of what could not be scored, "" or the first token; the scored tokens; the sums).

    Raises:
        TokenizerError: characters that the model does not know.
        TokenIdError: no text.
    """
    tokenizer = lm.tokenizer
    ids = tokenizer.encode(text, allow_special=True)
    if not ids:
        raise TokenIdError("The text is empty. Write something for the model to read.")
    unscored = 0 if tokenizer.end_id is not None else 1
    stream = StreamingText(tokenizer)
    head = "".join(stream.push(token_id) for token_id in ids[:unscored])
    context = ids if unscored else [tokenizer.end_id, *ids]
    scored: list[ScoredToken] = []
    if len(context) > 1:
        read = _windows(lm.model, torch.tensor(context), 1)
        # float32 [V] each
        logprobs = (row for rows, _ in read for row in rows.log_softmax(dim=-1).cpu())
        for token_id, row in zip(context[1:], logprobs, strict=True):
            best = row.topk(min(n_alternatives, len(row)))
            favourites = tuple(zip(best.indices.tolist(), best.values.tolist(), strict=True))
            value = float(row[token_id])
            scored.append(
                ScoredToken(
                    token_id, stream.push(token_id), value, 1 + int((row > value).sum()), favourites
                )
            )
    nats = -sum(token.logprob for token in scored)
    n_ends = sum(token.id == tokenizer.end_id for token in scored)
    marker = 0 if tokenizer.end_id is None else len(tokenizer.token_bytes(tokenizer.end_id))
    n_bytes = len(text.encode("utf-8")) - len(head.encode("utf-8")) - n_ends * marker
    return head, scored, TextScore(len(scored), n_bytes, nats)


def _windows(model: GPT, ids: Tensor, batch_size: int) -> Iterator[tuple[Tensor, Tensor]]:
    """(logits float32 [n, V], the ids that came, int64 [n]), in turn for every id but the first,
    see token_logprobs.
    """
    width = min(len(ids) - 1, model.config.n_positions)
    scored = 0
    starts = [*range(0, len(ids) - 1 - width, max(1, width // 2)), len(ids) - 1 - width]
    for begin in range(0, len(starts), batch_size):
        group = starts[begin : begin + batch_size]
        # [B, T + 1]
        rows = torch.stack([ids[s : s + width + 1] for s in group]).to(model.wte.weight.device)
        with torch.inference_mode(), evaluating(model):
            logits = model(rows[:, :-1]).logits.float()  # [B, T, V]
        for start, row, own in zip(group, rows, logits, strict=True):
            yield own[scored - start :], row[1 + scored - start :]
            scored = start + width


def score_documents(
    model: GPT, documents: Sequence[tuple[Sequence[int], int]], *, start_id: int
) -> TextScore:
    """Scores whole documents, each on its own after a start token, as in training.

    Args:
        model: of any kind.
        documents: (token ids, UTF-8 bytes of the text) each.
        start_id: the token prepended to a document, usually end-of-text; it is not scored.
    """
    nats = -sum(
        float(token_logprobs(model, [start_id, *ids]).double().sum()) for ids, _ in documents
    )
    return TextScore(
        sum(len(ids) for ids, _ in documents), sum(size for _, size in documents), nats
    )


def scoring_windows(
    model: GPT,
    token_ids: Sequence[int] | np.ndarray,
    *,
    n_bytes: int,
    most: int | None = None,
    batch_size: int = 64,
) -> Generator[None, None, TextScore]:
    """Scores a text in independent non-overlapping windows, one batch at a time: a quick figure
    during training.

    Args:
        model: of any kind; dropout is off while it reads.
        token_ids: int [N], N >= 2.
        n_bytes: UTF-8 bytes of the text.
        most: approximate maximum number of tokens to read, in windows spread evenly over the text.
        batch_size: windows computed together.
    """
    width = min(model.config.n_positions, len(token_ids) - 1)
    starts = list(range(0, len(token_ids) - width, width))
    if most is not None and len(starts) > max(1, most // width):
        step = len(starts) / max(1, most // width)
        starts = [starts[int(index * step)] for index in range(max(1, most // width))]
    ids = np.asarray(token_ids)
    device = model.wte.weight.device
    nats = 0.0
    for begin in range(0, len(starts), batch_size):
        rows = np.stack(
            [ids[s : s + width + 1] for s in starts[begin : begin + batch_size]]
        ).astype(np.int64)
        with torch.inference_mode(), evaluating(model):
            batch = torch.from_numpy(rows).to(device)  # [B, T + 1]
            nats += float(model(batch[:, :-1], batch[:, 1:]).loss) * rows[:, 1:].size
        yield
    n_tokens = len(starts) * width
    return TextScore(n_tokens, max(1, round(n_bytes * n_tokens / len(ids))), nats)
