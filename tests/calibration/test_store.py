"""Calibrations on the disk: numbered, tied to a device and a basis, refused when they do not fit."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.store import CalibrationError, load, newest, read, save
from physics.errors import OutputError, SceneError
from physics.fields import Fields

WHEN = datetime(2026, 11, 16, 12, 0, 5, 999, UTC)


def stored(folder: Path, device: str = "a1", basis: str = "1280x720", kind: str = "camera") -> Path:
    return save(kind, device, basis, {"fx": 910.5, "dist": [0.1, -0.2]}, {"view": [{"rms": 0.3}]}, folder, now=WHEN)


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    path = stored(tmp_path / "not there yet")
    assert path.name == "camera-a1.1.toml"
    found = load("camera", "a1", "1280x720", path.parent)
    assert found.number == 1 and found.made == WHEN.replace(microsecond=0)
    values = found.fields.inner("values")
    assert values.number("fx", low=0, high=1e4) == 910.5
    assert values.numbers("dist", count=2, low=-1, high=1) == (0.1, -0.2)
    [view] = found.fields.tables("view")
    assert view.number("rms", low=0, high=1) == 0.3
    found.fields.close()


def test_the_newest_counts_and_the_old_ones_stay(tmp_path: Path) -> None:
    paths = [stored(tmp_path) for _time in range(11)]
    assert newest("camera", "a1", tmp_path) == paths[-1] and paths[-1].name == "camera-a1.11.toml"
    assert all(path.exists() for path in paths)
    assert newest("camera", "a", tmp_path) is None
    assert newest("camera", "a1", tmp_path / "nowhere") is None


def test_of_two_sizes_in_turn_each_has_its_own(tmp_path: Path) -> None:
    small, large, again = (stored(tmp_path, basis=basis) for basis in ("640x480", "1280x720", "640x480"))
    assert load("camera", "a1", "1280x720", tmp_path).path == large
    assert load("camera", "a1", "640x480", tmp_path).path == again != small
    with pytest.raises(CalibrationError, match=re.escape(str(again))):
        load("camera", "a1", "800x600", tmp_path)


@pytest.mark.parametrize(
    ("kind", "device", "basis", "words"),
    [
        ("camera", "a1", "640x480", "is out of date: it was made for 1280x720, and camera a1 is at 640x480 now."),
        ("camera", "b2", "1280x720", "was made with camera a1, and this is b2: calibrate this one."),
        ("rig", "a1", "1280x720", "is a calibration of a camera, not of a rig."),
    ],
)
def test_a_stale_or_foreign_one_is_refused_with_a_sentence(
    tmp_path: Path, kind: str, device: str, basis: str, words: str
) -> None:
    path = stored(tmp_path)
    with pytest.raises(CalibrationError) as error:
        read(path, kind, device, basis)
    assert str(error.value).startswith(str(path)) and words in str(error.value)


def test_none_at_all_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError) as error:
        load("rig", "a1", "x", tmp_path)
    assert str(error.value) == "There is no calibration of rig a1: `./topple calibrate rig` makes one."


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("version = 1", "version = 2", CalibrationError),
        ("version = 1", 'version = "x"', SceneError),
        ("topple calibration", "something else", SceneError),
        ("2026-11-16T", "the day before T", SceneError),
        ('kind = "camera"', "", SceneError),
        ("[values]", "[values", SceneError),
    ],
)
def test_a_damaged_or_newer_file_is_refused(tmp_path: Path, old: str, new: str, kind: type[Exception]) -> None:
    path = stored(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(kind):
        read(path, "camera", "a1", "1280x720")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "calibrations").write_text("a file, not a folder")
    with pytest.raises(OutputError, match="cannot be written"):
        stored(tmp_path / "calibrations")


@settings(max_examples=30, deadline=None)
@given(st.text(min_size=1).filter(str.strip), st.text(min_size=1).filter(str.strip))
def test_any_device_and_basis_survive(tmp_path_factory: pytest.TempPathFactory, device: str, basis: str) -> None:
    folder = tmp_path_factory.mktemp("store")
    try:
        path = save("camera", device, basis, {}, folder=folder)
    except (UnicodeEncodeError, OutputError):
        return  # a lone surrogate is no text; a name of hundreds of letters no file's
    assert isinstance(read(path, "camera", device, basis).fields, Fields)
