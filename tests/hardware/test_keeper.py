"""A rig that a thread looks after: nobody waits, stops come first, and a lost rig comes back."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware.errors import PortError, RigLost, RigStopped
from hardware.keeper import RigKeeper
from hardware.link import SerialPort
from hardware.protocol import Fault
from hardware.rig import Rig
from hardware.simulated.simavr import Built, Simulator
from physics.errors import InputError
from tests.hardware.simulated.loose_rig import LooseRig

PATIENCE = 30.0  # s; only so that a hung test ends


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.fixture
def table() -> LooseRig:
    table = LooseRig()
    table.is_calibrated = False
    return table


@pytest.fixture
def keeper(table: LooseRig) -> Iterator[RigKeeper]:
    keeper = RigKeeper(table.open_rig)
    eventually(lambda: keeper.state.is_there)
    yield keeper
    keeper.close()


def test_it_knows_the_rig_without_asking(keeper: RigKeeper) -> None:
    state = keeper.state
    assert state.health is not None and state.tilt is not None and state.counts is not None
    assert state.device == "e0000001"
    assert math.degrees(state.tilt[0]) == pytest.approx(0.12, abs=0.01)


def test_the_heart_beats_while_nobody_asks(table: LooseRig, keeper: RigKeeper) -> None:
    keeper.do(lambda rig: rig.tilt(math.radians(4), math.radians(20))).result(PATIENCE)
    uptime = keeper.state.health.uptime if keeper.state.health else 0
    eventually(lambda: keeper.state.health is not None and keeper.state.health.uptime > uptime + 1200)
    assert math.degrees(table.port.rig.plate_angle) == pytest.approx(4)


def test_a_stop_goes_before_all_that_waits(table: LooseRig, keeper: RigKeeper) -> None:
    begun = threading.Event()

    def tilt(rig: Rig) -> None:
        begun.set()
        rig.tilt(math.radians(20), math.radians(1))

    under_way = keeper.do(tilt)
    waiting = keeper.do(lambda rig: rig.tap(300))
    assert begun.wait(PATIENCE)
    eventually(lambda: table.port.rig.plate_angle > 0)
    keeper.stop().result(PATIENCE)
    assert isinstance(under_way.exception(PATIENCE), RigStopped)
    assert isinstance(waiting.exception(PATIENCE), RigStopped)
    assert table.port.rig.stops >= 1 and table.port.taps == 0
    keeper.do(lambda rig: rig.home()).result(PATIENCE)
    assert table.port.rig.plate_angle == 0
    assert keeper.do(lambda rig: rig.tap(300)).result(PATIENCE).touched


def test_a_stop_of_an_idle_rig_is_confirmed(table: LooseRig, keeper: RigKeeper) -> None:
    keeper.stop().result(PATIENCE)
    assert table.port.rig.stops == 1


def test_a_refusal_is_the_askers_and_the_rig_stays(keeper: RigKeeper) -> None:
    assert isinstance(keeper.do(lambda rig: rig.tap(9999)).exception(PATIENCE), InputError)
    assert keeper.state.is_there


def test_a_rig_that_is_away_is_looked_for(table: LooseRig, keeper: RigKeeper) -> None:
    table.is_plugged = False
    eventually(lambda: not keeper.state.is_there)
    assert isinstance(keeper.do(lambda rig: rig.tap(300)).exception(PATIENCE), (RigLost, PortError))
    table.is_plugged = True
    eventually(lambda: keeper.state.is_there)
    assert keeper.state.losses == 1
    keeper.do(lambda rig: rig.tap(300)).result(PATIENCE)
    assert table.port.taps == 1


def test_a_cable_pulled_and_plugged_in_again(built: Built, tmp_path: Path) -> None:
    link = tmp_path / "rig"
    with Simulator(built, free=True, link=link) as simulator:
        keeper = RigKeeper(lambda: Rig(SerialPort(str(link))))
        try:
            eventually(lambda: keeper.state.is_there)
            keeper.do(lambda rig: rig.tilt(math.radians(10), math.radians(20))).result(10)
            simulator.unplug()
            eventually(lambda: not keeper.state.is_there)
            assert keeper.state.trouble is not None and str(link) in str(keeper.state.trouble)
            refused = keeper.do(lambda rig: rig.tap(300))
            assert isinstance(refused.exception(10), (RigLost, PortError))
            simulator.plug()
            eventually(lambda: keeper.state.is_there)
            assert keeper.state.losses == 1
            keeper.do(lambda rig: rig.tap(300)).result(10)
            health = keeper.do(lambda rig: rig.health()).result(10)
            assert health.taps == 1 and health.faults & Fault.SILENCE  # it levelled when the cable was out
        finally:
            keeper.close()
