"""What the server keeps: visitors, limits, models, and caches of what was computed."""
