"""What is computed for the Zero-shot tab."""
