"""What shows how well pictures are read."""
