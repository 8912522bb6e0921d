"""Training runs: their manager, their state, their JSON, and the data sets they share."""
