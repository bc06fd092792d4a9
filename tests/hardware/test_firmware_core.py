"""The firmware's own C, compiled for this computer: against the software rig, and against everything."""

from __future__ import annotations

import ctypes
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import protocol
from hardware.protocol import Action, Kind, Packet, Settings
from hardware.simulated.firmware_model import SoftwareRig, settings_hold
from hardware.simulated.simavr import Built

OWN = Settings(device=0x1234, arm_rest=1800, arm_sign=-1, plate_gain=-1500, imu_zero_x=30)


class Inputs(ctypes.Structure):
    _fields_ = (
        ("imu", ctypes.c_int16 * 3),
        ("has_imu", ctypes.c_uint8),
        ("adc", ctypes.c_uint16 * 2),
        ("peak", ctypes.c_uint16),
        ("contact", ctypes.c_uint8),
        ("contact_edge", ctypes.c_uint8),
        ("storing", ctypes.c_uint8),
        ("overruns", ctypes.c_uint16),
    )


class Outputs(ctypes.Structure):
    _fields_ = (
        ("arm_us", ctypes.c_uint16),
        ("plate_us", ctypes.c_uint16),
        ("is_armed", ctypes.c_uint8),
        ("listens", ctypes.c_uint8),
        ("store", ctypes.c_uint8),
    )


class Core:
    """rig.c as this computer runs it."""

    def __init__(self, built: Built) -> None:
        self._library = ctypes.CDLL(str(built.core))
        self._library.core_inputs.restype = ctypes.POINTER(Inputs)
        self._library.core_outputs.restype = ctypes.POINTER(Outputs)
        self._buffer = ctypes.create_string_buffer(1 << 16)

    def begin(self, stored: Settings | None = None) -> None:
        self._library.core_begin(stored.pack() if stored else None)

    def feed(self, data: bytes) -> None:
        self._library.core_bytes(data, len(data))

    def tick(self, count: int = 1) -> None:
        self._library.core_ticks(count)

    def take(self) -> bytes:
        length = self._library.core_take(self._buffer)
        return self._buffer.raw[:length]

    @property
    def inputs(self) -> Inputs:
        found: Inputs = self._library.core_inputs().contents
        return found

    @property
    def outputs(self) -> Outputs:
        found: Outputs = self._library.core_outputs().contents
        return found


@pytest.fixture(scope="module")
def core(built: Built) -> Core:
    return Core(built)


# What happens to a rig: frames of every kind, likely and unlikely, time, and the world.
NUMBERS = st.integers(0, 6) | st.sampled_from([65535, 32767, 32768, 300])
SESSIONS = st.sampled_from([7, 7, 7, 7, 8])
BODIES = {
    Kind.HELLO: st.sampled_from([b"\1", b"\1", b"\2"]),
    Kind.ARM: st.builds(
        lambda action, window: protocol.Arm(action, window).pack(),
        st.sampled_from([Action.TAP, Action.TAP, Action.TILT, 0, 3]),
        st.sampled_from([0, 5, 400, 3000, 10_000, 10_001]),
    ),
    Kind.TAP: st.builds(
        lambda token, stroke: protocol.Tap(token, stroke).pack(),
        st.integers(0, 3),
        st.sampled_from([39, 40, 300, 800, 801]),
    ),
    Kind.TILT: st.builds(
        lambda token, angle, rate: protocol.Tilt(token, angle, rate).pack(),
        st.integers(0, 3),
        st.sampled_from([-2501, -2500, -700, 0, 3, 2500, 32767, -32768]),
        st.sampled_from([0, 1, 800, 2000, 2001]),
    ),
    Kind.STORE: st.builds(
        lambda rest, sign, gain: Settings(5, rest, sign, 1500, gain).pack(),
        st.sampled_from([500, 1000, 1701, 2500, 65535]),
        st.sampled_from([-1, 0, 1]),
        st.sampled_from([-4000, -1111, 0, 900, 32767, -32768]),
    ),
}
QUESTIONS = st.sampled_from([*Kind, Kind.ARM, Kind.TAP, Kind.TILT]).flatmap(
    lambda kind: st.builds(
        Packet, st.just(kind), SESSIONS, NUMBERS, BODIES.get(kind, st.just(b"")) | st.binary(max_size=3)
    )
)
STEPS = st.lists(
    QUESTIONS.map(lambda packet: packet.frame())
    | st.binary(max_size=12)
    | st.integers(1, 700)
    | st.sampled_from(["touch", "sense", "next tap", "next tilt"]),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(STEPS, st.sampled_from([None, OWN]))
def test_the_software_rig_is_the_firmware(core: Core, steps: list[bytes | int | str], stored: Settings | None) -> None:
    core.begin(stored)
    rig = SoftwareRig(stored)
    hello = Packet(Kind.HELLO, 7, 0, b"\1").frame()
    core.feed(hello)
    rig.feed(hello)
    number, token = 1, 0
    for step in steps:
        if isinstance(step, int):
            core.tick(step)
            for _tick in range(step):
                rig.tick()
        elif step == "touch":
            core.inputs.contact_edge = 1
            rig.inputs.contact_edge = True
        elif step == "sense":
            core.inputs.imu[:] = (5, -6, 16000)
            core.inputs.has_imu, core.inputs.adc[1], core.inputs.peak, core.inputs.contact = 1, 77, 9, 1
            rig.inputs.imu, rig.inputs.has_imu, rig.inputs.adc = (5, -6, 16000), True, (0, 77)
            rig.inputs.peak, rig.inputs.contact = 9, True
        else:
            if isinstance(step, str):  # a command as a host would give it, so that something happens now and then
                action = Action.TAP if step == "next tap" else Action.TILT
                body = (
                    protocol.Tap(token + 1, 200) if action is Action.TAP else protocol.Tilt(token + 1, 500, 900)
                ).pack()
                step = Packet(Kind.ARM, 7, number, protocol.Arm(action, 900).pack()).frame()
                step += Packet(Kind.TAP if action is Action.TAP else Kind.TILT, 7, number + 1, body).frame()
                number, token = number + 2, token + 1
            core.feed(step)
            rig.feed(step)
        assert core.take() == rig.take()
        assert (core.outputs.arm_us, core.outputs.plate_us) == (rig.arm_us, rig.plate_us)
        assert bool(core.outputs.is_armed) == rig.is_armed


def test_a_plate_that_is_held_long_levels(core: Core) -> None:
    core.begin()
    rig = SoftwareRig()
    frames = [
        Packet(Kind.HELLO, 7, 0, b"\1"),
        Packet(Kind.ARM, 7, 1, protocol.Arm(Action.TILT, 900).pack()),
        Packet(Kind.TILT, 7, 2, protocol.Tilt(1, -1500, 2000).pack()),
        *(Packet(Kind.PING, 7, number) for number in range(3, 160)),
    ]
    for packet in frames:
        core.feed(packet.frame())
        rig.feed(packet.frame())
        core.tick(400)
        for _tick in range(400):
            rig.tick()
        assert core.take() == rig.take()
        assert core.outputs.plate_us == rig.plate_us
    assert rig.plate_us == 1500 and rig.tilts == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_two_million_random_bytes_do_nothing(core: Core, seed: int) -> None:
    core.begin()
    core.feed(Packet(Kind.HELLO, 7, 0, b"\1").frame())
    core.take()
    random = Random(seed)
    for _part in range(500):
        core.feed(random.randbytes(4000))
        core.tick()
        assert (core.outputs.arm_us, core.outputs.plate_us, core.outputs.is_armed) == (1000, 1500, 0)
        core.take()


def test_whole_packets_of_rubbish_do_nothing_either(core: Core) -> None:
    """With a CRC that holds: what is left to stop them is the session, the arming and its token."""
    core.begin()
    core.feed(Packet(Kind.HELLO, 7, 0, b"\1").frame())
    random = Random(3)
    for _packet in range(50_000):
        body = random.randbytes(random.choice((0, 0, 1, 3, 3, 5, 21, random.randrange(54))))
        kind = random.choice((*Kind, random.randrange(256)))
        core.feed(Packet(kind, random.randrange(65536), random.randrange(65536), body).frame())
        core.tick()
        core.take()
        assert (core.outputs.arm_us, core.outputs.plate_us, core.outputs.is_armed) == (1000, 1500, 0)


@given(
    st.integers(0, 65535),
    st.integers(-128, 127),
    st.integers(0, 65535),
    st.integers(-32768, 32767),
    st.integers(0, 65535),
)
def test_settings_that_hold_keep_the_servos_in_their_limits(
    rest: int, sign: int, level: int, gain: int, per_g: int
) -> None:
    given_settings = Settings(1, rest, sign, level, gain, adc_per_g=per_g)
    if settings_hold(given_settings):
        rig = SoftwareRig(given_settings)
        assert 500 <= rest + sign * protocol.STROKE_MAX <= 2500
        assert 500 <= level + abs(gain) * 25 / 100 <= 2501
        assert rig.arm_us == rest
