"""Settling: which readings count, and what happened in between."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from physics.outcome import Fate
from physics.tiles import Stance
from vision.reader.reading import ReadTile
from vision.watching.settle import SETTLE_RULES, Kind, Phase, Seen, TableEvent, TableState, changes_between, step

TICK = 0.1  # s between two pictures
THREE, FIVE, SEVEN = ReadTile(3, -30.0, 0.0), ReadTile(5, 0.0, 0.0), ReadTile(7, 30.0, 0.0)
ROW = (THREE, FIVE, SEVEN)


class Camera:
    """A table that is filmed: what stands on it, what moves, whether a hand is there."""

    def __init__(self, *tiles: ReadTile) -> None:
        self.state = TableState()
        self.time = 0.0
        self.tiles: tuple[ReadTile, ...] = tiles
        self.readings = 0

    def film(self, seconds: float, moving: float = 0.0, hand: bool = False) -> list[TableEvent]:
        """Pictures for that long; the table is read whenever that is wanted."""
        told: list[TableEvent] = []
        for _ in range(round(seconds / TICK)):
            self.time += TICK
            reading = self.tiles if self.state.wants_reading else None
            self.readings += reading is not None
            self.state, events = step(self.state, Seen(self.time, moving, hand, reading))
            told += events
        return told

    def hand_does(self, *tiles: ReadTile) -> list[TableEvent]:
        """A hand comes, does something and goes."""
        told = self.film(0.3, moving=0.05, hand=True)
        self.tiles = tiles
        return told + self.film(0.3, moving=0.05, hand=True) + self.film(2.0)


def settled(*tiles: ReadTile) -> Camera:
    camera = Camera(*tiles)
    camera.film(2.0)
    assert camera.state.phase is Phase.SETTLED
    return camera


def named(events: list[TableEvent]) -> list[tuple[str, int | None]]:
    return [(event.kind.value, event.change.value if event.change else None) for event in events]


def test_the_first_reading_places_every_tile() -> None:
    camera = Camera(*ROW)
    assert named(camera.film(SETTLE_RULES.calm - TICK)) == []
    assert camera.readings == 0
    assert named(camera.film(1.0)) == [("placed", 3), ("placed", 5), ("placed", 7)]
    assert camera.state.phase is Phase.SETTLED


def test_a_calm_table_is_not_read_again_and_again() -> None:
    camera = settled(*ROW)
    before = camera.readings
    assert camera.film(5.0) == [] and camera.readings == before == SETTLE_RULES.agreeing


def test_a_hand_places_a_tile() -> None:
    camera = settled(THREE, FIVE)
    told = named(camera.hand_does(*ROW))
    assert told == [("hand in view", None), ("hand out of view", None), ("placed", 7)]


def test_tiles_are_moved_turned_taken_and_laid_down() -> None:
    camera = settled(*ROW)
    moved = replace(FIVE, y=4.0)
    assert named(camera.hand_does(THREE, moved, SEVEN))[2:] == [("moved", 5)]
    turned = replace(moved, yaw=10.0)
    assert named(camera.hand_does(THREE, turned, SEVEN))[2:] == [("moved", 5)]
    assert named(camera.hand_does(THREE, SEVEN))[2:] == [("taken", 5)]
    assert named(camera.hand_does(replace(THREE, stance=Stance.SIDE), SEVEN))[2:] == [("moved", 3)]


def test_a_fall_is_told_when_everything_rests() -> None:
    camera = settled(*ROW)
    during = camera.film(0.5, moving=0.01)
    camera.tiles = tuple(replace(tile, state=Fate.FALLEN, x=tile.x + 20.0) for tile in ROW)
    assert during == [] and camera.state.phase is Phase.MOVING
    assert named(camera.film(1.5)) == [("fallen", 3), ("fallen", 5), ("fallen", 7)]
    assert camera.film(2.0) == []


def test_a_tile_that_is_set_up_again_has_moved() -> None:
    camera = settled(replace(FIVE, state=Fate.FALLEN))
    assert named(camera.hand_does(FIVE))[2:] == [("moved", 5)]


def test_what_a_reading_jitters_is_no_event() -> None:
    camera = settled(*ROW)
    camera.film(0.2, moving=0.01)
    camera.tiles = tuple(replace(tile, x=tile.x + 1.0, yaw=tile.yaw + 182.0) for tile in ROW)
    assert camera.film(2.0) == []
    assert camera.state.tiles == camera.tiles  # the newer reading counts all the same


def test_an_uncertain_tile_must_move_farther() -> None:
    unsure = replace(FIVE, sigma=(3.0, 3.0, 12.0))
    assert changes_between([unsure], [replace(unsure, x=8.0, yaw=17.0)]) == ()
    assert changes_between([FIVE], [replace(FIVE, x=8.0)]) != ()


def test_one_odd_reading_changes_nothing() -> None:
    camera = settled(*ROW)
    camera.film(0.2, moving=0.01)
    camera.tiles = (THREE, FIVE)
    while camera.state.pending is None:
        assert camera.film(TICK) == []
    camera.tiles = ROW
    assert camera.film(2.0) == []
    assert camera.state.phase is Phase.SETTLED


def test_nothing_counts_while_a_hand_is_in_view() -> None:
    camera = settled(*ROW)
    camera.tiles = (THREE,)
    assert named(camera.film(1.0, hand=True)) == [("hand in view", None)]
    assert camera.state.tiles == ROW and not camera.state.wants_reading


def test_a_hand_that_never_stirs_is_a_change_of_light() -> None:
    camera = settled(*ROW)
    told = named(camera.film(SETTLE_RULES.ghost + 2.0, hand=True))
    assert told == [("hand in view", None), ("hand out of view", None)]
    assert camera.state.phase is Phase.SETTLED


def test_copies_of_one_value_are_told_apart_by_place() -> None:
    left, right = ReadTile(1, -50.0, 0.0), ReadTile(1, 50.0, 0.0)
    (change,) = changes_between([left, right], [replace(right, y=10.0), left])
    assert change.kind is Kind.MOVED and change.before is right
    assert [each.kind for each in changes_between([left, right], [right])] == [Kind.TAKEN]


tiles = st.lists(
    st.builds(ReadTile, st.integers(1, 11), st.floats(-200, 200), st.floats(-100, 100), st.floats(-400, 400)),
    max_size=8,
    unique_by=lambda tile: tile.value,
)


@given(tiles, tiles)
def test_differences_lead_from_one_table_to_the_other(before: list[ReadTile], after: list[ReadTile]) -> None:
    found = changes_between(before, after)
    assert changes_between(after, after) == ()
    gone = {each.value for each in found if each.kind is Kind.TAKEN}
    new = {each.value for each in found if each.kind is Kind.PLACED}
    assert ({tile.value for tile in before} - gone) | new == {tile.value for tile in after}


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.01]), st.booleans()), max_size=60))
def test_hands_come_and_go_in_turn(pictures: list[tuple[float, bool]]) -> None:
    state, told = TableState(), []
    for index, (moving, hand) in enumerate(pictures):
        state, events = step(state, Seen(index * TICK, moving, hand, ROW if state.wants_reading else None))
        told += [event.kind for event in events if event.kind in (Kind.HAND_IN, Kind.HAND_OUT)]
    assert told == ([Kind.HAND_IN, Kind.HAND_OUT] * len(told))[: len(told)]
