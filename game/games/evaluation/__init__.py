"""Evaluation Domino."""
