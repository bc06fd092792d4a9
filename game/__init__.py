"""Games, sessions and everything people see: the command line, windows and pages."""
