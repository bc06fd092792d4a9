"""Questions and answers over a line that loses bytes: numbered, sent again until answered, given up at a deadline."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass

from hardware.errors import RigLost, RigRefused, RigStopped
from hardware.frame import Deframer
from hardware.link import Port
from hardware.protocol import ANSWER, PROTOCOL_VERSION, RESEND_MS, Identity, Kind, Packet, Status, read_packet
from physics.errors import Word

RESEND = RESEND_MS / 1000  # s
HELLO_AGAIN = 1.0  # s after which a greeting is given under another session's number
ALERT = 0.02  # s between two looks at whether to break off

REASONS = {
    Status.NOT_ARMED: Word("it is not armed for that"),
    Status.OUT_OF_RANGE: Word("that is beyond its limits"),
    Status.BUSY: Word("it is still at work"),
    Status.UNKNOWN: Word("it does not know that command"),
}


@dataclass
class LinkCounts:
    """What has happened on the line, seen from here."""

    sent: int = 0  # commands
    resent: int = 0
    failed: int = 0  # commands given up
    bad_frames: int = 0
    strays: int = 0  # answers nobody waits for any more
    round_trips: int = 0  # of commands answered at once: the only ones whose time can be told
    round_trip_sum: float = 0.0  # s
    round_trip_max: float = 0.0  # s

    def __add__(self, other: LinkCounts) -> LinkCounts:
        """What has happened on two lines, or on one before and after its cable was out."""
        return LinkCounts(
            self.sent + other.sent,
            self.resent + other.resent,
            self.failed + other.failed,
            self.bad_frames + other.bad_frames,
            self.strays + other.strays,
            self.round_trips + other.round_trips,
            self.round_trip_sum + other.round_trip_sum,
            max(self.round_trip_max, other.round_trip_max),
        )

    @property
    def round_trip(self) -> float | None:
        """The mean, s."""
        return self.round_trip_sum / self.round_trips if self.round_trips else None

    def as_json(self) -> dict[str, float | int | None]:
        """For `rig status --json` and logs; times in ms."""
        mean = self.round_trip
        return {
            "sent": self.sent,
            "resent": self.resent,
            "failed": self.failed,
            "bad_frames": self.bad_frames,
            "strays": self.strays,
            "round_trip_ms": None if mean is None else round(mean * 1000, 2),
            "round_trip_most_ms": round(self.round_trip_max * 1000, 2),
        }


class Exchange:
    """One session with a rig."""

    def __init__(self, port: Port, counts: LinkCounts | None = None, session: int | None = None) -> None:
        self.port = port
        self.counts = counts or LinkCounts()
        self._is_drawn = session is None
        self.session = secrets.randbelow(0x10000) if session is None else session
        self.number = 0
        self.halt = threading.Event()  # set by another thread: whatever is waited for is broken off
        self._deframer = Deframer()

    def hello(self, patience: float) -> tuple[Status, Identity]:
        """Opens the session; RigLost when nothing answers as a rig does."""
        body = bytes([PROTOCOL_VERSION])
        end = self.port.now() + patience
        answer = None
        while answer is None and self.port.now() < end:
            left = min(HELLO_AGAIN, end - self.port.now())
            answer = self._answer_to(Packet(Kind.HELLO, self.session, self.number, body), left)
            if answer is None and self._is_drawn:
                # The rig may have a session of that very number open, in which this greeting is an old one.
                self.session = secrets.randbelow(0x10000)
        if answer is None:
            raise RigLost(
                "No rig answers at {port}: check that it is the right port and that the firmware is on it.",
                port=self.port.name,
            )
        identity = Identity.unpack(answer.body[1:])
        status = _status(answer)
        if identity is None or status not in (Status.OK, Status.OTHER_VERSION):
            raise RigRefused(
                "What is at {port} answers, but not as a rig that this topple knows: bring both up to date.",
                port=self.port.name,
            )
        return status, identity

    def ask(self, kind: Kind, body: bytes = b"", *, patience: float) -> bytes:
        """The answer's body after its status; the rig has carried the command out exactly once.

        RigRefused when it answers that it will not, RigLost when no answer comes in time: then it has been carried out
        once or not at all. RigStopped when `halt` was set meanwhile.
        """
        self.number = (self.number + 1) & 0xFFFF
        answer = self._answer_to(Packet(kind, self.session, self.number, body), patience)
        if answer is None:
            self.counts.failed += 1
            raise RigLost("The rig at {port} gave no answer for {time} s.", port=self.port.name, time=patience)
        status = _status(answer)
        if status is Status.OK:
            return answer.body[1:]
        self.counts.failed += 1
        if status is Status.NO_SESSION:
            raise RigLost("The rig at {port} was reset meanwhile.", port=self.port.name)
        reason = REASONS.get(status or Status.UNKNOWN, REASONS[Status.UNKNOWN])
        raise RigRefused("The rig at {port} refused: {reason}.", port=self.port.name, reason=reason)

    def send_stop_no_reply(self) -> None:
        """Sends a stop without waiting for its answer."""
        self.number = (self.number + 1) & 0xFFFF
        self.port.write(Packet(Kind.STOP, self.session, self.number).frame())

    def wait(self, seconds: float) -> None:
        """Lets time pass on the port's clock; RigStopped when `halt` was set meanwhile."""
        until = self.port.now() + seconds
        while self.port.now() < until:
            self._take(until)

    def _answer_to(self, question: Packet, patience: float) -> Packet | None:
        frame = question.frame()
        port, counts = self.port, self.counts
        counts.sent += 1
        started = port.now()
        end = started + patience
        is_resent = False
        while port.now() < end:
            counts.resent += is_resent
            port.write(frame)
            again = min(port.now() + RESEND, end)
            while port.now() < again:
                for packet in self._take(again):
                    if _answers(packet, question):
                        if not is_resent:
                            self._time(port.now() - started)
                        return packet
                    counts.strays += 1
            is_resent = True
        return None

    def _take(self, until: float) -> list[Packet]:
        if self.halt.is_set():
            raise RigStopped("The rig was stopped before it was done.")
        data = self.port.read(min(until, self.port.now() + ALERT))
        packets = [read_packet(packet) for packet in self._deframer.feed(data)]
        self.counts.bad_frames += self._deframer.bad
        self._deframer.bad = 0
        return packets

    def _time(self, seconds: float) -> None:
        self.counts.round_trips += 1
        self.counts.round_trip_sum += seconds
        self.counts.round_trip_max = max(self.counts.round_trip_max, seconds)


def _answers(packet: Packet, question: Packet) -> bool:
    same = (packet.kind, packet.session, packet.number) == (question.kind | ANSWER, question.session, question.number)
    return same and len(packet.body) > 0


def _status(answer: Packet) -> Status | None:
    try:
        return Status(answer.body[0])
    except ValueError:
        return None
