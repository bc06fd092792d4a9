"""A slice of the gallery: the main screens in the smallest window, where there is least room."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.game.ui.person import ROOT


@pytest.mark.slow
def test_every_main_screen_has_room_in_the_smallest_window(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.ui.gallery", str(tmp_path), "--sizes", "960x640", "--languages", "uk"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pictures = sorted(tmp_path.glob("*.png"))
    assert len(pictures) > 12
    for picture in pictures:
        with Image.open(picture) as image:
            assert image.size == (960, 640)
            assert len(image.resize((96, 64)).getcolors(96 * 64) or ()) > 100, picture.name  # something is painted
