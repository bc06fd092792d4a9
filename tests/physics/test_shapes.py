"""Rows laid along shapes: every gap as wide as asked at its nearest point, the shape itself, and what is refused."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.errors import SceneError
from physics.line import Line, distance
from physics.shapes import (
    RANDOM_GAPS,
    Gap,
    Piece,
    arc_row,
    chosen_values,
    growing_row,
    random_row,
    s_row,
    spiral_row,
    straight_row,
    usual_pitch,
    usual_radius,
)
from physics.tiles import Stance, load_set

EVALUATION, CLASSIC, WHITEHEAD = load_set("evaluation"), load_set("classic"), load_set("whitehead")
UP, SIDE = Stance.UPRIGHT, Stance.SIDE
TRUE = 2e-6  # m, that rounded numbers may be off


def classics(count: int, stance: Stance = UP) -> list[Piece]:
    return [(1, stance)] * count


def mixed(*values: int) -> list[Piece]:
    return [(value, SIDE if value % 3 == 0 else UP) for value in values]


def airs(line: Line) -> list[float]:
    """Free air measured corner by corner, by nothing that laid the row."""
    found = []
    for one, other in pairwise(line.standing()):
        rims = [
            np.array([(1 - t) * np.array(a) + t * np.array(b) for a, b in zip(c, (*c[1:], c[0]), strict=True)
                      for t in np.linspace(0, 1, 41)])
            for c in (one.corners, other.corners)
        ]  # fmt: skip
        found.append(float(np.linalg.norm(rims[0][:, None] - rims[1][None], axis=-1).min()))
    return found


def test_gaps_in_a_tight_arc_are_the_air_at_the_nearest_point() -> None:
    line = arc_row(CLASSIC, classics(12), Gap(0.012), radius=0.080)
    assert line.gaps() == pytest.approx([0.012] * 11, abs=TRUE)
    assert airs(line) == pytest.approx([0.012] * 11, abs=2e-5)
    # Straight on, the middles would be 19.5 mm apart; in this bend the inner corners would then be much nearer.
    assert math.dist(*[(spot.x, spot.y) for spot in line.placements[:2]]) > 0.0225


def test_the_middles_of_an_arc_lie_on_its_circle() -> None:
    line = arc_row(CLASSIC, classics(9), Gap(0.020), radius=0.150)
    spots = np.array([(spot.x, spot.y) for spot in line.placements])
    system = np.column_stack([spots, np.ones(9)])
    (a, b, c), *_rest = np.linalg.lstsq(system, (spots**2).sum(axis=1), rcond=None)
    assert math.sqrt(c + (a / 2) ** 2 + (b / 2) ** 2) == pytest.approx(0.150, abs=1e-5)
    assert line.placements[0].yaw > 0 > line.placements[-1].yaw  # over the top, from left to right
    assert spots[0, 1] == pytest.approx(spots[-1, 1], abs=TRUE)


def test_an_s_bends_once_each_way() -> None:
    turns = s_row(EVALUATION, mixed(2, 4, 5, 7, 8, 9, 10, 11), Gap(0.3, is_share=True), radius=0.2).turns()
    assert all(turn > 0 for turn in turns[:3]) and turns[3] == pytest.approx(0) and all(turn < 0 for turn in turns[4:])


def test_the_turns_of_a_spiral_are_a_pitch_apart() -> None:
    line = spiral_row(CLASSIC, classics(70), Gap(0.015), radius=0.060, pitch=0.040)
    headings = np.concatenate([[0.0], np.cumsum(line.turns())])
    assert headings[-1] > 2 * math.tau
    boxes = line.standing()
    for index in range(30):
        ring = [j for j in range(70) if abs(headings[j] - headings[index] - math.tau) < 0.5]
        across = min(distance(boxes[index], boxes[j]) for j in ring)
        assert across == pytest.approx(0.040 - 0.024, abs=0.003)  # the pitch without a tile's breadth


def test_a_gap_may_be_a_share_of_the_lower_tile() -> None:
    values = chosen_values(WHITEHEAD, 6)
    line = growing_row(WHITEHEAD, [(value, UP) for value in values], Gap(0.5, is_share=True))
    assert values == (1, 2, 3, 4, 5, 6)
    assert line.gaps() == pytest.approx([WHITEHEAD[value].height / 2 for value in values[:-1]], abs=TRUE)


def test_values_are_those_that_the_set_has() -> None:
    assert chosen_values(EVALUATION, 4, step=3) == (1, 4, 7, 10)
    assert chosen_values(CLASSIC, 3) == (1, 1, 1)
    with pytest.raises(SceneError, match=r"has 4 tiles for such a row, but 5 are asked for\.$"):
        chosen_values(EVALUATION, 5, step=3)
    with pytest.raises(SceneError, match="from 1 to 5000 tiles, not 5001"):
        chosen_values(CLASSIC, 5001)


def test_what_cannot_stand_is_refused_in_one_sentence() -> None:
    with pytest.raises(SceneError, match=r"radius of 10 mm is too tight for tile 1 12 mm from tile 1\.$"):
        arc_row(CLASSIC, classics(5), Gap(0.012), radius=0.010)
    with pytest.raises(SceneError, match=r"^The row runs into itself: The row closes into a ring"):
        arc_row(CLASSIC, classics(12), Gap(0.0152), radius=0.055)
    with pytest.raises(
        SceneError, match=r"^The row runs into itself: Tiles 1 .number \d+ in the row. and 1 .* overlap"
    ):
        spiral_row(CLASSIC, classics(60), Gap(0.018), radius=0.060, pitch=0.010)
    with pytest.raises(SceneError, match="The tile 3 is used 2 times; the set evaluation has 1"):
        straight_row(EVALUATION, mixed(3, 4, 3), Gap(0.018))
    with pytest.raises(SceneError, match="higher than the one before, but 4 is not higher than 5"):
        growing_row(EVALUATION, [(3, UP), (5, UP), (4, UP)], Gap(0.018))
    with pytest.raises(SceneError, match="but all tiles of the set classic are equally high"):
        growing_row(CLASSIC, classics(28), Gap(0.018))
    with pytest.raises(SceneError, match="at most 100 m to each side"):
        straight_row(CLASSIC, classics(2000), Gap(0.5))


def test_a_random_row_is_the_same_for_the_same_seed() -> None:
    gap = Gap(0.3, is_share=True)
    line = random_row(EVALUATION, 9, gap, seed=4)
    assert line == random_row(EVALUATION, 9, gap, seed=4) != random_row(EVALUATION, 9, gap, seed=5)
    assert len(set(line.values)) == 9
    heights = [box.height for box in line.standing()]
    shares = [air / min(pair) for air, pair in zip(line.gaps(), pairwise(heights), strict=True)]
    assert all(0.3 * RANDOM_GAPS[0] - 1e-3 < share < 0.3 * RANDOM_GAPS[1] + 1e-3 for share in shares)
    assert {spot.stance for spot in random_row(EVALUATION, 9, gap, seed=4, stance=SIDE).placements} == {SIDE}
    assert random_row(EVALUATION, 1, gap, seed=4, values=(5, 3, 8)).values == (5, 3, 8)


@settings(max_examples=60, deadline=None)
@given(
    shape=st.sampled_from(("arc", "s", "spiral", "random")),
    set_name=st.sampled_from(("evaluation", "classic", "whitehead")),
    count=st.integers(1, 60),
    gap=st.one_of(st.floats(0.0001, 0.1).map(Gap), st.floats(0.01, 1.5).map(lambda share: Gap(share, is_share=True))),
    size=st.floats(0.2, 20),
    stance=st.sampled_from(Stance),
)
def test_every_row_is_without_problems_or_refused(
    shape: str, set_name: str, count: int, gap: Gap, size: float, stance: Stance
) -> None:
    tiles = load_set(set_name)
    try:
        pieces = [(value, stance) for value in chosen_values(tiles, count)]
        radius = size * usual_radius(tiles, pieces, gap, shape)
        if shape == "arc":
            line = arc_row(tiles, pieces, gap, radius)
        elif shape == "s":
            line = s_row(tiles, pieces, gap, radius)
        elif shape == "spiral":
            line = spiral_row(tiles, pieces, gap, radius, size * usual_pitch(tiles, pieces))
        else:
            line = random_row(tiles, count, gap, seed=count, stance=stance)
    except SceneError:
        return
    assert line.problems() == []
    assert len(line) == count
    if shape != "random":
        wanted = [gap.between(tiles, one, other) for one, other in pairwise(pieces)]
        assert line.gaps() == pytest.approx(wanted, abs=TRUE)


@pytest.mark.parametrize("count", [3, 20, 200])
def test_the_usual_radius_has_room(count: int) -> None:
    pieces, gap = classics(count), Gap(0.4, is_share=True)
    for shape, lay in (("arc", arc_row), ("s", s_row)):
        assert len(lay(CLASSIC, pieces, gap, usual_radius(CLASSIC, pieces, gap, shape))) == count
    radius = usual_radius(CLASSIC, pieces, gap, "spiral")
    assert len(spiral_row(CLASSIC, pieces, gap, radius, usual_pitch(CLASSIC, pieces))) == count
