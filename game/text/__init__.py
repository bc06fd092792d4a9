"""A match in a terminal: the row in characters, moves in words, events in sentences."""
