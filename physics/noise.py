"""How a scene is perturbed: one seeded draw of everything that is not known exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from physics.errors import Number, SceneError
from physics.line import close_pairs, distance
from physics.scene import Finger, Noise, Press, Push, Scene, Spin, Tap, Tilt

REDRAWS = 10_000
PROPOSALS = 1024
MATERIAL_DRAWS = 4  # friction, tile friction, restitution, push

Normals = npt.NDArray[np.float64]


def draw(scene: Scene, noise: Noise, seed: int, index: int) -> Scene:
    """The index-th scene that the noise allows; the same for the same seed, whatever was drawn before.

    SceneError when the tiles stand too close for the noise.
    """
    return draw_with_normals(scene, noise, seed, index)[0]


def draw_with_normals(scene: Scene, noise: Noise, seed: int, index: int) -> tuple[Scene, Normals]:
    """As `draw`, with the standard normals that `perturbed` made the scene of.

    A draw whose tiles overlap is drawn again, since tiles cannot stand in one another.
    """
    generator = np.random.default_rng([seed, index])
    for _ in range(REDRAWS):
        normals = generator.standard_normal(_count(scene))
        drawn = perturbed(scene, noise, normals)
        if not drawn.line.overlaps():
            return drawn, normals
    raise SceneError(
        "The tiles stand too close for a position noise of {position} mm: of {count} draws none was free of overlap.",
        position=Number(f"{max(max(x, y) for x, y, _yaw in noise.of_tiles(len(scene.line))) * 1e3:.3g}"),
        count=REDRAWS,
    )


@dataclass(frozen=True)
class Overlaps:
    """What drawing again leaves out: of that many proposals these, whose tiles overlap."""

    proposals: int
    normals: Normals  # (overlapping, draws)

    @property
    def free(self) -> float:
        """The share of proposals without overlap."""
        return 1 - len(self.normals) / self.proposals


def overlaps_of(scene: Scene, noise: Noise) -> Overlaps:
    """A fixed sample of proposals, for models of the draws that are made instead of them."""
    proposals = np.random.default_rng(0).standard_normal((PROPOSALS, _count(scene)))
    boxes = scene.line.standing()
    moves = proposals[:, :-MATERIAL_DRAWS].reshape(PROPOSALS, -1, 3)
    reaches = np.array([box.reach for box in boxes])
    moves = moves * np.array(noise.of_tiles(len(boxes)))
    moved = np.hypot(moves[..., 0], moves[..., 1]) + reaches * np.abs(moves[..., 2])
    doubtful = np.zeros(PROPOSALS, dtype=np.bool_)  # the others have not moved far enough to meet
    for i, j in close_pairs(boxes, 2 * float(moved.max())):
        doubtful |= moved[:, i] + moved[:, j] >= distance(boxes[i], boxes[j])
    found = [row for row in proposals[doubtful] if perturbed(scene, noise, row).line.overlaps()]
    return Overlaps(PROPOSALS, np.array(found).reshape(-1, proposals.shape[1]))


def _count(scene: Scene) -> int:
    return 3 * len(scene.line) + MATERIAL_DRAWS


def perturbed(scene: Scene, noise: Noise, normals: Normals) -> Scene:
    """The scene moved by standard normals: x, y and yaw of each tile, then the materials and the push.

    Relative errors are log-normal: they keep the middle value and never change a sign.
    """
    moves = normals[:-MATERIAL_DRAWS].reshape(-1, 3) * noise.of_tiles(len(scene.line))
    placements = tuple(
        replace(placement, x=placement.x + x, y=placement.y + y, yaw=placement.yaw + yaw)
        for placement, (x, y, yaw) in zip(scene.line.placements, moves.tolist(), strict=True)
    )
    friction, tile_friction, restitution, push = normals[-MATERIAL_DRAWS:].tolist()
    table = replace(
        scene.table,
        friction=scene.table.friction * math.exp(noise.friction * friction),
        tile_friction=scene.table.tile_friction * math.exp(noise.friction * tile_friction),
        restitution=min(1.0, scene.table.restitution * math.exp(noise.restitution * restitution)),
    )
    moved = scene.with_placements(placements)
    return replace(moved, table=table, push=_scaled(scene.push, math.exp(noise.push * push), scene.pushed))


def _scaled(push: Push, factor: float, pushed: int) -> Push:
    """The push made that much stronger, still at the same end whatever the values say."""
    end = "first" if pushed == 0 else "last"
    match push:
        case Finger():
            return replace(push, margin=push.margin * factor, end=end)
        case Tap():
            return replace(push, impulse=push.impulse * factor, end=end)
        case Tilt() | Spin():
            return replace(push, rate=push.rate * factor, end=end)
        case Press():
            return replace(push, force=push.force * factor, end=end)
