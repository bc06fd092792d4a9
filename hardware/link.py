"""The line to a rig: what a port is, serial ports by pyserial, and finding them. The one file that knows pyserial."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from typing import Protocol

from hardware.errors import PortError, RigLost
from hardware.protocol import BAUD
from physics.errors import MissingError

try:
    import serial
    from serial.tools import list_ports
except ImportError:
    serial = None  # type: ignore[assignment]

POLL = 0.02  # s that a read waits at most before it looks at the clock again
WRITE_PATIENCE = 0.25  # s; a line that takes no byte for so long is dead
# The chips that bring a serial line to USB on Arduinos and their copies, by vendor.
VENDORS = {0x2341: "Arduino", 0x2A03: "Arduino", 0x1A86: "CH340", 0x0403: "FTDI", 0x10C4: "CP210x"}


class Port(Protocol):
    """Bytes to and from a rig, with a clock of its own: simulated rigs have simulated time."""

    @property
    def name(self) -> str:
        """What people call it."""

    def now(self) -> float:
        """Its clock, s."""

    def write(self, data: bytes) -> None:
        """Sends the bytes; RigLost when the line is gone."""

    def read(self, until: float) -> bytes:
        """What has come, as soon as anything has; nothing when the clock says `until`. RigLost: the line is gone."""

    def close(self) -> None:
        """Lets go of the line."""


@dataclass(frozen=True)
class Found:
    """A serial port of this computer."""

    name: str
    words: str  # what the system calls it
    is_likely: bool  # whether it could be a rig


def has_pyserial() -> bool:
    """Whether serial ports can be used at all."""
    return serial is not None


def require_pyserial() -> None:
    """MissingError when pyserial is not installed."""
    if not has_pyserial():
        raise MissingError("pyserial is not installed here (extra {extra}).", extra="rig")


def find_ports() -> list[Found]:
    """The serial ports of this computer, those that could be a rig first. MissingError without pyserial."""
    require_pyserial()
    found = [Found(port.device, port.description or port.device, port.vid in VENDORS) for port in list_ports.comports()]
    return sorted(found, key=lambda port: (not port.is_likely, port.name))


class SerialPort:
    """A serial port as a Port."""

    def __init__(self, name: str) -> None:
        """PortError when it is not there, is taken or may not be opened; MissingError without pyserial."""
        require_pyserial()
        self._name = name
        try:
            self._serial = serial.Serial(name, BAUD, timeout=POLL, write_timeout=WRITE_PATIENCE, exclusive=True)
        except (OSError, ValueError) as error:  # SerialException is an OSError
            raise _why_not(name, error) from None

    @property
    def name(self) -> str:
        """The port's own name."""
        return self._name

    def now(self) -> float:
        """The clock on the wall."""
        return time.monotonic()

    def write(self, data: bytes) -> None:
        """Sends the bytes; RigLost when the line is gone."""
        try:
            self._serial.write(data)
        except OSError:
            raise self._lost() from None

    def read(self, until: float) -> bytes:
        """What has come, as soon as anything has; RigLost when the line is gone."""
        try:
            while True:
                data = bytes(self._serial.read(max(1, self._serial.in_waiting)))
                if data or self.now() >= until:
                    return data
        except (OSError, TypeError):  # TypeError: pyserial, when it is closed meanwhile
            raise self._lost() from None

    def close(self) -> None:
        """Lets go of the port."""
        self._serial.close()

    def _lost(self) -> RigLost:
        return RigLost("The cable of the rig at {port} is out: plug it in again.", port=self._name)


def _why_not(name: str, error: Exception) -> PortError:
    """The one sentence with the cure."""
    number = getattr(error, "errno", None)
    words = str(error).lower()
    if number in (errno.EBUSY, errno.EAGAIN) or "lock" in words:
        return PortError("{port} is in use by another program: close that one first.", port=name)
    if number == errno.EACCES or isinstance(error, PermissionError) or "denied" in words:
        return PortError(
            "You may not use {port}: on Linux, `sudo usermod -a -G dialout $USER` and log in again; "
            "elsewhere, close the program that uses it.",
            port=name,
        )
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO) or "filenotfound" in words:
        return PortError("There is no port {port}; `./topple rig status` without --port looks for one.", port=name)
    return PortError("{port} cannot be opened as a serial port: {reason}.", port=name, reason=_reason(error))


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
