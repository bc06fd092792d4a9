"""The window (Arcade)."""

import os
import sys
from pathlib import Path

# Where there is no sound card the sound library would write about it between our own lines.
if sys.platform == "linux" and not Path("/dev/snd").exists():
    os.environ.setdefault("ALSOFT_DRIVERS", "null")
