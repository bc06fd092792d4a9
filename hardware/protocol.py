"""What host and rig say to each other: the numbers and packets of firmware/PROTOCOL.md."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Self

from hardware.frame import enframe

PROTOCOL_VERSION = 1
DEVICE_KIND = 1
BAUD = 115200
RESEND_MS = 60
STROKE_MIN, STROKE_MAX = 40, 800  # µs of servo pulse
TILT_MAX = 2500  # 0.01°
RATE_MAX = 2000  # 0.01°/s
WINDOW_MAX_MS = 10_000
HEARTBEAT_MS = 500
STRIKE_MS = 150
RETRACT_MS = 200
LISTEN_MS = 20
LEVEL_RATE = 1500  # 0.01°/s
HOLD_MS = 60_000
WATCHDOG_MS = 250
BOUNCE_MS = 30
PULSE_MIN_US, PULSE_MAX_US = 500, 2500
NO_CONTACT, ABORTED = 0xFFFF, 0xFFFE
ANSWER = 0x80  # what an answer's kind has more than its question's
IMU_PER_G = 16384


class Kind(IntEnum):
    """What is asked."""

    HELLO = 0x01
    PING = 0x02
    ARM = 0x03
    TAP = 0x04
    TILT = 0x05
    READ = 0x06
    STOP = 0x07
    HOME = 0x08
    STORE = 0x09
    RECALL = 0x0A
    COUNT = 0x0B


class Status(IntEnum):
    """How an answer begins."""

    OK = 0
    OTHER_VERSION = 1
    NO_SESSION = 2
    NOT_ARMED = 3
    OUT_OF_RANGE = 4
    BUSY = 5
    UNKNOWN = 6


class Action(IntEnum):
    """What the rig can be armed for."""

    TAP = 1
    TILT = 2


class Ability(IntFlag):
    """What a rig has."""

    TAP = 1
    TILT = 2
    IMU = 4
    ADC = 8
    CONTACT = 16


class State(IntFlag):
    """What a rig is about."""

    ARMED_TAP = 1
    ARMED_TILT = 2
    STRIKING = 4
    RETRACTING = 8
    PLATE_MOVING = 16
    PLATE_TILTED = 32
    STORING = 64


class Fault(IntFlag):
    """What a rig complains of."""

    SILENCE = 1
    WATCHDOG = 2
    BROWNOUT = 4
    NO_CALIBRATION = 8
    NO_IMU = 16
    HELD_LONG = 32


class Body:
    """A packet's body as named numbers."""

    FORMAT: ClassVar[str]

    def pack(self) -> bytes:
        """As it goes over the wire."""
        values: tuple[Any, ...] = astuple(self)  # type: ignore[call-overload]
        return struct.pack(self.FORMAT, *values)

    @classmethod
    def unpack(cls, body: bytes) -> Self | None:
        """What the bytes say, None when there are too few or too many."""
        if len(body) != struct.calcsize(cls.FORMAT):
            return None
        return cls(*struct.unpack(cls.FORMAT, body))


@dataclass(frozen=True, slots=True)
class Identity(Body):
    """How a rig introduces itself. Strokes µs, angles 0.01°, rates 0.01°/s, times ms."""

    FORMAT: ClassVar[str] = "<BBBBBBIHHHHHHH"

    protocol: int
    firmware_major: int
    firmware_minor: int
    device_kind: int
    abilities: int
    reset_cause: int
    device: int
    stroke_min: int
    stroke_max: int
    tilt_max: int
    rate_max: int
    window_max: int
    heartbeat: int
    calibration_crc: int


@dataclass(frozen=True, slots=True)
class Health(Body):
    """What a rig is about, in its own words."""

    FORMAT: ClassVar[str] = "<BBHHI"

    state: int
    faults: int
    taps: int
    tilts: int
    uptime: int  # ms


@dataclass(frozen=True, slots=True)
class Arm(Body):
    """Be ready for one action."""

    FORMAT: ClassVar[str] = "<BH"

    action: int
    window: int  # ms


@dataclass(frozen=True, slots=True)
class Tap(Body):
    """One stroke of the arm."""

    FORMAT: ClassVar[str] = "<BH"

    token: int
    stroke: int  # µs


@dataclass(frozen=True, slots=True)
class Tilt(Body):
    """Tilt the plate."""

    FORMAT: ClassVar[str] = "<BhH"

    token: int
    angle: int  # 0.01°
    rate: int  # 0.01°/s


@dataclass(frozen=True, slots=True)
class Senses(Body):
    """What a rig's sensors say."""

    FORMAT: ClassVar[str] = "<hhhHHBHHHh"

    imu_x: int
    imu_y: int
    imu_z: int
    adc_x: int
    adc_y: int
    contact: int
    contacts: int
    delay: int  # ms from the beginning of the last stroke to contact
    peak: int
    plate: int  # 0.01°


@dataclass(frozen=True, slots=True)
class Settings(Body):
    """What a rig keeps in its EEPROM: where its servos rest and its sensors are zero."""

    FORMAT: ClassVar[str] = "<IHbHhHHHhh"

    device: int = 0
    arm_rest: int = 1000
    arm_sign: int = 1
    plate_level: int = 1500
    plate_gain: int = 1111  # 0.01 µs to a degree
    adc_zero_x: int = 8184
    adc_zero_y: int = 8184
    adc_per_g: int = 13107
    imu_zero_x: int = 0
    imu_zero_y: int = 0


@dataclass(frozen=True, slots=True)
class Counts(Body):
    """What a rig has seen of the line."""

    FORMAT: ClassVar[str] = "<HHHHH"

    bad_frames: int
    stale: int
    unsent: int
    overruns: int
    silences: int


HEAD = struct.Struct("<BHH")


@dataclass(frozen=True, slots=True)
class Packet:
    """A question, or an answer when its kind says so."""

    kind: int
    session: int
    number: int
    body: bytes = b""

    def frame(self) -> bytes:
        """As it goes over the wire."""
        return enframe(HEAD.pack(self.kind, self.session, self.number) + self.body)


def read_packet(packet: bytes) -> Packet:
    """The packet of a whole frame (hardware.frame)."""
    kind, session, number = HEAD.unpack_from(packet)
    return Packet(kind, session, number, packet[HEAD.size :])
