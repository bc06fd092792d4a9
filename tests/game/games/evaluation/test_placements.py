"""Where tiles of Evaluation Domino may be stood: guided and free placements, their limits, and moves as text."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from game.core import RuleError
from game.games.evaluation.choices import first_place, offers
from game.games.evaluation.moves import Accident, End, FallReport, Move, Pass, Spot, Stand, Vote, read, write
from game.games.evaluation.numbers import NUMBERS, limits_of
from game.games.evaluation.placements import Row, at_end, between, free_air, gaps_between, stood
from physics.line import Placement, straight
from physics.tiles import Stance

UP, SIDE = Stance.UPRIGHT, Stance.SIDE
LIMITS = NUMBERS.limits
ONE = (Placement(6, 0.0, 0.0),)

finite = st.floats(-39.9, 39.9)
angles = st.floats(-62, 62)
placements = st.builds(Placement, st.integers(0, 99), finite, finite, angles, st.sampled_from(Stance))
spots = st.one_of(st.sampled_from(End), st.tuples(st.integers(0, 99), st.integers(0, 99)))
stands = st.builds(Stand, placements, spots)
lifts = st.builds(Stand, placements, st.sampled_from(End), st.just(True))
others = st.one_of(
    st.builds(Vote, st.booleans()),
    st.builds(Accident, st.integers(0, 9)),
    st.builds(FallReport, st.just(False), st.lists(st.integers(0, 99), max_size=11).map(tuple)),
)


def row_of(*values: int, gap: float = 15.0) -> Row:
    return straight(NUMBERS.tiles, values, gap / 1e3).placements


def stand(text: str) -> Stand:
    move = read(text)
    assert isinstance(move, Stand)
    return move


def why(row: Row, move: Stand | str) -> str:
    """The refusal of that placement; empty when it is legal."""
    try:
        stood(row, stand(move) if isinstance(move, str) else move)
    except RuleError as error:
        return str(error)
    return ""


# Moves as text


@given(st.one_of(stands, lifts, others))
def test_moves_survive_their_text_to_the_last_bit(move: Move) -> None:
    assert read(write(move)) == move
    assert read(write(move).upper()) == move


@pytest.mark.parametrize(
    "text",
    [
        "stand 8 at 31.25 0 yaw 0 upright last",
        "stand 8 at -31.25 0.1 yaw -12.5 side first",
        "insert 5 at 9.75 0 yaw 180 side between 6 and 8",
        "move 9 at -40 2.5 yaw 10 upright first",
        "pass",
        "call",
        "vote success",
        "vote failure",
        "push",
        "fell",
        "stood",
        "stood 4 9",
        "accident 1",
    ],
)
def test_texts_as_people_write_them(text: str) -> None:
    assert write(read(text)) == text


def test_degrees_people_write_are_short_again() -> None:
    for degrees in range(-180, 181):
        assert f"yaw {degrees} " in write(stand(f"stand 8 at 1 2 yaw {degrees} side last"))
    assert stand("stand 8 at 1 2 yaw 45 side last").placement.yaw == math.pi / 4


def test_texts_are_forgiving() -> None:
    plain = read("insert 5 at 9.75 -3 yaw 0 side between 6 and 8")
    assert read("  INSERT 5 at +9.750, \N{MINUS SIGN}3.0  Yaw 0 Side between 6 8 ") == plain
    assert read("stood 4, 9") == FallReport(False, (4, 9))
    assert read("Pass") == Pass()


@pytest.mark.parametrize(
    "text",
    [
        "stand 8",
        "stand at 1 2 yaw 3 side last",
        "stand 8 at nan 0 yaw 0 upright last",
        "stand 8 at 2e5 0 yaw 0 upright last",
        "stand 8 at 100001 0 yaw 0 upright last",
        "stand 8 at 0 0 yaw 3601 upright last",
        "stand 8 at " + "9" * 60 + " 0 yaw 0 upright last",
        "stand 8 at 0 0 yaw 0 flat last",
        "move 8 at 0 0 yaw 0 side between 6 and 7",
        "vote maybe",
        "accident",
        "accident -1",
        "fell 3",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(RuleError):
        read(text)


# Guided at an end (G4, G5)


def test_g4_by_hand() -> None:
    """Turned by 45° a corner of the 1, 7 mm to the side of its middle, looks at the face of the 6, 10 mm before it.

    The way from the middle of the one face to that of the other leads off at half the turn.
    """
    half = math.sqrt(0.5)
    far = 10 + 7 * half
    middle = [3 + far + 1.75 * half, far * math.tan(math.pi / 8) + 1.75 * half]
    row = stood(ONE, at_end(ONE, 1, UP, End.LAST, 10e-3, math.pi / 4))
    assert [row[1].x * 1e3, row[1].y * 1e3] == pytest.approx(middle, abs=1e-6)
    assert row[1].yaw == math.pi / 4
    row = stood(ONE, at_end(ONE, 1, UP, End.FIRST, 10e-3, math.pi / 4))
    assert [row[0].x * 1e3, row[0].y * 1e3] == pytest.approx([-middle[0], middle[1]], abs=1e-6)
    assert row[0].yaw == pytest.approx(-math.pi / 4)  # the row turns by 45° from the new tile to the old one


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([1, 5, 9, 11]),
    st.sampled_from(Stance),
    st.sampled_from(End),
    st.one_of(st.sampled_from([3e-3, 40e-3]), st.floats(3e-3, 40e-3)),
    st.one_of(st.sampled_from([-math.pi / 4, math.pi / 4]), st.floats(-math.pi / 4, math.pi / 4)),
    st.floats(-3.2, 3.2),
    st.booleans(),
)
def test_g5_guided_placements_are_legal_limits_included(
    value: int, stance: Stance, end: End, gap: float, turn: float, yaw: float, flip: bool
) -> None:
    row = (Placement(6, 0.3, -0.2, yaw),)
    move = at_end(row, value, stance, end, gap, turn)
    tile = replace(move.placement, yaw=move.placement.yaw + (math.pi if flip else 0.0))  # a tile has no front
    assert why(row, replace(move, placement=tile)) == ""
    assert free_air(row[0], tile) == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize(
    ("gap", "said"),
    [(2.99999, "2.99999 mm from the tile 6; at least 3 mm"), (40.00001, "40.00001 mm from the tile 6; at most 40 mm")],
)
@pytest.mark.parametrize("end", list(End))
def test_g5_just_past_the_gap_is_refused(end: End, gap: float, said: str) -> None:
    assert said in why(ONE, at_end(ONE, 8, UP, end, gap / 1e3, 0.0))


@pytest.mark.parametrize("gap", [3 - 0.9e-6, 3.0, 40.0, 40 + 0.9e-6])
def test_g8_the_tolerance_is_a_millionth(gap: float) -> None:
    side = 3 + gap + 3.75
    assert why(ONE, f"stand 8 at {side:.8f} 0 yaw 0 upright last") == ""


def test_g5_a_sharper_turn_can_still_be_a_free_placement() -> None:
    """A guided turn goes to 45°; a free tile may be turned 60° from the line of the centres."""
    move = at_end(ONE, 1, UP, End.LAST, 20e-3, math.radians(50))
    assert why(ONE, move) == ""
    move = at_end(ONE, 1, UP, End.LAST, 50e-3, math.radians(-30))
    assert "at most 40 mm" in why(ONE, move)


def test_g1_headings_go_along_the_row_whatever_the_yaw() -> None:
    for yaw in (0, 180, -180, 360, 540):
        row = stood(ONE, stand(f"stand 8 at 25 0 yaw {yaw} upright last"))
        assert row[1].yaw == pytest.approx(0, abs=1e-12)
        row = stood(ONE, stand(f"stand 8 at -25 0 yaw {yaw} upright first"))
        assert row[0].yaw == pytest.approx(0, abs=1e-12)


def test_g2_g3_stance_and_footprint() -> None:
    narrow, wide = (stood(ONE, stand(f"stand 8 at 40 0 yaw 50 {stance} last"))[1] for stance in ("upright", "side"))
    assert free_air(ONE[0], narrow) > free_air(ONE[0], wide)


@pytest.mark.parametrize(("gap", "legal"), [(2.9, False), (3.0, True), (9.5, True), (40.0, True), (40.1, False)])
def test_g5_a_turned_tile_has_the_gap_that_is_asked_for(gap: float, legal: bool) -> None:
    """A wide tile turned by 40° needs a longer way for the same free air."""
    move = at_end(ONE, 8, UP, End.LAST, gap / 1e3, math.radians(40))
    assert free_air(ONE[0], move.placement) * 1e3 == pytest.approx(gap, abs=1e-6)
    assert (why(ONE, move) == "") is legal


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 11).filter(lambda value: value != 6),
    st.sampled_from(Stance),
    st.sampled_from(End),
    st.floats(3e-3, 40e-3),
    st.floats(-math.pi / 4, math.pi / 4),
    st.floats(-3.1, 3.1),
)
def test_g5_a_guided_placement_reads_back_as_its_gap_and_turn(
    value: int, stance: Stance, end: End, gap: float, turn: float, yaw: float
) -> None:
    row = (Placement(6, 0.3, -0.2, yaw),)
    tile = at_end(row, value, stance, end, gap, turn).placement
    found = free_air(row[0], tile), math.remainder(tile.yaw - yaw, math.tau) * (1 if end is End.LAST else -1)
    assert found == pytest.approx((gap, turn), abs=1e-9)
    again = at_end(row, value, stance, end, *found).placement
    assert (again.x, again.y, again.yaw) == pytest.approx((tile.x, tile.y, tile.yaw), abs=2e-9)


# Between neighbours (G6)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([1, 5, 9]),
    st.sampled_from(Stance),
    st.floats(0, 1),
    st.floats(-0.5, 0.5),
    st.floats(20e-3, 40e-3),
    st.booleans(),
)
def test_g6_guided_insertions_are_legal(
    value: int, stance: Stance, share: float, turn: float, gap: float, flip: bool
) -> None:
    row = stood(ONE, at_end(ONE, 2, UP, End.LAST, gap, turn))
    least, most = gaps_between(row, 0, value, stance)
    assume(most >= least)
    first = least + share * (most - least)
    move = between(row, 0, value, stance, first)
    tile = replace(move.placement, yaw=move.placement.yaw + (math.pi if flip else 0.0))
    assert why(row, replace(move, placement=tile, spot=(2, 6))) == ""
    assert free_air(row[0], tile) == pytest.approx(first, abs=1e-9)
    assert free_air(row[1], tile) >= LIMITS.gap_min - 1e-9


@pytest.mark.parametrize(("first", "legal"), [(2.9, False), (3.0, True), (6.5, True), (6.6, False)])
def test_g6_gaps_on_both_sides(first: float, legal: bool) -> None:
    row = row_of(6, 8)
    refusal = why(row, between(row, 0, 5, UP, first / 1e3))
    assert (refusal == "") is legal
    assert legal or "at least 3 mm of free air are needed" in refusal


def test_g6_the_gap_can_be_to_either_neighbour_and_is_the_free_air() -> None:
    row = stood(ONE, at_end(ONE, 11, SIDE, End.LAST, 38e-3, math.radians(40)))
    first, second = (between(row, 0, 5, UP, 7e-3, to_second=to_second).placement for to_second in (False, True))
    assert free_air(row[0], first) == pytest.approx(7e-3, abs=1e-9)
    assert free_air(row[1], second) == pytest.approx(7e-3, abs=1e-9)
    least, most = gaps_between(row, 0, 5, UP)
    assert least == LIMITS.gap_min
    assert free_air(row[1], between(row, 0, 5, UP, most).placement) == pytest.approx(LIMITS.gap_min, abs=1e-9)
    least, most = gaps_between(row_of(6, 8, gap=5), 0, 11, UP)
    assert most < least  # thicker than the air between them


def test_g6_has_no_largest_gap() -> None:
    row = row_of(6, 8, gap=120)
    assert why(row, between(row, 0, 5, UP, 60e-3)) == ""


def test_g6_needs_neighbours() -> None:
    row = row_of(6, 8, 9, gap=30)
    text = "insert 5 at 15 0 yaw 0 upright between {} and {}"
    for pair in ((6, 9), (6, 6), (6, 4)):
        assert "are not neighbours; the row is 6, 8, 9." in why(row, text.format(*pair))
    assert why(row, text.format(6, 8)) == why(row, text.format(8, 6)) == ""
    assert why(row, "insert 5 at 50 0 yaw 0 upright between 6 and 8") == (
        "The tile 5 stands on the wrong side of the tile 8: it must move to the other side of it, by at least 13.3 mm."
    )


# Free placement (G10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stand 8 at 20 3 yaw 7 upright last", ""),
        ("stand 8 at 20 -20 yaw -20 upright last", ""),
        ("stand 8 at -20 3 yaw 7 upright last", "it must move to the other side of it, by at least 20.0 mm."),
        ("stand 8 at 20 3 yaw 7 upright first", "it must move to the other side of it, by at least 20.0 mm."),
        ("stand 1 at 1 22 yaw 45 side last", ""),  # its middle is out of the middle of the 6, not of its face
        ("stand 1 at -1 -22 yaw 45 side first", ""),
        ("stand 1 at 1 22 yaw 45 side first", "by at least 1.0 mm"),
        ("stand 8 at 9 1 yaw 0 upright last", "2.2 mm from the tile 6; at least 3 mm"),
        ("stand 8 at 51 1 yaw 0 upright last", "44.2 mm from the tile 6; at most 40 mm"),
        (
            "stand 8 at 35 0 yaw 61 upright last",
            "turned 61.0° from the line between its middle and that of the tile 6; at most 60°",
        ),
        ("stand 8 at 35 0 yaw 60 upright last", ""),
        ("stand 8 at 35 0 yaw -120 upright last", ""),  # the same tile
        ("stand 8 at 20 29 yaw 0 upright last", "stands 1.0 mm too far to the side of the tile 6"),
        ("stand 8 at 20 28 yaw 0 upright last", ""),
    ],
)
def test_g10_at_an_end(text: str, said: str) -> None:
    refusal = why(ONE, text)
    assert said in refusal and bool(said) is bool(refusal)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("insert 5 at 20 2 yaw 10 upright between 6 and 8", ""),
        (
            "insert 5 at 20 0 yaw 70 upright between 6 and 8",
            "turned 70.0° from the line between its middle and that of the tile 6",
        ),
        ("insert 5 at 20 -24 yaw 0 side between 6 and 8", ""),
        ("insert 5 at 20 -24 yaw 0 upright between 6 and 8", "stands 0.5 mm too far to the side of the tile 6"),
        ("insert 5 at 6 1 yaw 0 upright between 6 and 8", "0.3 mm from the tile 6; at least 3 mm"),
        ("insert 5 at 38 1 yaw 0 upright between 6 and 8", "mm from the tile 8; at least 3 mm"),
        ("insert 5 at -20 0 yaw 0 upright between 6 and 8", "wrong side of the tile 6"),
        ("insert 5 at 60 0 yaw 0 upright between 6 and 8", "wrong side of the tile 8"),
        (
            "insert 1 at 21 13 yaw 90 upright between 6 and 8",
            "Both its neighbours stand on the same side of the tile 1",
        ),
    ],
)
def test_g10_between_neighbours(text: str, said: str) -> None:
    refusal = why(row_of(6, 8, gap=36), text)
    assert said in refusal and bool(said) is bool(refusal)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(-80e-3, 80e-3),
    st.floats(-60e-3, 60e-3),
    st.floats(-1.6, 1.6),
    st.sampled_from(Stance),
    st.sampled_from([End.FIRST, End.LAST, (6, 2)]),
    st.floats(-3, 3),
)
def test_g10_does_not_depend_on_where_the_row_lies(
    x: float, y: float, yaw: float, stance: Stance, spot: End | tuple[int, int], turn: float
) -> None:
    """The same row turned about a far point, mirrored, or seen from its other end: the same answer."""
    row = stood(ONE, at_end(ONE, 2, UP, End.LAST, 35e-3, 0.3))
    move = Stand(Placement(8, x, y, yaw, stance), spot)
    legal = why(row, move) == ""

    def turned(tile: Placement) -> Placement:
        cos, sin = math.cos(turn), math.sin(turn)
        return replace(tile, x=tile.x * cos - tile.y * sin + 0.5, y=tile.x * sin + tile.y * cos, yaw=tile.yaw + turn)

    def mirrored(tile: Placement) -> Placement:
        return replace(tile, y=-tile.y, yaw=-tile.yaw)

    def backwards(tile: Placement) -> Placement:
        return replace(tile, yaw=tile.yaw + math.pi)

    other_end = {End.FIRST: End.LAST, End.LAST: End.FIRST}
    for row_again, again in (
        (tuple(map(turned, row)), replace(move, placement=turned(move.placement))),
        (tuple(map(mirrored, row)), replace(move, placement=mirrored(move.placement))),
        (tuple(map(backwards, row[::-1])), replace(move, spot=other_end[spot] if isinstance(spot, End) else spot)),
    ):
        assert (why(row_again, again) == "") is legal


def test_legal_placements_keep_their_air_and_go_through_the_tile() -> None:
    """Tried by chance: enough air to every neighbour, not too much at an end, and neighbours on two sides."""
    generator = random.Random(7)
    legal: dict[Spot, int] = {End.FIRST: 0, End.LAST: 0, (6, 8): 0}
    for _ in range(12_000):
        turn = math.radians(generator.uniform(-40, 40))
        row = stood(ONE, at_end(ONE, 8, generator.choice(list(Stance)), End.LAST, generator.uniform(0.01, 0.04), turn))
        x, y = generator.uniform(-0.06, 0.1), generator.uniform(-0.05, 0.05)
        tile = Placement(generator.choice((1, 5, 11)), x, y, generator.uniform(-4, 4), generator.choice(list(Stance)))
        spot = generator.choice(list(legal))
        if why(row, Stand(tile, spot)):
            continue
        legal[spot] += 1
        others = row if isinstance(spot, tuple) else (row[0 if spot is End.FIRST else -1],)
        airs = [free_air(tile, other) for other in others]
        assert min(airs) >= LIMITS.gap_min - 1e-9
        assert isinstance(spot, tuple) or airs[0] <= LIMITS.gap_max + 1e-9
        ahead = [(other.x - x) * math.cos(tile.yaw) + (other.y - y) * math.sin(tile.yaw) for other in others]
        assert not isinstance(spot, tuple) or ahead[0] * ahead[1] < 0
    assert min(legal.values()) > 50


# Version 1 of the rules


def test_version_1_measures_the_gap_along_the_way() -> None:
    old = limits_of(1)
    near = at_end(ONE, 8, UP, End.LAST, 9.5e-3, math.radians(40), limits=old)
    assert len(stood(ONE, near, old)) == 2
    assert free_air(ONE[0], near.placement) == pytest.approx(0.354e-3, abs=1e-6)
    assert "stands 0.4 mm from the tile 6; at least 3 mm" in why(ONE, near)
    through = at_end(ONE, 11, SIDE, End.LAST, 3e-3, math.pi / 4, limits=old)
    with pytest.raises(RuleError, match=r"would overlap by 6\.3 mm"):
        stood(ONE, through, old)


def test_version_1_takes_an_insertion_with_both_neighbours_on_one_side() -> None:
    row, move = row_of(6, 7, gap=34), stand("insert 1 at 20.25 13.5 yaw 90 upright between 6 and 7")
    assert len(stood(row, move, limits_of(1))) == 3
    assert why(row, move) == "Both its neighbours stand on the same side of the tile 1; there must be one on each side."


def test_version_1_counts_the_outer_side_from_the_face() -> None:
    with pytest.raises(RuleError, match=r"other side of it, by at least 2\.0 mm"):
        stood(ONE, stand("stand 1 at 1 22 yaw 45 side last"), limits_of(1))


# No branch, no circle (G8)


def test_g8_r15_tiles_that_are_no_neighbours_keep_their_distance() -> None:
    """A wide tile turned behind a small one comes near to the tile before that."""
    refusal = why(row_of(6, 1, gap=3), "stand 11 at 18 12 yaw 55 side last")
    assert "The row would branch or close: the tiles 6 and 11 are not neighbours" in refusal
    assert "at least 5 mm are needed" in refusal


def test_g8_r16_the_row_does_not_close() -> None:
    """Eight turns of 45° come back to the beginning."""
    row: Row = ONE
    for value in (5, 4, 3, 2, 1, 7):
        row = stood(row, at_end(row, value, UP, End.LAST, 30e-3, math.pi / 4))
    assert why(row, at_end(row, 8, SIDE, End.LAST, 20e-3, math.pi / 4)) == ""
    assert why(row, at_end(row, 8, SIDE, End.LAST, 39e-3, math.pi / 4)) == (
        "The row would branch or close: the tiles 6 and 8 are not neighbours and stand 3.6 mm apart; at least 5 mm are "
        "needed."
    )


def test_g8_clearance_itself_is_legal() -> None:
    row = row_of(6, 1, gap=3)
    move = at_end(row, 5, UP, End.LAST, 3e-3, 0.0)  # 9.5 mm from the 6 past the 1 to the 5
    assert len(stood(row, move, replace(LIMITS, clearance=9.5e-3))) == 3
    too_much = replace(LIMITS, clearance=9.5001e-3)
    with pytest.raises(RuleError, match=r"stand 9\.5 mm apart; at least 9\.5001 mm are needed"):
        stood(row, move, too_much)


def test_g8_neighbours_that_an_insertion_parts_must_keep_clear() -> None:
    limits = replace(LIMITS, clearance=16e-3)
    row = row_of(6, 8)
    with pytest.raises(RuleError, match="the tiles 6 and 8 are not neighbours and stand 15"):
        stood(row, between(row, 0, 5, UP, 4e-3), limits)


# Places that are left (A20)


def test_a20_there_is_a_place_on_a_fresh_table() -> None:
    found = first_place(ONE, [1, 2], lifted=False)
    assert found is not None and why(ONE, found) == ""


def test_a20_an_insertion_can_be_the_only_place() -> None:
    row = row_of(6, 8, gap=30)
    ends_shut = replace(LIMITS, gap_max=LIMITS.gap_min - 1e-3)
    found = first_place(row, [5], lifted=False, limits=ends_shut)
    assert found is not None and found.spot == (6, 8)
    assert first_place(row, [5], lifted=False, limits=replace(ends_shut, clearance=31e-3)) is None


def test_a20_relocations_do_not_look_in_between() -> None:
    row = row_of(6, 5, 8, gap=30)
    shut = replace(LIMITS, gap_max=LIMITS.gap_min, turn_max=0.0, clearance=80e-3)
    assert first_place(row, [5], lifted=True, limits=shut) is None
    found = first_place(row, [5], lifted=True)
    assert found is not None and found.lifted and isinstance(found.spot, End)


def test_offers_are_legal_and_many() -> None:
    row = row_of(6, 8, 4, gap=25)
    found = offers(row, [1, 2, 3, 5, 7], random.Random(4), lifted=False)
    assert len(found) > 15
    assert {move.placement.value for move in found} == {1, 2, 3, 5, 7}
    assert {type(move.spot) for move in found} == {End, tuple}
    assert [why(row, move) for move in found if why(row, move)] == []
