"""What is computed for the Generate tab."""
