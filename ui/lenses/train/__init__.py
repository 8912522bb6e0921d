"""Layout and wiring of the Train tab."""
