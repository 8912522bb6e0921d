"""Event handlers: plain functions and generators, independent of Gradio."""
