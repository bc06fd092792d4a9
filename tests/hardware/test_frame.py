"""Frames: against the reference COBS, in any pieces, with any damage."""

from __future__ import annotations

from random import Random

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

from hardware.frame import LONGEST, PACKET_MAX, Deframer, cobs_decode, cobs_encode, crc16, enframe, packet_in

PACKETS = st.binary(min_size=5, max_size=PACKET_MAX)
RUNS = st.lists(st.tuples(st.integers(0, 255), st.integers(1, 300)), max_size=6)


def test_the_check_value_of_the_crc() -> None:
    assert crc16(b"123456789") == 0x29B1


@given(RUNS)
def test_cobs_agrees_with_the_reference_also_at_254_bytes(runs: list[tuple[int, int]]) -> None:
    data = b"".join(bytes([value]) * count for value, count in runs)
    assert cobs_encode(data) == cobs.encode(data)
    assert cobs_decode(cobs_encode(data)) == data


@given(st.binary(max_size=80))
def test_what_the_reference_refuses_is_refused(data: bytes) -> None:
    try:
        expected: bytes | None = cobs.decode(data) if data else None
    except cobs.DecodeError:
        expected = None
    assert cobs_decode(data) == expected


@given(st.lists(PACKETS, max_size=5), st.randoms(use_true_random=False))
def test_packets_come_whole_out_of_any_pieces(packets: list[bytes], random: Random) -> None:
    stream = b"".join(enframe(packet) for packet in packets)
    deframer, found = Deframer(), []
    while stream:
        cut = random.randint(1, len(stream))
        found += deframer.feed(stream[:cut])
        stream = stream[cut:]
    assert found == packets
    assert deframer.bad == 0


@given(PACKETS, st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_is_always_noticed(packet: bytes, place: int, bit: int) -> None:
    frame = bytearray(enframe(packet)[1:-1])
    frame[place % len(frame)] ^= 1 << bit
    assert packet not in Deframer().feed(b"\0" + bytes(frame) + b"\0")


@given(PACKETS, st.binary(max_size=200))
def test_a_frame_after_rubbish_is_heard(packet: bytes, rubbish: bytes) -> None:
    assert Deframer().feed(rubbish + enframe(packet))[-1:] == [packet]


def test_long_frames_are_neither_kept_nor_taken() -> None:
    deframer = Deframer()
    assert deframer.feed(b"\1" * 10_000_000 + b"\0") == []
    assert deframer.bad == 1
    assert packet_in(b"\1" * (LONGEST + 1)) is None
    with pytest.raises(ValueError, match="longer than"):
        enframe(bytes(PACKET_MAX + 1))


def test_a_million_random_bytes_say_nothing() -> None:
    deframer = Deframer()
    data = Random(1).randbytes(1_000_000)
    packets = [packet for start in range(0, len(data), 997) for packet in deframer.feed(data[start : start + 997])]
    assert len(packets) <= 2  # a CRC of 16 bits lets one of 65,536 through, and nothing asked for an answer
    assert deframer.bad > 3000
