"""A decode step in C, compiled by the machine's own compiler when it is first needed; None where there is none."""

from gptcore.inference.native.compiling import library
from gptcore.inference.native.step import Format, NativeWeights, native_weights

__all__ = ["Format", "NativeWeights", "library", "native_weights"]
