"""How the edges of boxes move with their poses."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.lens import Lens
from vision.camera.pose import looking_at
from vision.reader.boxes import EDGES, corners_of, seen_at
from vision.reader.edges import EDGE_SAMPLING, places_on, slopes_of

STEP = 1e-5


@pytest.mark.parametrize("lean", [0.1, -0.3])
@pytest.mark.parametrize("part", range(4))
def test_slopes_are_those_of_boxes_that_are_moved_a_little(part: int, lean: float) -> None:
    sight = looking_at(Lens(1280, 960, 1200.0, 1200.0, 640.0, 480.0), (0.0, 0.0), 700.0, 0.7, 0.4, 0.05)
    poses = np.array([(-60.0, 30.0, 0.3, lean), (80.0, -50.0, 2.1, lean)])
    sizes = np.array([(8.0, 30.0, 60.0), (4.0, 36.0, 18.0)])
    places = places_on(poses, sizes, sight.matrix, sight.eye)
    shares = np.linspace(EDGE_SAMPLING.inset, 1 - EDGE_SAMPLING.inset, EDGE_SAMPLING.samples)
    seen = []
    for step in (STEP, -STEP):
        ends = corners_of(poses + step * np.eye(4)[part], sizes)[:, EDGES]
        points = ends[:, :, :1] + shares[:, None] * (ends[:, :, 1:] - ends[:, :, :1])
        seen.append(seen_at(sight.matrix, points))
    moved = np.einsum("nesk,nek->nes", (seen[0] - seen[1]) / (2 * STEP), places.normals)
    assert slopes_of(poses, sizes, sight.matrix, (part,), places)[..., 0] == pytest.approx(moved, abs=1e-5)
