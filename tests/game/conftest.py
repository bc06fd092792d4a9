"""Matches that are closed again, forecasts that cost nothing, and disks that fill up."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game import catalogue
from game.match import forecasts
from game.match.background import Tools
from game.match.session import Session, new_match
from tests.game.played import Here, made_up_forecast, setup


@pytest.fixture
def begin(tmp_path: Path) -> Any:
    """Begins a match; all that were begun are closed."""
    open_ones: list[Session] = []

    def new(tools: Tools | None = None, **changes: Any) -> Session:
        path = tmp_path / f"match-{len(open_ones)}.topple"
        open_ones.append(new_match(path, setup(**changes), tools or Tools(executor=Here())))
        return open_ones[-1]

    yield new
    for session in open_ones:
        session.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forecasts that cost nothing."""
    monkeypatch.setattr(forecasts, "forecast_of", made_up_forecast)


@pytest.fixture
def lanterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game of the tests among the others."""
    monkeypatch.setattr(catalogue, "GAMES", {**catalogue.GAMES, "lanterns": "tests.game.lanterns"})


@pytest.fixture
def no_room(monkeypatch: pytest.MonkeyPatch) -> Callable[[], contextlib.AbstractContextManager[None]]:
    """While it lasts nothing can be written to any disk."""

    @contextlib.contextmanager
    def full() -> Iterator[None]:
        def refuse(*_: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", refuse)
            yield

    return full


class Disk:
    """A small file system of its own, which can be filled to the last page and freed again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        with self._ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))

    def free(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        sys.platform != "linux"
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("only root may mount a disk")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
