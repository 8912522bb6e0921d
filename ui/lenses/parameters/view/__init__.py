"""Own components of the Parameters tab."""
