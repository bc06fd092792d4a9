"""What people are told to do with the board next."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.camera import BOARD, ENOUGH_VIEWS, REGIONS, Collection, View, draw_board
from calibration.guide import FAR, NEAR, Advice, Next, advice, share_of, turn_of
from calibration.lens import Lens
from vision.proof.lens import Pose, board_pose

LENS = Lens(640, 480, 560.0, 560.0, 319.5, 239.5)


def view(at: Pose, blur: float = 1.0) -> View:
    """The board there, computed instead of rendered; what is outside of the picture is not seen."""
    turn, place = at
    across = BOARD.columns - 1
    ids = np.arange(across * (BOARD.rows - 1), dtype=np.int32)
    points = np.stack([ids % across + 1.0, ids // across + 1.0], axis=1) * BOARD.square
    origin = place - turn @ np.array([*BOARD.outline[2] / 2, 0.0])

    def seen(flat: np.ndarray) -> np.ndarray:
        solid = np.column_stack([flat, np.zeros(len(flat))])
        found, _slopes = cv2.projectPoints(solid, cv2.Rodrigues(turn)[0], origin, LENS.matrix, np.zeros(5))
        return np.asarray(found, float).reshape(-1, 2)

    corners = seen(points)
    inside = ((corners >= 0) & (corners < (LENS.width, LENS.height))).all(axis=1)
    return View(ids[inside], corners[inside], points[inside], seen(BOARD.outline), blur, (LENS.width, LENS.height))


def placed(across: float, down: float, *, away: float = 420.0, slant: float = 0.0, about: float = 0.0) -> View:
    return view(board_pose(LENS, (across, down), away, math.radians(slant), about))


def everywhere(away: float, slant: float = 0.0) -> Collection:
    """The board in all regions, slanted to this side and that."""
    spots = [(x, y) for x in (-0.3, 0.0, 0.3) for y in (-0.3, 0.0, 0.3)]
    views = [placed(x, y, away=away, slant=slant, about=index * math.pi / 2) for index, (x, y) in enumerate(spots * 2)]
    return Collection(tuple(views))


def test_at_first_the_board_is_asked_for() -> None:
    assert advice(Collection(), None) == Advice(Next.SHOW)


def test_a_blurred_board_is_to_be_held_still() -> None:
    assert advice(Collection(), replace(placed(0, 0), blur=5.0)) == Advice(Next.STILL)


def test_the_nearest_region_without_views_comes_next() -> None:
    small = placed(-0.3, -0.3, away=900.0)
    found = advice(Collection((small,)), placed(0.3, 0.3, away=900.0))
    assert found.next is Next.MOVE and found.region is not None
    assert REGIONS[found.region] == "lower right"


def test_slants_are_asked_for_when_all_regions_are_seen() -> None:
    flat = everywhere(420.0)
    assert flat.lacking() == () and turn_of(flat.views) < 1
    assert advice(flat, flat.views[0]).next is Next.TILT


def test_near_and_far_views_are_asked_for() -> None:
    far, near = everywhere(900.0, 35.0), everywhere(230.0, 25.0)
    assert max(map(share_of, far.views)) < NEAR and min(map(share_of, near.views)) > FAR
    assert {advice(far, far.views[0]).next, advice(near, near.views[0]).next} == {Next.NEARER, Next.FARTHER}


def test_enough_is_enough_even_when_the_board_is_put_away() -> None:
    good = everywhere(420.0, 35.0)
    assert turn_of(good.views) == pytest.approx(70.0, abs=20.0)
    assert advice(good, None) == advice(good, good.views[0]) == Advice(Next.ENOUGH)
    few = Collection(good.views[: ENOUGH_VIEWS - 5])
    assert advice(few, few.views[0]).next in (Next.MORE, Next.MOVE)


def test_the_board_is_drawn_over_the_picture() -> None:
    grey = np.full((480, 640), 90, np.uint8)
    seen, kept = (draw_board(grey, placed(0, 0), is_kept=kept) for kept in (False, True))
    assert seen.shape == (480, 640, 3) and (seen != 90).any() and (seen != kept).any() and (grey == 90).all()
