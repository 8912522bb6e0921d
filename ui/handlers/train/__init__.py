"""What is computed for the Train tab."""
