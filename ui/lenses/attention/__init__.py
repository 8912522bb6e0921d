"""Layout and wiring of the Attention tab."""
