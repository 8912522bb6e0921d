"""What is computed for the page as a whole."""
