"""A log as a film."""
