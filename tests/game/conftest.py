"""Matches that are closed again, and forecasts that cost nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from game import forecasts
from game.background import Tools
from game.session import Session, new_match
from game.stage import scene_key
from tests.game.played import Here, setup


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
    monkeypatch.setattr(forecasts, "foretell", lambda scene, *_: {"scene": scene_key(scene), "probability": 0.5})
