"""A network that makes no mistakes: what is made of its answers can be tested apart from the trained one."""

from __future__ import annotations

import numpy as np

from calibration.board import MAT
from vision.camera.mat import MatView
from vision.drawing.blocks import blocks_of
from vision.drawing.photograph import photograph
from vision.drawing.scenes import Setup
from vision.reader.network import KINDS, NETWORK_INPUT, NetworkAnswer, shown_of
from vision.reader.straightened import Frame, prepare
from vision.training.labels import labels
from vision.training.tables import Lesson


def pictured(setup: Setup) -> tuple[Frame, Lesson]:
    """A picture of that row, and what it shows."""
    boxes = setup.scene.line.standing()
    poses = np.array([(1e3 * box.x, 1e3 * box.y, box.yaw, 0.0) for box in boxes])
    sizes = np.array([(1e3 * box.depth, 1e3 * box.breadth, 1e3 * box.height) for box in boxes])
    picture = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed).image
    view = MatView(setup.sight, 0.1, np.eye(6), (), False)
    return prepare(picture, view, MAT, 90.0), Lesson(poses, sizes, (), (), setup.sight, setup.appearance)


def taught(frame: Frame, task: Lesson) -> NetworkAnswer:
    """What a perfect network would answer."""
    shown, matrix = shown_of(frame)
    kinds, owner, tiles = labels(task, matrix, (shown.shape[2], shown.shape[1]))
    rows, columns = np.mgrid[: owner.shape[0], : owner.shape[1]]
    x, y, turn, breadth, height = tiles.T[:, np.maximum(owner, 0)]
    across, down = ((x - columns) / NETWORK_INPUT.vote_unit, (y - rows) / NETWORK_INPUT.vote_unit)
    votes = [across, down, np.cos(2 * turn), np.sin(2 * turn), breadth, height]
    sure = np.full(owner.shape, -2.0)
    likely = (kinds == np.arange(KINDS)[:, None, None]).astype(np.float32)
    return NetworkAnswer(likely, np.stack([*votes, sure]).astype(np.float32), matrix)
