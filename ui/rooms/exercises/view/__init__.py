"""Scripts of the exercises."""
