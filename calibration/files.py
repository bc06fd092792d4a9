"""Camera files and table files: what `--camera` and `--table` name, in and out."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.board import MAT, Marker, Mat
from calibration.camera import CameraFit
from calibration.lens import Lens
from calibration.store import FORMAT, VERSION, Stored, load, save
from calibration.table import TableFit
from physics.errors import InputError
from physics.fields import Fields, read_toml
from physics.files import whole_file
from physics.toml_text import Value, toml_text

Array = npt.NDArray[np.float64]

MAX_PIXELS = 20_000
LENS = "camera"


def read_lens(path: Path) -> Lens:
    """The lens of a camera file, or of a calibration that topple keeps; SceneError with the line when it is none."""
    top = Fields(read_toml(path))
    if not top.has("format"):
        return _lens(top)
    top.choice("format", None, (FORMAT,))
    top.whole("version", low=VERSION, high=VERSION)
    top.choice("kind", None, (LENS,))
    for key in ("device", "basis", "made"):
        top.text(key)
    lens = _lens(top.inner("values"))
    top.close()
    return lens


def check_size(lens: Lens, size: tuple[int, int]) -> None:
    """InputError when the lens was fitted for pictures of another size."""
    if (lens.width, lens.height) != size:
        raise InputError(
            "The camera file is for pictures of {known} px, and this one has {size} px.",
            known=f"{lens.width}×{lens.height}",
            size=f"{size[0]}×{size[1]}",
        )


def _lens(fields: Fields) -> Lens:
    width, height = (fields.whole(key, low=1, high=MAX_PIXELS) for key in ("width", "height"))
    focal = [fields.number(key, low=1, high=100 * MAX_PIXELS) for key in ("fx", "fy")]
    centre = [fields.number(key, low=-MAX_PIXELS, high=2 * MAX_PIXELS) for key in ("cx", "cy")]
    dist = fields.numbers("dist", count=5, low=-1e3, high=1e3) if fields.has("dist") else (0.0,) * 5
    fields.number("error_px", 0.0, low=0, high=MAX_PIXELS)
    fields.whole("views", 0, low=0, high=1_000_000)
    fields.close()
    return Lens(width, height, focal[0], focal[1], centre[0], centre[1], dist)


def _values(fit: CameraFit) -> dict[str, Value]:
    lens = fit.lens
    return {
        "width": lens.width,
        "height": lens.height,
        "fx": round(lens.fx, 4),
        "fy": round(lens.fy, 4),
        "cx": round(lens.cx, 4),
        "cy": round(lens.cy, 4),
        "dist": tuple(round(k, 8) for k in lens.dist),
        "error_px": round(fit.error, 4),
        "views": fit.views,
    }


def write_lens(path: Path, fit: CameraFit) -> None:
    """Writes a camera file; OutputError when it cannot be written."""
    text = toml_text(_values(fit), comment="px; pixel centres at whole numbers; dist = k1 k2 p1 p2 k3")
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")


def keep_lens(device: str, fit: CameraFit, folder: Path | None = None) -> Path:
    """Keeps a lens for that camera and resolution, beside earlier ones; OutputError when it cannot be written."""
    return save(LENS, device, basis_of((fit.lens.width, fit.lens.height)), _values(fit), folder=folder)


def kept_lens(device: str, size: tuple[int, int], folder: Path | None = None) -> tuple[Lens, Stored]:
    """The newest lens kept for that camera and resolution; CalibrationError when there is none or it is stale."""
    stored = load(LENS, device, basis_of(size), folder)
    lens = _lens(stored.fields.inner("values"))
    stored.fields.close()
    return lens, stored


def keep_table(device: str, size: tuple[int, int], fit: TableFit, folder: Path | None = None) -> Path:
    """Keeps where that camera is over the mat; OutputError when it cannot be written."""
    values: dict[str, Value] = {
        "rotation": tuple(round(float(value), 9) for value in fit.rotation.ravel()),
        "place": tuple(round(float(value), 4) for value in fit.place),
        "error_px": round(fit.error, 4),
    }
    return save("table", device, basis_of(size), values, folder=folder)


def basis_of(size: tuple[int, int]) -> str:
    """What a camera's calibration depends on: the size of its pictures, px."""
    return f"{size[0]}x{size[1]}"


def read_mat(path: Path) -> Mat:
    """The markers of a table file; SceneError with the line when it is none.

    Each marker has an id, its centre (x and y, or centre = [x, y]) and its size in mm.
    """
    top = Fields(read_toml(path))
    dictionary = top.text("dictionary", "DICT_4X4_50")
    known = getattr(cv2.aruco, dictionary, None) if dictionary.startswith("DICT_") else None
    if not isinstance(known, int):
        raise top.refusal("dictionary", "{where}: there is no dictionary of markers {name}.", name=repr(dictionary))
    size = top.pair("size", MAT.size, low=10, high=80_000, unit="mm")
    entries = top.tables("markers" if top.has("markers") else "marker")
    top.close()
    markers = tuple(_marker(entry) for entry in entries)
    ids = [marker.id for marker in markers]
    if not markers:
        raise InputError("{file} lists no marker; it needs at least two [[marker]].", file=str(path))
    if len(set(ids)) < len(ids):
        twice = next(number for number in ids if ids.count(number) > 1)
        raise InputError("{file} lists the marker {number} twice.", file=str(path), number=twice)
    return Mat(dictionary, markers, size)


def _marker(entry: Fields) -> Marker:
    number = entry.whole("id", low=0, high=100_000)
    if entry.has("centre"):
        x, y = entry.pair("centre", (0.0, 0.0), low=-40_000, high=40_000, unit="mm")
    else:
        x, y = (entry.number(key, low=-40_000, high=40_000, unit="mm") for key in ("x", "y"))
    size = entry.number("size", low=1, high=5_000, unit="mm")
    entry.close()
    return Marker(number, x, y, size)


def write_mat(path: Path, mat: Mat) -> None:
    """Writes a table file; OutputError when it cannot be written."""
    markers = [
        {"id": one.id, "x": round(one.x, 4), "y": round(one.y, 4), "size": round(one.size, 4)} for one in mat.markers
    ]
    text = toml_text(
        {"dictionary": mat.dictionary, "size": [round(side, 3) for side in mat.size], "marker": markers},
        comment="mm, from the middle of the mat: x to the right, y away",
    )
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8")


def scaled_mat(mat: Mat, factor: float) -> Mat:
    """The mat as a printer that enlarged it made it."""
    markers = tuple(Marker(one.id, one.x * factor, one.y * factor, one.size * factor) for one in mat.markers)
    return Mat(mat.dictionary, markers, (mat.size[0] * factor, mat.size[1] * factor))
