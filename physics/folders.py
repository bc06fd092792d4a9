"""The folders in which a user's programs keep things; light, for every start asks. None of them need be there yet."""

from __future__ import annotations

from pathlib import Path

APP = "topple"


def data_folder() -> Path:
    """Where what a user made is kept: matches, calibrations, the window's choices, the diagnostic log."""
    import platformdirs

    try:
        return platformdirs.user_data_path(APP, appauthor=False, roaming=True)
    except RuntimeError:  # a user without a home
        return Path(".local", "share", APP)


def config_folder() -> Path:
    """Where a user's own defaults are looked for."""
    import platformdirs

    try:
        return platformdirs.user_config_path(APP, appauthor=False)
    except RuntimeError:
        return Path(".config", APP)
