"""Cases with a known answer, each run through the engine that `predict` uses."""
