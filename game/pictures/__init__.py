"""Pictures without a window: plans, films of a run, 3D scenes."""
