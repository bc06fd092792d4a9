"""The matches that people play: in one folder of the user's data, for window and terminal alike, and what is in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from game.match.background import Tools
from game.match.history import MatchHistory, Setup
from game.match.log import ENDING
from game.match.reading import read_match
from game.match.session import Session, new_match
from physics.errors import OutputError, ToppleError
from physics.files import check_writable
from physics.folders import data_folder

NAME = f"match{ENDING}"
MAX_LISTED = 20  # of the newest files that are looked into


def matches_folder(folder: Path | None = None) -> Path:
    """Where matches are kept when nobody says where; made when it is not there. OutputError when it cannot be."""
    matches = (folder or data_folder()) / "matches"
    try:
        matches.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(matches, error) from None
    return matches


def free_file(wanted: Path) -> Path:
    """That path or, when something is there, the first of wanted-2, wanted-3 … that is free."""
    names = (wanted if number == 1 else wanted.with_stem(f"{wanted.stem}-{number}") for number in count(1))
    return next(path for path in names if not path.exists())


def begun(setup: Setup, path: Path | None, tools: Tools, folder: Path | None = None) -> Session:
    """A match that begins in that file or, without one, in a new one of that folder (None: where matches are kept).

    InputError when the setup or the file is wrong, OutputError when it cannot be written.
    """
    if path is not None:
        return new_match(path, setup, tools)
    path = _reserved((matches_folder() if folder is None else folder) / NAME)
    try:
        return new_match(path, setup, tools, replace_file=True)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _reserved(wanted: Path) -> Path:
    """That file or the next of its name that is free, made now: others may look for one at the same time."""
    check_writable(wanted)
    while True:
        path = free_file(wanted)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except FileExistsError:
            continue
        except OSError as error:
            raise _refusal(path, error) from None
        return path


def _refusal(path: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError("{file} cannot be written: {reason}.", file=str(path), reason=reason)


# Which there are


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """A match in its file."""

    path: Path
    history: MatchHistory
    left: float  # s since the epoch, when the file was last written

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end."""
        return self.history.game.result(self.history.state) is not None


def kept_matches(folder: Path) -> tuple[SavedMatch, ...]:
    """The newest matches in that folder, the one left last first.

    Those without a move and damaged files are passed over. Reads whole files: not for every frame.
    """
    found = []
    for left, path in _newest(folder):
        try:
            match = read_match(path)
        except (ToppleError, OSError):
            continue
        if match.recording.entries:
            found.append(SavedMatch(path, match.history, left))
    return tuple(found)


def _newest(folder: Path) -> list[tuple[float, Path]]:
    try:
        files = [(path.stat().st_mtime, path) for path in folder.iterdir() if path.suffix == ENDING and path.is_file()]
    except OSError:
        return []
    return sorted(files, reverse=True)[:MAX_LISTED]
