"""watch: a filmed round through the very code, the lines that are printed, and what goes wrong with a source."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest

from game import words
from game.cli import main
from game.games.evaluation.hands import HANDS
from game.games.evaluation.numbers import NUMBERS
from game.proof.filmed_rounds import ROUND, Filmed, film_round, watch_film
from game.table.follow import SpokenCommands, TableMatch
from game.table.news import News, table_words
from game.table.source import CameraTable
from game.table.synthetic import SyntheticTable
from game.text.lines import LineInput
from physics.errors import InputError, ToppleError
from tests.game.table.built_rows import EIGHT, START
from tests.game.table.painted_table import PaintedTable, fallen, tile_at
from vision.camera.frames import Back, Ended, Item, Lost
from vision.reader.reading import ReadTile
from vision.watching.changes import ComparedPicture
from vision.watching.live import LiveReader
from vision.watching.settle import Kind, TableEvent, TileChange


@pytest.fixture(autouse=True)
def english() -> None:
    words.use("en")


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    return film_round(ROUND, tmp_path_factory.mktemp("film") / "round.avi", placements=2, moments=3)


def test_a_filmed_round_yields_the_right_events_and_score(filmed: Filmed) -> None:
    found = watch_film(filmed)
    assert found.faults() == []
    (outcome,) = (line for line in found.lines if line["event"] == "outcome")
    times = outcome["fell_at"]
    assert outcome["values"] == [5, 6, 7] and times == sorted(times) and times[0] == 0
    assert outcome["wave_speed"] is None or 0.05 < outcome["wave_speed"] < 3


def test_the_command_prints_json_lines(filmed: Filmed, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--source", str(filmed.path), "--headless", "--json", "--seconds", "2.4"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["event"], line.get("value")) for line in lines] == list(filmed.events[:3])
    assert {"x", "y", "yaw", "stance", "state", "t"} <= lines[0].keys()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--source", "nowhere.mp4"], "nowhere.mp4 cannot be read"),
        (["--source", "77"], "There is no camera 77 here"),
        (["--source", "synthetic", "--camera", "nowhere.toml"], "nowhere.toml"),
        (["--source", "synthetic", "--players", "Ann,bot:weak"], "play --source"),
        (["--source", "synthetic", "--players", "Ann,Ben", "--resume", "m.topple"], "leave out --players"),
        (["--source", "synthetic", "--game", "evaluation", "--resume", "m.topple"], "leave out --game"),
    ],
)
def test_bad_use_is_one_sentence(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--headless", *given]) == 2
    told = capsys.readouterr().err
    assert said in told and "Traceback" not in told


def test_play_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--text", "--camera", "lens.toml"]) == 2
    assert "--source" in capsys.readouterr().err
    assert main(["play", "--text", "--source", "77"]) == 2
    assert "There is no camera 77 here" in capsys.readouterr().err


class Given:
    """Gives what it has, then ends."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items

    def poll(self, wait: float) -> Item | None:
        return next(self._items, Ended())


def lines_of(table: PaintedTable, items: Iterator[Item], *, as_json: bool = True, typed: str = "") -> list[str]:
    told: list[str] = []
    said = SpokenCommands(LineInput(io.StringIO(typed)), waits=not typed)
    TableMatch(table.camera, News(as_json=as_json, out=told.append), None, said).run(Given(items))  # type: ignore[arg-type]
    table.camera.close()
    return told


def test_a_lost_source_is_told_and_the_next_picture_goes_on() -> None:
    table = PaintedTable((tile_at(START.row[0]),))

    def items() -> Iterator[Item]:
        yield from table.calm()
        yield Lost(InputError("Camera {number} gives no pictures any more: is it still plugged in?", number=0))
        yield Back()
        yield from table.hand(*table.tiles, tile_at(EIGHT.placement))

    told = [json.loads(line) for line in lines_of(table, items())]
    assert [line["event"] for line in told] == ["placed", "lost", "back", "hand in view", "hand out of view", "placed"]
    assert "plugged in" in told[1]["reason"]


def test_events_are_told_in_words() -> None:
    six = ReadTile(6, 12.4, -3.0, 30.0)
    kinds = {
        Kind.PLACED: "The tile 6 stands at x 12, y -3 mm, turned 30°, upright.",
        Kind.MOVED: "The tile 6 was moved to x 12, y -3 mm, turned 30°, upright.",
        Kind.TAKEN: "The tile 6 was taken away.",
        Kind.FALLEN: "The tile 6 has fallen.",
    }
    for kind, said in kinds.items():
        assert table_words(TableEvent(1.0, kind, TileChange(kind, six, six))) == said
    assert table_words(TableEvent(1.0, Kind.HAND_IN)) == "A hand is in view."
    assert table_words(TableEvent(1.0, Kind.HAND_OUT)) == "The hand is out of view."
    table = PaintedTable((tile_at(START.row[0]),))

    def items() -> Iterator[Item]:
        yield from table.calm()
        yield from table.hand(*map(fallen, table.tiles))

    assert lines_of(table, items(), as_json=False)[-1] == "The tile 6 has fallen."


def test_what_was_read_wrong_is_corrected_by_a_line() -> None:
    row = (tile_at(START.row[0]), tile_at(EIGHT.placement))
    table = PaintedTable(row)

    def items() -> Iterator[Item]:
        yield from table.calm(3.0)
        table.camera.correct(None, 8, row[1].x + 3.0, row[1].y)
        with pytest.raises(ToppleError, match="seen elsewhere"):
            table.camera.rename(None, 8, 6)
        table.camera.rename(None, 8, 9)
        yield from table.calm(0.2)
        yield from table.hand(*map(fallen, row))

    told = [json.loads(line) for line in lines_of(table, items())]
    assert [(line["event"], line.get("value")) for line in told[:2]] == [("placed", 6), ("placed", 8)]
    outcome = told[-1]
    assert outcome["event"] == "outcome" and sorted(outcome["values"]) == [6, 9]
    assert outcome["fates"] == ["fallen", "fallen"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("8 at -12.5 30", {"event": "corrected", "value": 8, "x": -12.5, "y": 30.0}),
        ("8 at -12,5 30", {"event": "corrected", "value": 8, "x": -12.5, "y": 30.0}),
        ("8 at -12.5, 30.", {"event": "corrected", "value": 8, "x": -12.5, "y": 30.0}),
        ("8 is 9", {"event": "corrected", "value": 9}),
        ("7 at 0 0", {"event": "refused", "reason": "The tile 7 is not seen on the table."}),
        ("8 is 12", {"event": "refused", "reason": "The set evaluation has no tile 12; it has 1–11."}),
        ("8 is 6", {"event": "refused", "reason": "The tile 6 is seen elsewhere on the table."}),
        (
            "eight",
            {
                "event": "refused",
                "reason": "'eight' is not a correction; write 8 at -12.5 30 (mm on the mat) or 7 is 8.",
            },
        ),
    ],
)
def test_a_correction_is_told_or_refused(line: str, said: dict[str, Any]) -> None:
    table = PaintedTable((tile_at(START.row[0]), tile_at(EIGHT.placement)))
    for frame in table.calm(3.0):
        table.camera.eye.take(frame)
    told = [json.loads(each) for each in lines_of(table, table.calm(0.2), typed=line)]
    (answer,) = (each for each in told if each["event"] in ("corrected", "refused"))
    assert answer.items() >= said.items()


def test_lines_come_as_they_are_typed() -> None:
    lines = LineInput(io.StringIO("0: pass\n\n1: call"))
    assert [lines.poll(0.0) for _line in range(4)] == ["0: pass", "", "1: call", None] and lines.is_over
    assert LineInput(None).is_over
    closed = io.StringIO("0: pass")
    closed.close()
    assert LineInput(closed).is_over


def test_a_pipe_is_read_without_waiting(tmp_path: Path) -> None:
    import os

    reading, writing = os.pipe()
    with os.fdopen(reading) as stream:
        lines = LineInput(stream)
        assert lines.poll(0.0) is None and not lines.is_over
        os.write(writing, b"0: pa")
        assert lines.poll(0.0) is None
        os.write(writing, "ss\nрешта".encode())
        os.close(writing)
        assert lines.poll(1.0) == "0: pass"
        assert lines.poll(1.0) == "решта" and lines.poll(1.0) is None and lines.is_over


def test_the_synthetic_table_shows_the_match() -> None:
    pictures = SyntheticTable(HANDS, in_game=True).pictures()
    taken = [next(pictures) for _picture in range(14)]
    times = [time for time, _picture in taken]  # type: ignore[misc]
    assert times == sorted(times)
    with_hand, alone = taken[5][1], taken[-1][1]  # type: ignore[index]
    assert alone.shape == (720, 960, 3)
    assert (cv2.absdiff(with_hand, alone).max(axis=-1) > 40).sum() > 20_000
    found = LiveReader(NUMBERS.tiles).read(ComparedPicture(alone)).reading
    assert found.order == (6,)


def test_a_source_that_never_was_is_refused() -> None:
    with pytest.raises(InputError):
        CameraTable("77", hands=HANDS, in_game=True).begin()
