"""A line with faults: a relay before a port that drops, flips, doubles, delays and splits what passes, by a seed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hardware.link import Port

LONGEST_DELAY = 0.08  # s
LONGEST_PAUSE = 0.004  # s between two parts of what was sent at once
MEMORY = 20  # frames that may come again


@dataclass(frozen=True)
class Faults:
    """How often each happens to a byte; `again` after a frame: an earlier one comes once more."""

    drop: float = 0.0
    flip: float = 0.0
    double: float = 0.0
    delay: float = 0.0
    split: float = 0.0
    again: float = 0.0


def evenly(rate: float) -> Faults:
    """Faults of every sort that hit that share of the bytes together."""
    each = rate / 5
    return Faults(each, each, each, each, each, again=rate / 2)


class _Way:
    """One direction: what goes in comes out later, damaged, in order."""

    def __init__(self, faults: Faults, random: Random) -> None:
        self.faults = faults
        self.random = random
        self.queue: deque[tuple[float, bytes]] = deque()
        self._last = 0.0
        self._frame = bytearray()  # under way
        self._memory: deque[bytes] = deque(maxlen=MEMORY)

    def put(self, data: bytes, now: float) -> None:
        chance, faults = self.random.random, self.faults
        at, part = max(now, self._last), bytearray()
        for byte in self._with_old_frames(data):
            if chance() < faults.drop:
                continue
            pause = 0.0
            if chance() < faults.delay:
                pause = self.random.uniform(0, LONGEST_DELAY)
            elif chance() < faults.split:
                pause = self.random.uniform(0, LONGEST_PAUSE)
            if pause:
                self._send(at, part)
                at, part = at + pause, bytearray()
            if chance() < faults.flip:
                byte ^= 1 << self.random.randrange(8)
            part.append(byte)
            if chance() < faults.double:
                part.append(byte)
        self._send(at, part)

    def _with_old_frames(self, data: bytes) -> Iterator[int]:
        for byte in data:
            yield byte
            self._frame.append(byte)
            if byte == 0:
                if len(self._frame) > 1:
                    self._memory.append(bytes(self._frame))
                    if self.random.random() < self.faults.again:
                        yield from self.random.choice(list(self._memory))
                self._frame.clear()

    def _send(self, at: float, part: bytearray) -> None:
        self._last = at
        if part:
            self.queue.append((at, bytes(part)))

    def due(self, now: float) -> bytes:
        data = b""
        while self.queue and self.queue[0][0] <= now:
            data += self.queue.popleft()[1]
        return data

    @property
    def next_at(self) -> float:
        return self.queue[0][0] if self.queue else float("inf")


class FaultyPort:
    """A port behind such a relay; the same seed makes the same faults for the same bytes."""

    def __init__(self, port: Port, faults: Faults, seed: int) -> None:
        self.port = port
        self._out = _Way(faults, Random(seed * 2))
        self._in = _Way(faults, Random(seed * 2 + 1))

    @property
    def name(self) -> str:
        """What people call it."""
        return self.port.name

    def now(self) -> float:
        """Its clock, s."""
        return self.port.now()

    def write(self, data: bytes) -> None:
        """Sends what is left of the bytes, when it is let through."""
        self._out.put(data, self.now())
        self._pass_on()

    def read(self, until: float) -> bytes:
        """What comes through."""
        while True:
            now = self.now()
            self._pass_on()
            data = self._in.due(now)
            if data or now >= until:
                return data
            self._in.put(self.port.read(min(until, self._out.next_at, self._in.next_at)), self.now())

    def close(self) -> None:
        """Lets go of the port."""
        self.port.close()

    def _pass_on(self) -> None:
        data = self._out.due(self.now())
        if data:
            self.port.write(data)
