"""What the window shows: one module for each screen."""
