"""Layout and wiring of the Generate tab."""
