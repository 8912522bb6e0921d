"""Errors whose message is written for the user: what happened, the value, the limit, the way
out.
"""


class GPTCoreError(Exception):
    """Base of every error that this package raises on purpose. The message is safe to display."""


NOT_NUMBERS = (
    "This model computes NaN, which is not a number: its weights are damaged, or its training "
    "diverged. Choose another model, or train it again with a lower learning rate."
)


class ConfigError(GPTCoreError):
    """An invalid model shape or switch."""


class ContextLengthError(GPTCoreError):
    """More tokens than the model has positions for."""


class MemoryLimitError(GPTCoreError):
    """A result that would exceed its memory limit."""


class TokenIdError(GPTCoreError):
    """A token id outside the vocabulary, or no token at all."""


class TokenizerError(GPTCoreError):
    """Text that a tokenizer cannot encode, or tokenizer files that are missing or broken."""


class SamplingError(GPTCoreError):
    """A sampling control outside its range."""


class CheckpointError(GPTCoreError):
    """A model folder that cannot be read, written or expressed in another library."""


class DeviceError(GPTCoreError):
    """A device that is not here, or does not compute."""


class HubError(GPTCoreError):
    """A file that is neither on this machine nor reachable on the Hugging Face Hub."""


class MissingFileError(HubError):
    """A repository on the Hub has no file of this name."""


class TrainingError(GPTCoreError):
    """An invalid training configuration or data set."""


class PromptError(GPTCoreError):
    """A task prompt that lacks something: a field, a placeholder, a label, room in the window."""
