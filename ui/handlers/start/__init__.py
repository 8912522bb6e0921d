"""What the Start tab shows: one sentence as its model sees it, and a run as a film."""
