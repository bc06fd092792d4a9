"""What fell, by how far it leans."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from game.games.evaluation.state import row_scene
from game.table.fates import fate_of, fates_of
from physics.errors import ToppleError
from physics.outcome import Fate
from tests.game.table.built_rows import START, THREE
from tests.game.table.painted_table import tile_at


def test_a_lean_is_held_against_the_tipping_angle() -> None:
    tile = replace(tile_at(START.row[0], Fate.LEANING), lean_sigma=0.5)
    tipping = math.degrees(math.atan2(6, 50))
    assert fate_of(replace(tile, lean=tipping + 1.5), tipping) is Fate.FALLEN
    assert fate_of(replace(tile, lean=-(tipping + 1.5)), tipping) is Fate.FALLEN
    assert fate_of(replace(tile, lean=tipping - 1.5), tipping) is Fate.LEANING
    for lean in (tipping + 0.5, tipping - 0.5):
        with pytest.raises(ToppleError, match="please say whether it fell"):
            fate_of(replace(tile, lean=lean), tipping)
    with pytest.raises(ToppleError, match="does not see the tile 5"):
        fates_of(row_scene(THREE).line, [])
