"""The sets that come with topple, sets from files, and every way a set file can be wrong."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from physics.errors import SceneError
from physics.scene import read_line_file
from physics.tiles import Stance, Tile, equal_tiles, growing_tiles, load_set, set_names, spell_values

GOOD_TILE = "[[tile]]\nvalue = 3\nwidth = 20.0\nthickness = 5.0\nheight = 40.0\nmass = 2.8\n"


def test_three_sets() -> None:
    assert set_names() == ["classic", "evaluation", "whitehead"]
    assert [load_set(name).name for name in set_names()] == set_names()


def test_evaluation_set() -> None:
    tiles = load_set("evaluation")
    widths = (14, 16, 18, 20, 22, 25, 28, 31, 34, 38, 42)
    thicknesses = (3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 7.5, 8.5, 9.0, 10.0)
    heights = (28, 32, 36, 40, 45, 50, 56, 62, 69, 76, 84)
    assert [tile.value for tile in tiles.tiles] == list(range(1, 12))
    assert [tile.width * 1e3 for tile in tiles.tiles] == pytest.approx(widths)
    assert [tile.thickness * 1e3 for tile in tiles.tiles] == pytest.approx(thicknesses)
    assert [tile.height * 1e3 for tile in tiles.tiles] == pytest.approx(heights)
    for tile in tiles.tiles:
        beech = 700 * tile.width * tile.thickness * tile.height
        assert tile.mass == pytest.approx(beech, abs=0.00501e-3), "the file rounds to 0.01 g"
        assert tiles.copies_of(tile.value) == 1
    assert all(1.10 < b.height / a.height < 1.15 for a, b in pairwise(tiles.tiles))


def test_classic_set() -> None:
    tiles = load_set("classic")
    assert tiles.tiles == (Tile(1, 0.024, 0.0075, 0.048, 0.0085),)
    assert tiles.copies_of(1) is None


def test_whitehead_set() -> None:
    tiles = load_set("whitehead").tiles
    assert [tile.value for tile in tiles] == list(range(1, 14))
    assert tiles[0].height == pytest.approx(9.53e-3)
    assert tiles[-1].height == pytest.approx(0.610, abs=1e-3)
    for tile in tiles:
        assert tile.thickness / tile.height == pytest.approx(1 / 8, rel=1e-4)
        assert tile.width / tile.height == pytest.approx(1 / 2, rel=1e-4)
        assert tile.mass == pytest.approx(1180 * tile.width * tile.thickness * tile.height, rel=3e-4)
    for a, b in pairwise(tiles):
        assert b.height / a.height == pytest.approx(math.sqrt(2), rel=1e-4)
    assert set(load_set("whitehead").copies) == {1}


def test_tile_on_its_end_and_on_its_side() -> None:
    tile = Tile(6, width=0.025, thickness=0.006, height=0.050, mass=0.005)
    assert (tile.standing_height(Stance.UPRIGHT), tile.breadth(Stance.UPRIGHT)) == (0.050, 0.025)
    assert (tile.standing_height(Stance.SIDE), tile.breadth(Stance.SIDE)) == (0.025, 0.050)
    assert math.tan(tile.tipping_angle(Stance.UPRIGHT)) == pytest.approx(6 / 50)
    assert math.tan(tile.tipping_angle(Stance.SIDE)) == pytest.approx(6 / 25)


def test_looking_up_a_value() -> None:
    tiles = load_set("evaluation")
    assert 11 in tiles and 12 not in tiles
    assert tiles[7].height == pytest.approx(0.056)
    for asked in (tiles.__getitem__, tiles.copies_of):
        with pytest.raises(SceneError) as refused:
            asked(12)
        assert str(refused.value) == "The set evaluation has no tile 12; it has 1–11."


def test_equal_and_growing_tiles() -> None:
    (tile,) = equal_tiles(height=0.05, width=0.02, thickness=0.01, density=600).tiles
    assert (tile.value, tile.width, tile.thickness, tile.height) == (1, 0.02, 0.01, 0.05)
    assert tile.mass == pytest.approx(0.006)
    grown = growing_tiles(tile, 1.5, 3)
    assert [t.value for t in grown.tiles] == [1, 2, 3]
    assert grown[3].height == pytest.approx(0.05 * 2.25)
    assert grown[3].mass / (grown[3].width * grown[3].thickness * grown[3].height) == pytest.approx(600)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([7], "7"),
        ([1, 2], "1, 2"),
        ([1, 2, 3], "1–3"),
        ([1, 4, 9], "1, 4, 9"),
        ([3, 2, 1], "3, 2, 1"),
        (list(range(0, 40, 2)), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, …"),
    ],
)
def test_spelling_values(values: list[int], words: str) -> None:
    assert spell_values(values) == words


# Sets from files


def test_set_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD_TILE + 'copies = "any"\n[[tile]]\nvalue = 0\nwidth = 1\nthickness = 2\nheight = 3\nmass = 4\n')
    tiles = load_set("mine.toml", beside=tmp_path)
    assert tiles == load_set(str(path))
    assert tiles.name == "mine"
    assert tiles.tiles == (Tile(3, 0.020, 0.005, 0.040, 0.0028), Tile(0, 0.001, 0.002, 0.003, 0.004))
    assert tiles.copies == (None, 1)


def test_set_name_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "Opa’s box"\n' + GOOD_TILE + "copies = 28\n")
    tiles = load_set("mine.toml", beside=tmp_path)
    assert (tiles.name, tiles.copies) == ("Opa’s box", (28,))


def test_path_is_relative_to_the_line_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lines").mkdir()
    (tmp_path / "sets").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "sets" / "mine.toml").write_text(GOOD_TILE)
    line = tmp_path / "lines" / "row.toml"
    line.write_text('set = "../sets/mine.toml"\n[[tile]]\nvalue = 3\nx = 0\ny = 0\n')
    for folder, path in ((tmp_path / "elsewhere", line), (tmp_path / "lines", Path("row.toml"))):
        monkeypatch.chdir(folder)
        assert read_line_file(path)[0].line.tile_set.name == "mine"


def test_own_set_may_not_hide_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "classic").write_text(GOOD_TILE)
    assert load_set("classic", beside=tmp_path).tiles[0].value == 1


@pytest.mark.parametrize("name", ["domino", "Classic", "evaluation ", "../sets/classic", "", "x" * 100_000])
def test_no_such_set(name: str) -> None:
    with pytest.raises(SceneError) as refused:
        load_set(name)
    message = str(refused.value)
    assert message.startswith("There is no tile set ") and len(message) < 200
    assert repr(name)[:30] in message
    assert message.endswith("allowed is classic, evaluation, whitehead, or the path of a .toml file.")


def test_refused_set_names_both_files(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD_TILE.replace("5.0", "0"))
    line = tmp_path / "row.toml"
    line.write_text('# a row\nset = "mine.toml"\n[[tile]]\nvalue = 3\nx = 0\ny = 0\n')
    with pytest.raises(SceneError) as refused:
        read_line_file(line)
    assert str(refused.value) == (
        f"{line}:2: {tmp_path / 'mine.toml'}:4: tile.thickness is 0, but must be a number from 1 to 2000 mm."
    )


def changed(old: str, new: str) -> str:
    assert old in GOOD_TILE
    return GOOD_TILE.replace(old, new)


WRONG_SETS = {
    "no tile at all": ('name = "x"\n', ": the set has no tile; it needs at least one [[tile]]."),
    "empty file": ("", ": the set has no tile; it needs at least one [[tile]]."),
    "empty list": ("tile = []\n", ": the set has no tile; it needs at least one [[tile]]."),
    "empty name": ('name = " "\n' + GOOD_TILE, ":1: name is ' ', but must be a text."),
    "name no text": ("name = 5\n" + GOOD_TILE, ":1: name is 5, but must be a text."),
    "unknown key": ("colour = 5\n" + GOOD_TILE, ":1: colour is not known here; known are name, tile."),
    "unknown table": (GOOD_TILE + "[noise]\nx = 1\n", ":7: noise is not known here; known are name, tile."),
    "unknown tile key": (
        GOOD_TILE + "colour = 5\n",
        ":7: tile.colour is not known here; known are value, width, thickness, height, mass, copies.",
    ),
    "one table": (GOOD_TILE.replace("[[tile]]", "[tile]"), "but must be tables [[tile]]."),
    "tile no table": ("tile = 5\n", ":1: tile is 5, but must be tables [[tile]]."),
    "tiles no tables": ("tile = [1, 2]\n", ":1: tile is [1, 2], but must be tables [[tile]]."),
    "value twice": (GOOD_TILE + GOOD_TILE, ":8: the tile 3 is in the set twice."),
    "value negative": (
        changed("value = 3", "value = -1"),
        ":2: tile.value is -1, but must be a whole number from 0 to 999999.",
    ),
    "value broken": (
        changed("value = 3", "value = 3.0"),
        ":2: tile.value is 3.0, but must be a whole number from 0 to 999999.",
    ),
    "value true": (
        changed("value = 3", "value = true"),
        ":2: tile.value is true, but must be a whole number from 0 to 999999.",
    ),
    "value missing": (changed("value = 3\n", ""), ":1: tile.value is missing."),
    "width missing": (changed("width = 20.0\n", ""), ":1: tile.width is missing."),
    "thickness missing": (changed("thickness = 5.0\n", ""), ":1: tile.thickness is missing."),
    "height missing": (changed("height = 40.0\n", ""), ":1: tile.height is missing."),
    "mass missing": (changed("mass = 2.8\n", ""), ":1: tile.mass is missing."),
    "no width": (changed("20.0", "0.0"), ":3: tile.width is 0.0, but must be a number from 1 to 2000 mm."),
    "huge width": (changed("20.0", "2001"), ":3: tile.width is 2001, but must be a number from 1 to 2000 mm."),
    "thick as text": (changed("5.0", '"5"'), ":4: tile.thickness is '5', but must be a number from 1 to 2000 mm."),
    "height nan": (
        changed("40.0", "nan"),
        ":5: tile.height is nan, but must be a number from 1 to 2000 mm.",
    ),
    "height infinite": (changed("40.0", "inf"), ":5: tile.height is inf, but must be a number from 1 to 2000 mm."),
    "no mass": (changed("2.8", "0"), ":6: tile.mass is 0, but must be a number from 0.0001 to 1000000 g."),
    "negative mass": (changed("2.8", "-2.8"), ":6: tile.mass is -2.8, but must be a number from 0.0001 to 1000000 g."),
    "no copies": (
        GOOD_TILE + "copies = 0\n",
        ':7: tile.copies is 0, but must be a whole number from 1 to 100000, or "any".',
    ),
    "copies in words": (
        GOOD_TILE + 'copies = "many"\n',
        ":7: tile.copies is 'many', but must be a whole number from 1 to 100000, or \"any\".",
    ),
    "copies true": (
        GOOD_TILE + "copies = true\n",
        ':7: tile.copies is true, but must be a whole number from 1 to 100000, or "any".',
    ),
    "broken TOML": ("name = \n", ":1: broken TOML: Invalid value."),
}


@pytest.mark.parametrize(("text", "message"), WRONG_SETS.values(), ids=WRONG_SETS)
def test_wrong_set_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SceneError) as refused:
        load_set("mine.toml", beside=tmp_path)
    assert str(refused.value).startswith(str(path))
    assert str(refused.value).endswith(message)


def test_set_file_missing_or_a_folder(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=r"^There is no file "):
        load_set("none.toml", beside=tmp_path)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SceneError, match=r"is a folder, not a file\.$"):
        load_set("folder.toml", beside=tmp_path)
