"""Films in the window."""
