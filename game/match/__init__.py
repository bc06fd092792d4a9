"""One match: its log, what counts in it, and what is under way."""
