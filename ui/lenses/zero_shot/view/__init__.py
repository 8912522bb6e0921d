"""Own components of the Zero-shot tab."""
