"""Own components of the Train tab."""
