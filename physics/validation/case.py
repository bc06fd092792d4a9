"""What a validation case is: a quantity with a known value, how to measure it, and how near it must come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from physics.engine import ENSEMBLE_STEP, Engine, Settings, engine
from physics.outcome import Outcome
from physics.scene import Scene
from physics.tiles import Tile, TileSet, equal_tiles


@dataclass(frozen=True)
class Bench:
    """An engine with a step: what a case is measured with."""

    engine: Engine
    step: float  # s

    def run(self, scene: Scene, *, record: float | None = None, to_rest: bool = False) -> Outcome:
        """One run of that scene."""
        settings = Settings(step=self.step, record=record, to_rest=to_rest)
        return self.engine.run([scene], settings)[0]

    def falls(self, scene: Scene) -> bool:
        """Whether the whole row falls."""
        return self.run(scene).all_fell

    def threshold(self, scene: Callable[[float], Scene], low: float, high: float, within: float) -> float:
        """The number between low and high at which the row begins to fall (or to stand), by halving."""
        at_low = self.falls(scene(low))
        while high - low > within:
            middle = (low + high) / 2
            if self.falls(scene(middle)) == at_low:
                low = middle
            else:
                high = middle
        return (low + high) / 2


class Label(str):
    """What a check measures, in English; its words and its numbers are kept apart, for other languages."""

    sentence: str
    fields: dict[str, object]

    def __new__(cls, sentence: str, **fields: object) -> Label:
        """The sentence with its gaps filled in."""
        made = super().__new__(cls, sentence.format(**fields))
        made.sentence, made.fields = sentence, fields
        return made


@dataclass(frozen=True)
class Check:
    """One number of a case: what is expected and how far the measured one may be away."""

    label: Label
    expected: float
    tolerance: float  # absolute, in the same unit
    unit: str = ""

    def holds(self, measured: float, slack: float = 1.0) -> bool:
        """Whether the measured number is near enough, with the tolerance times the slack."""
        return abs(measured - self.expected) <= self.tolerance * slack + 1e-12


@dataclass(frozen=True)
class Case:
    """A case of the validation: its checks, and the function that measures one number for each of them."""

    name: str
    title: str
    setup: str
    checks: tuple[Check, ...]
    measure: Callable[[Bench], list[float]]
    step: float = 0.25e-3  # s, at which it must hold
    ensemble_slack: float | None = None  # how many tolerances it may be off at the ensemble's step; None: only shown


def measure(case: Case, engine_name: str, step: float) -> tuple[float, ...]:
    """The case's numbers at that step. InputError or MissingError as of `engine`."""
    return tuple(case.measure(Bench(engine(engine_name), step)))


def relative(label: Label, expected: float, share: float, unit: str = "") -> Check:
    """A check whose tolerance is a share of the expected number."""
    return Check(label, expected, abs(expected) * share, unit)


def verdict(label: Label, expected: bool = True) -> Check:
    """A check that something is so (1) or not (0)."""
    return Check(label, float(expected), 0.0, "verdict")


REFERENCE = Tile(1, width=0.024, thickness=0.0075, height=0.048, mass=0.0085)
"""The classic domino: 48 × 24 × 7.5 mm."""

NO_SLIP = 10.0  # friction on the table, the most the engine knows
ENSEMBLE = ENSEMBLE_STEP


def reference_set(scale: float = 1.0, *, width: float = 1.0, density: float = 984.0) -> TileSet:
    """Any number of reference tiles, times a scale; the width times a factor of its own."""
    return equal_tiles(
        height=REFERENCE.height * scale,
        width=REFERENCE.width * scale * width,
        thickness=REFERENCE.thickness * scale,
        density=density,
    )
