"""What a person can send with a report: every run adds to a log file in the data folder. Light, for every start asks.

It says what was typed, on which machine, what was opened, and where in the code an error came from that people were
told in one sentence. Any module writes to it with Python's own `logging`, to a logger below "topple".
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from physics.errors import ToppleError
from physics.folders import data_folder

LOGGER = "topple"
FILE = "topple.log"
ANSWERED_AT_ONCE = ("-h", "--help", "--version")
"""Nothing of these can go wrong that a log could explain, and people wait for them."""

_is_recording = False


def log_file() -> Path:
    """The newest of the files; older ones have .1 and .2 behind their name. It may not be there yet."""
    return data_folder() / FILE


def wants_verbose(arguments: Sequence[str]) -> bool:
    """Whether --verbose is among the arguments, known before they are read, for reading them may fail."""
    return any(len(word) > 5 and "--verbose".startswith(word) for word in arguments)


def recorded(arguments: Sequence[str], run: Callable[[], int], expected: tuple[type[Exception], ...] = ()) -> int:
    """Runs a command and writes down what happens, also where errors go when --verbose is among its arguments.

    The exit code of the run, whose exceptions come through; those that are not `expected` are faults of topple.
    """
    global _is_recording
    if _is_recording or not arguments or any(word in ANSWERED_AT_ONCE for word in arguments):
        return run()
    import logging
    import shlex

    from game.diagnostic_log import attached

    log = logging.getLogger(LOGGER)
    begun = time.monotonic()
    ending = "stopped by Ctrl-C"
    with attached(log, log_file(), to_stderr=wants_verbose(arguments)):
        _is_recording = True
        try:
            log.info("%s", _here())
            log.info("command: %s", shlex.join(arguments))
            code = run()
            ending = f"exit code {code}"
            return code
        except SystemExit as end:
            ending = f"exit code {end.code}"
            raise
        except expected as error:
            ending = f"{type(error).__name__}: {error}"
            raise
        except Exception as error:
            ending = "a fault of topple"
            log.critical("%s: %s", type(error).__name__, error, exc_info=error)
            raise
        finally:
            log.info("%s, after %.1f s", ending, time.monotonic() - begun)
            _is_recording = False


def note(error: ToppleError) -> None:
    """Writes down an error that people are told, with where it came from."""
    if _is_recording:
        import logging

        logging.getLogger(LOGGER).warning("%s: %s", type(error).__name__, error, exc_info=error)


def note_wrong_use(message: str) -> None:
    """Writes down what was wrong with the arguments."""
    if _is_recording:
        import logging

        logging.getLogger(LOGGER).warning("wrong use: %s", message)


def _here() -> str:
    """Which topple this is, and on what."""
    import platform
    from importlib import metadata

    return (
        f"topple {metadata.version('topple')}, {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.system()} {platform.release()} {platform.machine()}, {sys.executable}"
    )
