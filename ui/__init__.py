"""The web page: a Gradio front end for gptcore."""
