"""The page: Gradio around gptcore."""
