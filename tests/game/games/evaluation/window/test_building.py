"""Placing by mouse and keys at the screen of a match: taking, flipping, putting back, moving inner tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from game import words
from game.film.boxes import TileBox
from game.games.evaluation.moves import End
from game.games.evaluation.window.building import Building
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.placing import first_proposal
from game.match.history import Setup
from game.ui.live_forecast import Hint
from game.ui.screens.base import LEFT, RIGHT, Desk
from game.ui.toolkit.layout import match_places
from game.ui.toolkit.paint import Painter
from game.ui.view3d.tableview import TableView
from physics.tiles import Stance
from tests.game.played import Never


class FromAbove:
    """An eye over the table: a metre is a thousand pixels, its middle at (640, 450)."""

    def point(self, x: float, y: float) -> tuple[float, float]:
        return (x - 640) / 1000, (y - 450) / 1000

    def seen(self, point: tuple[float, float, float]) -> tuple[float, float]:
        return point[0] * 1000 + 640, point[1] * 1000 + 450

    def tile_at(self, x: float, y: float, boxes: Sequence[TileBox]) -> int | None:
        at = self.point(x, y)
        near = (box for box in boxes if abs(box.position[0] - at[0]) < 6e-3 and abs(box.position[1] - at[1]) < 0.02)
        return next((box.value for box in near), None)

    def drag(self, *_: float, pan: bool) -> None:
        raise AssertionError("the eye was turned while a tile was in the hand")


Seat = Callable[..., Building]


@pytest.fixture
def seat(tmp_path: Path) -> Seat:
    """Somebody who is to place a tile in a row of these values."""
    words.use("en")

    def at(*values: int, executor: Executor | None = None) -> Building:
        setup = Setup("evaluation", ("Ann", "Bob"), 7, {"rounds": 1})
        controller = Controller.begin(tmp_path / "m.topple", setup, executor or Never())
        for value in values:
            assert controller.place(first_proposal(controller.screen().row, value)) and controller.nobody_calls()
        desk = Desk(cast(Painter, None))
        places = match_places(desk.width, desk.height, desk.sizes, 2)
        return Building(desk, controller, cast(TableView, FromAbove()), controller.screen(), places)

    return at


def row_of(controller: Controller) -> list[int]:
    return [tile.value for tile in controller.screen().row]


def held(building: Building) -> int | None:
    return building.hand.value


def drag(building: Building, start: tuple[float, float], end: tuple[float, float]) -> None:
    building.pressed(*start, LEFT)
    building.dragged(*end, 1, 1, LEFT)
    building.released(*end, LEFT)


def spot(building: Building, x: float, y: float = 0.0) -> tuple[float, float]:
    return FromAbove().seen((x, y, 0.0))


def test_a_tile_is_dragged_between_two_others(seat: Seat) -> None:
    building = seat(8, 9)
    row = building.shown.row
    drag(building, building.tray(building.dock())[5].middle, spot(building, (row[1].x + row[2].x) / 2))
    assert row_of(building.controller) == [6, 8, 5, 9]
    assert building.controller.undo() and row_of(building.controller) == [6, 8, 9]
    building.controller.close()


def test_the_right_button_flips_over_the_table_and_puts_back_elsewhere(seat: Seat) -> None:
    building = seat()
    start = building.tray(building.dock())[8].middle
    building.pressed(*start, LEFT)
    building.released(*start, LEFT)
    over = spot(building, 0.03)
    building.hovered(*over)
    assert held(building) == 8 and building.hand.move is not None
    building.pressed(*over, RIGHT)
    building.released(*over, RIGHT)
    assert building.hand.stance is Stance.SIDE
    assert building.wheel(1) and building.wheel(1)
    building.hovered(*over)
    assert building.hand.proposal is not None and building.hand.proposal.turn == pytest.approx(10)
    building.pressed(*start, RIGHT)
    building.released(*start, RIGHT)
    assert held(building) is None and not building.wheel(1)
    building.controller.close()


@pytest.mark.parametrize("taken", ["tray", "row", "keys"])
def test_an_inner_tile_is_moved_when_the_supply_is_empty(seat: Seat, taken: str) -> None:
    building = seat(8, 9, 3, 10, 1, 2, 4, 5, 7, 11)
    row = building.shown.row
    assert building.shown.is_lifting
    tray = building.tray(building.dock())
    assert tuple(tray) == tuple(tile.value for tile in row[1:-1])  # not the ends
    end = spot(building, row[0].x - 0.03)
    if taken == "tray":
        drag(building, tray[10].middle, end)
    elif taken == "row":
        drag(building, spot(building, next(tile.x for tile in row if tile.value == 10)), end)
    else:
        assert building.key("0") and building.key("d")  # the tile 10, from the last end to the first
        assert building.hand.proposal is not None and building.hand.proposal.stand.spot is End.FIRST
        assert building.key("enter")
    assert row_of(building.controller)[0] == 10
    building.controller.close()


def test_a_tile_that_is_let_go_outside_of_the_table_goes_back(seat: Seat) -> None:
    building = seat()
    drag(building, building.tray(building.dock())[8].middle, (640, 20))
    assert held(building) is None and row_of(building.controller) == [6]
    building.controller.close()


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.0, ["Forecast: does not fall completely", "0 % that all of it falls", "(0 to 12 %)"]),
        (1.0, ["Forecast: falls", "100 % (88 to 100 %)"]),
    ],
)
def test_a_hint_says_of_what_it_is_the_chance(seat: Seat, chance: float, said: list[str]) -> None:
    building = seat(7)
    building.hand.take(building.shown.row, 8)
    near = (0.0, 0.12) if chance == 0 else (0.88, 1.0)
    hint = Hint("", (6, 7, 8), chance, near, 24, None, is_final=True)
    building.shown = replace(building.shown, has_hints=True, hint=hint)
    assert building._hint_lines() == said
