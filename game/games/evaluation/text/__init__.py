"""Evaluation Domino in words."""
