"""Layout and wiring of the Start tab."""
