"""From one picture to a reading.

Each module has its thresholds in frozen settings values beside the code that uses them. They were decided on 400 drawn
pictures, and anew on 240 more when the network was taught last (docs/vision.md); where a single one was measured
otherwise, its comment says how.
"""
