"""Where a person's own defaults are kept; light, for every start asks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from game.words import _, named
from physics.folders import config_folder

VARIABLE = "TOPPLE_CONFIG"


def config_path(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where the configuration file is, or would be; None where TOPPLE_CONFIG is set to nothing."""
    if VARIABLE in environment:
        return Path(environment[VARIABLE]) if environment[VARIABLE] else None
    return config_folder() / "config.toml"


def is_there(path: Path | None) -> bool:
    """Whether there is such a file, be it one that cannot be read."""
    try:
        return path is not None and path.exists()
    except OSError:  # a folder nobody may look into
        return True


def place_words(path: Path | None) -> str:
    """Where the file is, or would be, for people."""
    if path is None:
        return _("No configuration file is read: {variable} names none.").format(variable=VARIABLE)
    if is_there(path):
        return _("Your own defaults are read from {file}.").format(file=named(path))
    return _("Your own defaults can be kept in {file}; there is no such file yet.").format(file=named(path))
