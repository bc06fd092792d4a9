"""What people say of tiles that were read wrong, and what cannot be so."""

from __future__ import annotations

import pytest

from game.core import RuleError
from game.table.corrections import Correction, corrected, correction_in
from physics.errors import SceneError
from physics.outcome import Fate
from physics.tiles import Stance, load_set
from vision.reader.reading import ReadTile

EVALUATION, CLASSIC = load_set("evaluation"), load_set("classic")


def tile(value: int, x: float = 0.0, confidence: float = 0.97) -> ReadTile:
    return ReadTile(value, x, 5.0, 12.0, Stance.UPRIGHT, Fate.STANDING, (0.3, 0.4, 0.8), confidence)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("7 is 8", Correction(7, other=8)),
        ("  7  is 0 ", Correction(7, other=0)),
        ("8 at -12.5 30", Correction(8, place=(-12.5, 30.0))),
        ("8 at +1., -3", Correction(8, place=(1.0, -3.0))),
        ("8 at 1,5 -3,25", Correction(8, place=(1.5, -3.25))),
        ("8 at -12.5, 30.", Correction(8, place=(-12.5, 30.0))),
        ("eight is 7", None),
        ("7 is 8 is 9", None),
        ("8 at 1", None),
        ("8 at 1e3 4", None),
        ("8 at " + "9" * 400 + " 4", None),
        ("٧ is 8", None),
    ],
)
def test_corrections_are_understood(line: str, meant: Correction | None) -> None:
    assert correction_in(line) == meant


def test_a_tile_is_another_one_or_elsewhere() -> None:
    row = (tile(3), tile(7, 30.0, 0.6))
    one = corrected(row, Correction(7, other=8), EVALUATION)
    assert one[0] == row[0] and (one[1].value, one[1].x, one[1].confidence) == (8, 30.0, 1.0)
    two = corrected(row, Correction(3, place=(-4.0, 2.0)), EVALUATION)
    assert (two[0].x, two[0].y, two[0].yaw, two[0].sigma) == (-4.0, 2.0, 12.0, (0.3, 0.4, 0.8)) and two[1] == row[1]


def test_of_equal_tiles_the_nearest_or_least_sure_is_meant() -> None:
    row = (tile(1, 0.0), tile(1, 30.0, 0.6), tile(1, 60.0))
    assert [one.x for one in corrected(row, Correction(1, place=(50.0, 5.0)), CLASSIC)] == [0.0, 30.0, 50.0]
    assert [one.confidence for one in corrected(row, Correction(1, other=1), CLASSIC)] == [0.97, 1.0, 0.97]


def test_what_cannot_be_is_refused() -> None:
    row = (tile(3), tile(7, 30.0))
    with pytest.raises(RuleError, match="The tile 5 is not seen on the table"):
        corrected(row, Correction(5, other=8), EVALUATION)
    with pytest.raises(RuleError, match="The tile 3 is seen elsewhere on the table"):
        corrected(row, Correction(7, other=3), EVALUATION)
    with pytest.raises(SceneError, match="has no tile 99"):
        corrected(row, Correction(7, other=99), EVALUATION)
