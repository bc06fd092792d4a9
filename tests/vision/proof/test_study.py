"""The study behind `prove vision`: its pictures are taken and compared, and the page tells it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens import Lens
from game.cli import main
from game.commands import prove
from game.proof.vision import FilmSeen, Vision, page_text, write_page
from physics.errors import InputError
from physics.outcome import Fate
from physics.tiles import TileSet
from vision.drawing.scenes import random_setup
from vision.proof.comparison import Trial, compare
from vision.proof.lens import LensFound
from vision.proof.study import (
    Image,
    Read,
    Study,
    Want,
    alike,
    by_angle,
    by_light,
    forecast,
    held,
    numbers,
    plan,
    read_one,
    read_photo,
    worst,
)
from vision.reader.reading import Reading, ReadTile

GOOD = (LensFound((640, 480), 14, 0.001, 0.1),)


def perfect(index: int, shift: float = 0.0) -> Read:
    """A picture that was read as it is, all tiles moved by so many mm."""
    setup = random_setup(3, index)
    tiles = tuple(
        ReadTile(
            p.value, 1e3 * p.x + shift, 1e3 * p.y, math.degrees(p.yaw), p.stance, Fate.STANDING, (0.3, 0.3, 0.5), 1
        )
        for p in setup.scene.line.placements
    )
    trial = compare(setup, (1.0,) * len(tiles), Reading(tiles, (), 0.1))
    return Read(Want(index), ("daylight", "evening")[index % 2], trial, (0.5, 0.45))


def test_a_guess_at_a_hidden_tile_is_false_and_a_right_reading_of_it_is_not() -> None:
    right = perfect(0).trial
    assert right.reading is not None
    setup, tiles = right.setup, right.reading.tiles
    seen = (0.2, *(1.0,) * (len(tiles) - 1))
    assert compare(setup, seen, right.reading).false == 0
    other = next(value for value in range(1, 12) if value not in right.reading.order)
    guessed = compare(setup, seen, replace(right.reading, tiles=(replace(tiles[0], value=other), *tiles[1:])))
    assert (guessed.false, guessed.ordered, guessed.is_right) == (1, True, False)


def test_the_order_is_told_apart_from_the_values() -> None:
    right = perfect(0).trial
    assert right.reading is not None and right.ordered and right.is_right
    first, second, *rest = right.reading.tiles
    other = next(value for value in range(1, 12) if value not in right.reading.order)

    def trial(*tiles: ReadTile) -> Trial:
        assert right.reading is not None
        return compare(right.setup, (1.0,) * len(right.reading.tiles), replace(right.reading, tiles=tiles))

    renamed = trial(replace(first, value=other), second, *rest)
    assert renamed.ordered and not renamed.is_right
    assert trial(second, *rest).ordered  # one that was missed leaves the others in order
    assert trial(*rest[::-1], second, first).ordered
    assert not trial(second, first, *rest).ordered
    assert not trial(first, second, *rest, replace(first, x=first.x + 90.0)).ordered  # a false one has no place in it


@pytest.fixture
def lenses(monkeypatch: pytest.MonkeyPatch) -> list[Lens | None]:
    """The lenses that pictures were read with; nothing is found in them. The reader has tests of its own."""
    used: list[Lens | None] = []

    def read(image: Image, lens: Lens | None, *, tile_set: TileSet) -> Reading:
        used.append(lens)
        return Reading((), (), 0.1)

    monkeypatch.setattr("vision.proof.study.read_picture", read)
    return used


def test_a_picture_is_taken_and_read_without_a_camera_file(lenses: list[Lens | None]) -> None:
    read = read_one(Want(0, (640, 480), distance=500.0, off=(10.0, 30.0), with_lens=False))
    assert lenses == [None]
    assert read.light == "daylight" and read.forecasts is None
    assert 5 <= read.missed == read.faults == numbers([read]).tiles <= 11


def test_a_perfect_reading_holds_and_a_shifted_one_does_not() -> None:
    good = [perfect(index) for index in range(6)]
    assert numbers(good).found == 1 and alike(good) == 1 and worst(good) == []
    assert [what for what, good in held(good).items() if not good] == [
        "within one standard error: about 68 % (60 to 76)"  # they are better than they say
    ]
    shifted = held([perfect(index, 2.0) for index in range(6)])
    assert not shifted["position, median ≤ 0.5 mm"] and shifted["found ≥ 99 %"]


def test_every_picture_is_in_one_group_of_each_kind() -> None:
    some = [perfect(index) for index in range(6)]
    for groups in (by_angle(some), by_light(some)):
        assert sum(map(len, groups.values())) == len(some)


def test_forecasts_count_where_the_row_can_be_seen() -> None:
    some = [perfect(0), replace(perfect(1), forecasts=None), replace(perfect(2), forecasts=(math.nan, 0.5))]
    assert alike(some) == 0.5
    assert math.isnan(alike(some[1:2]))


def test_the_same_row_has_the_same_forecast_from_either_end() -> None:
    line = random_setup(3, 1, count=3).scene.line
    other = replace(line, placements=line.placements[::-1])
    assert forecast(line) == forecast(other)
    assert math.isnan(forecast(replace(line, placements=())))


def test_two_hundred_usual_pictures_and_others_are_planned() -> None:
    wants = plan(200)
    assert len(wants[""]) == 200 and all(want.forecast and want.size == (1280, 960) for want in wants[""])
    assert {want.distance for want in wants["45 cm"]} == {450.0} and len(wants["640 × 480"]) == 10


def test_a_photograph_is_held_against_the_truth_beside_it(tmp_path: Path, lenses: list[Lens | None]) -> None:
    setup = random_setup(5, 0, size=(320, 240), bent=False, count=1, off=(20.0, 30.0))
    lens, sight = setup.sight.lens, setup.sight
    cv2.imwrite(str(tmp_path / "one.png"), np.zeros((240, 320, 3), np.uint8))
    tiles = [
        {
            "name": f"{p.value}-{p.stance.value}",
            "x_mm": p.x * 1e3,
            "y_mm": p.y * 1e3,
            "yaw_deg": math.degrees(p.yaw),
            "visible_fraction": 1.0,
        }
        for p in setup.scene.line.placements
    ]
    truth = {
        "image_size": [lens.width, lens.height],
        "K": lens.matrix.tolist(),
        "dist": list(lens.dist),
        "camera": {"R": sight.rotation.tolist(), "t_mm": sight.place.tolist()},
        "tiles": tiles,
    }
    with pytest.raises(InputError, match="no truth beside it"):
        read_photo(tmp_path / "one.png")
    (tmp_path / "one.json").write_text(json.dumps(truth))
    found = read_photo(tmp_path / "one.png").trial
    assert lenses == [lens]
    assert len(found.matches) == 1 and found.matches[0].truth == setup.scene.line.placements[0]


def test_the_page_keeps_its_notes_and_lists_faults(tmp_path: Path) -> None:
    bad = perfect(1)
    trial: Trial = compare(bad.trial.setup, (1.0,) * len(bad.trial.matches), Reading((), (), 0.1))
    study = Study((perfect(0), replace(bad, trial=trial)), {"45 cm": (perfect(2),)}, (perfect(3),))
    found = Vision(study, (*GOOD, "No lens."), (FilmSeen("round", 0, 12, ("chips: 1 instead of 2",), 30.0),))
    assert not found.passed
    text = page_text(found)
    assert "**fails**" in text and "chips: 1 instead of 2" in text and "Refused: No lens." in text
    assert "1 of 2 usual pictures have a fault" in text and "## Pictures that topple did not render" in text
    (tmp_path / "vision.md").write_text("old <!-- notes -->\nMind the glare.\n<!-- /notes -->")
    write_page(tmp_path, found)
    assert "Mind the glare." in (tmp_path / "vision.md").read_text()


def test_the_command_proves_and_says_when_it_is_not_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[int, int]] = []

    def instead(pictures: int, photos: list[Path], _executor: object, tell: Callable[[int, int], None]) -> Study:
        asked.append((pictures, len(photos)))
        tell(1, 2)
        return Study(tuple(perfect(index) for index in range(pictures)))

    monkeypatch.setattr("vision.proof.study.study", instead)
    monkeypatch.setattr(prove, "LENSES", 1)
    monkeypatch.setattr(prove, "FILMS", 0)
    arguments = ["prove", "--lang", "en", "vision", "--pictures", "5", "--workers", "1", "--docs", str(tmp_path)]
    assert main(arguments) == 1  # the perfect readings are better than they say
    assert asked == [(5, 0)]
    assert "| 640 × 480 | 1 | 0.01 % | 0.06 px |" in capsys.readouterr().out
    assert (tmp_path / "vision.md").read_text().startswith("# How well the camera reads a table")
    assert main([*arguments, "--photos", str(tmp_path)]) == 2
    assert "has no picture" in capsys.readouterr().err
