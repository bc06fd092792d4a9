"""A rig that comes and goes, for tests of what keeps one."""

from __future__ import annotations

from hardware.errors import PortError, RigLost
from hardware.rig import Rig
from hardware.simulated.emulated import EMULATED, EmulatedPort, emulated_map


class LooseRig:
    """A software rig whose cable may be pulled; also the port that leads to it."""

    name = EMULATED

    def __init__(self) -> None:
        self.port = EmulatedPort()
        self.is_plugged = True
        self.is_calibrated = True

    def open_rig(self) -> Rig:
        if not self.is_plugged:
            raise PortError("There is no rig.")
        rig = Rig(self)
        rig.map = emulated_map() if self.is_calibrated else None
        return rig

    def now(self) -> float:
        return self.port.now()

    def write(self, data: bytes) -> None:
        self._look()
        self.port.write(data)

    def read(self, until: float) -> bytes:
        self._look()
        return self.port.read(until)

    def close(self) -> None:
        self.port.close()

    def _look(self) -> None:
        if not self.is_plugged:
            raise RigLost("The cable is out.")
