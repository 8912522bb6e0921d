"""Weights on disk: model folders, the Hugging Face format both ways, and checkpoints in few bits."""
