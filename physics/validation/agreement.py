"""How often engines and steps agree on the same random lines: on the verdict, and on the very set of fallen tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from physics.engine import ENSEMBLE_STEP, Engine, Settings, engine
from physics.validation.random_lines import random_scene

CHUNK = 5


@dataclass(frozen=True, slots=True)
class Way:
    """A way to run a line."""

    engine: str  # bullet, mujoco or flat
    step: float  # s

    @property
    def label(self) -> str:
        """For tables."""
        return f"{self.engine} {self.step * 1e3:g} ms"


REFERENCE = Way("bullet", ENSEMBLE_STEP)
SMALL_STEP, SECOND_ENGINE = Way("bullet", ENSEMBLE_STEP / 4), Way("mujoco", ENSEMBLE_STEP / 2)
OTHERS = (SMALL_STEP, SECOND_ENGINE, Way("flat", ENSEMBLE_STEP / 2))
ENOUGH = {SMALL_STEP: 0.96, SECOND_ENGINE: 0.95}  # shares of equal verdicts that are asked


@dataclass(frozen=True)
class Agreement:
    """How often another way says the same as the reference."""

    way: Way
    lines: int
    verdicts: float  # share of lines
    sets: float  # share of lines
    straight: float  # share of the straight lines with the same verdict
    curved: float


def compare(
    seed: int, lines: int, executor: Executor | None = None, progress: Callable[[int, int], None] | None = None
) -> tuple[float, tuple[Agreement, ...]]:
    """The share of lines that fall by the reference, and the agreement of the other ways with it."""
    ways = (REFERENCE, *OTHERS)
    chunks = [tuple(range(start, min(start + CHUNK, lines))) for start in range(0, lines, CHUNK)]
    jobs = [(seed, chunk, way) for way in ways for chunk in chunks]
    results = executor.map(fallen_sets, *zip(*jobs, strict=True)) if executor else (fallen_sets(*job) for job in jobs)
    found: dict[Way, list[tuple[bool, ...]]] = {way: [] for way in ways}
    for done, ((_seed, _chunk, way), sets) in enumerate(zip(jobs, results, strict=True), start=1):
        found[way] += sets
        if progress is not None:
            progress(done, len(jobs))
    bent = [is_curved(seed, index) for index in range(lines)]
    reference = found[REFERENCE]
    fell = sum(all(fallen) for fallen in reference) / lines
    return fell, tuple(_agreement(way, reference, found[way], bent) for way in OTHERS)


def fallen_sets(seed: int, indexes: tuple[int, ...], way: Way) -> list[tuple[bool, ...]]:
    """Which tiles fell in each of those lines. What a worker does."""
    scenes = [random_scene(seed, index) for index in indexes]
    return [outcome.fallen for outcome in _engine(way.engine).run(scenes, Settings(step=way.step))]


def _engine(name: str) -> Engine:
    if name == "flat":
        from physics.flat import FlatEngine

        return FlatEngine()
    return engine(name)


def is_curved(seed: int, index: int) -> bool:
    """Whether the line turns by more than the untidiness of its tiles from end to end."""
    turns = random_scene(seed, index).line.turns()
    return abs(sum(turns)) > 0.35


def _agreement(
    way: Way,
    reference: Sequence[tuple[bool, ...]],
    other: Sequence[tuple[bool, ...]],
    bent: Sequence[bool],
) -> Agreement:
    same = [all(a) == all(b) for a, b in zip(reference, other, strict=True)]

    def share(hits: Sequence[bool]) -> float:
        return sum(hits) / max(1, len(hits))

    return Agreement(
        way,
        len(same),
        share(same),
        share([a == b for a, b in zip(reference, other, strict=True)]),
        share([hit for hit, curved in zip(same, bent, strict=True) if not curved]),
        share([hit for hit, curved in zip(same, bent, strict=True) if curved]),
    )
