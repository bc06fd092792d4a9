"""One helpful change to a line, found by trying: a gap made smaller or wider, or a tile stood the other way."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from physics.line import Line
from physics.outcome import Prediction
from physics.predict import CHUNK, run_draws
from physics.scene import Noise, Scene
from physics.tiles import Stance

GOOD_ENOUGH = 0.9  # a line this likely to fall needs no hint
WORTH_SAYING = 0.1  # how much a change must help
SHIFTS = (2e-3, 3e-3, 4e-3, 6e-3, 9e-3, 13e-3)  # m
LEAST_GAP = 1e-3  # m
FIRST_LOOK = 8  # runs for every change
SECOND_LOOK = 48  # runs for the most promising ones
PROMISING = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the line: the part after a gap moved (m, negative: closer), or a tile's stance turned over."""

    gap_at: int | None = None
    shift: float = 0.0
    turned: int | None = None

    @property
    def effort(self) -> float:
        """How much of a change it is; the smaller is preferred among equally good ones."""
        return abs(self.shift) if self.turned is None else 1.0


@dataclass(frozen=True, slots=True)
class Hint:
    """The change that helps most, and the probability it would bring."""

    change: Change
    probability: float
    samples: int


def suggest(
    scene: Scene,
    noise: Noise,
    prediction: Prediction,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Hint | None:
    """The best change at the weakest gap; None when the line is good as it is, or nothing tried helps enough."""
    if prediction.probability >= GOOD_ENOUGH or prediction.weakest_at is None:
        return None
    changed = {change: apply(scene, change) for change in _changes(scene.line, prediction.weakest_at)}
    possible = {change: there for change, there in changed.items() if not there.line.problems(there.table.size)}
    total = FIRST_LOOK * len(possible) + SECOND_LOOK * min(PROMISING, len(possible))
    done = 0

    def shares(changes: list[Change], runs: int) -> dict[Change, float]:
        """How often all fell, with the same draws as the prediction's first ones."""
        nonlocal done
        chunks = [tuple(range(start, start + CHUNK)) for start in range(0, runs, CHUNK)]
        jobs = [
            (possible[change], noise, prediction.seed, chunk, prediction.engine)
            for change in changes
            for chunk in chunks
        ]
        results = (
            executor.map(run_draws, *zip(*jobs, strict=True))
            if executor and jobs
            else (run_draws(*job) for job in jobs)
        )
        fell = dict.fromkeys(changes, 0)
        for job, falls in enumerate(results):
            fell[changes[job // len(chunks)]] += int(falls.all(axis=1).sum())
            done += CHUNK
            if progress is not None:
                progress(done, total)
        return {change: count / runs for change, count in fell.items()}

    first = shares(list(possible), FIRST_LOOK)
    promising = sorted(first, key=lambda change: (-first[change], change.effort))[:PROMISING]
    second = shares(promising, SECOND_LOOK)
    if not second:
        return None
    best = min(second, key=lambda change: (-second[change], change.effort))
    if second[best] < prediction.probability + WORTH_SAYING:
        return None
    return Hint(best, second[best], SECOND_LOOK)


def _changes(line: Line, weakest: int) -> list[Change]:
    gap = line.gaps()[weakest]
    closer = [Change(weakest, -shift) for shift in SHIFTS if gap - shift >= LEAST_GAP]
    wider = [Change(weakest, shift) for shift in SHIFTS]
    return [*closer, *wider, Change(turned=weakest), Change(turned=weakest + 1)]


def apply(scene: Scene, change: Change) -> Scene:
    """The scene with that change, pushed at the same end."""
    placements = list(scene.line.placements)
    if change.turned is not None:
        old = placements[change.turned]
        stance = Stance.SIDE if old.stance is Stance.UPRIGHT else Stance.UPRIGHT
        placements[change.turned] = replace(old, stance=stance)
    if change.gap_at is not None:
        one, other = placements[change.gap_at], placements[change.gap_at + 1]
        length = math.hypot(other.x - one.x, other.y - one.y)
        dx, dy = (change.shift * (other.x - one.x) / length, change.shift * (other.y - one.y) / length)
        for index in range(change.gap_at + 1, len(placements)):
            placements[index] = replace(placements[index], x=placements[index].x + dx, y=placements[index].y + dy)
    return scene.with_placements(tuple(placements))
