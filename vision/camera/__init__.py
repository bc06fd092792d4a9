"""Where pictures come from, and where the camera stands."""
