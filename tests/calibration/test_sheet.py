"""The printed sheets: true to size in every format, and found again by the markers' own detector."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2
import pytest

from calibration.board import MAT
from calibration.camera import BOARD, dictionary, find_board
from calibration.sheet import (
    COPIES,
    PIXELS,
    Block,
    board_sheet,
    mat_sheet,
    pdf,
    picture,
    png,
    svg,
    tag_sheets,
    write_sheets,
)
from calibration.stickers import FIRST, marker_side, sticker_side
from physics.errors import InputError, OutputError
from physics.tiles import load_set

FINE = 16.0  # px per mm of a rendered page: the reader fills every pixel that is touched
Grey = npt.NDArray[np.uint8]


def page(number: int, scale: float = FINE) -> Grey:
    """A page of the PDF as a real PDF reader shows it."""
    document = pypdfium2.PdfDocument(pdf([mat_sheet(), board_sheet()]))
    shown = document[number].render(scale=scale * 25.4 / 72, grayscale=True)
    return np.asarray(shown.to_numpy(), np.uint8).reshape(shown.height, shown.width)


def markers(grey: Grey, name: str) -> dict[int, npt.NDArray[np.float64]]:
    detector = cv2.aruco.ArucoDetector(dictionary(name))
    corners, ids, _rejected = detector.detectMarkers(grey)
    return {int(number): np.asarray(at, float).reshape(4, 2) for number, at in zip(np.ravel(ids), corners, strict=True)}


def edges(grey: Grey, x: float, y: float, size: float) -> tuple[float, float, float, float]:
    """Where a black square begins and ends on the lines just inside its rim, in mm on the sheet."""
    rim = size / 12  # the middle of the black border
    height = MAT.size[1]
    row = round((height - y - rim) * FINE)
    column = round((x + rim) * FINE)
    across = np.flatnonzero(grey[row, : round((x + size + 5) * FINE)] < 128)
    down = np.flatnonzero(grey[:, column] < 128)
    down = down[(down > (height - y - size - 5) * FINE) & (down < (height - y + 5) * FINE)]
    across = across[across > (x - 5) * FINE]
    return across[0] / FINE, (across[-1] + 1) / FINE, height - (down[-1] + 1) / FINE, height - down[0] / FINE


def test_the_pdf_has_the_papers_exact_size() -> None:
    document = pypdfium2.PdfDocument(pdf([mat_sheet(), board_sheet()]))
    assert len(document) == 2
    assert np.array(document[0].get_size()) * 25.4 / 72 == pytest.approx([420, 297], abs=1e-3)
    assert np.array(document[1].get_size()) * 25.4 / 72 == pytest.approx([297, 210], abs=1e-3)


def test_the_rendered_mat_has_all_markers_where_the_contract_says() -> None:
    grey = page(0)
    found = markers(grey, "DICT_4X4_50")
    assert set(found) == {0, 1, 2, 3}
    centres = {0: (-180, 118.5), 1: (180, 118.5), 2: (180, -118.5), 3: (-180, -118.5)}
    for number, (x, y) in centres.items():
        left, right, bottom, top = edges(grey, x + 210 - 20, y + 148.5 - 20, 40)
        assert (left, right) == pytest.approx((x + 190, x + 230), abs=0.1)
        assert (bottom, top) == pytest.approx((y + 128.5, y + 168.5), abs=0.1)
        upper_left = found[number][0] / FINE  # the first corner: the marker stands upright
        assert upper_left == pytest.approx([x + 190, 297 - (y + 168.5)], abs=0.3)


def test_the_printers_ruler_is_100_mm_long() -> None:
    for number, height in ((0, 297 - 5 - 9), (1, 210 - 5 - 3)):
        grey = page(number)
        row = grey[round(height * FINE) - 2 : round(height * FINE) + 2].min(axis=0)
        dark = np.flatnonzero(row < 160)
        runs = np.split(dark, np.flatnonzero(np.diff(dark) > 2) + 1)
        assert max(len(run) for run in runs) / FINE == pytest.approx(100.2, abs=0.15)  # a stroke is 0.2 mm wide


def test_the_rendered_board_is_found_at_its_size() -> None:
    view = find_board(page(1, 4.0))
    assert view is not None
    assert len(view.ids) == (BOARD.columns - 1) * (BOARD.rows - 1)
    width = np.linalg.norm(view.outline[1] - view.outline[0]) / 4
    height = np.linalg.norm(view.outline[3] - view.outline[0]) / 4
    assert (width, height) == pytest.approx((270, 180), abs=0.1)


def test_the_png_knows_its_size_and_shows_the_markers() -> None:
    data = png(mat_sheet())
    at = data.index(b"pHYs")
    across, down, unit = struct.unpack(">IIB", data[at + 4 : at + 13])
    grey = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert grey is not None and unit == 1
    assert (grey.shape[1] / across, grey.shape[0] / down) == pytest.approx((0.420, 0.297))
    assert set(markers(np.asarray(grey, np.uint8), MAT.dictionary)) == {0, 1, 2, 3}


def test_the_svg_has_the_same_blocks() -> None:
    sheet = mat_sheet()
    root = ElementTree.fromstring(svg(sheet))
    assert (root.get("width"), root.get("height")) == ("420mm", "297mm")
    rects = [rect for rect in root.iter("{http://www.w3.org/2000/svg}rect") if rect.get("x")]
    blocks = [shape for shape in sheet.shapes if isinstance(shape, Block)]
    assert [float(rect.get("x", "")) for rect in rects] == pytest.approx([block.x for block in blocks], abs=1e-3)
    assert [297 - float(rect.get("y", "")) - float(rect.get("height", "")) for rect in rects] == pytest.approx(
        [block.y for block in blocks], abs=1e-3
    )


def test_the_rulers_stay_light_and_off_the_markers() -> None:
    grey = picture(mat_sheet(), PIXELS)
    edge = grey[: 10 * PIXELS]
    assert edge.min() > 150  # above the markers there is the light ruler alone
    middle = grey[50 * PIXELS : -50 * PIXELS, 20 * PIXELS : -20 * PIXELS]
    assert middle.min() == 255  # nothing is printed where tiles stand


def test_the_stickers_are_printed_at_their_size() -> None:
    tiles = load_set("evaluation")
    (sheet,) = tag_sheets(tiles)
    document = pypdfium2.PdfDocument(pdf([sheet]))
    assert np.array(document[0].get_size()) * 25.4 / 72 == pytest.approx([297, 210], abs=1e-3)
    shown = document[0].render(scale=FINE * 25.4 / 72, grayscale=True)
    grey = np.asarray(shown.to_numpy(), np.uint8).reshape(shown.height, shown.width)
    how = cv2.aruco.DetectorParameters()
    how.minMarkerPerimeterRate = 0.02
    corners, ids, _rejected = cv2.aruco.ArucoDetector(dictionary("DICT_4X4_50"), how).detectMarkers(grey)
    values = [int(number) - FIRST for number in np.ravel(ids)]
    assert sorted(values) == sorted([tile.value for tile in tiles.tiles] * COPIES)
    for value, quad in zip(values, corners, strict=True):
        flat = np.asarray(quad, float).reshape(4, 2)
        sides = np.linalg.norm(np.roll(flat, -1, axis=0) - flat, axis=1) / FINE
        assert sides == pytest.approx(marker_side(tiles[value]), abs=0.2)
        assert flat[0, 0] < flat[1, 0] and flat[0, 1] < flat[3, 1]  # upright
    assert sticker_side(tiles[11]) == 1e3 * tiles[11].thickness


def test_stickers_that_need_more_pages_go_into_a_pdf(tmp_path: Path) -> None:
    sheets = tag_sheets(load_set("whitehead"))
    assert len(sheets) == 2
    write_sheets(tmp_path / "tags.pdf", sheets)
    assert len(pypdfium2.PdfDocument(tmp_path / "tags.pdf")) == 2
    with pytest.raises(OutputError, match="2 pages"):
        write_sheets(tmp_path / "tags.png", sheets)


def test_a_set_of_high_values_has_no_stickers() -> None:
    tiles = load_set("classic")
    with pytest.raises(InputError, match="0 to 39"):
        tag_sheets(replace(tiles, tiles=(replace(tiles.tiles[0], value=40),)))


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.pdf, \.svg, \.png"):
        write_sheets(tmp_path / "mat.doc", [mat_sheet()])
