import io
import wave

import numpy as np
import pytest

from game.ui.sound import LENGTH, RATE, Samples, Speaker, clack, wav


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
