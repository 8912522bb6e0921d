"""Components that several tabs use."""
