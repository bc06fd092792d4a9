"""The compiled firmware itself, in simavr, over a serial port: pulses, sensors, safety, and a line with faults."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest

from hardware import protocol
from hardware.errors import PortError, RigLost, RigRefused
from hardware.exchange import Exchange
from hardware.link import SerialPort
from hardware.protocol import Ability, Action, Fault, Kind, Settings, State, Status
from hardware.rig import Rig
from hardware.simulated.simavr import ARM, PLATE, Built, Simulator, SteppedPort
from hardware.simulated.trial import firmware_trial, flooded_stops


def widths(simulator: Simulator, channel: int) -> list[float]:
    """The pulse widths in µs since this was last asked."""
    return [pulse.width * 1e6 for pulse in simulator.pulses() if pulse.channel == channel]


def test_it_introduces_itself(port: SteppedPort) -> None:
    rig = Rig(port)
    assert rig.identity.protocol == protocol.PROTOCOL_VERSION
    assert rig.abilities == Ability.TAP | Ability.TILT | Ability.IMU | Ability.ADC | Ability.CONTACT
    assert rig.health().state == 0
    assert rig.counts.round_trip is not None and rig.counts.round_trip < 0.01


def test_it_is_small_and_static(built: Built) -> None:
    assert 2000 < built.flash < 8192
    assert 200 < built.ram < 1024


@pytest.mark.parametrize("stroke", [40, 401, 800])
def test_a_tap_is_a_stroke_of_that_many_microseconds(port: SteppedPort, stroke: int) -> None:
    rig = Rig(port)
    port.simulator.pulses()
    tapped = rig.tap(stroke)
    found = widths(port.simulator, ARM)
    forward = [width for width in found if width > 1001]
    assert not tapped.touched
    assert forward and forward == pytest.approx([1000 + stroke] * len(forward), abs=0.2)
    assert [width for width in found if width <= 1001] == pytest.approx([1000] * (len(found) - len(forward)), abs=0.2)
    assert len(forward) * 0.020 == pytest.approx(protocol.STRIKE_MS / 1000, abs=0.021)


def test_the_plate_tilts_at_its_rate_and_levels(port: SteppedPort) -> None:
    rig = Rig(port)
    port.simulator.pulses()
    rig.tilt(math.radians(-18), math.radians(10))
    found = [pulse for pulse in port.simulator.pulses() if pulse.channel == PLATE]
    assert found[-1].width * 1e6 == pytest.approx(1500 - 18 * 11.11, abs=1.1)
    middle = [pulse for pulse in found if 1350e-6 < pulse.width < 1450e-6]
    slope = (middle[-1].width - middle[0].width) * 1e6 / 11.11 / (middle[-1].start - middle[0].start)
    assert slope == pytest.approx(-10, abs=0.4)  # degrees a second
    assert all(new.start - old.start == pytest.approx(0.020, abs=1e-5) for old, new in pairwise(found))
    rig.home()
    assert widths(port.simulator, PLATE)[-1] == pytest.approx(1500, abs=0.2)


def test_a_contact_ends_the_strike(port: SteppedPort) -> None:
    rig = Rig(port)
    token = rig.exchange.ask(Kind.ARM, protocol.Arm(Action.TAP, 1000).pack(), patience=1)[0]
    port.simulator.set_voltage(2, 0.2)
    rig.exchange.ask(Kind.TAP, protocol.Tap(token, 500).pack(), patience=1)
    rig.exchange.wait(0.040)
    port.simulator.set_voltage(2, 3.0)
    port.simulator.set_contact(True)
    rig.exchange.wait(0.010)
    assert rig.health().state == State.RETRACTING
    senses = rig.senses()
    assert senses.contact == 1 and senses.contacts == 1
    assert 38 <= senses.delay <= 55
    assert senses.peak == pytest.approx(3.0 / 5 * 1023, abs=2)
    port.simulator.set_contact(False)
    rig.wait(0.3)
    assert rig.health().state == 0
    assert rig.senses().contact == 0


def test_the_analogue_tilt_sensor_is_read_as_a_voltage(port: SteppedPort) -> None:
    port.simulator.remove_imu()
    port.simulator.set_voltage(0, 2.5 + 4 * math.sin(math.radians(5)))
    port.simulator.set_voltage(1, 2.5 - 4 * math.sin(math.radians(2)))
    rig = Rig(port)
    rig.wait(0.2)
    assert rig.health().faults & Fault.NO_IMU and Ability.IMU not in Rig(port).abilities
    about_x, about_y = (math.degrees(angle) for angle in Rig(port).read_tilt())
    assert about_y == pytest.approx(-5, abs=0.08)
    assert about_x == pytest.approx(-2, abs=0.08)


def test_the_accelerometer_is_read_over_its_bus_and_may_come_and_go(port: SteppedPort) -> None:
    angle = math.radians(7)
    port.simulator.set_imu(round(-math.sin(angle) * 16384), 0, round(math.cos(angle) * 16384))
    rig = Rig(port)
    rig.wait(0.2)
    assert [math.degrees(found) for found in rig.read_tilt()] == pytest.approx([0, 7], abs=0.01)
    port.simulator.remove_imu()
    rig.wait(0.2)
    assert rig.health().faults & Fault.NO_IMU
    assert rig.senses().imu_z == 0
    port.simulator.set_imu(0, 0, 16384)
    rig.wait(1.5)
    assert not rig.health().faults & Fault.NO_IMU
    assert rig.senses().imu_z == 16384


def test_settings_outlive_a_reset(port: SteppedPort) -> None:
    rig = Rig(port)
    assert rig.health().faults & Fault.NO_CALIBRATION
    own = Settings(device=0xBEEF, arm_rest=1700, arm_sign=-1, plate_level=1450, plate_gain=-1000)
    rig.store(own)
    port.simulator.pulses()
    rig.tap(300)
    assert min(widths(port.simulator, ARM)) == pytest.approx(1400, abs=0.2)
    port.simulator.lead_astray()
    with pytest.raises(RigLost, match="was reset"):
        rig.wait(1.0)
    again = Rig(port)
    assert again.settings == own and again.device == "0000beef"
    assert not again.health().faults & Fault.NO_CALIBRATION


def test_a_rig_that_hangs_is_reset_and_comes_to_rest(port: SteppedPort) -> None:
    rig = Rig(port)
    rig.tilt(math.radians(15), math.radians(20))
    token = rig.exchange.ask(Kind.ARM, protocol.Arm(Action.TAP, 5000).pack(), patience=1)[0]
    port.simulator.lead_astray()
    hung = port.now()
    with pytest.raises(RigLost, match="was reset"):
        rig.exchange.ask(Kind.TAP, protocol.Tap(token, 300).pack(), patience=1)
    assert 0.15 < port.now() - hung < 0.4
    port.simulator.pulses()
    again = Rig(port)
    again.wait(0.1)
    assert again.health().faults & Fault.WATCHDOG and again.health().taps == 0
    assert widths(port.simulator, PLATE) and port.simulator.pulses() == []
    with pytest.raises(RigRefused, match="not armed"):
        again.exchange.ask(Kind.TAP, protocol.Tap(token, 300).pack(), patience=1)


def test_a_silent_host_is_a_stop(port: SteppedPort) -> None:
    rig = Rig(port)
    rig.tilt(math.radians(15), math.radians(20))
    port.simulator.pulses()
    heard = port.now()
    port.read(port.now() + 2.0)
    found = [pulse for pulse in port.simulator.pulses() if pulse.channel == PLATE]
    turned = next(pulse for pulse in found if pulse.width < found[0].width)
    assert turned.start - heard == pytest.approx(protocol.HEARTBEAT_MS / 1000, abs=0.03)
    assert found[-1].width == pytest.approx(1500e-6, abs=1e-7)
    assert rig.health().faults & Fault.SILENCE


def test_stops_are_obeyed_within_50_ms_while_the_line_is_flooded(port: SteppedPort) -> None:
    Rig(port)
    port.simulator.longest_deafness()
    stops = flooded_stops(port, 10, seed=5)
    assert len(stops.arm) == len(stops.plate) == 10
    assert stops.slowest < 0.050
    assert port.simulator.longest_deafness() < 20e-6  # a byte takes 87 µs: none can be lost
    counts = Rig(port).line_counts()
    assert counts.overruns == 0
    assert counts.bad_frames > 100  # the flood was there


@pytest.mark.parametrize(("rate", "commands"), [(0.01, 100), (0.02, 100), (0.05, 100)])
def test_every_command_is_done_once_or_reported_on_a_bad_line(port: SteppedPort, rate: float, commands: int) -> None:
    trial = firmware_trial(port, commands, rate, seed=11)
    assert trial.commands == commands and trial.is_clean
    assert trial.taps_asked - trial.taps_failed <= trial.taps_made <= trial.taps_asked
    assert trial.link.resent > 0 and trial.link.bad_frames > 0
    assert trial.failed <= commands * 0.15
    assert trial.slowest < 8


def test_a_hundred_thousand_random_bytes_do_nothing(port: SteppedPort) -> None:
    rig = Rig(port)
    random = Random(9)
    port.simulator.pulses()
    for _part in range(25):
        port.write(random.randbytes(4000))
        until = port.now() + 4000 * 94e-6
        while port.now() < until:
            port.read(until)
        assert {round(width) for width in widths(port.simulator, ARM)} == {1000}
    health = Rig(port).health()
    assert (health.taps, health.tilts, health.state) == (0, 0, 0)
    assert rig.identity.device == 0


def test_a_host_of_another_version_is_told_so(port: SteppedPort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.exchange.PROTOCOL_VERSION", 2)
    status, identity = Exchange(port).hello(2.0)
    assert status is Status.OTHER_VERSION and identity.protocol == 1


# In the time of the clock on the wall, as with a real rig


def test_a_port_that_is_taken_is_one_sentence(built: Built) -> None:
    with Simulator(built, free=True) as simulator:
        first = SerialPort(simulator.port_name)
        with pytest.raises(PortError) as error:
            SerialPort(simulator.port_name)
        assert str(error.value) == f"{simulator.port_name} is in use by another program: close that one first."
        first.close()
        rig = Rig(SerialPort(simulator.port_name))
        assert rig.tap(300).stroke == 300
        assert rig.health().taps == 1
        rig.close()
