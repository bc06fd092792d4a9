"""The bot of Evaluation Domino."""
