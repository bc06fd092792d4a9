import io
import math
import wave

import numpy as np
import numpy.typing as npt
import pytest

from game.ui.sound import LENGTH, RATE, Samples, Speaker, clack, fall_track, limited, strikes, wav
from physics.line import Standing
from physics.outcome import Trajectory

BOX = Standing(0.0, 0.0, 0.0, 0.007, 0.03, 0.06, 0.01)


def motion_of(rates: list[list[float]], step: float = 0.01) -> Trajectory:
    """Tiles that turn about y as fast as they are told at each moment."""
    pace = np.array(rates, dtype=np.float64)
    turns = np.zeros((*pace.shape, 3))
    turns[..., 1] = pace
    leans: npt.NDArray[np.float64] = np.cumsum(pace, axis=0) * step
    quaternions = np.zeros((*pace.shape, 4))
    quaternions[..., 1], quaternions[..., 3] = np.sin(leans / 2), np.cos(leans / 2)
    return Trajectory(np.arange(len(pace), dtype=np.float64) * step, np.zeros((*pace.shape, 3)), quaternions, turns)


def pitch(samples: Samples) -> float:
    """The middle of the sound's power, Hz."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    return float((power * np.fft.rfftfreq(len(samples), 1 / RATE)).sum() / power.sum())


def test_a_clack_is_short_and_the_same_again() -> None:
    sound = clack(0.06, 0.5, seed=3)
    assert len(sound) == round(LENGTH * RATE)
    assert np.array_equal(sound, clack(0.06, 0.5, seed=3))
    assert not np.array_equal(sound, clack(0.06, 0.5, seed=4))
    assert np.abs(sound[-50:]).max() < 1e-3
    assert np.abs(sound).max() < 1.5


def test_large_tiles_sound_lower_and_fast_ones_louder() -> None:
    assert pitch(clack(0.084, 0.5)) < pitch(clack(0.056, 0.5)) < pitch(clack(0.028, 0.5))
    loud = [float(np.square(clack(0.056, speed)).sum()) for speed in (0.0, 0.1, 0.4, 1.0)]
    assert loud[0] == 0
    assert loud == sorted(loud)


def test_a_stop_and_a_sudden_start_are_strikes() -> None:
    falling = [0.0, 0.2, 0.5, 1.5, 4.0, 8.0, 3.0, 3.0, 0.0, 0.0]
    pushed = [0.0] * 6 + [5.0, 6.0, 7.0, 8.0]
    found = strikes(motion_of([list(pair) for pair in zip(falling, pushed, strict=True)]), [BOX, BOX])
    assert [(strike.tile, round(strike.time, 3)) for strike in found] == [(0, 0.06), (1, 0.06)]
    assert found[0].speed == pytest.approx(0.3)


def test_gravity_alone_is_silent() -> None:
    """A tile that topples by itself speeds up evenly until it meets something."""
    times = np.arange(0, 0.2, 0.01)
    even = [[0.05 * math.exp(15 * t)] for t in times]
    assert strikes(motion_of(even), [BOX]) == []
    assert strikes(motion_of([[0.0]]), [BOX]) == []


def test_a_track_has_its_clacks_where_tiles_strike() -> None:
    track = fall_track(motion_of([[0.0]] * 30 + [[6.0], [6.5], [7.0], [0.0]] + [[0.0]] * 10), [BOX])
    assert np.abs(track).max() <= 1
    assert np.abs(track[: round(0.29 * RATE)]).max() == 0
    assert np.abs(track[round(0.30 * RATE) : round(0.36 * RATE)]).max() > 0.01
    assert len(track) > 0.43 * RATE


def test_limiting_keeps_quiet_sounds_and_bounds_loud_ones() -> None:
    quiet = np.array([0.0, 0.05, -0.05], np.float32)
    assert limited(quiet) == pytest.approx(quiet, rel=0.01)
    assert np.abs(limited(np.array([9.0, -9.0], np.float32))).max() < 1


def test_wav_files_are_read_back() -> None:
    with wave.open(io.BytesIO(wav(np.array([0.0, 0.5, -2.0], np.float32)))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        assert np.frombuffer(file.readframes(3), "<i2").tolist() == [0, 16383, -32767]


def test_a_speaker_without_a_window_or_muted_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker(muted=True)
    assert speaker.muted
    assert not speaker.play(clack(0.05, 1.0))
    speaker.muted = False
    speaker.play(np.zeros(0, np.float32))
    speaker.play(clack(0.05, 1.0))
    speaker.muted = True
    speaker.stop()
    assert capfd.readouterr() == ("", "")
