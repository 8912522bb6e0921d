"""What is computed for the Attention tab."""
