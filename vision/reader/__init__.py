"""From one picture to a reading."""
