"""A rig in software: what firmware/rig.c does, byte for byte and tick for tick; a test holds the two together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from hardware import protocol
from hardware.frame import Deframer, crc16
from hardware.protocol import (
    ABORTED,
    ANSWER,
    BOUNCE_MS,
    HEARTBEAT_MS,
    HOLD_MS,
    LEVEL_RATE,
    NO_CONTACT,
    PROTOCOL_VERSION,
    PULSE_MAX_US,
    PULSE_MIN_US,
    RATE_MAX,
    RETRACT_MS,
    STRIKE_MS,
    STROKE_MAX,
    STROKE_MIN,
    TILT_MAX,
    WINDOW_MAX_MS,
    Ability,
    Action,
    Counts,
    Fault,
    Health,
    Identity,
    Kind,
    Packet,
    Senses,
    Settings,
    State,
    Status,
    read_packet,
)

FIRMWARE = (1, 0)
FINE = 1000  # plate units (0.00001°) in 0.01°
WORD = 0x10000
QUESTION_BYTES: dict[int, int] = {
    Kind.HELLO: 1, Kind.PING: 0, Kind.ARM: 3, Kind.TAP: 3, Kind.TILT: 5, Kind.READ: 0,
    Kind.STOP: 0, Kind.HOME: 0, Kind.STORE: 21, Kind.RECALL: 0, Kind.COUNT: 0,
}  # fmt: skip


class Phase(IntEnum):
    """What the arm does."""

    RESTING = 0
    STRIKING = 1
    RETRACTING = 2


@dataclass
class Inputs:
    """What the table gives the rig before a tick."""

    imu: tuple[int, int, int] = (0, 0, 0)
    has_imu: bool = False
    adc: tuple[int, int] = (0, 0)
    peak: int = 0
    contact: bool = False
    contact_edge: bool = False


@dataclass
class _Line:
    """Session, numbers and the last answer."""

    session: int | None = None
    last: int = 0
    answer: Packet | None = None
    silence: int = 0
    bad_frames: int = 0
    stale: int = 0
    silences: int = 0


@dataclass
class _Plate:
    now: int = 0
    target: int = 0
    rate: int = 0
    held: int = 0


class SoftwareRig:
    """The rig without its hardware: bytes and milliseconds in, answers and servo pulses out."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.inputs = Inputs()
        self.settings = settings or Settings()
        self.done: list[tuple[int, int, int]] = []  # session, number and kind of every command carried out
        self.sent = bytearray()
        self.is_factory = settings is None
        self.phase = Phase.RESTING
        self.stroke = 0
        self.taps = self.tilts = self.stops = self.contacts = 0
        self._deframer = Deframer()
        self._line = _Line()
        self._plate = _Plate()
        self._armed: Action | None = None
        self._window = self._token = 0
        self._in_phase = 0
        self._delay = NO_CONTACT
        self._since_contact = BOUNCE_MS
        self._faults = Fault(0)
        self._is_storing = False
        self._uptime = 0

    # Servos

    @property
    def arm_us(self) -> int:
        """The pulse of the arm's servo."""
        forward = self.stroke * self.settings.arm_sign if self.phase is Phase.STRIKING else 0
        return _pulse(self.settings.arm_rest + forward)

    @property
    def plate_us(self) -> int:
        """The pulse of the plate's servo."""
        offset = int(int(self._plate.now / FINE) * self.settings.plate_gain / 10000)  # towards 0, as in C
        return _pulse(self.settings.plate_level + offset)

    @property
    def plate_angle(self) -> float:
        """What the plate is driven to now, rad."""
        return math.radians(self._plate.now / FINE / 100)

    @property
    def is_armed(self) -> bool:
        """Whether it would act."""
        return self._armed is not None

    @property
    def in_phase(self) -> int:
        """For how many ms the arm has done what it does."""
        return self._in_phase

    @property
    def is_quiet(self) -> bool:
        """Whether nothing but the clock would change with time."""
        return self.phase is Phase.RESTING and self._armed is None and self._plate.now == self._plate.target == 0

    # Bytes

    def feed(self, data: bytes) -> None:
        """Hears bytes."""
        *ended, rest = data.split(b"\0")
        for piece in ended:  # one frame at a time: what a packet asks for may be how many were damaged before it
            packets = self._deframer.feed(piece + b"\0")
            self._line.bad_frames = (self._line.bad_frames + self._deframer.bad) % WORD
            self._deframer.bad = 0
            for packet in packets:
                self._hear(read_packet(packet))
        self._deframer.feed(rest)

    def take(self) -> bytes:
        """What it has said since last time."""
        data = bytes(self.sent)
        self.sent.clear()
        return data

    def _hear(self, packet: Packet) -> None:
        line = self._line
        if QUESTION_BYTES.get(packet.kind, len(packet.body)) != len(packet.body):
            line.bad_frames = (line.bad_frames + 1) % WORD
            return
        is_ours = packet.session == line.session
        ahead = (packet.number - line.last) % WORD
        is_newer = is_ours and 1 <= ahead < 0x8000
        if is_ours:
            line.silence = 0
        if packet.kind == Kind.STOP:
            self._stop(packet, is_newer)
        elif packet.kind == Kind.HELLO and not is_ours:
            self._hello(packet)
        elif not is_ours:
            self._answer(packet, Status.NO_SESSION, keep=False)
        elif is_newer:
            line.last = packet.number
            self._carry_out(packet)
        elif ahead == 0 and line.answer is not None and line.answer.kind == packet.kind | ANSWER:
            self.sent += line.answer.frame()
        else:
            line.stale = (line.stale + 1) % WORD

    def _answer(self, to: Packet, status: Status, body: bytes = b"", *, keep: bool = True) -> None:
        answer = Packet(to.kind | ANSWER, to.session, to.number, bytes([status]) + body)
        if keep:
            self._line.answer = answer
        self.sent += answer.frame()

    def _stop(self, packet: Packet, is_newer: bool) -> None:
        self._rest()
        self.stops = (self.stops + 1) % WORD
        if is_newer:
            self._line.last = packet.number
        self._answer(packet, Status.OK, self.stops.to_bytes(2, "little"), keep=is_newer)

    def _hello(self, packet: Packet) -> None:
        is_known = packet.body[0] == PROTOCOL_VERSION
        if is_known:
            self._rest()
            self._line.session, self._line.last, self._line.silence = packet.session, packet.number, 0
        abilities = Ability.TAP | Ability.TILT | Ability.ADC | Ability.CONTACT
        identity = Identity(
            PROTOCOL_VERSION,
            *FIRMWARE,
            protocol.DEVICE_KIND,
            abilities | Ability.IMU if self.inputs.has_imu else abilities,
            0,
            self.settings.device,
            STROKE_MIN,
            STROKE_MAX,
            TILT_MAX,
            RATE_MAX,
            WINDOW_MAX_MS,
            HEARTBEAT_MS,
            crc16(self.settings.pack()),
        )
        self._answer(packet, Status.OK if is_known else Status.OTHER_VERSION, identity.pack(), keep=is_known)

    # Commands

    def _carry_out(self, packet: Packet) -> None:
        self.done.append((packet.session, packet.number, packet.kind))
        commands: dict[int, Callable[[bytes], tuple[Status, bytes]]] = {
            Kind.PING: self._ping,
            Kind.ARM: self._arm,
            Kind.TAP: self._tap,
            Kind.TILT: self._tilt,
            Kind.READ: self._read,
            Kind.HOME: self._home,
            Kind.STORE: self._store,
            Kind.RECALL: lambda _body: (Status.OK, self.settings.pack()),
            Kind.COUNT: self._count,
        }
        command = commands.get(packet.kind)
        self._answer(packet, *(command(packet.body) if command else (Status.UNKNOWN, b"")))

    def _ping(self, _body: bytes) -> tuple[Status, bytes]:
        faults = self._faults
        faults |= Fault.NO_CALIBRATION if self.is_factory else Fault(0)
        faults |= Fault(0) if self.inputs.has_imu else Fault.NO_IMU
        return Status.OK, Health(self.state, faults, self.taps, self.tilts, self._uptime).pack()

    @property
    def state(self) -> State:
        """What it is about."""
        plate = self._plate
        bits = State(0)
        for bit, holds in (
            (State.ARMED_TAP, self._armed is Action.TAP),
            (State.ARMED_TILT, self._armed is Action.TILT),
            (State.STRIKING, self.phase is Phase.STRIKING),
            (State.RETRACTING, self.phase is Phase.RETRACTING),
            (State.PLATE_MOVING, plate.now != plate.target),
            (State.PLATE_TILTED, plate.now != 0),
            (State.STORING, self._is_storing),
        ):
            if holds:
                bits |= bit
        return bits

    def _arm(self, body: bytes) -> tuple[Status, bytes]:
        asked = protocol.Arm.unpack(body)
        assert asked is not None
        self._disarm()
        if asked.action not in (Action.TAP, Action.TILT) or not 1 <= asked.window <= WINDOW_MAX_MS:
            return Status.OUT_OF_RANGE, b""
        if self.phase is not Phase.RESTING or self._is_storing:
            return Status.BUSY, b""
        self._armed, self._window = Action(asked.action), asked.window
        self._token = (self._token + 1) % 256
        return Status.OK, bytes([self._token])

    def _released(self, action: Action, token: int) -> bool:
        is_armed = self._armed is action and token == self._token
        self._disarm()
        return is_armed

    def _tap(self, body: bytes) -> tuple[Status, bytes]:
        asked = protocol.Tap.unpack(body)
        assert asked is not None
        if not self._released(Action.TAP, asked.token):
            return Status.NOT_ARMED, b""
        if not STROKE_MIN <= asked.stroke <= STROKE_MAX:
            return Status.OUT_OF_RANGE, b""
        self.stroke, self._delay = asked.stroke, NO_CONTACT
        self.inputs.peak, self.inputs.contact_edge = 0, False
        self.taps = (self.taps + 1) % WORD
        self._enter(Phase.STRIKING)
        return Status.OK, self.taps.to_bytes(2, "little")

    def _tilt(self, body: bytes) -> tuple[Status, bytes]:
        asked = protocol.Tilt.unpack(body)
        assert asked is not None
        if not self._released(Action.TILT, asked.token):
            return Status.NOT_ARMED, b""
        if abs(asked.angle) > TILT_MAX or not 1 <= asked.rate <= RATE_MAX:
            return Status.OUT_OF_RANGE, b""
        self._plate.target, self._plate.rate, self._plate.held = asked.angle * FINE, asked.rate, 0
        self.tilts = (self.tilts + 1) % WORD
        return Status.OK, self.tilts.to_bytes(2, "little")

    def _read(self, _body: bytes) -> tuple[Status, bytes]:
        given = self.inputs
        plate = int(self._plate.now / FINE)
        senses = Senses(*given.imu, *given.adc, given.contact, self.contacts, self._delay, given.peak, plate)
        return Status.OK, senses.pack()

    def _home(self, _body: bytes) -> tuple[Status, bytes]:
        self._rest()
        self._faults = Fault(0)
        return Status.OK, b""

    def _store(self, body: bytes) -> tuple[Status, bytes]:
        asked = Settings.unpack(body)
        assert asked is not None
        if not settings_hold(asked):
            return Status.OUT_OF_RANGE, b""
        if not self.is_quiet or self._is_storing:
            return Status.BUSY, b""
        self.settings, self.is_factory, self._is_storing = asked, False, True
        return Status.OK, b""

    def _count(self, _body: bytes) -> tuple[Status, bytes]:
        line = self._line
        return Status.OK, Counts(line.bad_frames, line.stale, 0, 0, line.silences).pack()

    # Time

    def tick(self) -> None:
        """A millisecond passes."""
        self._uptime += 1
        self._is_storing = False
        if self._window:
            self._window -= 1
            if not self._window:
                self._disarm()
        self._tick_arm()
        self._tick_plate()
        self._tick_heartbeat()

    def skip(self, count: int) -> None:
        """As many ticks at once as wanted, of a rig that is quiet and whose contact is left alone."""
        self._uptime += count
        self._is_storing = False
        self._since_contact = min(BOUNCE_MS, self._since_contact + count)
        self._line.silence = min(HEARTBEAT_MS, self._line.silence + count)

    def _tick_arm(self) -> None:
        if self.phase is not Phase.RESTING:
            self._in_phase += 1
        self._since_contact = min(BOUNCE_MS, self._since_contact + 1)
        if self.inputs.contact_edge:
            self.inputs.contact_edge = False
            if self._since_contact == BOUNCE_MS:
                self.contacts = (self.contacts + 1) % WORD
            self._since_contact = 0
            if self.phase is Phase.STRIKING:
                self._delay = self._in_phase
                self._enter(Phase.RETRACTING)
        if self.phase is Phase.STRIKING and self._in_phase >= STRIKE_MS:
            self._enter(Phase.RETRACTING)
        elif self.phase is Phase.RETRACTING and self._in_phase >= RETRACT_MS:
            self._enter(Phase.RESTING)

    def _tick_plate(self) -> None:
        plate = self._plate
        plate.now += max(-plate.rate, min(plate.rate, plate.target - plate.now))
        if plate.target and plate.now == plate.target:
            plate.held += 1
            if plate.held >= HOLD_MS:
                self._faults |= Fault.HELD_LONG
                self._rest()

    def _tick_heartbeat(self) -> None:
        line = self._line
        line.silence = min(HEARTBEAT_MS, line.silence + 1)
        if line.silence == HEARTBEAT_MS and (self._armed or self.phase is Phase.STRIKING or self._plate.target):
            self._faults |= Fault.SILENCE
            line.silences = (line.silences + 1) % WORD
            self._rest()

    def _enter(self, phase: Phase) -> None:
        self.phase, self._in_phase = phase, 0

    def _disarm(self) -> None:
        self._armed, self._window = None, 0

    def _rest(self) -> None:
        self._disarm()
        if self.phase is Phase.STRIKING:
            self._delay = ABORTED
            self._enter(Phase.RETRACTING)
        self._plate.target, self._plate.rate, self._plate.held = 0, LEVEL_RATE, 0


def settings_hold(given: Settings) -> bool:
    """Whether the servos stay within their limits with such settings."""
    forward = given.arm_rest + given.arm_sign * STROKE_MAX
    reach = abs(given.plate_gain) * (TILT_MAX // 100) // 100
    return (
        abs(given.arm_sign) == 1
        and PULSE_MIN_US <= given.arm_rest <= PULSE_MAX_US
        and PULSE_MIN_US <= forward <= PULSE_MAX_US
        and given.plate_gain != 0
        and PULSE_MIN_US + reach <= given.plate_level <= PULSE_MAX_US - reach
        and given.adc_per_g != 0
    )


def _pulse(us: int) -> int:
    return max(PULSE_MIN_US, min(PULSE_MAX_US, us))
