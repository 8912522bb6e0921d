"""The logit lens: what the model would say if it stopped after each layer."""

from collections.abc import Sequence

from gptcore.analysis import logit_lens, settled_depths
from gptcore.formatting import percent
from ui.conclusions import UNSURE, concludes, counted, had_led, in_front, listed, quoted
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers.maps import AttentionForm, ReadText
from ui.lenses.attention.payloads import Lens
from ui.payloads import probability
from ui.services import Services
from ui.shared.open_model import answering
from ui.state.token_stream import label

# Most columns of a readable table; a longer text shows its last ones.
_MOST_POSITIONS = 64

_FEW = 8  # tokens: of fewer, half is no figure
_MOST_NAMED = 3  # tokens that were known equally early


@answering
def lens(services: Services, session_id: str | None, form: AttentionForm) -> Lens:
    """Computes the model's guess after each layer. Arguments as in `maps.read`."""
    seen = maps.read(services, session_id, form)
    return services.now(lambda: _describe(seen))


def _describe(seen: ReadText) -> Lens:
    ids = seen.kept.reading.token_ids
    first = max(0, len(ids) - _MOST_POSITIONS)
    readings = logit_lens(seen.lm.model, ids, first=first)
    n_layer = seen.lm.model.config.n_layer
    final = label(seen.lm.tokenizer, int(readings.best[-1, -1]))
    known = [None, *settled_depths(readings.best[:, :-1], ids[first + 1 :])]
    cut = f"The last {_MOST_POSITIONS} of {len(ids):,} tokens are shown." if first else ""
    return {
        "said": conclusion(
            readings.final_rank[:, -1].tolist(), readings.final_probability[:, -1].tolist(), final
        ),
        "note": " ".join(filter(None, [seen.note, cut])),
        "tokens": list(seen.kept.labels[first:]),
        "first": first,
        "depths": ["embeddings", *(f"layer {layer}" for layer in range(n_layer))],
        "best": [
            [label(seen.lm.tokenizer, token) for token in row] for row in readings.best.tolist()
        ],
        "probability": [[probability(p) for p in row] for row in readings.probability.tolist()],
        "rank": readings.final_rank.tolist(),
        "share": [[probability(p) for p in row] for row in readings.final_probability.tolist()],
        "known": known,
        "knew": conclusion_of_text(known[1:], list(seen.kept.labels[first + 1 :]), n_layer),
    }


@concludes("lens of a text")
def conclusion_of_text(known: Sequence[int | None], words: Sequence[str], n_layer: int) -> str:
    """When the words of a text were known: the layer from which each stayed the top guess.

    Args:
        known: a depth for each word, or None.
        words: as people read them.
        n_layer: of the model.
    """
    settled = [(depth, word) for depth, word in zip(known, words, strict=True) if depth is not None]
    if not settled:
        return f"None of the {len(words)} tokens was its first guess." if len(words) >= _FEW else ""
    tokens = (
        f"{len(settled)} of {counted(len(words), 'token')} "
        f"{'was' if len(settled) == 1 else 'were'} its first guess"
    )
    depths = sorted(depth for depth, _ in settled)
    if depths[0] == n_layer:
        return f"{tokens}, only with the last layer."
    earliest = list(dict.fromkeys(quoted(word) for depth, word in settled if depth == depths[0]))
    n_earliest = depths.count(depths[0])
    named = listed(earliest) if len(earliest) <= _MOST_NAMED else f"{n_earliest} of them"
    since = "before any layer" if depths[0] == 0 else f"from layer {depths[0] - 1} on"
    sentence = f"{tokens}: {'the earliest, ' if len(settled) > 1 else ''}{named}, {since}"
    if len(settled) < _FEW:
        return f"{sentence}."
    half = depths[(len(depths) - 1) // 2]
    late = depths.count(n_layer)
    if half < n_layer:
        by = "before any layer" if half == 0 else f"by layer {half - 1}"
        sentence += f"; {sum(depth <= half for depth in depths)} of them {by}"
    return f"{sentence}; {late} only with the last layer." if late else f"{sentence}."


@concludes("lens")
def conclusion(ranks: list[int], chances: list[float], choice: str) -> str:
    """When the model's choice after the last token became its first guess.

    Args:
        ranks: of the choice after each depth, the embeddings first; 1 is the first guess.
        chances: its probabilities.
        choice: as people read it.
    """
    settled, before = in_front([rank == 1 for rank in ranks])
    word = quoted(choice)
    final = percent(chances[-1])
    if chances[-1] < UNSURE:
        return (
            f"Nothing stands out after the last token: the first guess, {word}, has only {final}."
        )
    if settled == 0:
        return f"After the last token, {word} leads at every depth and ends at {final}."
    risen = f"from {percent(chances[settled - 1])} to {percent(chances[settled])}"
    takes = (
        f"After the last token, {word} takes the lead in layer {settled - 1} ({risen}) and ends at "
        f"{final}."
    )
    return takes + had_led(before, "layer")
