"""Frames on the wire: COBS and CRC-16, bytes in and whole packets out. See firmware/PROTOCOL.md."""

from __future__ import annotations

from binascii import crc_hqx

LONGEST = 62  # bytes of a frame between its zeros
CRC_BYTES = 2
HEAD_BYTES = 5  # kind, session, number
PACKET_MAX = LONGEST - 1 - CRC_BYTES  # what COBS and the CRC leave


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE."""
    return crc_hqx(data, 0xFFFF)


def cobs_encode(data: bytes) -> bytes:
    """The data without any zero byte, one byte longer for every 254 begun."""
    out = bytearray(1)
    code_at = 0  # where the length of the block under way goes
    for left, byte in zip(range(len(data) - 1, -1, -1), data, strict=True):
        if byte:
            out.append(byte)
        is_full = len(out) - code_at == 255
        if not byte or (is_full and left):
            out[code_at] = len(out) - code_at
            code_at = len(out)
            out.append(0)
    out[code_at] = len(out) - code_at
    return bytes(out)


def cobs_decode(data: bytes) -> bytes | None:
    """The data that was encoded, None when nothing is encoded so."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            return None
        out += block
        at += code
        if code != 0xFF and at < len(data):
            out.append(0)
    return bytes(out) if data else None


def enframe(packet: bytes) -> bytes:
    """The packet as it goes over the wire, with its CRC and a zero on either side. ValueError when it is too long."""
    if len(packet) > PACKET_MAX:
        raise ValueError(f"a packet of {len(packet)} bytes is longer than {PACKET_MAX}")
    return b"\0" + cobs_encode(packet + crc16(packet).to_bytes(CRC_BYTES, "little")) + b"\0"


def packet_in(frame: bytes) -> bytes | None:
    """The packet of what stood between two zeros, None when it is damaged."""
    if len(frame) > LONGEST:
        return None
    packet = cobs_decode(frame)
    if packet is None or len(packet) < HEAD_BYTES + CRC_BYTES:
        return None
    body = packet[:-CRC_BYTES]
    return body if crc16(body) == int.from_bytes(packet[-CRC_BYTES:], "little") else None


class Deframer:
    """Bytes as they come, packets as they are whole."""

    def __init__(self) -> None:
        self.bad = 0  # frames that were damaged
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The packets that end in these bytes."""
        packets = []
        first, *others = data.split(b"\0")
        self._keep(first)
        for piece in others:
            if self._pending:
                packet = packet_in(bytes(self._pending))
                self._pending.clear()
                if packet is None:
                    self.bad += 1
                else:
                    packets.append(packet)
            self._keep(piece)
        return packets

    def _keep(self, piece: bytes) -> None:
        # One byte more than allowed is enough to know that the frame is too long.
        self._pending += piece[: LONGEST + 1 - len(self._pending)]
