"""Reads the table from a camera."""
