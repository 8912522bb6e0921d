"""Short scripts, one thing each: `python -m gptcore.examples.read_attention`, and the others beside
it.
"""
