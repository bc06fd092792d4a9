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
from physics.engine import RECORD_STEP, SINGLE_STEP, Settings, engine
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.record import standing, whole_frames
from physics.scene import Scene

KNOCK_TIME = 3.0  # s of a knocked row that are looked at


class Judge(Protocol):
    """Says what became of a row that was pushed."""

    def judge(self, scene: Scene) -> Outcome:
        """What fell. ToppleError when that cannot be said; then the players may say it."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One run without noise: the same row has always the same outcome."""

    engine: str

    def judge(self, scene: Scene) -> Outcome:
        """The run, recorded; MissingError without the engine, EngineError when it breaks down."""
        scene.check_runnable()
        settings = Settings(step=SINGLE_STEP, record=RECORD_STEP, to_rest=True)
        return engine(self.engine).run([scene], settings)[0]

    def knocked(self, scene: Scene) -> Outcome:
        """What falls when a clumsy hand has pushed a tile aside; the same errors."""
        scene.check_runnable()
        settings = Settings(step=SINGLE_STEP, record=RECORD_STEP, to_rest=True, time_limit=KNOCK_TIME)
        return engine(self.engine).run([scene], settings)[0]


def outcome_data(scene: Scene, outcome: Outcome) -> dict[str, Any]:
    """The outcome as a log holds it: all that is needed to show it again, so that it is never simulated anew.

    Lengths and turns as in a run's file; `frames` are its frame events without their word: [time, poses].
    """
    frames = []
    if outcome.trajectory is not None:
        frames = [[time, poses] for time, _kind, poses in whole_frames(outcome.trajectory)]
    return {
        **_found_by(scene, outcome.source),
        "engine": outcome.engine or outcome.source.value,
        "step": outcome.step,
        "fates": [fate.value for fate in outcome.fates],
        "fell_at": [None if time is None else round(time, 6) for time in outcome.fell_at],
        "all_fell": outcome.all_fell,
        "ended": round(outcome.ended, 6),
        "settled": outcome.settled,
        "frames": frames,
    }


def reported_data(scene: Scene, all_fell: bool) -> dict[str, Any]:
    """The same of what people report: no motion and no times. Which tiles stand they need not say."""
    return {
        **_found_by(scene, OutcomeSource.PEOPLE),
        "engine": OutcomeSource.PEOPLE.value,
        "step": 0.0,
        "fates": [Fate.FALLEN.value] * len(scene.line) if all_fell else None,
        "fell_at": [None] * len(scene.line),
        "all_fell": all_fell,
        "ended": 0.0,
        "settled": True,
        "frames": [],
    }


def _found_by(scene: Scene, source: OutcomeSource) -> dict[str, Any]:
    return {"scene": scene_key(scene), "judge": source.value, **standing(scene)}
