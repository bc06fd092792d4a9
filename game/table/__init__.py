"""A camera and a rig at a real table."""
