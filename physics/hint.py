"""One helpful change to a line, found by trying: a gap made smaller or wider, or a tile stood the other way."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from physics.engines import engines_of
from physics.intervals import contact_doubt, with_contact_doubt
from physics.outcome import Prediction
from physics.predict import CHUNK, Falls, run_draws, weak_gap
from physics.scene import Noise, Scene
from physics.tiles import Stance

GOOD_ENOUGH = 0.9  # a line this likely to fall needs no hint
WORTH_SAYING = 0.1  # how much a change must help
SHIFTS = (2e-3, 3e-3, 4e-3, 6e-3, 9e-3, 13e-3)  # m
MIN_GAP = 1e-3  # m
EASY_GAP = 0.45  # of the height of the tile that falls across: nothing touches too early, nothing stays out of reach
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
    interval: tuple[float, float]  # with the contact model's doubt, at the forecast's confidence
    samples: int


@dataclass(frozen=True, slots=True)
class Search:
    """How the runs of a search are spread."""

    tried: int  # changes
    first: int  # runs for each of them
    promising: int  # changes that are run more
    second: int  # runs for each of those, with its first ones

    @property
    def runs(self) -> int:
        """All of them."""
        return self.tried * self.first + self.promising * (self.second - self.first)


THOROUGH = (8, 48)  # runs of the first and of the second look
QUICK = 4  # runs of the first look of a search that may not cost so much


def plan(changes: int, budget: int | None) -> Search:
    """How a search among so many changes spends that many runs at most; None: as many as a thorough one takes.

    A small budget goes half to a look at as many changes as it lasts for, half to the best of them.
    """
    first, second = THOROUGH
    thorough = Search(changes, first, min(PROMISING, changes), second)
    if budget is None or thorough.runs <= budget:
        return thorough
    tried = min(changes, budget // 2 // QUICK)
    left = budget - tried * QUICK
    promising = min(tried, max(1, min(PROMISING, left // (second - QUICK))))
    more = min(second - QUICK, left // max(promising, 1)) // CHUNK * CHUNK
    return Search(tried, QUICK, promising, QUICK + more)


def suggest(
    scene: Scene,
    noise: Noise,
    prediction: Prediction,
    *,
    budget: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Hint | None:
    """The best change at the weakest gap; None when the line is good as it is, or nothing tried helps enough.

    It takes at most `budget` runs, if there is one: counted in runs, so that the same seed gives the same hint.
    """
    if prediction.probability >= GOOD_ENOUGH or prediction.weakest_at is None:
        return None
    changed = {change: apply(scene, change) for change in _changes(scene, prediction.weakest_at)}
    possible = {change: there for change, there in changed.items() if not there.line.problems(there.table.size)}
    search = plan(len(possible), budget)
    falls: dict[Change, Falls] = {}
    done = 0

    def run(changes: list[Change], runs: int) -> None:
        """Makes that many runs of each, with the same draws as the prediction's first ones."""
        nonlocal done
        jobs = [
            (change, tuple(range(start, start + CHUNK)))
            for change in changes
            for start in range(len(falls.get(change, ())), runs, CHUNK)
        ]
        calls = [(possible[change], noise, prediction.seed, chunk, prediction.engine) for change, chunk in jobs]
        results = (
            executor.map(run_draws, *zip(*calls, strict=True))
            if executor and calls
            else (run_draws(*call) for call in calls)
        )
        for (change, _chunk), fell in zip(jobs, results, strict=True):
            falls[change] = np.concatenate([falls[change], fell]) if change in falls else fell
            done += CHUNK
            if progress is not None:
                progress(done, search.runs)

    tried = list(possible)[: search.tried]
    run(tried, search.first)
    # Of changes that did equally well those go on that come first: they leave the easier gap.
    promising = sorted(tried, key=lambda change: -falls[change].all(axis=1).mean())[: search.promising]
    run(promising, search.second)
    hints = [_hint(change, possible[change], falls[change], prediction) for change in promising]
    surest = min(hints, key=lambda hint: (-hint.interval[0], hint.change.effort), default=None)
    if surest is None or surest.probability < prediction.probability + WORTH_SAYING:
        return None
    return surest


def _hint(change: Change, scene: Scene, falls: Falls, prediction: Prediction) -> Hint:
    runs, fell = len(falls), int(falls.all(axis=1).sum())
    doubt = contact_doubt(len(engines_of(prediction.engine)), weak_gap(scene, falls))
    return Hint(change, fell / runs, with_contact_doubt(fell, runs, prediction.confidence, doubt), runs)


def _changes(scene: Scene, weakest: int) -> list[Change]:
    """All changes there are, those first that bring the gap near to an easy one."""
    line, gap = scene.line, scene.line.gaps()[weakest]
    closer = [Change(weakest, -shift) for shift in SHIFTS if gap - shift >= MIN_GAP]
    wider = [Change(weakest, shift) for shift in SHIFTS]
    falling = min(weakest, weakest + 1, key=scene.push_order.index)

    def distance(change: Change) -> float:
        there = line if change.turned is None else apply(scene, change).line
        return abs(gap + change.shift - EASY_GAP * there.standing()[falling].height)

    return sorted([*closer, *wider, Change(turned=weakest), Change(turned=weakest + 1)], key=distance)


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
