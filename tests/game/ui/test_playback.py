"""A fall in time: between the frames, in slow motion, and back and forth."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from game.judge import Simulated, outcome_data
from game.row_judge import scene_of
from game.rules.evaluation_data import NUMBERS
from game.ui.playback import LEAD, SLOW, SLOW_FOR, Playback, Player, playback_in, playback_of, slerp
from physics.engine import default_engine
from physics.errors import SceneError
from physics.line import straight
from physics.outcome import leans_of

VALUES = (5, 6, 7, 8, 11)


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """A fall as a log holds it, read again."""
    scene = scene_of(straight(NUMBERS.tiles, VALUES, 20e-3).placements)
    outcome = Simulated(default_engine()).judge(scene)
    assert outcome.all_fell
    found: dict[str, Any] = json.loads(json.dumps(outcome_data(scene, outcome, "simulated")))
    return found


@pytest.fixture
def fall(data: dict[str, Any]) -> Playback:
    playback = playback_in(data)
    assert playback is not None
    return playback


def test_poses_of_the_frames_and_between_them(fall: Playback) -> None:
    index = len(fall.times) // 2
    poses = fall.at(float(fall.times[index]))
    assert np.allclose(poses.positions, fall.positions[index]) and poses.positions.shape == (len(VALUES), 3)
    assert np.allclose(leans_of(poses.quaternions), leans_of(fall.quaternions[index]), atol=1e-6)
    middle = fall.at(float(fall.times[index : index + 2].mean()))
    assert np.allclose(middle.positions, fall.positions[index : index + 2].mean(axis=0))
    assert np.allclose(np.linalg.norm(middle.quaternions, axis=-1), 1.0)
    assert np.allclose(fall.at(-9.0).positions, fall.positions[0])
    assert np.allclose(fall.at(99.0).positions, fall.positions[-1])


def test_turns_go_the_short_way_at_even_speed() -> None:
    one = np.array([[0.0, 0.0, 0.0, 1.0]])
    other = np.array([[math.sin(0.5), 0.0, 0.0, math.cos(0.5)]])
    for sign in (1, -1):
        assert np.allclose(leans_of(slerp(one, sign * other, 0.25)), 0.25)
    assert np.allclose(slerp(one, one, 0.3), one)


def test_the_finger_tilts_the_tile_before_the_run(fall: Playback) -> None:
    assert fall.start == pytest.approx(-LEAD) and fall.pushed == 0
    assert fall.duration == pytest.approx(fall.end + LEAD)
    leans = leans_of(fall.quaternions[:, 0])
    assert leans[0] == 0.0 and (np.diff(leans[:20]) > 0).all()
    assert np.allclose(fall.positions[0, 0], [0.0, 0.0, NUMBERS.tiles[5].height / 2], atol=1e-6)
    # The lower edge stays where it is: nothing jumps when the run begins.
    steps = np.linalg.norm(np.diff(fall.positions[:40, 0], axis=0), axis=-1)
    assert steps.max() < 2e-3


def test_the_wave_goes_through_the_row(fall: Playback) -> None:
    xs = [fall.front(t)[0] for t in np.linspace(fall.start, fall.end, 50)]
    assert xs == sorted(xs)
    assert xs[0] == pytest.approx(fall.tiles[0].x) and xs[-1] == pytest.approx(fall.tiles[-1].x)
    assert [fall.reaches(gap) for gap in range(4)] == [fall.fell_at[gap] for gap in range(4)]
    assert fall.reaches(4) is None and fall.reaches(-1) is None


def test_every_tile_is_struck_once_and_lands(fall: Playback) -> None:
    struck = [strike.tile for strike in fall.strikes if strike.kind == "struck"]
    assert struck == [1, 2, 3, 4]
    assert sorted(strike.tile for strike in fall.strikes if strike.kind == "landed") == [0, 1, 2, 3, 4]
    assert all(0 <= strike.loudness <= 1 for strike in fall.strikes)
    assert all(strike.time > 0 for strike in fall.strikes)
    times = np.linspace(fall.start, fall.end, 77).tolist()
    heard = [strike for a, b in pairwise(times) for strike in fall.struck_between(a, b)]
    assert tuple(heard) == fall.strikes


def test_slow_at_the_weakest_gap(fall: Playback) -> None:
    assert fall.pace(0.3) == 1.0
    slow = fall.slowed(2)
    at = slow.slow_at
    assert at is not None and at == fall.fell_at[2]
    assert slow.pace(at + SLOW_FOR / 2) == SLOW and slow.pace(at - 0.2) == 1.0
    assert SLOW < slow.pace(at - 0.02) < 1.0
    assert fall.slowed(None).slow_at is None  # all fell: nothing hung in the balance


def test_play_pause_scrub_and_again(fall: Playback) -> None:
    player, count = Player.of(fall), 0
    while player.is_playing:
        player, count = player.advanced(fall, 1 / 60), count + 1
    assert player.is_over(fall) and count == math.ceil(fall.duration * 60)
    assert player.advanced(fall, 1.0) == player and player.share(fall) == 1.0
    again = player.toggled(fall)
    assert again.is_playing and again.t == fall.start
    paused = again.advanced(fall, 0.5).toggled(fall)
    assert paused.advanced(fall, 9.0) == paused and paused.t == pytest.approx(fall.start + 0.5)
    half = paused.scrubbed(fall, 0.5)
    assert half.share(fall) == pytest.approx(0.5) and not half.is_playing
    assert half.scrubbed(fall, 7.0).is_over(fall) and half.replayed(fall) == Player.of(fall)
    slow = fall.slowed(0)
    assert slow.slow_at is not None
    there = Player(slow.slow_at + 0.01)
    assert there.advanced(slow, 0.1).t - there.t == pytest.approx(0.1 * SLOW)


def test_a_row_that_held_is_slow_where_it_ended() -> None:
    scene = scene_of(straight(NUMBERS.tiles, (2, 3, 11), 12e-3).placements)
    outcome = Simulated(default_engine()).judge(scene)
    assert not outcome.all_fell and outcome.trajectory is not None
    held = playback_of(outcome.trajectory, scene.line.placements, outcome.fell_at, scene.pushed).slowed(None)
    fallen = [time for time in outcome.fell_at if time is not None]
    assert held.start == 0.0 and held.slow_at == (max(fallen) if len(fallen) > 1 else None)


def test_falls_that_nobody_recorded_or_that_are_damaged(data: dict[str, Any]) -> None:
    assert playback_in({**data, "frames": []}) is None
    good, tiles = data["frames"], data["tiles"]
    damages: list[dict[str, Any]] = [
        {"frames": [[0.0, [[1, 2, 3]]]]},
        {"frames": [good[1], good[0]]},
        {"frames": "frames"},
        {"frames": [[0.0, None]]},
        {"tiles": tiles[:2]},
        {"tiles": [{}] * len(tiles)},
        {"fell_at": [0.0]},
        {"push": {"kind": "finger", "tile": 9, "yaw": 0.0}},
    ]
    for wrong in damages:
        with pytest.raises(SceneError, match="damaged"):
            playback_in({**data, **wrong})
