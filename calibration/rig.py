"""What a rig's commands mean: stroke of the servo to impulse of the tap, angle asked for to angle measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.store import CalibrationError, Stored, save
from physics.errors import InputError, Number
from physics.fields import Fields
from physics.tile_theory import GRAVITY, Profile, tipping_angle, toppling_impulse
from physics.toml_text import Table

KIND = "rig"
MIN_TAPS, MIN_TILTS = 3, 3
MIN_FOR_CURVE = 4  # taps from which on the map may bend
GAINS = (0.5, 2.0)  # what a plate's gain may be before something is mounted wrongly
ROUNDING = 1e-12  # N·s by which an impulse may be out of range: the last digits of arithmetic
LEAN_USED = math.radians(20)  # rad; up to it a falling tile's motion is known in closed form within 2 %
MISFIT = math.radians(1.5)  # rad, root mean square, beyond which a video shows something else
START_STEPS = 200  # how finely the moment of the tap is looked for

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TapSample:
    """One measured tap."""

    stroke: float  # µs
    impulse: float  # N·s


@dataclass(frozen=True, slots=True)
class TiltSample:
    """One measured tilt."""

    command: float  # rad
    measured: float  # rad, from where the plate is level
    rising: bool = True  # whether the plate came from a smaller angle


@dataclass(frozen=True)
class RigMap:
    """A rig's calibration: impulse = c0 + c1·s + c2·s², s the stroke in ms of pulse; tilt = offset + gain·command."""

    strokes: tuple[float, float]  # µs, the range that was measured
    curve: tuple[float, float, float]  # N·s
    tap_rms: float  # N·s, of the residuals
    offset: float  # rad
    gain: float
    tilt_rms: float  # rad
    backlash: float  # rad between tilts from below and from above
    taps: tuple[TapSample, ...] = ()
    tilts: tuple[TiltSample, ...] = ()

    def impulse_of(self, stroke: float) -> float:
        """The impulse of a stroke (µs), N·s."""
        c0, c1, c2 = self.curve
        s = stroke / 1000
        return c0 + c1 * s + c2 * s * s

    @property
    def impulses(self) -> tuple[float, float]:
        """The least and the largest impulse, N·s."""
        return self.impulse_of(self.strokes[0]), self.impulse_of(self.strokes[1])

    def stroke_for(self, impulse: float) -> float:
        """The stroke of an impulse (N·s), µs; InputError when that lies outside of what was measured."""
        low, high = self.impulses
        if not low - ROUNDING <= impulse <= high + ROUNDING:
            raise InputError(
                "An impulse of {value} mN·s is out of the rig's calibrated range: {low} to {high}.",
                value=round(impulse * 1e3, 3),
                low=Number(f"{math.ceil((low - ROUNDING) * 1e6) / 1e3:.3f}"),
                high=Number(f"{math.floor((high + ROUNDING) * 1e6) / 1e3:.3f}"),
            )
        c0, c1, c2 = self.curve
        slope = math.sqrt(max(0.0, c1 * c1 + 4 * c2 * (impulse - c0)))  # of the curve there, where it rises
        # The form of the root that subtracts no two nearly equal numbers, and holds for a straight line.
        s = 2 * (impulse - c0) / (c1 + slope) if c1 > 0 else (slope - c1) / (2 * c2)
        short, long = self.strokes
        return min(max(s * 1000, short), long)

    def tilt_for(self, angle: float) -> float:
        """What to ask for so that the plate comes to that angle, rad."""
        return (angle - self.offset) / self.gain

    def tap_residuals(self) -> list[float]:
        """Measured less mapped, N·s, tap by tap."""
        return [tap.impulse - self.impulse_of(tap.stroke) for tap in self.taps]

    def tilt_residuals(self) -> list[float]:
        """Measured less mapped, rad, tilt by tilt."""
        return [tilt.measured - self.offset - self.gain * tilt.command for tilt in self.tilts]


# Fits


def fit_rig(taps: Sequence[TapSample], tilts: Sequence[TiltSample]) -> RigMap:
    """The map through the samples by least squares; CalibrationError when they make no sense."""
    strokes, curve, tap_rms = _fit_taps(taps)
    offset, gain, tilt_rms, backlash = _fit_tilts(tilts)
    return RigMap(strokes, curve, tap_rms, offset, gain, tilt_rms, backlash, tuple(taps), tuple(tilts))


def _fit_taps(taps: Sequence[TapSample]) -> tuple[tuple[float, float], tuple[float, float, float], float]:
    strokes = np.array([tap.stroke for tap in taps]) / 1000
    impulses = np.array([tap.impulse for tap in taps])
    kinds = len(set(strokes.tolist()))
    if kinds < MIN_TAPS:
        raise CalibrationError(
            "{count} different strokes were measured; the map from stroke to impulse needs {least}.",
            count=kinds,
            least=MIN_TAPS,
        )
    degree = 2 if kinds >= MIN_FOR_CURVE else 1
    columns = np.stack([strokes**power for power in range(degree + 1)], axis=1)
    found = np.linalg.lstsq(columns, impulses, rcond=None)[0]
    curve = np.zeros(3)
    curve[: degree + 1] = found
    low, high = float(strokes.min()), float(strokes.max())
    slopes = [float(curve[1] + 2 * curve[2] * s) for s in (low, high)]
    if min(slopes) <= 0:
        raise CalibrationError(
            "The impulse does not grow with the stroke all the way: see that the arm is fast, meets the tile "
            "squarely and starts clear of it, and measure again."
        )
    if curve[0] + curve[1] * low + curve[2] * low * low <= 0:
        raise CalibrationError("The weakest taps were not felt: measure again with longer strokes.")
    rms = float(np.sqrt(np.mean((columns @ found - impulses) ** 2)))
    return (low * 1000, high * 1000), (float(curve[0]), float(curve[1]), float(curve[2])), rms


def _fit_tilts(tilts: Sequence[TiltSample]) -> tuple[float, float, float, float]:
    commands = np.array([tilt.command for tilt in tilts])
    measured = np.array([tilt.measured for tilt in tilts])
    kinds = len(set(commands.tolist()))
    if kinds < MIN_TILTS:
        raise CalibrationError(
            "{count} different angles were measured; the map of the tilt needs {least}.", count=kinds, least=MIN_TILTS
        )
    gain, offset = (float(value) for value in np.polyfit(commands, measured, 1))
    if not GAINS[0] <= gain <= GAINS[1]:
        raise CalibrationError(
            "The plate moves {gain} times as far as it is told to, where {low} to {high} is possible: "
            "see that the sensor sits on the plate, its x axis along the tilt.",
            gain=round(gain, 2),
            low=GAINS[0],
            high=GAINS[1],
        )
    residuals = measured - offset - gain * commands
    rising = np.array([tilt.rising for tilt in tilts])
    is_both = rising.any() and not rising.all()
    backlash = float(residuals[rising].mean() - residuals[~rising].mean()) if is_both else 0.0
    return offset, gain, float(np.sqrt(np.mean(residuals**2))), backlash


# What a tap is worth, told by a tile


def threshold_impulse(tile: Profile, height: float, gravity: float = GRAVITY) -> float:
    """The impulse (N·s) of the weakest tap at that height (m) that topples the tile: one known point of the map."""
    return tile.mass * toppling_impulse(tile, height, gravity)


def impulse_of_rate(tile: Profile, height: float, rate: float) -> float:
    """The impulse (N·s) of a tap at that height (m) after which the upright tile turns at that rate (rad/s)."""
    return tile.inertia * rate / height


def rate_of_fall(tile: Profile, times: Sequence[float], leans: Sequence[float], gravity: float = GRAVITY) -> float:
    """The angular rate (rad/s) right after the tap, from leans (rad) of the tile at times (s), as a video shows them.

    Up to 20 degrees a tile that turns about its edge leans φ (1 − cosh kt) + ω/k sinh kt, with φ its tipping angle and
    k² = 3g / 2d: linear in ω once the moment of the tap is known, which is looked for. CalibrationError when fewer
    than three leans lie between 1 and 20 degrees, or the tile did not turn.
    """
    seconds, angles = np.asarray(times, dtype=float), np.asarray(leans, dtype=float)
    used = (angles > math.radians(1)) & (angles < LEAN_USED)
    if used.sum() < 3:
        raise CalibrationError(
            "{count} pictures of the video show the tile leaning by 1 to 20 degrees; at least {least} must: "
            "film with more pictures a second.",
            count=int(used.sum()),
            least=3,
        )
    seconds, angles = seconds[used], angles[used]
    k = math.sqrt(1.5 * gravity / tile.diagonal)
    phi = tipping_angle(tile)
    # The tap came before the first leaning picture, and no earlier than a tile at the end of its push would take.
    earliest = float(seconds[0]) - 3 / k
    best = (math.inf, 0.0)
    for start in np.linspace(earliest, float(seconds[0]), START_STEPS, endpoint=False):
        since = k * (seconds - start)
        column: Array = np.sinh(since) / k
        wanted = angles - phi * (1 - np.cosh(since))
        rate = float(column @ wanted / (column @ column))
        error = float(np.sum((wanted - rate * column) ** 2))
        best = min(best, (error, rate))
    if best[1] <= 0 or best[0] > len(angles) * MISFIT**2:
        raise CalibrationError("The tile in the video does not turn the way a tapped tile does.")
    return best[1]


# On the disk


def save_map(found: RigMap, device: str, basis: str, folder: Path | None = None) -> Path:
    """Stores the map as that rig's calibration; OutputError when it cannot be written."""
    values: Table = {
        "stroke_least": found.strokes[0],
        "stroke_most": found.strokes[1],
        "curve": [value * 1e3 for value in found.curve],
        "tap_rms": found.tap_rms * 1e3,
        "tilt_offset": math.degrees(found.offset),
        "tilt_gain": found.gain,
        "tilt_rms": math.degrees(found.tilt_rms),
        "backlash": math.degrees(found.backlash),
    }
    taps = [
        {"stroke": tap.stroke, "impulse": tap.impulse * 1e3, "residual": residual * 1e3}
        for tap, residual in zip(found.taps, found.tap_residuals(), strict=True)
    ]
    tilts = [
        {
            "command": math.degrees(tilt.command),
            "measured": math.degrees(tilt.measured),
            "residual": math.degrees(residual),
            "direction": "up" if tilt.rising else "down",
        }
        for tilt, residual in zip(found.tilts, found.tilt_residuals(), strict=True)
    ]
    return save(KIND, device, basis, values, {"tap": taps, "tilt": tilts}, folder)


def read_map(stored: Stored) -> RigMap:
    """The map of a stored calibration; SceneError when its file has been damaged."""
    fields = stored.fields
    values = fields.inner("values")
    strokes = (_number(values, "stroke_least", 0), _number(values, "stroke_most", 0))
    curve = values.numbers("curve", count=3, low=-1e6, high=1e6)
    found = RigMap(
        strokes,
        (curve[0] / 1e3, curve[1] / 1e3, curve[2] / 1e3),
        _number(values, "tap_rms", 0) / 1e3,
        math.radians(_number(values, "tilt_offset")),
        values.number("tilt_gain", low=GAINS[0], high=GAINS[1]),
        math.radians(_number(values, "tilt_rms", 0)),
        math.radians(_number(values, "backlash")),
        tuple(_tap_in(tap) for tap in fields.tables("tap")),
        tuple(_tilt_in(tilt) for tilt in fields.tables("tilt")),
    )
    values.close()
    fields.close()
    if found.strokes[0] >= found.strokes[1] or found.impulses[0] >= found.impulses[1]:
        raise values.refusal("curve", "{where}: the impulse does not grow with the stroke.")
    return found


def _tap_in(fields: Fields) -> TapSample:
    sample = TapSample(_number(fields, "stroke", 0), _number(fields, "impulse") / 1e3)
    _number(fields, "residual")
    fields.close()
    return sample


def _tilt_in(fields: Fields) -> TiltSample:
    command, measured = (math.radians(_number(fields, key)) for key in ("command", "measured"))
    _number(fields, "residual")
    sample = TiltSample(command, measured, fields.choice("direction", None, ("up", "down")) == "up")
    fields.close()
    return sample


def _number(fields: Fields, key: str, low: float = -1e6) -> float:
    return fields.number(key, low=low, high=1e6)
