"""What tests of line files share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def line_file(tmp_path: Path) -> Path:
    return tmp_path / "row.toml"
