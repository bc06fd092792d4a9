"""Falls at a table without a match: what is told of a row that people pushed, and of one that they cleared away."""

from __future__ import annotations

import json

from game.table.fall import FallWatch, RowFall
from game.table.news import News
from physics.line import Placement
from physics.outcome import Fate
from tests.game.table.painted_table import PaintedTable, fallen, tile_at
from vision.camera.frames import CameraFrame
from vision.reader.reading import ReadTile

ROW = tuple(tile_at(Placement(value, 0.04 * place, 0.0)) for place, value in enumerate((5, 6, 8)))


def told(
    table: PaintedTable, watch: FallWatch, *tiles: ReadTile, steps: tuple[tuple[ReadTile, ...], ...] = ()
) -> RowFall | None:
    """What is told of a hand that leaves these tiles behind."""
    found = [fall for frame in table.hand(*tiles, steps=steps) if (fall := seen(table, watch, frame)) is not None]
    assert len(found) < 2
    return found[0] if found else None


def seen(table: PaintedTable, watch: FallWatch, frame: CameraFrame) -> RowFall | None:
    table.camera.eye.take(frame)
    return watch.look()


def test_a_pushed_row_is_told_from_the_end_that_fell_first() -> None:
    table = PaintedTable()
    watch = FallWatch(table.camera)
    assert told(table, watch, *ROW) is None
    down = [fallen(tile) for tile in ROW]
    fall = told(table, watch, *down, steps=((*ROW[:2], down[2]), (ROW[0], *down[1:])))
    assert fall is not None
    assert [tile.value for tile in fall.tiles] == [8, 6, 5] and set(fall.fates) == {Fate.FALLEN}
    first, *others = fall.fall.fell_at
    times = [at for at in others if at is not None]
    assert first == 0 and len(times) == 2 and 0 < times[0] < times[1]
    # The pushed tile counts, for there are only three: 80 mm in that time.
    assert fall.fall.speed is not None and abs(fall.fall.speed * times[1] - 0.08) < 0.02


def test_tiles_that_stand_and_tiles_that_are_not_seen_are_not_said_to_have_fallen() -> None:
    table = PaintedTable()
    watch = FallWatch(table.camera)
    told(table, watch, *ROW)
    fall = told(table, watch, fallen(ROW[0], -60.0), ROW[2])
    assert fall is not None
    assert dict(zip((tile.value for tile in fall.tiles), fall.fates, strict=True)) == {
        5: Fate.FALLEN,
        6: None,
        8: Fate.STANDING,
    }
    assert sorted(at is None for at in fall.fall.fell_at) == [False, True, True] and fall.fall.speed is None


def test_a_table_that_is_cleared_away_has_not_fallen() -> None:
    table = PaintedTable()
    watch = FallWatch(table.camera)
    assert [told(table, watch, *tiles) for tiles in (ROW, ROW[:2], (), ROW[:1])] == [None] * 4


def test_it_is_told_in_words_and_as_a_line() -> None:
    table = PaintedTable()
    watch = FallWatch(table.camera)
    told(table, watch, *ROW)
    fall = told(table, watch, *(fallen(tile) for tile in ROW))
    assert fall is not None
    words: list[str] = []
    News(as_json=False, out=words.append).fall(3.0, fall)
    assert words[0].startswith("It falls: ") and words[0].count("after") == 3
    lines: list[str] = []
    News(as_json=True, out=lines.append).fall(3.0, fall)
    line = json.loads(lines[0])
    assert (line["t"], line["event"], line["judge"]) == (3.0, "outcome", "camera")
    assert sorted(line["values"]) == [5, 6, 8] and line["fates"] == ["fallen"] * 3 and len(line["fell_at"]) == 3
