"""Strategy comparison: one prompt under several strategies, side by side, in one batch."""

from collections.abc import Iterator, Sequence

from gptcore.inference.generation import prompt_ids
from gptcore.inference.sequence import TokenSequence, check_seed
from ui.lenses.generate.handlers.strategies import COMPARED, FROM_SLIDERS, OFF, of_strategy
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError, WritingForm
from ui.shared.streaming import Figures, stream_text
from ui.state import token_stream

MOST = 5


def compare(
    services: Services,
    session_id: str | None,
    model: object,
    prompt: object,
    form: WritingForm,
    strategies: Sequence[object],
    same_numbers: object,
) -> Iterator[tuple[list[str], int]]:
    """Continues one prompt under up to five strategies, decoded as one batch.

    Args:
        form: the sliders, for the strategy FROM_SLIDERS and for length, seed and stop strings.
        strategies: a name for each column; OFF leaves it empty.
        same_numbers: every column draws with the same seed; otherwise column i adds i to it.

    Yields (a token stream for each column, the seed).
    """
    lm = services.models.get(inputs.model_name(model))
    text = inputs.text(prompt, "The prompt", most=services.limits.max_prompt_chars, least=1)
    together = inputs.flag(same_numbers, "Same random numbers")
    columns = _columns(strategies)
    ids = prompt_ids(lm, text)
    vocab_size = lm.model.config.vocab_size
    if any(strategies[column] == FROM_SLIDERS for column in columns):
        form.sampling.check_vocabulary(vocab_size)
    seed = check_seed(form.seed)
    sequences = [
        TokenSequence(
            ids,
            of_strategy(str(strategies[column]), form.sampling, vocab_size),
            seed=seed + column * (not together),
            tokenizer=lm.tokenizer,
            stop=form.stop,
        )
        for column in columns
    ]
    numbered = dict(enumerate(columns))  # the batch's rows -> the page's columns
    streams = [
        token_stream.serialise([token_stream.prompt(text)] * (index in columns))
        for index in range(MOST)
    ]
    told = set[int]()
    how = {"use_cache": form.use_cache, "tokens_per_second": form.tokens_per_second}
    with services.sessions.get(session_id).turn() as run:
        for update in stream_text(services, run, lm, sequences, form.max_new_tokens, **how):
            if run.superseded:
                return
            if update.waiting:
                line = token_stream.waiting(update.waiting).json
                yield [stream and stream + line for stream in streams], seed
                continue
            for token in update.tokens:
                streams[numbered[token.text]] += token_stream.token(lm.tokenizer, token.made).json
            ended = [row for row, figure in enumerate(update.figures) if figure.end]
            for row in ended:
                if row not in told:
                    streams[numbered[row]] += _stats(update.figures[row])
            told.update(ended)
            yield list(streams), seed


def _stats(figure: Figures) -> str:
    """The record of a text that has ended: tokens, tokens a second, and why it ended."""
    rate = None if figure.rate is None else round(figure.rate, 1)
    return token_stream.stats(n=figure.n, rate=rate, end=figure.end).json


def _columns(strategies: Sequence[object]) -> list[int]:
    """Indices of the columns that have a strategy.

    Raises InputError if none has, and for an unknown strategy.
    """
    columns = [index for index, name in enumerate(strategies[:MOST]) if name != OFF]
    if not columns:
        raise InputError("All columns are empty. Choose a strategy for at least one.")
    known = [FROM_SLIDERS, OFF, *COMPARED]
    if any(name not in known for name in strategies):
        raise InputError(f"A strategy is unknown. Choose from: {', '.join(known)}.")
    return columns
