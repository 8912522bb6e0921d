"""Batched greedy decoding of answers."""

from collections.abc import Sequence

from gptcore.inference.engine import DecodeEngine
from gptcore.language_model import LanguageModel
from gptcore.tokenizers import Tokenizer


def greedy_answers(
    lm: LanguageModel, prompts: Sequence[Sequence[int]], *, max_new_tokens: int, stop: Sequence[str] = ("\n",)
) -> list[str]:
    """Greedy continuation of each prompt, up to a stop string.

    Args:
        lm: of any kind; decoded as `DecodeEngine` does by default, large ones with 16-bit weights.
        prompts: token ids, each at most a window.
        max_new_tokens: maximum, of each; fewer for a prompt that reaches the end of the window.
        stop: strings that end an answer and are left out of it; not before its first visible character.

    Raises:
        ContextLengthError, TokenIdError: as the model does.
    """
    window = lm.model.config.n_positions
    allowed = [min(max_new_tokens, window - len(prompt) + 1) for prompt in prompts]
    decoder = DecodeEngine(lm.model, capacity=min(window, max(map(len, prompts)) + max_new_tokens))
    logits = decoder.read_together(prompts)  # [B, V]
    written: list[list[int]] = [[] for _ in prompts]
    answers: list[str | None] = [None for _ in prompts]
    rows = list(range(len(prompts)))  # of the decoder: which prompts they continue
    while True:
        chosen = logits.argmax(-1).tolist()
        for place in reversed(range(len(rows))):
            prompt = rows[place]
            written[prompt].append(chosen[place])
            answers[prompt] = _ended(written[prompt], lm.tokenizer, stop)
            if answers[prompt] is not None or len(written[prompt]) == allowed[prompt]:
                decoder.remove(place)
                rows[place] = rows[-1]
                del rows[-1]
        if not rows:
            break
        logits = decoder.step([written[prompt][-1] for prompt in rows])
    return [lm.tokenizer.decode(ids) if text is None else text for ids, text in zip(written, answers, strict=True)]


def _ended(ids: Sequence[int], tokenizer: Tokenizer, stop: Sequence[str]) -> str | None:
    """The complete answer if these tokens end it, else None."""
    if ids[-1] == tokenizer.end_id:
        return tokenizer.decode(ids[:-1])
    text = tokenizer.decode(ids)
    start = len(text) - len(text.lstrip())
    cuts = [place for string in stop if (place := text.find(string, start)) >= 0]
    return text[: min(cuts)] if cuts else None
