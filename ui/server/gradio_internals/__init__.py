"""Every use of a private part of Gradio, and nothing else."""
