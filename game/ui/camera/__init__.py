"""What a camera sees, in the window."""
