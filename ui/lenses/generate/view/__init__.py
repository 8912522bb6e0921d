"""Own components of the Generate tab."""
