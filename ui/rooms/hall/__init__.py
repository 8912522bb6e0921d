"""A room of people: talks, leading and following."""
