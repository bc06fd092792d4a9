"""Calibrations on the disk: numbered TOML files in the user's data folder, each tied to the device it was made with.

    calibrations/rig-1a2b3c4d.3.toml

A calibration has a *basis* as well: what it depends on and could change without a new device, such as a camera's
resolution or a rig's settings. One of another basis is stale, and refused. A new one never overwrites an old one;
of those with the right basis the highest number counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from physics.errors import InputError, OutputError
from physics.fields import Fields, read_toml
from physics.files import whole_file
from physics.folders import data_folder
from physics.toml_text import Table, toml_text

FORMAT, VERSION = "topple calibration", 1
FOLDER = "calibrations"
NEWEST_VERSION = 1000  # of the format, that a file may name


class CalibrationError(InputError):
    """A calibration that is missing, stale, of another device, or cannot be made of what was measured."""


@dataclass(frozen=True)
class Stored:
    """A calibration as it was found."""

    path: Path
    number: int
    made: datetime
    fields: Fields  # its own values, to be read key by key and closed


def calibrations_folder() -> Path:
    """Where calibrations are kept; it may not be there yet."""
    return data_folder() / FOLDER


def save(
    kind: str,
    device: str,
    basis: str,
    values: Table,
    tables: Mapping[str, Sequence[Table]] | None = None,
    folder: Path | None = None,
    *,
    now: datetime | None = None,
) -> Path:
    """Writes a new calibration and returns its file; OutputError when it cannot be written."""
    place = folder or calibrations_folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError("{file} cannot be written: {reason}.", file=str(place), reason=error.strerror) from None
    number = max((number for number, _path in _numbered(kind, device, place)), default=0) + 1
    made = (now or datetime.now(UTC)).replace(microsecond=0)
    head: Table = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "device": device,
        "basis": basis,
        "made": made.isoformat(),
    }
    text = toml_text({**head, "values": values, **(tables or {})})
    path = place / f"{_stem(kind, device)}.{number}.toml"
    with whole_file(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
    return path


def newest(kind: str, device: str, folder: Path | None = None) -> Path | None:
    """The file of the newest calibration of that device, None when there is none."""
    return next(iter(_newest_first(kind, device, folder)), None)


def load(kind: str, device: str, basis: str, folder: Path | None = None) -> Stored:
    """The newest calibration of that device and basis: a camera may be used at two sizes in turn.

    CalibrationError when there is none, or when all are stale; see `read`.
    """
    refusal = CalibrationError(
        "There is no calibration of {kind} {device}: `./topple calibrate {kind}` makes one.", kind=kind, device=device
    )
    for place, path in enumerate(_newest_first(kind, device, folder)):
        try:
            return read(path, kind, device, basis)
        except CalibrationError as error:
            refusal = error if place == 0 else refusal
    raise refusal


def read(path: Path, kind: str, device: str, basis: str) -> Stored:
    """The calibration in that file.

    CalibrationError when it is of another kind, device or basis, or of a format this topple does not know; SceneError
    when it is no calibration at all.
    """
    fields = Fields(read_toml(path))
    fields.choice("format", None, (FORMAT,))
    version = fields.whole("version", low=1, high=NEWEST_VERSION)
    if version != VERSION:
        raise CalibrationError(
            "{file} is of version {version}, and this topple knows {known}: calibrate again.",
            file=str(path),
            version=version,
            known=VERSION,
        )
    theirs = {key: fields.text(key) for key in ("kind", "device", "basis", "made")}
    if theirs["kind"] != kind:
        raise CalibrationError(
            "{file} is a calibration of a {theirs}, not of a {ours}.", file=str(path), theirs=theirs["kind"], ours=kind
        )
    if theirs["device"] != device:
        raise CalibrationError(
            "{file} was made with {kind} {theirs}, and this is {ours}: calibrate this one.",
            file=str(path),
            kind=kind,
            theirs=theirs["device"],
            ours=device,
        )
    if theirs["basis"] != basis:
        raise CalibrationError(
            "{file} is out of date: it was made for {theirs}, and {kind} {device} is at {ours} now. "
            "`./topple calibrate {kind}` makes another.",
            file=str(path),
            theirs=theirs["basis"],
            kind=kind,
            device=device,
            ours=basis,
        )
    try:
        made = datetime.fromisoformat(theirs["made"])
    except ValueError:
        raise fields.refusal("made", "{where}: {key} is not a date and time.", key="made") from None
    number = int(path.stem.rpartition(".")[2]) if path.stem.rpartition(".")[2].isdecimal() else 0
    return Stored(path, number, made, fields)


def _stem(kind: str, device: str) -> str:
    return f"{kind}-{re.sub(r'[^A-Za-z0-9_-]', '_', device)}"


def _newest_first(kind: str, device: str, folder: Path | None) -> list[Path]:
    found = sorted(_numbered(kind, device, folder or calibrations_folder()), reverse=True)
    return [path for _number, path in found]


def _numbered(kind: str, device: str, folder: Path) -> list[tuple[int, Path]]:
    pattern = re.compile(re.escape(_stem(kind, device)) + r"\.(\d+)\.toml")
    try:
        matches = [(pattern.fullmatch(path.name), path) for path in folder.iterdir()]
    except OSError:
        return []
    return [(int(match.group(1)), path) for match, path in matches if match]
