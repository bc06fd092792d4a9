"""The firmware itself, compiled and run in simavr: a rig without a rig, at the end of a real serial port."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from hardware.errors import RigLost
from hardware.link import SerialPort
from physics.errors import EngineError, MissingError

SOURCES = Path(__file__).parents[1] / "firmware"
PROGRAMS = ("make", "cc", "avr-gcc")
PACKAGES = "gcc make gcc-avr avr-libc libsimavr-dev libelf-dev"
STEP = 0.05  # s of simulated time that is run at once while nothing is heard
ARM, PLATE = 0, 1  # channels of pulses
FULL_FLASH, FULL_RAM = 32256, 2048  # bytes, of an Uno with its loader


@dataclass(frozen=True)
class Built:
    """The firmware and what runs it, compiled."""

    folder: Path
    flash: int  # bytes
    ram: int  # bytes

    @property
    def firmware(self) -> Path:
        """For the AVR, with its symbols."""
        return self.folder / "rig.elf"

    @property
    def core(self) -> Path:
        """The pure parts as a library of this computer."""
        return self.folder / "core.so"

    @property
    def simulator(self) -> Path:
        """What runs the firmware."""
        return self.folder / "simrig"


def build() -> Built:
    """Compiles what has changed since it was last compiled on this computer.

    MissingError when there is no compiler, EngineError when it refuses.
    """
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        raise MissingError(
            "The firmware cannot be compiled without {programs}: on Debian, `apt-get install {packages}`.",
            programs=", ".join(missing),
            packages=PACKAGES,
        )
    files = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".c", ".h") or path.name == "Makefile")
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
    user = os.getuid() if hasattr(os, "getuid") else 0
    place = Path(tempfile.gettempdir()) / f"topple-firmware-{user}-{digest}"
    if place.exists() and place.stat().st_uid != user:
        place = Path(tempfile.mkdtemp())  # somebody else's programs are not run
    if not (place / "rig.elf").exists():
        _make(place)
    sizes = _run(["make", "-s", "-C", str(SOURCES), f"OUT={place}", "size"])
    found = re.search(r"flash (\d+) .*RAM (\d+)", sizes)
    assert found is not None
    return Built(place, int(found.group(1)), int(found.group(2)))


def _make(place: Path) -> None:
    """Builds beside the place and moves there: whoever else builds at the same time is not disturbed."""
    beside = Path(tempfile.mkdtemp(prefix="topple-firmware-"))
    try:
        _run(["make", "-s", "-C", str(SOURCES), f"OUT={beside}", "all", "core", "sim"])
        try:
            beside.rename(place)
        except OSError:
            if not place.exists():
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line][-1:]
        raise EngineError("The firmware cannot be compiled: {reason}", reason="".join(last) or command[0])
    return done.stdout


@dataclass(frozen=True)
class Pulse:
    """One servo pulse as it left the processor."""

    channel: int
    start: float  # s
    width: float  # s


class Simulator:
    """The firmware running in simavr; time stands still between calls unless it runs freely."""

    def __init__(self, built: Built, *, free: bool = False, link: Path | None = None) -> None:
        command = [str(built.simulator), str(built.firmware), *(["--free"] if free else [])]
        if link is not None:
            command += ["--link", str(link)]
        self._built = built
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a word for every byte that the flooded rig lost, and these are no text
            text=True,
            bufsize=1,
        )
        self.port_name = self._hear("port")
        self.now = 0.0  # s, as of the last run
        self.sent = 0  # bytes of the rig to the host, in all

    def __enter__(self) -> Simulator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.terminate()
        self._process.wait()

    def run(self, seconds: float, from_host: int) -> None:
        """Lets so much time pass, or less when the rig has said something; first it hears all the host has sent."""
        now, sent = self._tell(f"run {max(1, round(seconds * 1e6))} {from_host}").split()
        self.now, self.sent = int(now) / 1e6, int(sent)

    def set_voltage(self, channel: int, volts: float) -> None:
        """A voltage at an analogue input."""
        self._tell(f"adc {channel} {round(volts * 1000)}")

    def set_contact(self, closed: bool) -> None:
        """The contact switch."""
        self._tell(f"contact {int(closed)}")

    def set_imu(self, x: int, y: int, z: int) -> None:
        """What the accelerometer measures, 16384 to 1 g."""
        self._tell(f"imu {x} {y} {z}")

    def remove_imu(self) -> None:
        """Takes the accelerometer off its bus."""
        self._tell("imu off")

    def mark(self, byte: int) -> None:
        """Remembers when that byte of the host, counted from 1, was heard."""
        self._tell(f"mark {byte}")

    def marked(self) -> float:
        """When it was, s; 0 when it has not been yet."""
        return int(self._tell("marked")) / 1e6

    def pulses(self) -> list[Pulse]:
        """The servo pulses since this was last asked; of many, the last 4096."""
        parts = (word.split(":") for word in self._tell("pulses").split())
        return [Pulse(int(channel), int(start) / 1e6, int(width) / 1e9) for channel, start, width in parts]

    def longest_deafness(self) -> float:
        """The longest time without interrupts since this was last asked, s; the receiver holds bytes for 87 µs."""
        return int(self._tell("deaf")) / 16e6

    def lead_astray(self) -> None:
        """Puts the processor into an endless loop, as a crash would."""
        symbols = _run(["avr-nm", str(self._built.firmware)])
        found = re.search(r"^([0-9a-f]+) . __stop_program$", symbols, re.MULTILINE)
        assert found is not None
        self._tell(f"jump {int(found.group(1), 16)}")

    def unplug(self) -> None:
        """Pulls the cable."""
        self._tell("unplug")

    def plug(self) -> str:
        """Plugs it in again and returns the port's name."""
        self.port_name = self._tell("plug")
        return self.port_name

    def _tell(self, command: str) -> str:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError:
            raise EngineError("The simulated rig has ended by itself.") from None
        return self._hear("ok")

    def _hear(self, word: str) -> str:
        assert self._process.stdout is not None
        first, _space, rest = self._process.stdout.readline().strip().partition(" ")
        if first != word:
            raise EngineError("The simulated rig has ended by itself.")
        return rest


class SteppedPort:
    """The simulator's serial port, with simulated time: it passes only while the host waits, and at once."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.heard = 0  # bytes from the rig
        self.bytes_sent = 0  # bytes to it
        self._serial = SerialPort(simulator.port_name)

    @property
    def name(self) -> str:
        """What people call it."""
        return self._serial.name

    def now(self) -> float:
        """The rig's own time, s."""
        return self.simulator.now

    def write(self, data: bytes) -> None:
        """Sends the bytes."""
        self._serial.write(data)
        self.bytes_sent += len(data)

    def read(self, until: float) -> bytes:
        """What has come, as soon as a whole frame has."""
        while True:
            if self.heard < self.simulator.sent:
                return self._take()
            left = until - self.now()
            if left <= 0:
                return b""
            self.simulator.run(min(left, STEP), self.bytes_sent)

    def close(self) -> None:
        """Lets go of the port."""
        self._serial.close()

    def _take(self) -> bytes:
        """All that the rig has sent; the system may need a moment to hand it over."""
        data = b""
        patience = self._serial.now() + 5.0
        while self.heard < self.simulator.sent:
            piece = self._serial.read(patience)
            if not piece:
                raise RigLost("The cable of the rig at {port} is out: plug it in again.", port=self.name)
            data += piece
            self.heard += len(piece)
        return data
