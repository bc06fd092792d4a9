from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.game.ui.person import virtual_screen


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """One screen for all windows of this worker, one window at a time."""
    if not (shutil.which("Xvfb") or shutil.which("apt-get")):
        pytest.skip("Xvfb and xdotool come with Debian's packages")
    with virtual_screen() as name:
        yield name
