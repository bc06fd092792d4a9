"""The MuJoCo engine: a second opinion, and the engine of machines that PyBullet is not published for.

The only file that imports mujoco. Its contacts are springs with damping instead of impulses, so that it shares
nothing with Bullet but the scene. Around blows the springs between tiles are as hard as the step allows, and damped so
that a blow gives back what the scene says. A foot on the table, and whatever merely leans, has a softer spring that
gives nothing back: one that does never comes to rest in a pile, and rocks what stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from physics.engine import BLOW_STEP, RunProgress, Settings
from physics.errors import MissingError
from physics.line import Standing
from physics.outcome import Outcome
from physics.pose import Quaternion, Vector
from physics.run import Run, Start, start_of
from physics.scene import Scene
from physics.springs import damping_ratio

CONTACT_TIME = 0.004  # s, of a contact's spring where nothing is struck: softer ones let tiles sink and lean
FOOT_TIME = 0.002  # s, of a foot's spring around blows: harder ones make a sliding tile chatter until it tips
STEPS_OF_CONTACT = 2  # of the time that a contact's spring takes, at least, or it shakes
STEPS_OF_BLOW = 3  # the same of one that gives speed back: with fewer, how much hangs on when in a step they meet
CRITICAL = 1.0  # damping ratio
IMPRATIO = 10.0  # how much harder friction holds than a contact presses: less creep under load
FLOOR = 0  # among the shapes of a model; tiles follow in their order
FLOOR_DEPTH = 0.1  # m
MODELS_KEPT = 8  # the draws of one line share a model; a hint or a game tries several lines in turn

Array = npt.NDArray[np.float64]


def _import_mujoco() -> ModuleType:
    try:
        import mujoco
    except ImportError:
        raise MissingError("MuJoCo is not installed here (extra {extra}).", extra="sim") from None
    module: ModuleType = mujoco
    return module


class MujocoEngine:
    """Runs scenes in MuJoCo; a model is compiled once for all draws of a line, which differ in numbers only."""

    name = "mujoco"

    def __init__(self) -> None:
        self._mj = _import_mujoco()
        self._models: dict[object, Any] = {}

    def run(self, scenes: Sequence[Scene], settings: Settings, tell: RunProgress | None = None) -> list[Outcome]:
        """The outcomes in the order of the scenes; EngineError when a tile flies off to nowhere."""
        return [self._run(scene, settings, tell) for scene in scenes]

    def _run(self, scene: Scene, settings: Settings, tell: RunProgress | None) -> Outcome:
        boxes, start = scene.line.standing(), start_of(scene)
        world = _MujocoWorld(self._mj, self._model(boxes, scene.table.size))
        world.fill(scene, start, settings.step)
        return Run(scene, settings, world, start, tell).play(self.name)

    def _model(self, boxes: Sequence[Standing], size: tuple[float, float] | None) -> Any:
        key = (size, tuple((box.depth, box.breadth, box.height, box.mass) for box in boxes))
        if key not in self._models:
            if len(self._models) >= MODELS_KEPT:
                self._models.clear()
            self._models[key] = self._compiled(boxes, size)
        return self._models[key]

    def _compiled(self, boxes: Sequence[Standing], size: tuple[float, float] | None) -> Any:
        mj = self._mj
        spec = mj.MjSpec()
        spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = IMPRATIO
        floor = spec.worldbody.add_geom()
        if size is None:
            floor.type, floor.size = mj.mjtGeom.mjGEOM_PLANE, [0.0, 0.0, 1.0]
        else:
            floor.type, floor.size = mj.mjtGeom.mjGEOM_BOX, [size[0] / 2, size[1] / 2, FLOOR_DEPTH]
            floor.pos = [0.0, 0.0, -FLOOR_DEPTH]
        floor.priority = 1  # tile on table: the floor's friction counts, not the larger of the two
        for box in boxes:
            body = spec.worldbody.add_body()
            body.add_freejoint()
            geom = body.add_geom()
            geom.type = mj.mjtGeom.mjGEOM_BOX
            geom.size = [box.depth / 2, box.breadth / 2, box.height / 2]
            geom.mass = box.mass
        return spec.compile()


class _MujocoWorld:
    """The tiles of one run. MuJoCo writes quaternions w x y z, and turning in the tile's own frame."""

    def __init__(self, mj: ModuleType, model: Any) -> None:
        self._mj = mj
        self._model = model
        self._data = mj.MjData(model)
        self._places: Array = self._data.qpos.reshape(-1, 7)
        self._motions: Array = self._data.qvel.reshape(-1, 6)
        self._held: int | None = None
        self._damping = CRITICAL  # around blows

    def fill(self, scene: Scene, start: Start, step: float) -> None:
        """Puts the tiles where the run begins, on this table."""
        self._model.geom_friction[:, 0] = scene.table.tile_friction
        self._model.geom_friction[FLOOR, 0] = scene.table.friction
        self._damping = damping_ratio(scene.table.restitution)
        self.set_step(step)
        self.set_gravity(scene.table.gravity)
        for index, pose in enumerate(start.poses):
            x, y, z, w = pose.quaternion
            self._places[index] = (*pose.position, w, x, y, z)

    def poses(self, tiles: Sequence[int]) -> tuple[list[Vector], list[Quaternion]]:
        """Centres in m and quaternions x y z w."""
        found = self._places[tiles].tolist()
        return [(x, y, z) for x, y, z, *_turn in found], [(x, y, z, w) for *_place, w, x, y, z in found]

    def rates(self, tiles: Sequence[int]) -> Array:
        """Angular velocities in the table's frame."""
        return np.array([self.velocity(tile)[1] for tile in tiles])

    def _axes(self, tile: int) -> Array:
        turn = np.zeros(9)
        self._mj.mju_quat2Mat(turn, self._places[tile, 3:])
        return turn.reshape(3, 3)

    def velocity(self, tile: int) -> tuple[Vector, Vector]:
        """A tile's motion."""
        vx, vy, vz = self._motions[tile, :3].tolist()
        wx, wy, wz = (self._axes(tile) @ self._motions[tile, 3:]).tolist()
        return (vx, vy, vz), (wx, wy, wz)

    def set_velocity(self, tile: int, linear: Vector, angular: Vector) -> None:
        """Gives a tile that motion."""
        self._motions[tile, :3] = linear
        self._motions[tile, 3:] = self._axes(tile).T @ np.array(angular)

    def set_held(self, tile: int, held: bool) -> None:
        """Lets nothing push the finger back: the tile goes where its motion says, whatever it touches."""
        self._held = tile if held else None

    def set_gravity(self, gravity: Array) -> None:
        """Turns gravity."""
        self._model.opt.gravity[:] = gravity

    def gap(self, one: int, other: int, most: float) -> float:
        """The free air between two tiles, m; infinite when it is more than that."""
        found: float = self._mj.mj_geomDistance(self._model, self._data, FLOOR + 1 + one, FLOOR + 1 + other, most, None)
        return found if found < most else math.inf

    def set_step(self, step: float) -> None:
        """Makes the steps from now on so long, s, and contacts as hard as they can be then.

        They give speed back around blows alone: elsewhere that would rock what stands and leans.
        """
        shortest = STEPS_OF_CONTACT * step
        self._model.opt.timestep = step
        if step <= BLOW_STEP:
            self._model.geom_solref[:] = STEPS_OF_BLOW * step / min(self._damping, CRITICAL), self._damping
            self._model.geom_solref[FLOOR] = max(FOOT_TIME, shortest), CRITICAL
        else:
            self._model.geom_solref[:] = max(CONTACT_TIME, shortest), CRITICAL

    def step(self) -> None:
        """One step of time."""
        if self._held is None:
            self._mj.mj_step(self._model, self._data)
            return
        place, motion = self._places[self._held].copy(), self._motions[self._held].copy()
        time = self._model.opt.timestep
        motion[:3] += time * self._model.opt.gravity
        place[:3] += time * motion[:3]
        self._mj.mju_quatIntegrate(place[3:], motion[3:], time)
        self._mj.mj_step(self._model, self._data)
        self._places[self._held], self._motions[self._held] = place, motion
