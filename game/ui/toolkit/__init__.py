"""Places, widgets and how they are painted."""
