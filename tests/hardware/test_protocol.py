"""Host, firmware and PROTOCOL.md say the same."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import frame, protocol
from hardware.protocol import Ability, Action, Fault, Kind, Packet, State, Status, read_packet
from hardware.simulated import firmware_model as fake

FIRMWARE = Path(protocol.__file__).parent / "firmware"
TEXT = (FIRMWARE / "PROTOCOL.md").read_text(encoding="utf-8")
DEFINED = {
    name: int(value, 0)
    for name, value in re.findall(r"^#define (\w+) (\w+)$", (FIRMWARE / "protocol.h").read_text(), re.MULTILINE)
}
LETTERS = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I"}
BODIES: dict[str, tuple[type[protocol.Body] | None, type[protocol.Body] | None]] = {
    "HELLO": (None, protocol.Identity),
    "PING": (None, protocol.Health),
    "ARM": (protocol.Arm, None),
    "TAP": (protocol.Tap, None),
    "TILT": (protocol.Tilt, None),
    "READ": (None, protocol.Senses),
    "STORE": (protocol.Settings, None),
    "RECALL": (None, protocol.Settings),
    "COUNT": (None, protocol.Counts),
}


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table whose first heading that is: first cell to the others."""
    lines = TEXT.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in lines]
    return {row[0]: row[1:] for row in cells if row[0]}


def fields(words: str) -> list[tuple[str, str]]:
    """Names and struct letters of a body as the table has it."""
    if words == "calibration":
        words = TEXT.split("`calibration` is ", 1)[1].split(".\n", 1)[0]
    if words == "–":
        return []
    return [(name, LETTERS[kind]) for name, kind in (field.split() for field in words.split(", "))]


def test_the_kinds() -> None:
    rows = table("kind")
    assert {name: int(row[0], 16) for name, row in rows.items()} == {kind.name: kind.value for kind in Kind}
    assert all(DEFINED[name] == int(row[0], 16) for name, row in rows.items())


@pytest.mark.parametrize("name", list(table("kind")))
def test_the_bodies(name: str) -> None:
    _code, question, answer = table("kind")[name]
    for words, body in zip((question, answer), BODIES.get(name, (None, None)), strict=True):
        if body is not None:
            assert "<" + "".join(letter for _name, letter in fields(words)) == body.FORMAT
            assert list(body.__annotations__)[1:] == [field for field, _letter in fields(words)]
    size = struct.calcsize("<" + "".join(letter for _name, letter in fields(question)))
    assert fake.QUESTION_BYTES[Kind[name]] == size


@pytest.mark.parametrize(
    ("heading", "prefix", "numbers"),
    [
        ("status", "", {status.name: status.value for status in Status}),
        ("action", "ACTION_", {action.name: action.value for action in Action}),
        ("ability", "ABLE_", {ability.name: ability.value for ability in Ability}),
        ("state", "STATE_", {state.name: state.value for state in State}),
        ("fault", "FAULT_", {fault.name: fault.value for fault in Fault}),
    ],
)
def test_the_codes(heading: str, prefix: str, numbers: dict[str, int]) -> None:
    rows = {name: int(row[0]) for name, row in table(heading).items()}
    assert rows == {prefix + name: value for name, value in numbers.items()}
    assert all(DEFINED[name] == value for name, value in rows.items())


def test_the_numbers() -> None:
    rows = {name: int(row[0]) for name, row in table("number").items()}
    assert all(DEFINED[name] == value for name, value in rows.items())
    ours = {**vars(protocol), "LONGEST": frame.LONGEST}
    assert {name: ours[name] for name in rows} == rows
    said = {
        *rows,
        *table("kind"),
        *table("status"),
        *table("action"),
        *table("ability"),
        *table("state"),
        *table("fault"),
    }
    assert DEFINED.keys() - said == {"FIRMWARE_MAJOR", "FIRMWARE_MINOR", "ANSWER", "NO_CONTACT", "ABORTED"}


def test_the_longest_answer_fits_a_frame() -> None:
    for _question, answer in BODIES.values():
        if answer is not None:
            assert protocol.HEAD.size + 1 + struct.calcsize(answer.FORMAT) <= frame.PACKET_MAX


@given(st.integers(0, 255), st.integers(0, 65535), st.integers(0, 65535), st.binary(max_size=54))
def test_packets_are_what_they_were(kind: int, session: int, number: int, body: bytes) -> None:
    packet = Packet(kind, session, number, body)
    [heard] = frame.Deframer().feed(packet.frame())
    assert read_packet(heard) == packet


@given(st.binary(max_size=60))
def test_bodies_of_the_wrong_length_are_none(body: bytes) -> None:
    for kind in (protocol.Identity, protocol.Health, protocol.Senses, protocol.Settings, protocol.Counts):
        found = kind.unpack(body)
        assert (found is None) == (len(body) != struct.calcsize(kind.FORMAT))
        assert found is None or found.pack() == body
