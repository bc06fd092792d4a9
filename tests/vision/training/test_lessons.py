"""The tables that the network learns from."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.lens import Lens
from vision.drawing.blocks import Block
from vision.reader.boxes import corners_of, feet_overlap
from vision.training.labels import WIDEST, centred
from vision.training.tables import Lesson, lesson


@pytest.fixture(scope="module")
def tables() -> list[Lesson]:
    return [lesson(np.random.default_rng([5, index])) for index in range(150)]


def flat_on_the_mat(block: Block) -> bool:
    return bool(np.isclose(block.corners[:, 2].min(), 0.0) and block.corners[:, 2].max() < 12)


def test_pens_and_paper_lie_on_some_mats(tables: list[Lesson]) -> None:
    low = [block for table in tables for block in table.others if flat_on_the_mat(block)]
    pens = [block for block in low if block.size[0] >= 60 and block.size[1] == pytest.approx(block.size[2])]
    paper = [block for block in low if block.size[2] <= 3]
    assert 10 < len(pens) < 75
    assert 8 < len(paper) < 75


def test_pens_and_paper_do_not_go_through_standing_tiles(tables: list[Lesson]) -> None:
    looked_at = 0
    for table in tables:
        for block in table.others:
            if flat_on_the_mat(block) and len(table.poses) and not block.quaternion[0] and not block.quaternion[1]:
                yaw = 2 * np.arctan2(block.quaternion[2], block.quaternion[3])
                pose = np.array([[*block.centre[:2], yaw, 0.0]])
                assert np.allclose(corners_of(pose, np.array([block.size]))[0], block.corners)
                upright = table.poses.copy()
                upright[:, 3] = 0.0
                assert not feet_overlap(pose, np.array([block.size]), upright, table.sizes, 0.0).any()
                looked_at += 1
    assert looked_at > 20


def test_a_centred_lens_sees_as_wide_as_the_lens_itself() -> None:
    lens = Lens(1280, 960, 1300.0, 1300.0, 650.0, 470.0, (0.1, 0.0, 0.0, 0.0, 0.0))
    centre = centred(lens)
    assert (centre.width, centre.height) == (WIDEST, WIDEST * 3 // 4)
    assert centre.width / centre.fx == pytest.approx(lens.width / lens.fx)
    assert (centre.cx, centre.cy) == ((centre.width - 1) / 2, (centre.height - 1) / 2)
    assert not centre.is_distorted
