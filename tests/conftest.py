"""What holds for all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background deaf to Ctrl-C, and so would be all that tests start and stop.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What topple keeps for people stays out of the folders of who runs the tests.
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="topple-data-")
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)

# Whoever runs the tests has defaults of their own, which no test shall depend on.
os.environ["TOPPLE_CONFIG"] = ""
