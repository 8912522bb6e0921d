"""Inference: sampling, sequences, continuous batching, the decode engine, and scoring."""
