"""Runs in files: what was simulated can be read back, and damaged or foreign files are refused with their line."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from physics.engine import Settings, engine
from physics.errors import OutputError, SceneError
from physics.files import check_ending, check_writable, whole_file
from physics.line import straight
from physics.outcome import Outcome
from physics.record import read_record, write_record, write_run
from physics.scene import Scene
from physics.tiles import load_set

SCENE = Scene(straight(load_set("evaluation"), [5, 6, 7], 0.02))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return engine("bullet").run([SCENE], Settings(record=0.02, to_rest=True))[0]


def test_a_run_reads_back_as_it_was(tmp_path: Path, outcome: Outcome) -> None:
    path = tmp_path / "run.topple"
    write_run(path, SCENE, outcome)
    record = read_record(path)
    assert record.header["format"] == "topple" and record.header["version"] == 1 and record.header["kind"] == "run"
    assert [tile["value"] for tile in record.header["tiles"]] == [5, 6, 7]
    assert record.header["tiles"][1]["height"] == 50.0
    frames = [event for event in record.events if event[1] == "frame"]
    assert outcome.trajectory is not None
    assert len(frames) == len(outcome.trajectory.times)
    assert frames[-1][2][0][:3] == pytest.approx(outcome.trajectory.positions[-1, 0] * 1e3, abs=1e-3)
    assert [event[2]["value"] for event in record.events if event[1] == "fell"] == [5, 6, 7]
    assert record.events[-1][1:] == ("outcome", {"fates": ["fallen"] * 3, "all_fell": True, "settled": True})
    times = [event[0] for event in record.events]
    assert times == sorted(times)


def test_a_run_as_csv_has_a_row_for_every_tile_and_moment(tmp_path: Path, outcome: Outcome) -> None:
    path = tmp_path / "run.csv"
    write_run(path, SCENE, outcome)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert outcome.trajectory is not None
    assert len(rows) == 3 * len(outcome.trajectory.times)
    assert float(rows[1]["x_mm"]) == pytest.approx(SCENE.line.placements[1].x * 1e3, abs=0.01)
    assert float(rows[0]["lean_deg"]) == pytest.approx(math.degrees(math.atan2(5.5, 45)) + 0.5, abs=0.01)
    last = rows[-1]
    length = math.hypot(*(float(last[name]) for name in ("qx", "qy", "qz", "qw")))
    assert length == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "1: this line is damaged"),
        (['{"format": "other"}'], "1: this is not a topple file"),
        (['{"format": "topple", "version": 2}'], "version 2; this topple reads version 1"),
        (['{"format": "topple", "version": 1}', '[0, "frame", []]', '[0, "fra'], "3: this line is damaged"),
        (['{"format": "topple", "version": 1}', "[0, 1]"], "2: this is not an event"),
        (['{"format": "topple", "version": 1}', "", '[0, "x", 1]'], "2: this line is damaged"),
        (["[" * 100_000], "1: this line is damaged"),
        (["9" * 5_000], "1: this line is damaged"),
        (['{"format": "topple", "version": true}'], "version true; this topple reads version 1"),
        (['{"format": "topple", "version": 1}', '[NaN, "x", 1]'], "2: this is not an event"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, lines: list[str], sentence: str) -> None:
    path = tmp_path / "bad.topple"
    path.write_text("\n".join(lines))
    with pytest.raises(SceneError, match=sentence):
        read_record(path)


def test_a_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot be read"):
        read_record(tmp_path / "nowhere.topple")
    (tmp_path / "bytes.topple").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match="1: this line is damaged"):
        read_record(tmp_path / "bytes.topple")


def test_every_line_is_json(tmp_path: Path) -> None:
    path = tmp_path / "words.topple"
    write_record(path, {"kind": "match"}, [(0.5, "said", {"text": "доміно\n"})])
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()][1] == [0.5, "said", {"text": "доміно\n"}]


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("before")

    def interrupted() -> None:
        with whole_file(path) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with whole_file(path) as beside:
        beside.write_text("after")
    assert path.read_text() == "after" and list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no folder"):
        check_writable(tmp_path / "nowhere" / "run.csv")
    with pytest.raises(OutputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(OutputError, match=r"'\.txt'; allowed is \.topple, \.csv"):
        check_ending(tmp_path / "run.txt", (".topple", ".csv"))
    with pytest.raises(OutputError, match="cannot be written"), whole_file(tmp_path / "nowhere" / "run.csv"):
        pass
