"""Training runs: their manager, their state on screen and on disk, and the data sets they share."""
