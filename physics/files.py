"""Files that are whole or not there: written beside their place first, then moved into it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from physics.errors import InputError, OutputError


def check_ending(path: Path, allowed: tuple[str, ...]) -> None:
    """OutputError when the file's ending is none of the allowed ones."""
    if path.suffix.lower() not in allowed:
        raise OutputError(
            "{file} has the ending {ending}; allowed is {allowed}.",
            file=str(path),
            ending=repr(path.suffix),
            allowed=", ".join(allowed),
        )


def check_name(path: Path) -> None:
    """InputError when the file's name is no text: OpenCV would end the program."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(
            "{file} cannot be opened: its name is not text; give it another one.", file=str(path)
        ) from None


def check_writable(path: Path) -> None:
    """OutputError when a file cannot come to stand there: better known before long work than after it."""
    folder = _wanted(path).parent
    if not folder.is_dir():
        raise OutputError("{file} cannot be written: there is no folder {folder}.", file=str(path), folder=str(folder))
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _refusal(path, error) from None


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, beside the wanted one; it takes its place when all went well, and is gone otherwise.

    A symbolic link stays: the file it leads to is the wanted one. OutputError when it cannot be written, or is no
    regular file: a device must never be replaced by one.
    """
    wanted = _wanted(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{wanted.stem}-", suffix=path.suffix, dir=wanted.parent)
        os.close(handle)
        beside = Path(name)
        try:
            yield beside
            beside.chmod(0o666 & ~_umask())
            beside.replace(wanted)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise _refusal(path, error) from None


def _wanted(path: Path) -> Path:
    """The file to be written, behind all links, there or not; OutputError when something else is there."""
    try:
        if path.is_dir():
            raise OutputError("{file} is a folder, not a file.", file=str(path))
        if path.exists() and not path.is_file():
            raise OutputError(
                "{file} cannot be written: it is a device or a pipe; name a file of its own.", file=str(path)
            )
    except OSError as error:
        raise _refusal(path, error) from None
    return _where_it_leads(path)


def _where_it_leads(path: Path) -> Path:
    """The file behind a symbolic link, there or not; any other path as it is. OutputError when it leads in a circle."""
    if not path.is_symlink():
        return path
    wanted = Path(os.path.realpath(path))
    if wanted.is_symlink():
        raise _refusal(path, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))
    return wanted


def _refusal(path: Path, error: OSError) -> OutputError:
    return OutputError("{file} cannot be written: {reason}.", file=str(path), reason=error.strerror or str(error))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
