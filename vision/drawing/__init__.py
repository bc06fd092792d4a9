"""Drawn pictures of tables."""
