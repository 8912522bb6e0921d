"""A room of people on one server: the speaker leads, and pages follow."""
