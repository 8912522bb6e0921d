"""Layout and wiring of the Zero-shot tab."""
