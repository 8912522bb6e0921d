"""Layout and wiring of the Parameters tab."""
