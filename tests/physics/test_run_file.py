"""Runs read as strictly as they were written: a value that cannot be what it says is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from physics.engine import Settings, engine
from physics.errors import SceneError
from physics.line import straight
from physics.record import read_bytes, read_record, write_run
from physics.run_file import run_in
from physics.scene import Scene, Tap, Tilt
from physics.tiles import load_set

LINE = straight(load_set("evaluation"), [5, 6, 7], 0.02)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scene = Scene(LINE)
    path = tmp_path_factory.mktemp("runs") / "run.topple"
    write_run(path, scene, engine("bullet").run([scene], Settings(record=0.02, to_rest=True))[0])
    return path


@pytest.mark.parametrize("push", [Tap(0.004, 0.02), Tilt()])
def test_runs_with_every_push_are_read(tmp_path: Path, push: Any) -> None:
    scene = Scene(LINE, push=push)
    path = tmp_path / "run.topple"
    write_run(path, scene, engine("bullet").run([scene], Settings(record=0.02, time_limit=1.0))[0])
    assert run_in(read_bytes(path), path) == read_record(path)


WRONG: list[tuple[str, Any, str]] = [
    ("engine", "\x1b[31m", "1: engine cannot be"),
    ("kind", "match", "1: kind is 'match'"),
    ("more", 1, "1: more is not known here"),
    ("tiles", [], "1: 0 tiles"),
    ("tiles.0.value", "\x1b]0;x\x07", "1: tiles.value is"),
    ("tiles.0.x", 1e999, "1: tiles.x is inf"),
    ("tiles.0.stance", "lying", "1: tiles.stance is"),
    ("push.tile", 3, "1: push.tile is 3"),
    ("push.kind", "a\nb", "1: push.kind cannot be"),
    ("table.size", [1, "x"], "1: table.size cannot be"),
]


@pytest.mark.parametrize(("key", "value", "sentence"), WRONG)
def test_headers_that_cannot_be(run: Path, tmp_path: Path, key: str, value: Any, sentence: str) -> None:
    lines = run.read_text().splitlines()
    header = json.loads(lines[0])
    at: Any = header
    *path, last = key.split(".")
    for part in path:
        at = at[int(part) if part.isdecimal() else part]
    at[last] = value
    _refused(tmp_path, [json.dumps(header), *lines[1:]], sentence)


EVENTS: list[tuple[list[Any], str]] = [
    ([-1, "frame", []], "the time is -1"),
    ([1e308, "frame", []], "the time is 1e"),
    ([99, "frame", []], "frame cannot be"),
    ([99, "frame", [[0, 0, 0, 1, 1, 1, 1]] * 3], "frame cannot be"),
    ([99, "fell", {"tile": 3, "value": 7}], "fell.tile is 3"),
    ([99, "fell", {"tile": 2, "value": "\x1b"}], "fell.value cannot be"),
    ([99, "fell", {"tile": 2, "value": 6}], "fell.value cannot be 6"),
    ([99, "outcome", {"fates": ["fallen"], "all_fell": True, "settled": True}], "outcome.fates cannot be"),
    ([99, "outcome", {"fates": ["standing"] * 3, "all_fell": True, "settled": True}], "outcome.all_fell cannot be"),
    ([99, "outcome", {"fates": ["fallen"] * 3, "all_fell": True, "settled": 1}], "outcome.settled cannot be"),
]


@pytest.mark.parametrize(("event", "sentence"), EVENTS)
def test_events_that_cannot_be(run: Path, tmp_path: Path, event: list[Any], sentence: str) -> None:
    lines = run.read_text().splitlines()
    _refused(tmp_path, [*lines, json.dumps(event)], f"{len(lines) + 1}: {sentence}")


def test_a_time_before_the_one_before_is_refused(run: Path, tmp_path: Path) -> None:
    lines = run.read_text().splitlines()
    _refused(tmp_path, [*lines[:2], lines[4], lines[3]], "4: the time is")


def _refused(folder: Path, lines: list[str], sentence: str) -> None:
    path = folder / "run.topple"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SceneError) as error:
        run_in(read_bytes(path), path)
    assert str(error.value).startswith(f"{path}:{sentence}")
