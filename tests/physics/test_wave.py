"""The wave through a falling row: by hand-made times, and of a run that is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from physics.line import straight
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.scene import Scene, Tilt
from physics.tiles import load_set
from physics.wave import fall_span, speed_of, wave_speed

SCENE = Scene(straight(load_set("evaluation"), [3, 4, 5, 6, 7], 0.012))
XS = [place.x for place in SCENE.line.placements]
PLACES = [(place.x, place.y) for place in SCENE.line.placements]


def fallen(*times: float | None) -> Outcome:
    """A run in which the tiles fell at these times."""
    fates = tuple(Fate.STANDING if time is None else Fate.FALLEN for time in times)
    return Outcome(fates, times, ended=2.0, settled=True, source=OutcomeSource.SIMULATED, engine="bullet", step=1e-3)


def test_the_speed_is_that_of_the_tiles_after_the_pushed_one() -> None:
    times = [0.0, *(0.5 + (x - XS[0]) / 0.8 for x in XS[1:])]
    order = (0, 1, 2, 3, 4)
    assert wave_speed(PLACES, times, order) == pytest.approx(0.8)
    assert wave_speed(PLACES, times[::-1], order[::-1]) != pytest.approx(0.8)
    assert wave_speed(PLACES, times[::-1], order) is None
    assert wave_speed(PLACES, [0.0, 0.1, None, None, None], order) is None
    assert speed_of(SCENE, fallen(*times)) == pytest.approx(0.8)


def test_a_tilting_table_has_no_wave() -> None:
    tilted = replace(SCENE, push=Tilt())
    outcome = fallen(0.1, 0.2, 0.3, 0.4, 0.5)
    assert speed_of(SCENE, outcome) is not None and speed_of(tilted, outcome) is None


def test_a_fall_is_from_the_first_tile_to_the_last() -> None:
    assert fall_span(fallen(0.3, 0.1, None, 0.25, None)) == (0.1, 0.3)
    assert fall_span(fallen(*[None] * 5)) is None
