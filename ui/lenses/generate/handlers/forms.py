"""The Generate tab's forms: every setting, declared once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gptcore.inference.sampling_settings import CONTROLS
from gptcore.inference.sequence import MAX_SEED
from ui.lenses.generate.handlers.strategies import COMPARED, FROM_SLIDERS, OFF
from ui.services import Services
from ui.shared import inputs
from ui.shared.fields import Choice, Field, Flag, Number, Text, Whole, declared
from ui.shared.inputs import WritingForm

MOST_STRENGTH = 6.0  # how many times a steering vector is added
LARGEST_SEED = min(MAX_SEED, 2**31 - 1)
MOST_NEW_TOKENS = 100_000  # of any profile; each has a limit of its own
_LONGEST_NAME = 300  # characters of a model's name
_COLUMNS = {**dict.fromkeys(COMPARED, ""), FROM_SLIDERS: "", OFF: ""}
_MOST_TOKENS = 10_000_000  # of any vocabulary; a model's own is checked when it is known
_MANY_LINES = 2_000  # characters


def _sampling(name: str, title: str = "", field_id: str = "") -> Field:
    """The field of a sampling control, over the range of its slider."""
    control = CONTROLS[name]
    kind = Whole if control.is_whole else Number
    return kind(
        title=title or control.title,
        noun=control.title,
        info=control.hint,
        help=control.help,
        id=field_id or name.replace("_", "-"),
        low=control.low,
        high=control.high,
        step=control.step,
    )


def _allowed(name: str) -> Field:
    """The field of a sampling control, over all that is allowed."""
    low, high = CONTROLS[name].allowed
    return replace(_sampling(name), low=low, high=_MOST_TOKENS if high is None else high)


@dataclass(frozen=True, kw_only=True)
class SamplingFields:
    """The sampling settings that programs send."""

    temperature: float = declared(_allowed("temperature"), 1.0)
    top_k: int = declared(_allowed("top_k"), 0)
    top_p: float = declared(_allowed("top_p"), 1.0)
    min_p: float = declared(_allowed("min_p"), 0.0)
    repetition_penalty: float = declared(_allowed("repetition_penalty"), 1.0)
    no_repeat_ngram_size: int = declared(_allowed("no_repeat_ngram_size"), 0)
    min_new_tokens: int = declared(_allowed("min_new_tokens"), 0)


@dataclass(frozen=True, kw_only=True)
class WritingFields:
    """The settings for writing a text."""

    temperature: float = declared(_sampling("temperature"), 1.0)
    top_k: int = declared(_sampling("top_k"), 0)
    top_p: float = declared(_sampling("top_p"), 1.0)
    max_new_tokens: int = declared(
        Whole(
            title="Length",
            noun="The number of new tokens",
            help="tokens to write at most.",
            info="new tokens",
            id="max-new-tokens",
            low=1,
            high=MOST_NEW_TOKENS,
            step=1,
        ),
        200,
    )
    min_p: float = declared(_sampling("min_p"), 0.0)
    repetition_penalty: float = declared(
        _sampling("repetition_penalty", "Repetition", "repetition"), 1.0
    )
    no_repeat_ngram_size: int = declared(_sampling("no_repeat_ngram_size", field_id="no-repeat"), 0)
    min_new_tokens: int = declared(_sampling("min_new_tokens"), 0)
    tokens_per_second: float = declared(
        Number(
            title="Speed limit",
            info="tokens a second; 0 is none",
            id="speed",
            low=0,
            high=60,
            step=1,
        ),
        0,
    )
    stop: str = declared(
        Text(
            title="Stop strings", info=r"one a line; \n is a newline", id="stop-strings", most=500
        ),
        "",
    )
    use_cache: bool = declared(
        Flag(
            title="KV cache",
            noun="The KV cache",
            info="Off: every token reads the whole text again. Compare the tokens/s.",
            help="keep keys and values between tokens.",
            id="use-cache",
        ),
        True,
    )
    seed: int = declared(Whole(title="Seed", low=0, high=LARGEST_SEED), 4)
    keep_seed: bool = declared(Flag(title="keep this seed", id="keep-seed"), True)
    surprise: bool = declared(
        Flag(title="Show what surprises it in your text", id="surprise"), False
    )


def _column(number: int) -> Field:
    return Choice(
        title=f"Strategy {number}", id=f"strategy-{number - 1}", options=_COLUMNS, listed=True
    )


@dataclass(frozen=True, kw_only=True)
class CompareFields:
    """Strategies side by side."""

    strategy_1: str = declared(_column(1), "Greedy")
    strategy_2: str = declared(_column(2), "T = 0.7")
    strategy_3: str = declared(_column(3), "Top-k = 50")
    strategy_4: str = declared(_column(4), "Top-p = 0.9")
    strategy_5: str = declared(_column(5), "Combined")
    same_numbers: bool = declared(
        Flag(
            title="Same random numbers",
            id="compare-same",
            info="On: only the strategy differs. Off: each column gets its own random numbers, so "
            "one strategy gives five texts.",
        ),
        True,
    )


@dataclass(frozen=True, kw_only=True)
class ChatFields:
    """The models that answer, and the system line in front of the conversation."""

    chat_model: str = declared(Text(title="Who answers", id="chat-model", most=_LONGEST_NAME), "")
    chat_plain: str = declared(
        Text(title="Plain model for comparison", id="chat-plain", most=_LONGEST_NAME), ""
    )
    chat_system: str = declared(
        Text(
            title="System line",
            info="goes before the conversation; the bundled assistant was trained without one",
            id="chat-system",
            most=_MANY_LINES,
        ),
        "",
    )


@dataclass(frozen=True, kw_only=True)
class SteerFields:
    """A direction, and how hard a text is pushed along it."""

    towards: str = declared(
        Text(title="Towards", info="one a line", id="steer-towards", most=_MANY_LINES, lines=4), ""
    )
    away: str = declared(
        Text(title="Away from", info="one a line", id="steer-away", most=_MANY_LINES, lines=4), ""
    )
    strength: float = declared(
        Number(
            title="Strength",
            info="below 0 pushes the other way",
            id="steer-strength",
            low=-MOST_STRENGTH,
            high=MOST_STRENGTH,
            step=0.5,
        ),
        1.5,
    )
    steer_depth: int = declared(
        Whole(
            title="Depth",
            info="blocks before it; 0: the middle",
            id="steer-depth",
            low=0,
            high=1000,
        ),
        0,
    )
    steer_seed: int = declared(Whole(title="Seed", id="steer-seed", low=0, high=LARGEST_SEED), 1)


SAMPLING = tuple(CONTROLS)  # the sliders that change the distribution
# what no answer depends on
MORE = ("max_new_tokens", "stop", "use_cache", "tokens_per_second", "keep_seed")


def writing_form(services: Services, values: Mapping[str, object]) -> WritingForm:
    """The checked form of the tab's values, by their names; a seed that is not kept is left to
    chance.

    Raises:
        InputError: with the value and the range.
    """
    seed = values["seed"] if values["keep_seed"] is True else None
    return inputs.writing_form({**values, "seed": seed}, services.limits)
