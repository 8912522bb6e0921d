"""One file a tab: layout and wiring, no logic."""
