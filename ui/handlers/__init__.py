"""What happens on an event: plain functions and generators, no Gradio."""
