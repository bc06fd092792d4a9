"""Who says what fell. A simulated table is judged by one run of the row exactly as it stands; a real one by a camera,
or by the players themselves.

The port for the camera is `Judge`: something that gets the row which was pushed, watches until everything rests, and
returns the `Outcome` it saw, with its motion if it has one. It may take its time: it is called in the background.
What the camera sees in between (hands at work, a tile that is not where the game has it) goes to `Session.look`.
Without a judge the players say what happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from game.match.tabletop import scene_key
from physics.engine import SINGLE_STEP, Settings, engine
from physics.outcome import Outcome
from physics.record import run_events, run_header
from physics.scene import Scene

FRAME = 1 / 100  # s between two recorded moments
KNOCK_TIME = 3.0  # s of a knocked row that are looked at


class Judge(Protocol):
    """Says what became of a row that was pushed."""

    @property
    def name(self) -> str:
        """What the log calls it."""

    def judge(self, scene: Scene) -> Outcome:
        """What fell. ToppleError when it cannot be told; then the players may say it."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One run without noise: the same row has always the same outcome."""

    engine: str

    @property
    def name(self) -> str:
        """What the log calls it."""
        return "simulated"

    def judge(self, scene: Scene) -> Outcome:
        """The run, recorded; MissingError without the engine, EngineError when it breaks down."""
        scene.check_runnable()
        settings = Settings(step=SINGLE_STEP, record=FRAME, to_rest=True)
        return engine(self.engine).run([scene], settings)[0]

    def knocked(self, scene: Scene) -> Outcome:
        """What falls when a clumsy hand has pushed a tile aside; the same errors."""
        scene.check_runnable()
        settings = Settings(step=SINGLE_STEP, record=FRAME, to_rest=True, time_limit=KNOCK_TIME)
        return engine(self.engine).run([scene], settings)[0]


def outcome_data(scene: Scene, outcome: Outcome, judge: str) -> dict[str, Any]:
    """The outcome as a log holds it: all that is needed to show it again, so that it is never simulated anew.

    Lengths and turns as in a run's file; `frames` are its frame events without their word: [time, poses].
    """
    header = run_header(scene, outcome)
    del header["kind"]
    frames = []
    if outcome.trajectory is not None:
        frames = [[time, poses] for time, kind, poses in run_events(scene, outcome) if kind == "frame"]
    return {
        "scene": scene_key(scene),
        "judge": judge,
        **header,
        "fates": [fate.value for fate in outcome.fates],
        "fell_at": [None if time is None else round(time, 6) for time in outcome.fell_at],
        "all_fell": outcome.all_fell,
        "ended": round(outcome.ended, 6),
        "settled": outcome.settled,
        "frames": frames,
    }
