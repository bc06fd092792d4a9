"""The row command: a line file that reads back as it was laid, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from game import cli, words
from game.pictures.row import row_figure
from physics.line import straight
from physics.scene import Noise, read_line_file
from physics.tiles import Stance, load_set


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")
    words.use("en")


@pytest.mark.parametrize("shape", ["straight", "arc", "s", "spiral", "growing", "random"])
def test_a_row_is_printed_and_written_alike_and_reads_back(
    shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "row.toml"
    assert cli.main(["row", shape, "--number", "8", "--gap", "14"]) == 0
    text = capsys.readouterr().out
    assert cli.main(["row", shape, "--number", "8", "--gap", "14", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"Written: {out}\n"
    assert out.read_text() == text
    scene, noise = read_line_file(out)
    assert noise == Noise() and len(scene.line) == 8
    if shape != "random":
        assert scene.line.gaps() == pytest.approx([0.014] * 7, abs=2e-6)


def test_values_stance_and_gap_are_as_asked(tmp_path: Path) -> None:
    out = tmp_path / "row.toml"
    asked = ["--values", "5,9-7", "--stance", "side", "--gap", "50%", "--radius", "300"]
    assert cli.main(["row", "arc", *asked, "--out", str(out)]) == 0
    line = read_line_file(out)[0].line
    assert line.values == (5, 9, 8, 7)
    assert {spot.stance for spot in line.placements} == {Stance.SIDE}
    lower = [line.tile_set[value].width for value in (5, 8, 7)]
    assert line.gaps() == pytest.approx([width / 2 for width in lower], abs=2e-6)


def test_a_set_of_ones_own_is_found_from_where_the_row_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tile = "[[tile]]\nvalue = 3\nwidth = 20.0\nthickness = 5.0\nheight = 40.0\nmass = 2.8\ncopies = 4\n"
    Path("mine.toml").write_text(tile)
    Path("rows").mkdir()
    assert cli.main(["row", "s", "--set", "mine.toml", "--out", "rows/row.toml"]) == 0
    assert read_line_file(Path("rows/row.toml"))[0].line.values == (3, 3, 3, 3)


def test_a_row_has_a_forecast_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "row.toml"
    asked = ["row", "straight", "--values", "5-7", "--gap", "16", "--out", str(out), "--predict", "--json"]
    assert cli.main(asked) == 0
    at_once = json.loads(capsys.readouterr().out)
    assert cli.main(["predict", str(out), "--json"]) == 0
    later = json.loads(capsys.readouterr().out)
    assert {**at_once, "seconds": 0} == {**later, "seconds": 0}
    assert at_once["verdict"] == "falls"


def test_the_picture_shows_every_tile(tmp_path: Path) -> None:
    picture = tmp_path / "row.png"
    assert cli.main(["row", "random", "--picture", str(picture), "--out", str(tmp_path / "row.toml")]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    figure = row_figure(straight(load_set("evaluation"), (3, 5, 8), 0.015))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts[:3] == ["3", "5", "8"] and texts[3] == "3 tiles, 48 × 31 mm"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("arc --radius 10", "A bend with a radius of 10 mm is too tight for tile 2 11.2 mm from tile 1."),
        ("straight --number 12", "The set evaluation has 11 tiles for such a row, but 12 are asked for."),
        ("straight --radius 30", "--radius does not go with straight: leave one of them out."),
        ("s --pitch 30", "--pitch does not go with s: leave one of them out."),
        ("s --values 3-5 --number 3", "--number does not go with --values: leave one of them out."),
        ("random --step 2", "--step does not go with random: leave one of them out."),
        ("straight --values 3,99", "The set evaluation has no tile 99; it has 1–11."),
        ("straight --json", "--json prints a forecast: give --predict as well."),
        ("straight --out row.txt", "row.txt has the ending '.txt'; allowed is .toml."),
        ("straight --gap 0", "0 is not a gap"),
        ("straight --values 5-", "5- is not a list of at most 5000 tiles"),
        ("straight --values 1-9999999", "1-9999999 is not a list"),
    ],
)
def test_what_cannot_be_is_said(asked: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = cli.main(["row", *asked.split()])
    except SystemExit as end:
        code = end.code
    told = capsys.readouterr()
    assert code == 2 and told.out == ""
    assert sentence in told.err and len(told.err.splitlines()) == 1
