"""Own components of the Attention tab."""
