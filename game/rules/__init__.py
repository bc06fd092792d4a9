"""The games' rules, each pure: a state and a move in, a new state and events out."""
