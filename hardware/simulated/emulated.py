"""A software rig on a table with a tile in reach of its arm, at the end of a line: `--port emulated`."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from calibration.rig import RigMap, TapSample, TiltSample, fit_rig
from hardware.protocol import BAUD, IMU_PER_G, LISTEN_MS, STROKE_MAX, STROKE_MIN, Settings
from hardware.simulated.firmware_model import Phase, SoftwareRig

EMULATED = "emulated"
SETTINGS = Settings(device=0xE0000001)
TABLE_TILT = (0.12, -0.08)  # degrees about x and y: no table is level
GAIN_FLAW = 0.03  # how much further the emulated plate goes than it is told
BYTE_TIME = 10 / BAUD  # s
PEAK_OF_IMPULSE = 500.0  # counts of the vibration sensor to 1 mN·s


def true_impulse(stroke: float) -> float:
    """What the emulated arm gives the tile, N·s."""
    share = stroke / STROKE_MAX
    return 1.6e-3 * share * (0.6 + 0.4 * share)


def emulated_map() -> RigMap:
    """The emulated rig's calibration, for those who have not made one."""
    strokes = range(STROKE_MIN, STROKE_MAX + 1, 76)
    angles = [math.radians(angle) for angle in range(-20, 21, 5)]
    return fit_rig(
        [TapSample(stroke, true_impulse(stroke)) for stroke in strokes],
        [TiltSample(angle, _true_tilt(angle), angle >= 0) for angle in angles],
    )


def _true_tilt(angle: float) -> float:
    return angle * (1 + GAIN_FLAW)


class Clock(Protocol):
    """What time it is for an emulated rig, and how it passes."""

    def now(self) -> float:
        """Seconds."""

    def sleep_until(self, moment: float) -> None:
        """Comes back then."""


class WallClock:
    """Time as people have it."""

    def now(self) -> float:
        """Seconds."""
        return time.monotonic()

    def sleep_until(self, moment: float) -> None:
        """Comes back then."""
        time.sleep(max(0.0, moment - self.now()))


@dataclass
class VirtualClock:
    """Time that passes only where somebody waits, at once."""

    moment: float = 0.0

    def now(self) -> float:
        """Seconds."""
        return self.moment

    def sleep_until(self, moment: float) -> None:
        """Comes back then, which is now."""
        self.moment = max(self.moment, moment)


@dataclass
class EmulatedPort:
    """A software rig on a table with a tile before its arm, at the end of a line of 115,200 baud."""

    clock: Clock = field(default_factory=WallClock)
    rig: SoftwareRig = field(default_factory=lambda: SoftwareRig(SETTINGS))
    has_tile: bool = True
    taps: int = 0  # strokes that the arm has really made

    def __post_init__(self) -> None:
        self._ticked = self.clock.now()
        self._hearing: deque[tuple[float, int]] = deque()  # when each byte is through
        self._saying: deque[tuple[float, int]] = deque()
        self._was_forward = False
        self._sense()

    @property
    def name(self) -> str:
        """What people call it."""
        return EMULATED

    def now(self) -> float:
        """Its clock, s."""
        return self.clock.now()

    def write(self, data: bytes) -> None:
        """Sends the bytes, which take their time."""
        self._catch_up(self.now())
        last = max(self.now(), self._hearing[-1][0] if self._hearing else 0.0)
        self._hearing.extend((last + (index + 1) * BYTE_TIME, byte) for index, byte in enumerate(data))

    def read(self, until: float) -> bytes:
        """What has come, as soon as anything has."""
        while True:
            now = self.now()
            self._catch_up(now)
            data = bytearray()
            while self._saying and self._saying[0][0] <= now:
                data.append(self._saying.popleft()[1])
            if data or now >= until:
                return bytes(data)
            self.clock.sleep_until(min(until, self._saying[0][0] if self._saying else self._ticked + 0.001))

    def close(self) -> None:
        """There is nothing to let go of."""

    def _catch_up(self, now: float) -> None:
        while self._ticked + 0.001 <= now + 1e-9:
            if self.rig.is_quiet and not self._hearing:
                count = max(1, int((now - self._ticked) * 1000 + 1e-6))
                self.rig.skip(count)
                self._ticked += count / 1000
                continue
            self._ticked += 0.001
            self._hear(self._ticked)
            self._sense()
            self.rig.tick()
            self._look()
        self._hear(now)

    def _hear(self, now: float) -> None:
        data = bytearray()
        while self._hearing and self._hearing[0][0] <= now:
            data.append(self._hearing.popleft()[1])
        if data:
            self.rig.feed(bytes(data))
            self._look()
        last = max(now, self._saying[-1][0] if self._saying else 0.0)
        self._saying.extend((last + (index + 1) * BYTE_TIME, byte) for index, byte in enumerate(self.rig.take()))

    def _look(self) -> None:
        is_forward = self.rig.arm_us != self.rig.settings.arm_rest
        self.taps += is_forward and not self._was_forward
        self._was_forward = is_forward

    def _sense(self) -> None:
        rig, given = self.rig, self.rig.inputs
        about_x = math.radians(TABLE_TILT[0])
        about_y = math.radians(TABLE_TILT[1]) + _true_tilt(rig.plate_angle)
        reaction = (
            -math.sin(about_y),
            math.cos(about_y) * math.sin(about_x),
            math.cos(about_y) * math.cos(about_x),
        )
        x, y, z = (round(part * IMU_PER_G) for part in reaction)
        given.imu, given.has_imu = (x, y, z), True
        given.adc = (
            round(rig.settings.adc_zero_x + reaction[0] * rig.settings.adc_per_g),
            round(rig.settings.adc_zero_y + reaction[1] * rig.settings.adc_per_g),
        )
        is_near = rig.phase is Phase.RETRACTING and rig.in_phase < LISTEN_MS
        given.contact = self.has_tile and is_near
        if self.has_tile and rig.phase is Phase.STRIKING and rig.in_phase == strike_delay(rig.stroke):
            given.contact_edge = True
            given.peak = min(1023, round(true_impulse(rig.stroke) * 1e3 * PEAK_OF_IMPULSE))


def strike_delay(stroke: int) -> int:
    """ms from the beginning of a stroke until the emulated arm meets the tile."""
    return 20 + 4000 // stroke
