"""From a port's name, or none, to a rig with its calibration."""

from __future__ import annotations

import logging
from pathlib import Path

from calibration import store
from calibration.rig import KIND, read_map
from hardware.errors import PortError, RigError
from hardware.link import Port, SerialPort, find_ports
from hardware.rig import Rig
from hardware.simulated.emulated import EMULATED, EmulatedPort, emulated_map
from physics.errors import ToppleError

_log = logging.getLogger("topple.rig")


def open_port(name: str) -> Port:
    """The port of that name; `emulated` is a software rig. PortError, MissingError when it cannot be opened."""
    return EmulatedPort() if name == EMULATED else SerialPort(name)


def open_rig(name: str | None = None, folder: Path | None = None) -> Rig:
    """The rig at that port, or the first that answers, with its newest calibration when that still holds.

    PortError or RigError when there is none; MissingError without pyserial.
    """
    rig = _introduced(name) if name is not None else _found()
    load_map(rig, folder)
    calibrated = "calibrated" if rig.map is not None else f"not calibrated: {rig.map_trouble}"
    _log.info("rig %s at %s, %s", rig.device, rig.port.name, calibrated)
    return rig


def load_map(rig: Rig, folder: Path | None = None) -> None:
    """Gives the rig its newest calibration; without one that holds, `map_trouble` says why."""
    try:
        rig.map = read_map(store.load(KIND, rig.device, rig.basis, folder))
        rig.map_trouble = None
    except ToppleError as error:
        is_new = rig.port.name == EMULATED and store.newest(KIND, rig.device, folder) is None
        rig.map = emulated_map() if is_new else None
        rig.map_trouble = None if is_new else error


def _introduced(name: str) -> Rig:
    port = open_port(name)
    try:
        return Rig(port)
    except BaseException:
        port.close()
        raise


def _found() -> Rig:
    troubles: list[ToppleError] = []
    for port in find_ports():
        if port.is_likely:
            try:
                return _introduced(port.name)
            except (PortError, RigError) as error:
                troubles.append(error)
    if troubles:
        raise troubles[0]
    raise PortError(
        "No rig is plugged in: connect it by USB, name its port, "
        "or try `emulated` as the port, which is a rig in software."
    )
