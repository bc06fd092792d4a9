"""What is printed: the mat, the board for the lens and the stickers, as shapes in mm, written as PDF, SVG or PNG.

No letters but digits and mm: the sheets read the same in every language, and need no font.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Mat
from calibration.camera import BOARD, Board, dictionary
from calibration.stickers import DICTIONARY, FIRST, marker_of, marker_side, sticker_side, tagged
from physics.errors import InputError, OutputError
from physics.files import check_ending, whole_file
from physics.tiles import Tile, TileSet

Image = npt.NDArray[np.uint8]

ENDINGS = (".pdf", ".svg", ".png")
POINT = 72 / 25.4  # PDF units per mm
PIXELS = 12  # of a PNG per mm: 304.8 dpi, whole on every mm
LINE = 0.2  # mm, of a stroke
LIGHT = 0.72  # grey of the rulers along the edges: seen by people, passed over when tiles are looked for
BLACK = 0.0
MARGIN = 5.0  # mm from the paper's edge that printers leave white
A4 = (297.0, 210.0)  # mm
COPIES = 12  # of each sticker: a tile has four, two on its ends and two on its long edges
APART = 5.0  # mm between stickers, with the value beside each
HEAD = 12.0  # mm before a row of stickers
Point = tuple[float, float]


def _loop(*points: Point) -> list[tuple[Point, Point]]:
    return list(zip(points, (*points[1:], points[0]), strict=True))


# Digits and m as seven strokes and more on a grid 2 wide and 4 high, so that no font is needed.
STROKES: dict[str, list[tuple[Point, Point]]] = {
    "0": _loop((0.6, 0), (1.4, 0), (2, 0.8), (2, 3.2), (1.4, 4), (0.6, 4), (0, 3.2), (0, 0.8)),
    "1": [((1, 0), (1, 4)), ((1, 4), (0.3, 3.2))],
    "2": [((0, 4), (2, 4)), ((2, 4), (2, 2)), ((2, 2), (0, 2)), ((0, 2), (0, 0)), ((0, 0), (2, 0))],
    "3": [((0, 4), (2, 4)), ((2, 4), (2, 0)), ((2, 0), (0, 0)), ((0.4, 2), (2, 2))],
    "4": [((0, 4), (0, 2)), ((0, 2), (2, 2)), ((2, 4), (2, 0))],
    "5": [((2, 4), (0, 4)), ((0, 4), (0, 2)), ((0, 2), (2, 2)), ((2, 2), (2, 0)), ((2, 0), (0, 0))],
    "6": [((2, 4), (0, 4)), ((0, 4), (0, 0)), ((0, 0), (2, 0)), ((2, 0), (2, 2)), ((2, 2), (0, 2))],
    "7": [((0, 4), (2, 4)), ((2, 4), (1, 0))],
    "8": [((0, 0), (2, 0)), ((2, 0), (2, 4)), ((2, 4), (0, 4)), ((0, 4), (0, 0)), ((0, 2), (2, 2))],
    "9": [((2, 2), (0, 2)), ((0, 2), (0, 4)), ((0, 4), (2, 4)), ((2, 4), (2, 0)), ((2, 0), (0, 0))],
    "m": [((0, 0), (0, 2.4)), ((0, 2.4), (2, 2.4)), ((1, 2.4), (1, 0)), ((2, 2.4), (2, 0))],
    "-": [((0.3, 2), (1.7, 2))],
    " ": [],
}
ADVANCE = 3.1  # grid units from one letter to the next


@dataclass(frozen=True, slots=True)
class Block:
    """A filled rectangle; mm from the lower left corner of the sheet."""

    x: float
    y: float
    width: float
    height: float
    grey: float = BLACK  # 0 black, 1 white


@dataclass(frozen=True, slots=True)
class Stroke:
    """A thin line; mm likewise."""

    x1: float
    y1: float
    x2: float
    y2: float
    grey: float = BLACK


Shape = Block | Stroke


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page."""

    width: float  # mm
    height: float
    shapes: tuple[Shape, ...]


def mat_sheet(mat: Mat = MAT) -> Sheet:
    """The table's mat: its markers, light rulers along the edges, and a black one to check the printer with."""
    width, height = mat.size
    shapes: list[Shape] = []
    codes = dictionary(mat.dictionary)
    for marker in mat.markers:
        left, below = marker.x - marker.size / 2 + width / 2, marker.y - marker.size / 2 + height / 2
        shapes += _marker(codes, marker.id, left, below, marker.size)
    reach_x = min(abs(marker.x) - marker.size / 2 for marker in mat.markers)
    reach_y = min(abs(marker.y) - marker.size / 2 for marker in mat.markers)
    shapes += _edge_rulers(width, height, reach_x - 10, reach_y - 10)
    return Sheet(width, height, (*shapes, *_printer_ruler(width / 2 - 50, MARGIN + 9)))


def board_sheet(board: Board = BOARD) -> Sheet:
    """The chessboard with markers for the lens, on A4, with the ruler to check the printer."""
    width, height = A4
    left, below = (width - board.columns * board.square) / 2, (height - board.rows * board.square) / 2 + 4
    codes = dictionary(board.dictionary)
    shapes: list[Shape] = []
    inset, number = (board.square - board.marker) / 2, 0
    for row in range(board.rows):
        for column in range(board.columns):
            x = left + column * board.square
            y = below + (board.rows - 1 - row) * board.square
            if (row + column) % 2 == 0:
                shapes.append(Block(x, y, board.square, board.square))
            else:
                shapes += _marker(codes, number, x + inset, y + inset, board.marker)
                number += 1
    return Sheet(width, height, (*shapes, *_printer_ruler(width / 2 - 50, MARGIN + 3)))


def tag_sheets(tile_set: TileSet) -> list[Sheet]:
    """The stickers for the tops of a set's tiles on A4, a row for each tile, with lines to cut along and the ruler.

    InputError when there are none for any of its tiles.
    """
    tiles = tagged(tile_set)
    if not tiles:
        raise InputError(
            "There are no stickers for the set {set}: they are for the values 0 to {highest}.",
            set=tile_set.name,
            highest=len(dictionary(DICTIONARY).bytesList) - FIRST - 1,
        )
    width, height = A4
    longest = max(HEAD + COPIES * (sticker_side(tile) + APART) for tile in tiles)
    left, top, lowest = max((width - longest) / 2, 2 * MARGIN), height - 3 * MARGIN, 5 * MARGIN
    pages: list[list[Shape]] = [[]]
    below = top
    for tile in tiles:
        below -= sticker_side(tile)
        if below < lowest:
            pages.append([])
            below = top - sticker_side(tile)
        pages[-1] += _sticker_row(tile, left, below, width - 2 * MARGIN)
        below -= APART
    ruler = _printer_ruler(width / 2 - 50, MARGIN + 3)
    return [Sheet(width, height, (*shapes, *ruler)) for shapes in pages]


def _sticker_row(tile: Tile, left: float, below: float, end: float) -> list[Shape]:
    """A tile's value, and its stickers with the value beside each, as many as there is room for."""
    number, side, codes = marker_of(tile.value), sticker_side(tile), dictionary(DICTIONARY)
    assert number is not None
    rim, text, over = (side - marker_side(tile)) / 2, str(tile.value), APART / 2 - 1
    first, count = left + HEAD, min(COPIES, int((end - left - HEAD) // (side + APART)))
    shapes: list[Shape] = [*_text(text, left, below + side / 2 - 1.75, 3.5, BLACK)]
    for y in (below, below + side):
        shapes.append(Stroke(first - over, y, first + count * (side + APART) - APART + over, y, LIGHT))
    for k in range(count):
        x = first + k * (side + APART)
        shapes += [Stroke(at, below - over, at, below + side + over, LIGHT) for at in (x, x + side)]
        shapes += _marker(codes, number, x + rim, below + rim, side - 2 * rim)
        shapes += _text(text, x + side + 0.8, below + side / 2 - 1, 2.0, BLACK)
    return shapes


def _marker(codes: cv2.aruco.Dictionary, number: int, left: float, below: float, size: float) -> list[Shape]:
    """A marker: a black square with its white cells on it, neighbours in a row joined."""
    cells = codes.generateImageMarker(number, codes.markerSize + 2)
    side = size / len(cells)
    shapes: list[Shape] = [Block(left, below, size, size)]
    for row, values in enumerate(cells):
        column = 0
        while column < len(values):
            run = column
            while run < len(values) and values[run]:
                run += 1
            if run > column:
                y = below + size - (row + 1) * side
                shapes.append(Block(left + column * side, y, (run - column) * side, side, 1.0))
            column = run + 1
    return shapes


def _edge_rulers(width: float, height: float, reach_x: float, reach_y: float) -> list[Shape]:
    """Light marks along all four edges, every 10 mm from the middle, with the table's own numbers."""
    shapes: list[Shape] = []
    for along, across, reach in ((width, height, reach_x), (height, width, reach_y)):
        swap = along == height
        for mm in range(-int(reach // 10) * 10, int(reach) + 1, 5):
            length = 4.0 if mm % 50 == 0 else 3.0 if mm % 10 == 0 else 1.8
            at = along / 2 + mm
            for near, far in ((MARGIN, MARGIN + length), (across - MARGIN, across - MARGIN - length)):
                ends = (near, at, far, at) if swap else (at, near, at, far)
                shapes.append(Stroke(*ends, LIGHT))
        for mm in range(-int(reach // 50) * 50, int(reach) + 1, 50):
            text = str(mm)
            for y in (MARGIN + 5.5, across - MARGIN - 8.0):
                if swap:
                    x = MARGIN + 5.0 if y < across / 2 else across - MARGIN - 5.0 - _text_width(text, 2.0)
                    shapes += _text(text, x, along / 2 + mm - 1.0, 2.0, LIGHT)
                else:
                    shapes += _text(text, along / 2 + mm - _text_width(text, 2.0) / 2, y, 2.0, LIGHT)
    return shapes


def _printer_ruler(left: float, below: float) -> list[Shape]:
    """A black ruler of 100 mm to lay a real one beside."""
    shapes: list[Shape] = [Stroke(left, below, left + 100, below)]
    for mm in range(101):
        length = 4.0 if mm % 10 == 0 else 3.0 if mm % 5 == 0 else 2.0
        shapes.append(Stroke(left + mm, below, left + mm, below + length))
    shapes += _text("0", left - 4, below + 0.5, 3.0, BLACK)
    return [*shapes, *_text("100 mm", left + 102, below + 0.5, 3.0, BLACK)]


def _text_width(text: str, size: float) -> float:
    return (len(text) * ADVANCE - (ADVANCE - 2)) * size / 4


def _text(text: str, left: float, below: float, size: float, grey: float) -> list[Shape]:
    """Letters of that height, mm, as strokes."""
    unit = size / 4
    return [
        Stroke(start + x1 * unit, below + y1 * unit, start + x2 * unit, below + y2 * unit, grey)
        for start, letter in zip(np.arange(len(text)) * ADVANCE * unit + left, text, strict=True)
        for (x1, y1), (x2, y2) in STROKES[letter]
    ]


def write_sheets(path: Path, sheets: Sequence[Sheet]) -> None:
    """Writes the sheets, by the path's ending: as many as there are into a PDF, one into an SVG or PNG.

    OutputError when the ending is none of ours, when there are too many for it, or the file cannot be written.
    """
    check_ending(path, ENDINGS)
    if len(sheets) > 1 and path.suffix.lower() != ".pdf":
        raise OutputError(
            "{file}: these are {pages} pages, and only a PDF has room for them.", file=str(path), pages=len(sheets)
        )
    writers: dict[str, Callable[[], bytes]] = {
        ".pdf": lambda: pdf(sheets),
        ".svg": lambda: svg(sheets[0]).encode(),
        ".png": lambda: png(sheets[0]),
    }
    with whole_file(path) as beside:
        beside.write_bytes(writers[path.suffix.lower()]())


def pdf(sheets: Sequence[Sheet]) -> bytes:
    """The sheets as the pages of a PDF of exactly their size."""
    pages = [3 + 2 * index for index in range(len(sheets))]
    kids = " ".join(f"{page} 0 R" for page in pages)
    # No scaling by the printer's dialogue, where it listens.
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>".encode(),
    ]
    for page, sheet in zip(pages, sheets, strict=True):
        content = zlib.compress(_pdf_drawing(sheet).encode())
        box = f"[0 0 {sheet.width * POINT:.5f} {sheet.height * POINT:.5f}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Resources << >> /Contents {page + 1} 0 R >>".encode()
        )
        head = f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + content + b"\nendstream")
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def _pdf_drawing(sheet: Sheet) -> str:
    lines = [f"{POINT:.8f} 0 0 {POINT:.8f} 0 0 cm {LINE} w 1 J"]
    for shape in sheet.shapes:
        match shape:
            case Block(x, y, width, height, grey):
                lines.append(f"{grey:g} g {x:.4f} {y:.4f} {width:.4f} {height:.4f} re f")
            case Stroke(x1, y1, x2, y2, grey):
                lines.append(f"{grey:g} G {x1:.4f} {y1:.4f} m {x2:.4f} {y2:.4f} l S")
    return "\n".join(lines)


def svg(sheet: Sheet) -> str:
    """The sheet as an SVG of its size in mm."""
    size = f'width="{sheet.width:g}mm" height="{sheet.height:g}mm" viewBox="0 0 {sheet.width:g} {sheet.height:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f'<rect width="{sheet.width:g}" height="{sheet.height:g}" fill="#fff"/>',
        f'<g stroke-width="{LINE}" stroke-linecap="square" shape-rendering="crispEdges">',
    ]
    for shape in sheet.shapes:
        colour = "#" + f"{round(shape.grey * 255):02x}" * 3
        match shape:
            case Block(x, y, width, height):
                place = f'x="{x:.4f}" y="{sheet.height - y - height:.4f}" width="{width:.4f}" height="{height:.4f}"'
                lines.append(f'<rect {place} fill="{colour}"/>')
            case Stroke(x1, y1, x2, y2):
                ends = f'x1="{x1:.4f}" y1="{sheet.height - y1:.4f}" x2="{x2:.4f}" y2="{sheet.height - y2:.4f}"'
                lines.append(f'<line {ends} stroke="{colour}"/>')
    return "\n".join([*lines, "</g>", "</svg>", ""])


def picture(sheet: Sheet, pixels: float = PIXELS) -> Image:
    """The sheet as a grey picture with that many pixels per mm."""
    shape = (round(sheet.height * pixels), round(sheet.width * pixels))
    found: Image = np.full(shape, 255, np.uint8)
    for item in sheet.shapes:
        match item:
            case Block(x, y, width, height):
                left, right, top, bottom = x, x + width, y + height, y
            case Stroke(x1, y1, x2, y2) if x1 == x2 or y1 == y2:
                left, right = min(x1, x2) - LINE / 2, max(x1, x2) + LINE / 2
                bottom, top = min(y1, y2) - LINE / 2, max(y1, y2) + LINE / 2
            case Stroke(x1, y1, x2, y2):
                start, end = (
                    (round(x * pixels * 16), round((sheet.height - y) * pixels * 16)) for x, y in ((x1, y1), (x2, y2))
                )
                cv2.line(found, start, end, round(item.grey * 255), max(1, round(LINE * pixels)), cv2.LINE_AA, 4)
                continue
        rows = slice(round((sheet.height - top) * pixels), round((sheet.height - bottom) * pixels))
        found[rows, round(left * pixels) : round(right * pixels)] = round(item.grey * 255)
    return found


def png(sheet: Sheet) -> bytes:
    """The sheet as a PNG that knows its size in mm."""
    good, coded = cv2.imencode(".png", picture(sheet))
    assert good
    data = coded.tobytes()
    density = b"pHYs" + struct.pack(">IIB", PIXELS * 1000, PIXELS * 1000, 1)
    chunk = struct.pack(">I", len(density) - 4) + density + struct.pack(">I", zlib.crc32(density))
    header = 8 + 25  # the signature, and IHDR, after which the density may stand
    return data[:header] + chunk + data[header:]
