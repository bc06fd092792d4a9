"""Sounds in numbers: when they begin, how loud and how high they are, and that nothing is cut off or said."""

from __future__ import annotations

import io
import json
import wave
from dataclasses import replace

import numpy as np
import pytest

from game.film.playback import Playback, Player, playback_in
from game.games.evaluation.bot.judgement import scene_of
from game.games.evaluation.numbers import NUMBERS
from game.match.judge import Simulated, outcome_data
from game.sound.effects import Clacks
from game.sound.strikes import Strike
from game.sound.synthesis import LENGTH, RATE, Samples, clack, loudness, mixed, track, wav
from game.ui.speaker import Speaker
from physics.engines import default_engine
from physics.line import straight


class Tape(Speaker):
    """Records what a loudspeaker would play, at a clock of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.heard: list[tuple[float, Samples]] = []

    def play(self, samples: Samples) -> bool:
        self.heard.append((self.now, samples))
        return True

    def track(self) -> Samples:
        """All of it, added up as loudspeakers do."""
        found = np.zeros(round((self.now + 1) * RATE), np.float32)
        for at, samples in self.heard:
            start = round(at * RATE)
            found[start : start + len(samples)] += samples
        return found


def pitch(samples: Samples) -> float:
    """The middle of the sound's power, Hz."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    return float((power * np.fft.rfftfreq(len(samples), 1 / RATE)).sum() / power.sum())


def fall_of(*values: int) -> Playback:
    scene = scene_of(straight(NUMBERS.tiles, values, 20e-3).placements)
    data = outcome_data(scene, Simulated(default_engine()).judge(scene))
    found = playback_in(json.loads(json.dumps(data)))
    assert found is not None
    return found


def test_a_clack_is_short_and_the_same_again() -> None:
    sound = clack(0.06, 0.5, seed=3)
    assert len(sound) == round(LENGTH * RATE)
    assert np.array_equal(sound, clack(0.06, 0.5, seed=3))
    assert not np.array_equal(sound, clack(0.06, 0.5, seed=4))
    assert np.abs(sound[-50:]).max() < 1e-3
    assert all(np.abs(clack(size, 1.0, seed)).max() < 0.71 for size in (0.02, 0.05, 0.084) for seed in range(6))


def test_every_larger_tile_sounds_lower() -> None:
    heights = [NUMBERS.tiles[value].height for value in range(2, 12)]
    for seed in range(6):
        pitches = [pitch(clack(height, 0.5, seed)) for height in heights]
        assert pitches == sorted(pitches, reverse=True) and pitches[0] > 1.7 * pitches[-1]


def test_harder_strikes_are_louder() -> None:
    impulses = [0.0, 1e-4, 1e-3, 4e-3, 2e-2, 0.5]
    loud = [loudness(impulse) for impulse in impulses]
    assert loud == sorted(loud) and (loud[0], loud[-1]) == (0.0, 1.0)
    power = [float(np.square(clack(0.056, each)).sum()) for each in loud]
    assert power[0] == 0 and power == sorted(power) and len(set(power)) == len(power)
    tape = Tape()
    for impulse in impulses[1:]:
        Clacks(tape).strikes([(0.0, Strike(0.0, 0, "struck", 0.056, impulse))])
    peaks = [float(np.square(samples).sum()) for _at, samples in tape.heard]
    assert peaks == sorted(peaks) and peaks[0] > 0


def test_a_mixture_has_each_sound_in_its_place_and_is_never_cut_off() -> None:
    one, other = clack(0.05, 0.4, 1), clack(0.03, 0.3, 2)
    both = mixed([(0.0, one), (0.05, other)])
    start = round(0.05 * RATE)
    assert len(both) == start + len(other)
    assert np.array_equal(both[:start], one[:start])
    assert np.allclose(both[start : len(one)], one[start:] + other[: len(one) - start], atol=1e-6)
    crowd = mixed([(0.0, clack(0.08, 1.0, seed)) for seed in range(12)])
    assert 0.7 < np.abs(crowd).max() < 1.0
    assert len(mixed([])) == 0


@pytest.mark.parametrize(("gap", "speed"), [(None, 1.0), (2, 1.0), (2, 0.5)])
def test_the_track_of_a_fall_begins_its_sounds_at_the_contacts(gap: int | None, speed: float) -> None:
    """Frame by frame, as the window plays it: what comes out of the loudspeaker, by numbers."""
    bare = fall_of(4, 5, 6, 7, 8, 9)
    fall = bare if gap is None else bare.slowed(gap)
    tape = Tape()
    sounds, player = Clacks(tape), replace(Player.of(fall), speed=speed)
    while player.is_playing:
        was, player = player.t, player.advanced(fall, 1 / 60)
        sounds.strikes([(delay / speed, strike) for delay, strike in fall.heard(was, player.t)])
        tape.now += 1 / 60
    track = tape.track()
    assert 0.05 < np.abs(track).max() < 1.0  # heard, and not cut off
    began = fall.real(fall.start)
    first = [strike for strike in fall.strikes if strike.kind == "struck"]
    for strike in first:
        at = round((fall.real(strike.time) - began) / speed * RATE)
        quiet = np.abs(track[at - 400 : at - 2]).max()
        loud = np.abs(track[at : at + 400]).max()
        assert loud > 3 * quiet or loud > quiet + 0.05, strike
    # The very first sound begins with the first contact, to the sample.
    onset = int(np.argmax(np.abs(track) > 0))
    assert onset / RATE == pytest.approx((fall.real(fall.strikes[0].time) - began) / speed, abs=2 / RATE)


def test_wav_files_are_read_back() -> None:
    with wave.open(io.BytesIO(wav(np.array([0.0, 0.5, -2.0], np.float32)))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        assert np.frombuffer(file.readframes(3), "<i2").tolist() == [0, 16383, -32767]


def test_without_a_window_a_speaker_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    speaker = Speaker()
    assert not speaker.play(np.zeros(0, np.float32))
    speaker.play(clack(0.05, 1.0))
    assert capfd.readouterr() == ("", "")


def test_a_track_comes_in_seconds_and_is_the_same_as_all_at_once() -> None:
    sounds = [(at, clack(0.06, 1.0, seed)) for seed, at in enumerate((1.97, 0.5, 0.95, 0.951, 2.0, 3.4))]
    pieces = list(track(sounds, 3.45))
    assert [len(piece) for piece in pieces] == [RATE] * 3 + [round(0.45 * RATE)]
    whole = mixed(sounds)[: round(3.45 * RATE)]
    assert np.concatenate(pieces)[: len(whole)] == pytest.approx(whole, abs=1e-6)
