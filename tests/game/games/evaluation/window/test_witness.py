"""People say what fell at their own table: which tiles stand, by keys or taps, for the first time or better."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from game import words
from game.film.boxes import Tint
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.finding import Finding
from game.games.evaluation.window.match_paint import LONGEST_WORD, in_pieces
from game.games.evaluation.window.model import Act, Screen
from game.games.evaluation.window.row_view import row_boxes
from game.games.evaluation.window.witness import Witness, laid_boxes
from game.pictures.theme import TEXT_SIZES, sizes_for
from game.ui.toolkit.layout import dock_places, match_places
from physics.line import straight

ROW = straight(NUMBERS.tiles, (6, 8, 10, 3), 20e-3).placements


class Ear:
    """Hears what is said in place of a match."""

    def __init__(self, *, takes: bool = True) -> None:
        self.said: list[tuple[str, bool, tuple[int, ...]]] = []
        self._takes = takes

    def found(self, fell: bool, standing: tuple[int, ...]) -> bool:
        self.said.append(("found", fell, standing))
        return self._takes

    def correct(self, fell: bool, standing: tuple[int, ...]) -> bool:
        self.said.append(("correct", fell, standing))
        return self._takes


class Shown:
    """As much of a screen as is looked at."""

    def __init__(self, act: Act = Act.WITNESS, finding: Finding | None = None) -> None:
        self.act, self.row, self.push_end, self.finding = act, ROW, "first", finding


def shown(act: Act = Act.WITNESS, finding: Finding | None = None) -> Screen:
    return cast(Screen, Shown(act, finding))


def keys(witness: Witness, ear: Ear, *names: str) -> list[bool]:
    return [witness.key(name, cast(Controller, ear)) for name in names]


def is_open(witness: Witness) -> bool:
    return witness.is_open


@pytest.fixture
def witness() -> Witness:
    words.use("en")
    made = Witness()
    made.update(shown())
    return made


def test_it_opens_when_people_are_asked_and_closes_afterwards(witness: Witness) -> None:
    assert is_open(witness) and witness.standing == set() and witness.words() == "The whole row fell."
    witness.toggle(8)
    witness.update(shown())
    assert witness.standing == {8}  # what was said so far stays from frame to frame
    witness.update(shown(Act.SCORED))
    assert not is_open(witness)


def test_by_keys(witness: Witness) -> None:
    ear = Ear()
    assert all(keys(witness, ear, "right", "right", "space", "0"))  # the second tile, then the tile 10 by its number
    assert witness.standing == {8, 10}
    assert witness.words() == "The row did not fall; still standing: 8 and 10."
    keys(witness, ear, "8", "s", "a", "3", "enter")
    assert ear.said == [("found", False, (3,))] and not is_open(witness)


def test_all_fell_and_some_stand(witness: Witness) -> None:
    ear = Ear()
    keys(witness, ear, "enter")
    assert ear.said == [("found", True, ())]
    witness.update(shown())
    keys(witness, ear, "n")
    assert ear.said[1:] == [("found", False, ())]
    witness.update(shown())
    assert keys(witness, ear, "escape") == [False] and is_open(witness)  # nothing to go back to: the menu's key


def test_what_was_refused_can_be_said_otherwise(witness: Witness) -> None:
    keys(witness, Ear(takes=False), "8", "enter")
    assert is_open(witness) and witness.standing == {8}


def test_a_correction_begins_with_what_was_said(witness: Witness) -> None:
    finding = Finding(7, ROW, "last", (8,), fell=False)
    witness.correct(finding)
    assert witness.standing == {8}
    witness.update(shown(Act.BUILD, finding))
    assert is_open(witness)
    ear = Ear()
    assert keys(witness, ear, "n") == [False]
    keys(witness, ear, "8", "enter")
    assert ear.said == [("correct", True, ())] and not is_open(witness)
    witness.correct(finding)
    keys(witness, ear, "escape")
    assert not is_open(witness) and len(ear.said) == 1
    witness.correct(finding)
    witness.update(shown(Act.BUILD, Finding(7, ROW, "last", (3,), fell=False)))  # somebody else was quicker
    assert not is_open(witness)


@pytest.mark.parametrize("letters", TEXT_SIZES)
@pytest.mark.parametrize("size", [(960, 640), (2560, 1440)])
def test_every_tile_has_a_cell_to_tap(witness: Witness, size: tuple[int, int], letters: float) -> None:
    sizes = sizes_for(*size, letters)
    dock = dock_places(match_places(*size, sizes, 5).dock, sizes)
    witness.row = straight(NUMBERS.tiles, tuple(tile.value for tile in NUMBERS.tiles.tiles), 15e-3).placements
    cells = witness.places(dock, sizes)
    assert list(cells) == [tile.value for tile in witness.row]
    for value, cell in cells.items():
        assert cell.inside(dock.tray) and cell.width >= 24
        assert witness.under(*cell.middle, dock, sizes) == value
    assert witness.under(dock.main.x + 5, dock.main.y + 5, dock, sizes) is None
    witness.pressed(witness.under(*cells[9].middle, dock, sizes))
    assert witness.standing == {9}


def leans(boxes: Any) -> dict[int, tuple[float, float]]:
    """How far each tile leans (degrees), and which way its top has gone along the row."""
    found = {}
    for box in boxes:
        up = box.pose.axes()[2]
        found[box.value] = math.degrees(math.acos(max(-1.0, min(1.0, up[2])))), up[0]
    return found


@pytest.mark.parametrize("end", ["first", "last"])
def test_the_told_row_lies_in_the_way_of_the_wave(end: str) -> None:
    sign = 1 if end == "first" else -1
    fallen = leans(laid_boxes(ROW, end, set(), {}))
    assert all(lean > 50 and way * sign > 0 for lean, way in fallen.values())
    flat = 3 if end == "first" else 6
    assert fallen[flat][0] == pytest.approx(90)
    some = laid_boxes(ROW, end, {10}, {10: Tint.HOVER})
    assert next(box for box in some if box.value == 10) == next(
        box for box in row_boxes(ROW, {10: Tint.HOVER}) if box.value == 10
    )
    before = 8 if end == "first" else 3
    assert 5 < leans(some)[before][0] < 50  # it leans against the one that stands
    assert all(min(corner[2] for corner in box.corners()) > -1e-9 for box in some)


def test_long_names_are_broken_but_never_cut() -> None:
    assert in_pieces("Olha") == "Olha" and in_pieces("Maximilian von Hohenstein") == "Maximilian von Hohenstein"
    for name in ("Wolfeschlegelsteinhausen", "Ü" * 40, "Olha Wolfeschlegelsteinhausenberg"):
        pieces = in_pieces(name)
        assert pieces.replace("- ", "") == name
        assert all(len(piece) <= LONGEST_WORD for piece in pieces.split())
