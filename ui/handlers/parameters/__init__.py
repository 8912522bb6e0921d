"""What is computed for the Parameters tab."""
