"""Motions that keep of each tile only while it moves, and files that have no more."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics.engine import Settings, engine
from physics.errors import SceneError
from physics.line import straight
from physics.outcome import Outcome
from physics.record import motion_in, read_bytes, write_record, write_run
from physics.run_file import run_in
from physics.scene import Finger, Scene
from physics.tiles import load_set
from physics.trajectory import Array, Recorder, Trajectory, leans_of

SCENE = Scene(straight(load_set("classic"), [1] * 40, 0.02), push=Finger(end="first"))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return engine("bullet").run([SCENE], Settings(record=0.01, to_rest=True))[0]


@pytest.fixture(scope="module")
def motion(outcome: Outcome) -> Trajectory:
    assert outcome.trajectory is not None
    return outcome.trajectory


def noted(poses: Array) -> Trajectory:
    """What comes of noting only those tiles of (n, tiles, 10) that moved."""
    recorder = Recorder()
    for moment, now in enumerate(poses):
        moved = np.arange(len(now)) if moment == 0 else np.flatnonzero((now != poses[moment - 1]).any(axis=1))
        recorder.note(0.1 * moment, moved.tolist(), now[moved])
    found = recorder.trajectory()
    assert found is not None
    return found


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=12))
def test_nothing_is_lost(steps: list[list[int]]) -> None:
    """Whatever moves when, every tile is at every moment where it was."""
    poses = np.zeros((len(steps), 3, 10))
    poses[..., 0] = np.cumsum(steps, axis=0)
    poses[..., 6] = 1.0
    found = noted(poses)
    assert (found.positions == poses[..., :3]).all() and (found.quaternions == poses[..., 3:7]).all()
    for moment in range(len(steps)):
        places, turns = found.at(moment)
        assert (places == poses[moment, :, :3]).all() and (turns == poses[moment, :, 3:7]).all()
    whole = Trajectory.whole(found.times, poses[..., :3], poses[..., 3:7])
    assert (whole.positions == found.positions).all()
    assert len(found.kept) <= len(whole.kept)


def test_a_long_run_keeps_what_moves(motion: Trajectory) -> None:
    assert len(motion.kept) < 0.4 * len(motion.times) * motion.count
    assert motion.positions.shape == (len(motion.times), 40, 3)
    assert (motion.rates[0, 1:] == 0).all() and np.abs(motion.rates).max() > 1


def test_turning_is_the_change_of_all_leans(motion: Trajectory) -> None:
    changes = np.abs(np.diff(leans_of(motion.quaternions), axis=0)).sum(axis=1)
    assert motion.turning() == pytest.approx(np.concatenate([[0.0], changes]))


def test_a_lead_goes_before_it(motion: Trajectory) -> None:
    poses = np.tile([9.0, 0, 0, 0, 0, 0, 1], (3, 1))
    led = motion.led_in(np.array([-0.3, -0.2, -0.1]), 2, poses)
    assert (led.positions[3:] == motion.positions).all() and (led.quaternions[3:] == motion.quaternions).all()
    assert (led.positions[:3, 2, 0] == 9.0).all() and (led.positions[:3, 3] == motion.positions[0, 3]).all()


def test_a_long_run_reads_back_as_it_was(tmp_path: Path, outcome: Outcome, motion: Trajectory) -> None:
    path = tmp_path / "run.topple"
    write_run(path, SCENE, outcome)
    record = run_in(read_bytes(path), path)
    kinds = [kind for _t, kind, _data in record.events]
    assert kinds.count("frame") == 1 and kinds.count("moved") == len(motion.times) - 1
    found = motion_in(record)
    assert found is not None and found.times == pytest.approx(motion.times)
    assert found.positions == pytest.approx(motion.positions, abs=1e-7)
    assert found.quaternions == pytest.approx(motion.quaternions, abs=2e-6)


def test_a_long_run_as_csv_has_what_moved(tmp_path: Path, outcome: Outcome, motion: Trajectory) -> None:
    path = tmp_path / "run.csv"
    write_run(path, SCENE, outcome)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert len(rows) == len(motion.kept), "each tile where it stands, and then at every moment while it moves"
    assert [int(row["tile"]) for row in rows[:40]] == list(range(1, 41))
    last = {int(row["tile"]) - 1: float(row["x_mm"]) for row in rows}
    assert [last[tile] for tile in range(40)] == pytest.approx(motion.positions[-1, :, 0] * 1e3, abs=1e-3)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ([0.0, "moved", []], "3: tiles moved before there was a frame"),
        ([0.0, "moved", [[40, 0, 0, 0, 0, 0, 0, 1]]], "moved cannot be"),
        ([0.0, "moved", [[1, 0, 0, 0, 0, 0, 1]]], "moved cannot be"),
        ([0.0, "moved", [[1, 0, 0, 0, 0, 0, 0, 1]] * 2], "moved cannot be"),
        ([0.0, "moved", [[1.0, 0, 0, 0, 0, 0, 0, 1]]], "moved cannot be"),
        ([0.0, "moved", [[1, 0, 0, 0, 0, 0, 1, 1]]], "moved cannot be"),
        ([0.0, "moved", {"1": 2}], "moved cannot be"),
    ],
)
def test_moves_that_cannot_be(tmp_path: Path, outcome: Outcome, event: list[object], sentence: str) -> None:
    path = tmp_path / "run.topple"
    write_run(path, SCENE, outcome)
    record = run_in(read_bytes(path), path)
    header = {key: value for key, value in record.header.items() if key not in ("format", "version")}
    first = (0.0, "outcome", record.events[-1][2]) if "before" in sentence else record.events[0]
    write_record(path, header, [first, (event[0], event[1], event[2])])  # type: ignore[list-item]
    with pytest.raises(SceneError, match=sentence):
        run_in(read_bytes(path), path)
