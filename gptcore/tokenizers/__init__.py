"""Tokenizers: text to token ids and back. All are a `Tokenizer`."""

from gptcore.tokenizers.base import END_OF_TEXT, StreamingText, Tokenizer, describe_token
from gptcore.tokenizers.byte_bpe import ByteBPE
from gptcore.tokenizers.char import CharTokenizer
from gptcore.tokenizers.gpt1 import GPT1Tokenizer
from gptcore.tokenizers.loading import load_tokenizer
