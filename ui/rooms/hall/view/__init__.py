"""Scripts of talks, leading and following."""
