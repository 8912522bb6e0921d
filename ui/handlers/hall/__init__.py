"""A room of people on one server: the speaker leads, pages follow, and a wall shows everybody's runs."""
