"""A rig: taps, tilts, reads, stops. Every call has a deadline; what is beyond the limits is refused here first."""

from __future__ import annotations

import contextlib
import math
import threading
from dataclasses import dataclass, replace
from typing import TypeVar

from calibration.rig import RigMap
from hardware import protocol
from hardware.errors import RigError, RigLost, RigRefused
from hardware.exchange import Exchange, LinkCounts
from hardware.frame import crc16
from hardware.link import Port
from hardware.protocol import (
    ABORTED,
    DEVICE_KIND,
    IMU_PER_G,
    NO_CONTACT,
    PROTOCOL_VERSION,
    Ability,
    Action,
    Counts,
    Health,
    Kind,
    Senses,
    Settings,
    State,
    Status,
)
from physics import scene
from physics.errors import InputError, ToppleError
from physics.scene import Push

# Opening the port resets an Arduino, whose loader then listens for up to two seconds before the firmware begins.
HELLO_PATIENCE = 4.0  # s
PATIENCE = 1.0  # s for the answer to a command
BEAT = 0.15  # s between two questions while something moves: a third of the rig's heartbeat
WINDOW = 2.0  # s that the rig stays armed
TAP_PATIENCE = 3.0  # s until the arm rests again
MARGIN = 2.0  # s over what a tilt or a levelling takes
AT_REST = ~(State.PLATE_TILTED | State.STORING)  # what may be set of a rig whose motion has ended

Answer = TypeVar("Answer", bound=protocol.Body)


@dataclass(frozen=True)
class TapResult:
    """What became of a tap."""

    stroke: int  # µs
    delay: float | None  # s from its beginning to contact; None: it touched nothing
    peak: float  # of the vibration sensor, 0 to 1

    @property
    def touched(self) -> bool:
        """Whether the arm felt the tile."""
        return self.delay is not None


class Rig:
    """A rig at the other end of a port, introduced and in a session."""

    def __init__(
        self,
        port: Port,
        *,
        patience: float = HELLO_PATIENCE,
        exchange: Exchange | None = None,
    ) -> None:
        """RigLost when nothing answers as a rig does, RigRefused when it is of another kind or version."""
        self.port = port
        self.exchange = exchange or Exchange(port)
        self.map: RigMap | None = None
        self.map_trouble: ToppleError | None = None  # why there is no map
        status, self.identity = self.exchange.hello(patience)
        if status is not Status.OK or self.identity.protocol != PROTOCOL_VERSION:
            raise RigRefused(
                "The rig at {port} speaks protocol {theirs} and this topple {ours}: "
                "flash the firmware of this topple (docs/rig.md).",
                port=port.name,
                theirs=self.identity.protocol,
                ours=PROTOCOL_VERSION,
            )
        if self.identity.device_kind != DEVICE_KIND:
            raise RigRefused(
                "The device at {port} is of kind {kind}, which this topple does not know.",
                port=port.name,
                kind=self.identity.device_kind,
            )
        self.settings = self._report(Kind.RECALL, Settings)

    # What it is

    @property
    def counts(self) -> LinkCounts:
        """What has happened on the line."""
        return self.exchange.counts

    @property
    def device(self) -> str:
        """The rig's own number, as calibrations are tied to it."""
        return f"{self.identity.device:08x}"

    @property
    def basis(self) -> str:
        """What a calibration of this rig depends on: its settings in the EEPROM."""
        return f"{self.identity.calibration_crc:04x}"

    @property
    def abilities(self) -> Ability:
        """What it has."""
        return Ability(self.identity.abilities)

    def health(self) -> Health:
        """State, faults and counters; also the heartbeat."""
        return self._report(Kind.PING, Health)

    def line_counts(self) -> Counts:
        """What the rig has seen of the line."""
        return self._report(Kind.COUNT, Counts)

    # Reading

    def senses(self) -> Senses:
        """All sensors as they are."""
        return self._report(Kind.READ, Senses)

    def read_tilt(self) -> tuple[float, float]:
        """The plate's tilt about x and about y, rad, as Table.tilt has it."""
        return tilt_in(self.senses(), self.settings)

    # Moving

    def stroke_for(self, impulse: float) -> int:
        """The stroke of that impulse (N·s), µs; InputError when it is not calibrated or out of range."""
        if self.map is None:
            raise self.map_trouble or InputError(
                "The rig {device} is not calibrated, so it does not know what an impulse is: "
                "run `./topple calibrate rig`, or give a stroke.",
                device=self.device,
            )
        return round(self.map.stroke_for(impulse))

    def tap(self, stroke: int) -> TapResult:
        """Arms, makes one stroke and waits until the arm rests again.

        InputError when the stroke is out of range; RigError when the rig refuses or is lost: the tap was made once or
        not at all, and a stop has been sent.
        """
        limits = self.identity
        if not limits.stroke_min <= stroke <= limits.stroke_max:
            raise InputError(
                "A stroke of {value} µs is out of range: the rig takes {low} to {high}.",
                value=stroke,
                low=limits.stroke_min,
                high=limits.stroke_max,
            )
        try:
            token = self._arm(Action.TAP)
            self.exchange.ask(Kind.TAP, protocol.Tap(token, stroke).pack(), patience=PATIENCE)
            self._until_at_rest(TAP_PATIENCE)
            senses = self.senses()
            if senses.delay == ABORTED:
                raise RigLost("The tap of the rig at {port} was cut short by a stop.", port=self.port.name)
        except RigError:
            self._send_stop()
            raise
        delay = None if senses.delay == NO_CONTACT else senses.delay / 1000
        return TapResult(stroke, delay, senses.peak / 1023)

    def tilt(self, angle: float, rate: float) -> None:
        """Arms, tilts the plate to the angle (rad) at the rate (rad/s), and waits until it is there.

        It stays so as long as `health` is asked every third of a second. InputError when angle or rate is out of
        range; RigError when the rig refuses or is lost: it then levels by itself.
        """
        wanted = angle if self.map is None else self.map.tilt_for(angle)
        hundredths, speed = round(math.degrees(wanted) * 100), round(math.degrees(rate) * 100)
        limits = self.identity
        if abs(hundredths) > limits.tilt_max:
            raise InputError(
                "A tilt of {value}° is out of range: the rig takes {low} to {high}.",
                value=round(math.degrees(angle), 2),
                low=-limits.tilt_max / 100,
                high=limits.tilt_max / 100,
            )
        if not 1 <= speed <= limits.rate_max:
            raise InputError(
                "A rate of {value}°/s is out of range: the rig takes {low} to {high}.",
                value=round(math.degrees(rate), 3),
                low=0.01,
                high=limits.rate_max / 100,
            )
        try:
            plate = self.senses().plate
            token = self._arm(Action.TILT)
            self.exchange.ask(Kind.TILT, protocol.Tilt(token, hundredths, speed).pack(), patience=PATIENCE)
            self._until_at_rest(abs(hundredths - plate) / speed + MARGIN)
            if self.senses().plate != hundredths:
                raise RigLost("The rig at {port} heard nothing for a while and levelled.", port=self.port.name)
        except RigError:
            self._send_stop()
            raise

    def carry_out(self, push: Push) -> TapResult | None:
        """Makes a push of physics: a tap, with what became of it, or a tilt, after which the plate stays tilted.

        InputError when it is another kind of push or out of range; RigError as `tap` and `tilt` have it.
        """
        match push:
            case scene.Tap():
                return self.tap(self.stroke_for(push.impulse))
            case scene.Tilt():
                self.tilt(push.limit, push.rate)
                return None
            case _:
                raise InputError("A rig can tap and tilt; it cannot make another push.")

    def stop(self) -> None:
        """Retracts, levels and disarms at once. RigLost when no answer comes; the rig then stops for want of one."""
        self.exchange.ask(Kind.STOP, patience=PATIENCE)

    def home(self) -> None:
        """Brings arm and plate to rest, waits for that, and clears the faults."""
        self.exchange.ask(Kind.HOME, patience=PATIENCE)
        levelling = self.identity.tilt_max / protocol.LEVEL_RATE
        self._until_at_rest(levelling + MARGIN, State(0xFF))

    def store(self, settings: Settings) -> None:
        """Keeps the settings in the rig's EEPROM and takes them into use; RigRefused when they cannot be right."""
        self.exchange.ask(Kind.STORE, settings.pack(), patience=PATIENCE)
        self._until_at_rest(MARGIN, State(0xFF))
        self.settings = self._report(Kind.RECALL, Settings)
        basis = crc16(self.settings.pack())
        self.identity = replace(self.identity, device=self.settings.device, calibration_crc=basis)

    def wait(self, seconds: float) -> None:
        """Lets time pass with heartbeats."""
        end = self.port.now() + seconds
        while self.port.now() < end:
            self.health()
            self.exchange.wait(min(BEAT, max(0.0, end - self.port.now())))

    def break_off_on(self, halt: threading.Event) -> None:
        """From now on whatever is waited for ends with RigStopped when another thread sets that."""
        self.exchange.halt = halt

    def close(self) -> None:
        """Lets go of the port; a rig that was at work stops by itself."""
        self.port.close()

    def _arm(self, action: Action) -> int:
        window = min(round(WINDOW * 1000), self.identity.window_max)
        body = self.exchange.ask(Kind.ARM, protocol.Arm(action, window).pack(), patience=PATIENCE)
        if len(body) != 1:
            raise self._odd()
        return body[0]

    def _until_at_rest(self, patience: float, moving: State = AT_REST) -> None:
        end = self.port.now() + patience
        while True:
            health = self.health()
            if not health.state & moving:
                return
            if self.port.now() >= end:
                raise RigLost(
                    "The rig at {port} has not come to rest after {time} s.", port=self.port.name, time=patience
                )
            self.exchange.wait(BEAT / 3)

    def _send_stop(self) -> None:
        with contextlib.suppress(RigLost):  # it stops by itself when it hears nothing
            self.exchange.send_stop_no_reply()

    def _report(self, kind: Kind, answer: type[Answer]) -> Answer:
        """What the rig answers to a question about itself."""
        body = answer.unpack(self.exchange.ask(kind, patience=PATIENCE))
        if body is None:
            raise self._odd()
        return body

    def _odd(self) -> RigRefused:
        return RigRefused(
            "What is at {port} answers, but not as a rig that this topple knows: bring both up to date.",
            port=self.port.name,
        )


def tilt_in(senses: Senses, settings: Settings) -> tuple[float, float]:
    """The tilt about x and about y, rad: by the accelerometer where there is one, else by the analogue sensor."""
    if (senses.imu_x, senses.imu_y, senses.imu_z) != (0, 0, 0):
        x = (senses.imu_x - settings.imu_zero_x) / IMU_PER_G
        y = (senses.imu_y - settings.imu_zero_y) / IMU_PER_G
        z = senses.imu_z / IMU_PER_G
        return math.atan2(y, z), math.atan2(-x, math.hypot(y, z))
    x = _unit((senses.adc_x - settings.adc_zero_x) / settings.adc_per_g)
    y = _unit((senses.adc_y - settings.adc_zero_y) / settings.adc_per_g)
    about_y = -math.asin(x)
    return math.asin(_unit(y / max(math.cos(about_y), 1e-6))), about_y


def _unit(value: float) -> float:
    return max(-1.0, min(1.0, value))
