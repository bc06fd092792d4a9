"""Evaluation Domino in the window."""
