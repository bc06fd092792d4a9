"""Many commands over a line with faults: was each carried out exactly once, or reported as failed?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from hardware import protocol
from hardware.errors import RigError, RigLost
from hardware.exchange import Exchange, LinkCounts
from hardware.link import Port
from hardware.protocol import STROKE_MAX, STROKE_MIN, Kind, Packet
from hardware.rig import Rig
from hardware.simulated.emulated import EmulatedPort, VirtualClock
from hardware.simulated.faulty_line import FaultyPort, evenly
from hardware.simulated.simavr import ARM, PLATE, Pulse, SteppedPort

DRAIN = 0.6  # s after a failure until nothing of it is on its way any more
TILTS = math.radians(8)
RATES = (math.radians(15), math.radians(20))
REST_US = 1000  # the arm's pulse at rest, as a rig has it from its maker
SESSION = 0x5EED


@dataclass
class Trial:
    """What became of the commands."""

    rate: float  # share of bytes that were hit
    commands: int = 0  # asked by the caller: taps, tilts, readings …
    failed: int = 0  # of them, reported as failed
    taps_asked: int = 0
    taps_failed: int = 0
    taps_made: int = 0  # strokes of the arm
    wrong_taps: int = 0  # made though not asked for, or not made though reported as made
    repeated: int = 0  # questions carried out more than once
    missing: int = 0  # answered as done, and not done
    slowest: float = 0.0  # s, of the rig's time
    seconds: float = 0.0  # of the rig's time, all together
    link: LinkCounts = field(default_factory=LinkCounts)

    @property
    def is_clean(self) -> bool:
        """Whether every command was carried out once or reported as failed."""
        return self.wrong_taps == self.repeated == self.missing == 0


def together(trials: Sequence[Trial]) -> Trial:
    """Several trials on lines of the same rate as one."""
    whole = Trial(trials[0].rate)
    for part in trials:
        for name in (
            "commands",
            "failed",
            "taps_asked",
            "taps_failed",
            "taps_made",
            "wrong_taps",
            "repeated",
            "missing",
        ):
            setattr(whole, name, getattr(whole, name) + getattr(part, name))
        whole.slowest = max(whole.slowest, part.slowest)
        whole.seconds += part.seconds
        for name in ("sent", "resent", "failed", "bad_frames", "strays", "round_trips"):
            setattr(whole.link, name, getattr(whole.link, name) + getattr(part.link, name))
    return whole


class Watched(Exchange):
    """An exchange that remembers which questions were answered as done."""

    def __init__(self, port: Port) -> None:
        super().__init__(port, session=SESSION)
        self.answered: list[tuple[int, int, int]] = []

    def ask(self, kind: Kind, body: bytes = b"", *, patience: float) -> bytes:
        """As always; the number is kept when the answer is a yes."""
        answer = super().ask(kind, body, patience=patience)
        if kind is not Kind.STOP:  # which may be carried out as often as it is heard
            self.answered.append((self.session, self.number, kind))
        return answer


def emulated_trial(commands: int, rate: float, seed: int) -> Trial:
    """So many commands to the software rig, in virtual time."""
    port = EmulatedPort(VirtualClock())
    exchange = Watched(FaultyPort(port, evenly(rate), seed))
    trial = _run(exchange, commands, rate, seed, lambda: port.taps)
    carried_out = Counter(port.rig.done)
    trial.repeated = sum(count > 1 for count in carried_out.values())
    trial.missing = sum(carried_out[question] == 0 for question in exchange.answered)
    return trial


def firmware_trial(port: SteppedPort, commands: int, rate: float, seed: int) -> Trial:
    """So many commands to the firmware in simavr, in its own time; taps are counted by the arm's servo pulses."""
    made, was_forward = 0, False

    def taps_made() -> int:
        nonlocal made, was_forward
        for pulse in port.simulator.pulses():
            if pulse.channel == ARM:
                is_forward = pulse.width > (REST_US + STROKE_MIN / 2) * 1e-6
                made += is_forward and not was_forward
                was_forward = is_forward
        return made

    return _run(Watched(FaultyPort(port, evenly(rate), seed)), commands, rate, seed, taps_made)


def _run(
    exchange: Watched,
    commands: int,
    rate: float,
    seed: int,
    taps_made: Callable[[], int],
) -> Trial:
    random = Random(seed)
    port = exchange.port
    rig = Rig(port, exchange=exchange, patience=60.0)
    trial = Trial(rate, link=exchange.counts)
    before = taps_made()
    for _command in range(commands):
        started = port.now()
        is_tap, command = _choice(random, rig)
        trial.commands += 1
        trial.taps_asked += is_tap
        failed = False
        try:
            command()
        except RigError:
            failed = True
            _drain(exchange)
        trial.failed += failed
        trial.taps_failed += failed and is_tap
        trial.slowest = max(trial.slowest, port.now() - started)
        after = taps_made()
        made, before = after - before, after
        trial.taps_made += made
        trial.wrong_taps += made not in ((0, 1) if failed and is_tap else (int(is_tap),))
    trial.seconds = port.now()
    return trial


def _choice(random: Random, rig: Rig) -> tuple[bool, Callable[[], object]]:
    """A command, and whether it is a tap."""
    kind = random.choices(("tap", "tilt", "read", "health", "home", "stop"), (40, 8, 30, 10, 6, 6))[0]
    stroke = random.randint(STROKE_MIN, STROKE_MAX)
    angle, rate = random.uniform(-TILTS, TILTS), random.uniform(*RATES)
    commands: dict[str, Callable[[], object]] = {
        "tap": lambda: rig.tap(stroke),
        "tilt": lambda: rig.tilt(angle, rate),
        "read": rig.read_tilt,
        "health": rig.health,
        "home": rig.home,
        "stop": rig.stop,
    }
    return kind == "tap", commands[kind]


def _drain(exchange: Exchange) -> None:
    """Waits until nothing of a failed command is on its way; a session that was lost is opened again."""
    exchange.wait(DRAIN)
    try:
        exchange.ask(Kind.PING, patience=30.0)
    except RigLost:
        exchange.session = (exchange.session + 1) & 0xFFFF
        exchange.hello(60.0)


# Stops while the line is flooded


@dataclass(frozen=True)
class Stops:
    """How long after its last bit a stop had reached each servo, s."""

    arm: list[float]
    plate: list[float]

    @property
    def slowest(self) -> float:
        """The worst of all."""
        return max(*self.arm, *self.plate)


def flooded_stops(port: SteppedPort, count: int, seed: int) -> Stops:
    """Stops amid valid questions and rubbish at the full speed of the line, while the arm taps and the plate tilts.

    A servo has been reached at the end of the first pulse that sends it back.
    """
    random = Random(seed)
    rig = Rig(port)
    stops = Stops([], [])
    for _stop in range(count):
        rig.home()
        token = rig.exchange.ask(Kind.ARM, protocol.Arm(protocol.Action.TILT, 2000).pack(), patience=1.0)[0]
        rig.exchange.ask(Kind.TILT, protocol.Tilt(token, 2000, 1000).pack(), patience=1.0)
        rig.wait(0.3)
        token = rig.exchange.ask(Kind.ARM, protocol.Arm(protocol.Action.TAP, 2000).pack(), patience=1.0)[0]
        rig.exchange.ask(Kind.TAP, protocol.Tap(token, 500).pack(), patience=1.0)
        rig.exchange.wait(random.uniform(0.03, 0.05))
        stops_at = _stop_in_flood(port, rig.exchange, random)
        pulses = port.simulator.pulses()
        arm = [pulse for pulse in pulses if pulse.channel == ARM]
        plate = [pulse for pulse in pulses if pulse.channel == PLATE]
        back = next(p for p in arm if _end(p) > stops_at and p.width < (REST_US + 1) * 1e-6)
        stops.arm.append(_end(back) - stops_at)
        turned = next(new for old, new in pairwise(plate) if _end(new) > stops_at and new.width < old.width)
        stops.plate.append(_end(turned) - stops_at)
    return stops


def _stop_in_flood(port: SteppedPort, exchange: Exchange, random: Random) -> float:
    """When the rig had heard the last bit of the stop."""
    before, after = (_flood(exchange, random, length) for length in (random.randint(200, 500), 2000))
    exchange.number += 1
    stop = Packet(Kind.STOP, exchange.session, exchange.number).frame()
    port.simulator.pulses()
    port.simulator.mark(port.bytes_sent + len(before) + len(stop))
    port.write(before + stop + after)
    until = port.now() + 0.3
    while port.now() < until:
        port.read(until)
    return port.simulator.marked()


def _flood(exchange: Exchange, random: Random, length: int) -> bytes:
    data = b""
    while len(data) < length:
        exchange.number += 1
        data += Packet(Kind.READ, exchange.session, exchange.number).frame() if random.random() < 0.7 else b""
        data += random.randbytes(random.randint(1, 30))
    return data + b"\0"


def _end(pulse: Pulse) -> float:
    return pulse.start + pulse.width
