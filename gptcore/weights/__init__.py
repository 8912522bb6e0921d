"""Weights on disk: model folders, the Hugging Face format both ways, and 4-bit snapshots."""
