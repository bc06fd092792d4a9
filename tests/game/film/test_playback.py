"""A fall in time: between the frames, in slow motion, and back and forth."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from game.film.boxes import fall_boxes
from game.film.playback import EASE, LEAD, SLOW, SLOW_FOR, Playback, Player, playback_in, slerp
from game.games.evaluation.bot.judgement import scene_of
from game.games.evaluation.numbers import NUMBERS
from game.match.judge import Simulated, outcome_data
from game.ui.view3d.follow import Chase
from game.ui.view3d.orbit import Orbit
from physics.engine import SINGLE_STEP, Settings, engine
from physics.engines import default_engine
from physics.errors import SceneError
from physics.line import straight
from physics.trajectory import leans_of

VALUES = (5, 6, 7, 8, 11)


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    """A fall as a log holds it, read again."""
    scene = scene_of(straight(NUMBERS.tiles, VALUES, 20e-3).placements)
    outcome = Simulated(default_engine()).judge(scene)
    assert outcome.all_fell
    found: dict[str, Any] = json.loads(json.dumps(outcome_data(scene, outcome)))
    return found


@pytest.fixture
def fall(data: dict[str, Any]) -> Playback:
    playback = playback_in(data)
    assert playback is not None
    return playback


def test_poses_of_the_frames_and_between_them(fall: Playback) -> None:
    index = len(fall.times) // 2
    poses = fall.at(float(fall.times[index]))
    assert np.allclose(poses.positions, fall.motion.positions[index]) and poses.positions.shape == (len(VALUES), 3)
    assert np.allclose(leans_of(poses.quaternions), leans_of(fall.motion.quaternions[index]), atol=1e-6)
    middle = fall.at(float(fall.times[index : index + 2].mean()))
    assert np.allclose(middle.positions, fall.motion.positions[index : index + 2].mean(axis=0))
    assert np.allclose(np.linalg.norm(middle.quaternions, axis=-1), 1.0)
    assert np.allclose(fall.at(-9.0).positions, fall.motion.positions[0])
    assert np.allclose(fall.at(99.0).positions, fall.motion.positions[-1])


def test_turns_go_the_short_way_at_even_speed() -> None:
    one = np.array([[0.0, 0.0, 0.0, 1.0]])
    other = np.array([[math.sin(0.5), 0.0, 0.0, math.cos(0.5)]])
    for sign in (1, -1):
        assert np.allclose(leans_of(slerp(one, sign * other, 0.25)), 0.25)
    assert np.allclose(slerp(one, one, 0.3), one)


def test_the_finger_tilts_the_tile_before_the_run(fall: Playback) -> None:
    assert fall.start == pytest.approx(-LEAD) and fall.pushed == 0
    assert fall.duration == pytest.approx(fall.end + LEAD)
    leans = leans_of(fall.motion.quaternions[:, 0])
    assert leans[0] == 0.0 and (np.diff(leans[:20]) > 0).all()
    assert np.allclose(fall.motion.positions[0, 0], [0.0, 0.0, NUMBERS.tiles[5].height / 2], atol=1e-6)
    # The lower edge stays where it is: nothing jumps when the run begins.
    steps = np.linalg.norm(np.diff(fall.motion.positions[:40, 0], axis=0), axis=-1)
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
    assert all(strike.impulse > 0 and strike.time > 0 for strike in fall.strikes)
    assert [strike.height for strike in fall.strikes] == [
        NUMBERS.tiles[VALUES[strike.tile]].height for strike in fall.strikes
    ]
    times = np.linspace(fall.start, fall.end, 77).tolist()
    heard = [strike for a, b in pairwise(times) for _delay, strike in fall.heard(a, b)]
    assert tuple(heard) == fall.strikes


def test_contacts_are_known_better_than_the_frames(fall: Playback) -> None:
    """Frames are 10 ms apart; a run that is recorded at each step tells when a tile truly began to move."""
    scene = scene_of(straight(NUMBERS.tiles, VALUES, 20e-3).placements)
    settings = Settings(step=SINGLE_STEP, record=SINGLE_STEP, to_rest=True)
    (outcome,) = engine(default_engine()).run([scene], settings)
    assert outcome.trajectory is not None
    moved = outcome.trajectory.leans() > math.radians(0.02)
    for tile in range(1, len(VALUES)):
        truly = float(outcome.trajectory.times[np.argmax(moved[:, tile])])
        assert fall.reached[tile] == pytest.approx(truly, abs=2.5e-3)


def test_an_impulse_grows_with_mass_and_speed(fall: Playback) -> None:
    struck = {strike.tile: strike.impulse for strike in fall.strikes if strike.kind == "struck"}
    assert struck[1] < struck[2] < struck[3] < struck[4]
    motion = replace(fall.motion, times=fall.times * 2)
    slower = replace(fall, motion=motion, fell_at=tuple(time and time * 2 for time in fall.fell_at))
    for one, other in zip(fall.strikes, slower.strikes, strict=True):
        assert other.impulse == pytest.approx(one.impulse / 2) and other.time == pytest.approx(one.time * 2)


def test_slow_at_the_weakest_gap(fall: Playback) -> None:
    assert fall.pace(0.3) == 1.0
    slow = fall.slowed(2)
    at = slow.slow_at
    assert at is not None and at == fall.fell_at[2]
    assert slow.pace(at + SLOW_FOR / 2) == SLOW and slow.pace(at - 0.2) == 1.0
    assert SLOW < slow.pace(at - 0.02) < 1.0
    assert fall.slowed(9).slow_at == fall.slowed(None).slow_at


def test_without_a_forecast_it_is_slow_where_the_wave_lost_most(fall: Playback) -> None:
    assert fall.slowest in (1, 2, 3)
    late = replace(fall, fell_at=(0.0, 0.2, 0.3, 0.7, 0.8))
    assert late.slowest == 2 and late.slowed(None).slow_at == 0.3
    assert replace(fall, fell_at=(0.0, 0.2, 0.3, 0.7, None)).slowed(None).slow_at == 0.7
    assert replace(fall, fell_at=(0.0, None, None, None, None)).slowed(1).slow_at is None


def test_a_clock_on_the_wall_goes_on_while_the_fall_is_slow(fall: Playback) -> None:
    slow = fall.slowed(2)
    at = slow.slow_at
    assert at is not None
    inside = slow.real(at + SLOW_FOR) - slow.real(at)
    assert inside == pytest.approx(SLOW_FOR / SLOW, rel=1e-3)
    easing = math.log(1 / SLOW) / (1 - SLOW) * EASE
    whole = slow.real(at + SLOW_FOR + EASE) - slow.real(at - EASE)
    assert whole == pytest.approx(inside + 2 * easing, rel=2e-3)
    for t in np.linspace(slow.start, slow.end + 1, 40).tolist():
        assert slow.later(t, 0.0) == pytest.approx(t)
        one, two = slow.later(slow.later(t, 0.03), 0.07), slow.later(t, 0.1)
        assert one == pytest.approx(two, abs=1e-9)  # however many frames there are
    assert fall.later(0.2, 0.1) == pytest.approx(0.3)


@pytest.mark.parametrize("speed", [0.25, 1.0, 2.0])
def test_sounds_come_when_they_are_seen(fall: Playback, speed: float) -> None:
    """Frame by frame, in slow motion too: every strike is due at its own moment of the wall's clock."""
    slow = fall.slowed(2)
    player, clock, due = replace(Player.of(slow), speed=speed), 0.0, []
    while player.is_playing:
        was, player = player.t, player.advanced(slow, 1 / 60)
        due += [clock + delay / speed for delay, _strike in slow.heard(was, player.t)]
        clock += 1 / 60
    expected = [(slow.real(strike.time) - slow.real(slow.start)) / speed for strike in slow.strikes]
    assert due == pytest.approx(expected, abs=1e-6)
    spread = [after - before for before, after in pairwise(due)]
    assert max(spread) > 0.2 / speed  # the slow motion pulls them apart


@pytest.mark.parametrize("rate", [20, 60, 144])
def test_the_eye_follows_without_a_jump(fall: Playback, rate: int) -> None:
    slow = fall.slowed(2)
    points = [corner for each in fall_boxes(slow, slow.start) for corner in each.corners()]
    home = Orbit().fit(points, 1.6)
    chase, player = Chase(home), Player.of(slow)
    eyes, fronts = [home], [slow.front(slow.start)]
    while player.is_playing:
        player = player.advanced(slow, 1 / rate)
        fronts.append(slow.front(player.t))
        chase = chase.after(chase.orbit.fit(points, 1.6), fronts[-1], 1 / rate)
        eyes.append(chase.orbit)
    targets = np.array([eye.target for eye in eyes])
    speeds = np.linalg.norm(np.diff(targets, axis=0), axis=-1) * rate
    width = slow.tiles[-1].x - slow.tiles[0].x
    assert 0.2 * width < speeds.max() < 4 * width  # in a second
    assert np.abs(np.diff(speeds)).max() * rate < 40 * width  # and it does not jerk
    spans = np.array([eye.span for eye in eyes])
    assert np.abs(np.diff(np.log(spans))).max() * rate < 1.0
    assert {(eye.azimuth, eye.elevation) for eye in eyes} == {(home.azimuth, home.elevation)}
    for eye, front in zip(eyes, fronts, strict=True):
        seen = eye.project((*front, 0.0), (1600, 1000))
        assert seen is not None and 160 < seen[0] < 1440 and 100 < seen[1] < 900
    for _frame in range(400):
        chase = chase.after(home, None, 1 / 60)
    assert chase == chase.after(home, None, 1 / 60)  # at last it rests
    assert chase.orbit.target == pytest.approx(home.target) and chase.orbit.span == pytest.approx(home.span)


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
    assert not outcome.all_fell
    held = playback_in(outcome_data(scene, outcome))
    assert held is not None
    fallen = [round(time, 6) for time in outcome.fell_at if time is not None]
    assert held.slowed(None).slow_at == (max(fallen) if len(fallen) > 1 else None)


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
        {"push": {"kind": "finger", "tile": 0, "yaw": math.nan}},
        {"frames": [[10**400, good[0][1]]]},
        {"frames": [[1e9, good[0][1]]]},
        {"frames": [[0.0, [[0.0] * 7] * len(tiles)]]},
        {"frames": [[0.0, [[1e12, 0, 0, 0, 0, 0, 1]] * len(tiles)]]},
        {"tiles": [{**tile, "height": -3.0} for tile in tiles]},
        {"tiles": [{**tile, "depth": math.nan} for tile in tiles]},
        {"tiles": [{**tile, "value": "six"} for tile in tiles]},
        {"fell_at": [math.inf] * len(tiles)},
    ]
    for wrong in damages:
        with pytest.raises(SceneError, match="damaged"):
            playback_in({**data, **wrong})
