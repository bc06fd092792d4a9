"""Players that are programs, and bots against bots."""
