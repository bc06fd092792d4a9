"""A rig asked for things: limits, arming, answers that get lost, and what is said when something is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import protocol
from hardware.errors import RigError, RigLost, RigRefused, RigStopped
from hardware.exchange import RESEND, Exchange
from hardware.frame import Deframer
from hardware.link import Port
from hardware.protocol import Action, Fault, Kind, Packet, Senses, Settings, State, read_packet
from hardware.rig import Rig, tilt_in
from hardware.simulated.emulated import SETTINGS, TABLE_TILT, EmulatedPort, VirtualClock, emulated_map, true_impulse
from hardware.simulated.faulty_line import Faults, FaultyPort
from hardware.simulated.firmware_model import SoftwareRig
from physics.errors import InputError, ToppleError
from physics.scene import Finger, Table, Tap, Tilt


def emulated(settings: Settings = SETTINGS) -> EmulatedPort:
    return EmulatedPort(VirtualClock(), SoftwareRig(settings))


class Meddler:
    """A port whose answers pass through a function; None loses them."""

    def __init__(self, port: Port, meddle: Callable[[Packet], Packet | None]) -> None:
        self.port, self.meddle = port, meddle
        self.name = port.name
        self._deframer = Deframer()

    def now(self) -> float:
        return self.port.now()

    def write(self, data: bytes) -> None:
        self.port.write(data)

    def read(self, until: float) -> bytes:
        answers = [self.meddle(read_packet(packet)) for packet in self._deframer.feed(self.port.read(until))]
        return b"".join(answer.frame() for answer in answers if answer)

    def close(self) -> None:
        self.port.close()


def sentence(error: pytest.ExceptionInfo[ToppleError]) -> str:
    return str(error.value)


def test_a_tap_is_one_stroke_and_feels_the_tile() -> None:
    port = emulated()
    rig = Rig(port)
    tapped = rig.tap(400)
    assert port.taps == rig.health().taps == 1
    assert tapped.touched and tapped.delay == pytest.approx(0.030, abs=0.002)
    assert tapped.peak * 1023 / 500 == pytest.approx(true_impulse(400) * 1e3, rel=0.01)
    assert rig.senses().contacts == 1
    port.has_tile = False
    assert rig.tap(400).delay is None
    assert port.taps == 2


def test_the_plate_goes_where_it_is_sent_as_fast_as_it_is_told() -> None:
    port = emulated()
    rig = Rig(port)
    started = port.now()
    rig.tilt(math.radians(10), math.radians(5))
    assert port.now() - started == pytest.approx(2.0, abs=0.1)
    assert math.degrees(port.rig.plate_angle) == pytest.approx(10)
    about_x, about_y = (math.degrees(angle) for angle in rig.read_tilt())
    assert about_x == pytest.approx(TABLE_TILT[0], abs=0.01)
    assert about_y == pytest.approx(10.3 + TABLE_TILT[1], abs=0.01)
    rig.wait(2.0)
    assert port.rig.plate_angle > 0
    rig.home()
    assert port.rig.plate_angle == 0 and rig.health().state == 0


def test_a_calibrated_rig_means_the_angle_it_says() -> None:
    port = emulated()
    rig = Rig(port)
    level = rig.read_tilt()[1]
    rig.map = emulated_map()
    rig.tilt(math.radians(10), math.radians(10))
    assert math.degrees(rig.read_tilt()[1] - level) == pytest.approx(10, abs=0.02)
    assert true_impulse(rig.stroke_for(0.7e-3)) == pytest.approx(0.7e-3, rel=0.005)


def test_a_push_of_physics_is_carried_out() -> None:
    port = emulated()
    rig = Rig(port)
    rig.map = emulated_map()
    tapped = rig.carry_out(Tap(0.64e-3, 0.04))
    assert tapped is not None and tapped.stroke == pytest.approx(400, abs=1)
    assert rig.carry_out(Tilt(math.radians(10), math.radians(6))) is None
    assert math.degrees(port.rig.plate_angle) == pytest.approx(6 / 1.03, abs=0.02)
    with pytest.raises(InputError, match="cannot make another push"):
        rig.carry_out(Finger())


def test_a_greeting_under_the_number_of_the_open_session_is_given_again_under_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = emulated()
    for _command in range(3):
        Rig(port, exchange=Exchange(port, session=77)).health()
        port.rig.feed(Packet(Kind.HELLO, 78, 0, b"\1").frame())
    Rig(port, exchange=Exchange(port, session=77)).health()
    drawn = iter([77, 5])
    monkeypatch.setattr("hardware.exchange.secrets.randbelow", lambda _most: next(drawn))
    assert Rig(port).exchange.session == 5


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda rig: rig.tap(39), "A stroke of 39 µs is out of range: the rig takes 40 to 800."),
        (lambda rig: rig.tap(801), "A stroke of 801 µs"),
        (
            lambda rig: rig.tilt(math.radians(25.1), 0.1),
            "A tilt of 25.1° is out of range: the rig takes -25.0 to 25.0.",
        ),
        (lambda rig: rig.tilt(0.1, math.radians(20.1)), "A rate of 20.1°/s is out of range"),
        (lambda rig: rig.tilt(0.1, 0.0), "A rate of 0.0°/s is out of range"),
        (lambda rig: rig.stroke_for(0.4e-3), "is not calibrated"),
    ],
)
def test_what_is_beyond_the_limits_is_not_even_sent(asked: Callable[[Rig], object], words: str) -> None:
    rig = Rig(emulated())
    sent = rig.counts.sent
    with pytest.raises(InputError) as error:
        asked(rig)
    assert words in sentence(error)
    assert rig.counts.sent == sent


def ask(rig: Rig, kind: Kind, body: protocol.Body | None = None) -> bytes:
    return rig.exchange.ask(kind, body.pack() if body else b"", patience=1.0)


def test_the_rig_itself_refuses_what_the_host_should_not_have_sent() -> None:
    port = emulated()
    rig = Rig(port)
    with pytest.raises(RigRefused, match="not armed"):
        ask(rig, Kind.TAP, protocol.Tap(0, 300))
    for body in (protocol.Tap, protocol.Tap):
        token = ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 1000))[0]
        with pytest.raises(RigRefused, match="beyond its limits"):
            ask(rig, Kind.TAP, body(token, 801))
        with pytest.raises(RigRefused, match="not armed"):
            ask(rig, Kind.TAP, body(token, 300))  # the refusal has disarmed it
    token = ask(rig, Kind.ARM, protocol.Arm(Action.TILT, 1000))[0]
    with pytest.raises(RigRefused, match="not armed"):
        ask(rig, Kind.TAP, protocol.Tap(token, 300))  # armed, but for something else
    token = ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 1000))[0]
    with pytest.raises(RigRefused, match="not armed"):
        ask(rig, Kind.TAP, protocol.Tap(token - 1, 300))
    assert port.taps == 0


def test_it_is_armed_for_one_action_and_for_a_while() -> None:
    port = emulated()
    rig = Rig(port)
    token = ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 300))[0]
    assert rig.health().state == State.ARMED_TAP
    ask(rig, Kind.TAP, protocol.Tap(token, 300))
    with pytest.raises(RigRefused, match="still at work"):
        ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 300))
    rig.wait(0.6)
    with pytest.raises(RigRefused, match="not armed"):
        ask(rig, Kind.TAP, protocol.Tap(token, 300))
    token = ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 300))[0]
    rig.wait(0.4)
    with pytest.raises(RigRefused, match="not armed"):
        ask(rig, Kind.TAP, protocol.Tap(token, 300))
    assert port.taps == 1


def test_a_host_that_falls_silent_is_a_stop() -> None:
    port = emulated()
    rig = Rig(port)
    rig.tilt(math.radians(20), math.radians(20))
    port.read(port.now() + 0.45)
    assert math.degrees(port.rig.plate_angle) == pytest.approx(20)
    port.read(port.now() + 0.2)
    assert math.degrees(port.rig.plate_angle) < 20
    port.read(port.now() + 2.0)
    assert port.rig.plate_angle == 0
    assert rig.health().faults & Fault.SILENCE
    rig.home()
    assert not rig.health().faults
    assert rig.line_counts().silences == 1


def test_a_lost_answer_does_not_make_a_second_tap() -> None:
    lost: list[Packet] = []

    def lose_some(packet: Packet) -> Packet | None:
        if packet.kind == Kind.TAP | protocol.ANSWER and len(lost) < 5:
            lost.append(packet)
            return None
        return packet

    port = emulated()
    rig = Rig(Meddler(port, lose_some))
    rig.tap(300)
    assert len(lost) == 5 and rig.counts.resent == 5
    assert port.taps == 1


def test_no_answer_at_all_is_said_in_time_and_stops_the_rig() -> None:
    port = emulated()
    rig = Rig(Meddler(port, lambda packet: packet if packet.kind != Kind.TAP | protocol.ANSWER else None))
    started = port.now()
    with pytest.raises(RigLost) as error:
        rig.tap(300)
    assert sentence(error) == "The rig at emulated gave no answer for 1.0 s."
    assert port.now() - started == pytest.approx(1.0, abs=0.1)
    assert port.taps == 1  # once, though reported as failed
    assert rig.counts.failed == 1
    port.read(port.now() + 0.1)
    assert port.rig.stops == 1


def test_a_command_that_comes_late_is_dropped_after_a_stop() -> None:
    port = emulated()
    rig = Rig(port)
    token = ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 5000))[0]
    late = Packet(Kind.TAP, rig.exchange.session, rig.exchange.number + 1, protocol.Tap(token, 300).pack())
    rig.exchange.number += 1
    rig.stop()
    ask(rig, Kind.ARM, protocol.Arm(Action.TAP, 5000))
    port.write(late.frame())
    rig.wait(0.3)
    assert port.taps == 0
    assert rig.line_counts().stale == 1


def test_a_tap_that_a_stray_stop_broke_off_is_not_reported_as_made() -> None:
    port = emulated()
    rig = Rig(port)

    def stop_at_once(packet: Packet) -> Packet:
        if packet.kind == Kind.TAP | protocol.ANSWER:
            port.write(Packet(Kind.STOP, 99, 5).frame())  # of nobody's session: a stop is a stop
        return packet

    rig.exchange.port = Meddler(port, stop_at_once)
    with pytest.raises(RigLost, match="cut short by a stop"):
        rig.tap(300)
    rig.exchange.port = port
    rig.wait(0.5)
    assert rig.tap(300).touched


def test_nothing_at_the_port_is_one_sentence() -> None:
    port = FaultyPort(emulated(), Faults(drop=1.0), 1)
    with pytest.raises(RigLost) as error:
        Rig(port, patience=1.0)
    assert sentence(error).startswith("No rig answers at emulated: check")
    assert port.now() == pytest.approx(1.0, abs=RESEND)


def changed(packet: Packet, place: int, value: int) -> Packet:
    body = bytearray(packet.body)
    body[place] = value
    return Packet(packet.kind, packet.session, packet.number, bytes(body))


@pytest.mark.parametrize(
    ("meddle", "words"),
    [
        (lambda packet: changed(packet, 1, 9), "speaks protocol 9 and this topple 1: flash the firmware"),
        (lambda packet: changed(packet, 0, protocol.Status.OTHER_VERSION), "flash the firmware of this topple"),
        (lambda packet: changed(packet, 4, 77), "is of kind 77, which this topple does not know"),
        (
            lambda packet: Packet(packet.kind, packet.session, packet.number, b"\0\1"),
            "not as a rig that this topple knows",
        ),
        (lambda packet: changed(packet, 0, 200), "not as a rig that this topple knows"),
    ],
)
def test_a_mismatch_is_refused_with_a_sentence(meddle: Callable[[Packet], Packet], words: str) -> None:
    with pytest.raises(RigRefused) as error:
        Rig(Meddler(emulated(), meddle))
    assert words in sentence(error)


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_whatever_comes_back_is_an_answer_or_an_error_with_a_sentence(first: bytes, then: bytes) -> None:
    bodies = [first, then]

    def anything(packet: Packet) -> Packet | None:
        return Packet(packet.kind, packet.session, packet.number, bodies.pop(0)) if bodies else None

    try:
        rig = Rig(Meddler(emulated(), anything), patience=0.2)
        assert rig.settings.pack() == then[1:]
    except RigError as error:
        assert "emulated" in str(error)


def test_a_host_of_another_version_gets_no_session() -> None:
    rig = SoftwareRig()
    rig.feed(Packet(Kind.HELLO, 7, 0, b"\2").frame())
    [answer] = [read_packet(packet) for packet in Deframer().feed(rig.take())]
    assert answer.body[0] == protocol.Status.OTHER_VERSION and answer.body[1] == protocol.PROTOCOL_VERSION
    rig.feed(Packet(Kind.PING, 7, 1).frame())
    [answer] = [read_packet(packet) for packet in Deframer().feed(rig.take())]
    assert answer.body == bytes([protocol.Status.NO_SESSION])


def test_halting_breaks_off_what_is_waited_for() -> None:
    port = emulated()
    exchange = Exchange(port)
    rig = Rig(port, exchange=exchange)
    exchange.halt.set()
    with pytest.raises(RigStopped):
        rig.tap(300)
    exchange.halt.clear()
    rig.wait(0.3)
    assert port.taps == 0 and port.rig.stops == 1


def test_settings_are_kept_and_change_what_a_calibration_is_tied_to() -> None:
    rig = Rig(emulated())
    basis = rig.basis
    rig.store(Settings(device=0xABC, arm_rest=900))
    assert rig.device == "00000abc" and rig.settings.arm_rest == 900
    assert rig.basis != basis
    with pytest.raises(RigRefused, match="beyond its limits"):
        rig.store(Settings(arm_rest=2000))
    assert Rig(rig.port).basis == rig.basis


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (3.0, 0.0), (0.0, -7.0), (12.0, 20.0)])
def test_the_tilt_is_that_of_the_tables_gravity(x: float, y: float) -> None:
    tilt = (math.radians(x), math.radians(y))
    reaction = -Table(tilt=tilt).gravity / 9.81
    imu = [round(float(part) * protocol.IMU_PER_G) for part in reaction]
    settings = Settings()
    adc = [round(8184 + float(part) * settings.adc_per_g) for part in reaction[:2]]
    for found in (
        tilt_in(Senses(imu[0], imu[1], imu[2], 0, 0, 0, 0, 0, 0, 0), settings),
        tilt_in(Senses(0, 0, 0, adc[0], adc[1], 0, 0, 0, 0, 0), settings),
    ):
        assert found == pytest.approx(tilt, abs=2e-4)
