"""The camera as the judge of a match: waits until a pushed row rests, and says what became of it.

It is asked in the background of the session. What it needs comes from the eye alone; it never asks the session.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from game.match.ports import Settle
from game.table.axes import TableFrame
from game.table.eye import TableEye, View
from game.table.fates import fates_of
from physics.errors import InputError, Number
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.scene import Scene
from vision.watching.fall_times import Fall, fall_of

LOOK = 0.2  # s between two looks whether all is over
LONGEST_PUSH = 60.0  # s to wait for a push, and for the row to come to rest


class CameraJudge:
    """See the module. `axes` says where the game's axes lie on the mat now, if that is known."""

    def __init__(self, eye: TableEye, axes: Callable[[], TableFrame | None]) -> None:
        self._eye, self._axes = eye, axes
        self.speed: float | None = None  # m/s, of the last fall's wave
        self._stop = threading.Event()
        self._asked = threading.Event()  # somebody waits for the table
        self._awaited = 0  # times that it must have been calm before

    def close(self) -> None:
        """Whoever still waits gives up."""
        self._stop.set()

    def judge(self, scene: Scene) -> Outcome:
        """What became of the row, once everything rests. InputError when that cannot be told, or nothing moves."""
        begun = self._eye.view
        fallen = {tile.value for tile in begun.tiles if tile.state is Fate.FALLEN}
        # Where tiles lie already it was pushed before anybody said so.
        self._awaited = calms = begun.calms - (begun.is_calm and not fallen.isdisjoint(scene.line.values))
        self._asked.set()
        try:
            return self._outcome(scene, self._rested(calms))
        finally:
            self._asked.clear()

    def is_due(self) -> bool:
        """Whether the judge who was asked has what is needed: for whoever feeds the eye, and wants no picture to come
        between."""
        self._asked.wait(1.0)
        view = self._eye.view
        return self._asked.is_set() and ((view.is_calm and view.calms > self._awaited) or view.is_over)

    def _rested(self, calms: int) -> View:
        """The table when it has come to rest once more; InputError when it does not, or is not seen."""
        # By the pictures' own clock: a film may be slow to read.
        deadline = self._eye.view.time + LONGEST_PUSH
        while True:
            view = self._eye.wait(lambda view: view.calms > calms and view.is_calm, LOOK)
            if view.is_calm and view.calms > calms:
                return view
            if view.settle is Settle.LOST or view.is_over or self._stop.is_set():
                raise InputError("The camera does not see the table any more: please say what fell.")
            if view.time > deadline:
                raise InputError(
                    "The table has not come to rest for {seconds} s: please say what fell.",
                    seconds=Number(f"{LONGEST_PUSH:g}"),
                )

    def _outcome(self, scene: Scene, view: View) -> Outcome:
        fates = fates_of(scene.line, view.tiles)
        fall = Fall((None,) * len(fates), None)
        axes = self._axes()
        if axes is not None and view.seen is not None:
            places = [axes.on_mat(tile) for tile in scene.line.placements]
            down = [fate is Fate.FALLEN for fate in fates]
            sight = view.seen.view.sight
            fall = fall_of(self._eye.film, places, down, scene.line.tile_set, sight, scene.push_order)
        self.speed, fell_at = fall.speed, fall.fell_at
        ended = max((at for at in fell_at if at is not None), default=0.0)
        return Outcome(fates, fell_at, ended, True, OutcomeSource.CAMERA)
