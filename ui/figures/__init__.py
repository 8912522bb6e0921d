"""Pure functions from numbers to pictures."""
