"""Measuring a rig for its calibration: what its sensors say to a range of strokes and tilts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.rig import TapSample, TiltSample, threshold_impulse
from calibration.store import CalibrationError
from hardware.protocol import IMU_PER_G
from hardware.rig import Rig, TapResult
from physics.tile_theory import Profile

ANGLES = tuple(math.radians(angle) for angle in (-15, -10, -5, 0, 5, 10, 15))
RATE = math.radians(10)  # rad/s
SETTLE = 0.25  # s for the plate to stop shaking
READINGS = 8  # of the tilt, averaged
HALVINGS = 3  # of the range in which the weakest tap that topples the tile is looked for


@dataclass(frozen=True)
class TriedTap:
    """A tap and whether the tile fell by it."""

    tapped: TapResult
    fell: bool


def mean_tilt(rig: Rig) -> tuple[float, float]:
    """The tilt about x and y, rad, averaged over some readings."""
    readings = [rig.read_tilt() for _reading in range(READINGS)]
    return sum(x for x, _y in readings) / READINGS, sum(y for _x, y in readings) / READINGS


def set_level(rig: Rig) -> None:
    """Keeps what the sensors say now as level, in the rig's EEPROM."""
    senses, settings = rig.senses(), rig.settings
    changed = replace(settings, adc_zero_x=senses.adc_x, adc_zero_y=senses.adc_y)
    if (senses.imu_x, senses.imu_y, senses.imu_z) != (0, 0, 0):
        if abs(senses.imu_x) > IMU_PER_G // 4 or abs(senses.imu_y) > IMU_PER_G // 4:
            raise CalibrationError("The tilt sensor says that the plate is far from level: see how it is mounted.")
        changed = replace(changed, imu_zero_x=senses.imu_x, imu_zero_y=senses.imu_y)
    rig.store(changed)


def survey_tilts(rig: Rig, tell: Callable[[int, int], None] = lambda done, total: None) -> list[TiltSample]:
    """What the sensor says to every angle, on the way up and on the way down; level is where it began."""
    rig.map = None  # raw commands
    level = mean_tilt(rig)[1]
    samples = []
    way = [(angle, True) for angle in ANGLES] + [(angle, False) for angle in reversed(ANGLES)]
    try:
        rig.tilt(way[0][0], RATE)
        for number, (angle, rising) in enumerate(way, start=1):
            rig.tilt(angle, RATE)
            rig.wait(SETTLE)
            samples.append(TiltSample(angle, mean_tilt(rig)[1] - level, rising))
            tell(number, len(way))
    finally:
        rig.home()
    return samples


def survey_taps(rig: Rig, strokes: Sequence[int], ready: Callable[[int], None]) -> list[TapResult]:
    """A tap of every stroke; `ready` comes back when the tile stands again. CalibrationError: one touched nothing."""
    return [_tap(rig, stroke, ready) for stroke in strokes]


def survey_falls(
    rig: Rig, strokes: Sequence[int], ready: Callable[[int], None], fell: Callable[[], bool]
) -> list[TriedTap]:
    """A tap of every stroke, and some more between the strongest that left the tile standing and the next."""
    found = [TriedTap(_tap(rig, stroke, ready), fell()) for stroke in sorted(strokes)]
    low, high = _bracket(found)
    for _halving in range(HALVINGS):
        middle = (low + high) // 2
        if middle in (low, high):
            break
        found.append(TriedTap(_tap(rig, middle, ready), fell()))
        low, high = (low, middle) if found[-1].fell else (middle, high)
    return found


def _bracket(found: Sequence[TriedTap]) -> tuple[int, int]:
    standing = [tried.tapped.stroke for tried in found if not tried.fell]
    fallen = [tried.tapped.stroke for tried in found if tried.fell]
    if not standing or not fallen or max(standing) > min(fallen):
        raise CalibrationError(
            "The tile has to stand after the weakest taps and fall after the strongest; take a heavier or a lighter "
            "tile, or tap it at another height."
        )
    return max(standing), min(fallen)


def impulses_by_falls(found: Sequence[TriedTap], tile: Profile, height: float) -> list[TapSample]:
    """The impulses of the taps: the one that just topples the tile is known, and the sensor compares the others."""
    low, high = _bracket(found)
    peaks = {tried.tapped.stroke: tried.tapped.peak for tried in found}
    scale = threshold_impulse(tile, height) / ((peaks[low] + peaks[high]) / 2)
    return [TapSample(tried.tapped.stroke, tried.tapped.peak * scale) for tried in found]


def impulses_by_sensor(found: Sequence[TapResult], full_scale: float) -> list[TapSample]:
    """The impulses of the taps, with the sensor's full scale known (N·s)."""
    return [TapSample(tapped.stroke, tapped.peak * full_scale) for tapped in found]


def _tap(rig: Rig, stroke: int, ready: Callable[[int], None]) -> TapResult:
    ready(stroke)
    tapped = rig.tap(stroke)
    if not tapped.touched or not tapped.peak > 0:
        raise CalibrationError(
            "The tap of {stroke} µs touched nothing: put the tile closer to the arm, "
            "and see that the sensors are wired.",
            stroke=stroke,
        )
    return tapped
