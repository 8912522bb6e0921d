"""Small gr.HTML components: Python, JavaScript and style sheet side by side."""
