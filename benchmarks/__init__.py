"""Measurements of speed, for `topple bench`."""
