"""Writing text: sampling, sequences, the running batch, the decode engine, and scoring."""
