"""The sounds of a fall: a clack for every strike, as large and as hard as it was.

The pure part makes samples from -1 to 1; `Speaker` plays them, and is silent where there is nothing to play them on.
"""

from __future__ import annotations

import io
import math
import wave
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

RATE = 44_100  # samples per second
LENGTH = 0.16  # s that a clack lasts
# A tile this tall (m) rings at this pitch (Hz); smaller ones higher, by the power.
REFERENCE, PITCH, PITCH_POWER = 0.056, 1350.0, 0.75
MODES = ((1.0, 1.0, 0.020), (2.31, 0.55, 0.012), (3.87, 0.32, 0.007), (0.47, 0.65, 0.026))  # ratio, loudness, s
LOUD_IMPULSE = 0.03  # N·s of a strike that sounds full: the largest tile falls on the table
LOUD_POWER = 0.4
RISE = 0.0006  # s
FULL = 0.31  # of the loudest clack; its peak stays below KNEE
KNEE = 0.7  # where the mixture begins to give way, so that it never is cut off

Array = npt.NDArray[np.float64]
Samples = npt.NDArray[np.float32]


def loudness(impulse: float) -> float:
    """How loud a strike sounds, 0 to 1: ears tell ratios apart, and impulses differ a hundredfold."""
    return float(min(1.0, max(0.0, impulse) / LOUD_IMPULSE) ** LOUD_POWER)


def clack(size: float, loud: float, seed: int = 0, rate: int = RATE) -> Samples:
    """One strike of wood: `size` is the tile's height (m), `loud` from 0 to 1; same seed, same sound."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(LENGTH * rate)) / rate
    base = PITCH * (REFERENCE / max(size, 1e-3)) ** PITCH_POWER * rng.uniform(0.985, 1.015)
    slow = math.sqrt(max(size, 1e-3) / REFERENCE)  # large tiles ring longer
    loud = min(1.0, max(0.0, loud))
    found = np.zeros(len(time))
    for ratio, share, decay in MODES:
        pitch = base * ratio * rng.uniform(0.99, 1.01)
        if pitch < 0.45 * rate:
            # A hard strike wakes the high modes, too.
            bright = 1.0 if ratio <= 1 else 0.35 + 0.65 * loud
            found += share * bright * np.sin(math.tau * pitch * time) * np.exp(-time / (decay * slow))
    noise = np.convolve(rng.standard_normal(len(time)), np.ones(4) / 4, mode="same")
    found += 0.6 * np.clip(noise, -1, 1) * np.exp(-time / (0.0022 * slow))
    rise = np.minimum(1.0, time / RISE)
    fade = np.minimum(1.0, (LENGTH - time) / 0.02)
    return np.asarray(FULL * loud * found * rise * fade, np.float32)


def mixed(sounds: Sequence[tuple[float, Samples]], rate: int = RATE) -> Samples:
    """One sound of several, each so many seconds after its beginning; what is too loud together is made softer."""
    return _softened(_added(np.zeros(0), sounds, rate))


def track(sounds: Sequence[tuple[float, Samples]], lasts: float, rate: int = RATE) -> Iterator[Samples]:
    """Second by second what is heard of these sounds, mixed likewise; the last piece ends with the track."""
    due = sorted(sounds, key=lambda each: each[0])
    found, count = np.zeros(0), round(lasts * rate)
    for second in range(math.ceil(count / rate)):
        now = [(at - second, samples) for at, samples in due if second <= at < second + 1]
        found = _added(np.pad(found, (0, max(0, rate - len(found)))), now, rate)
        yield _softened(found[: min(rate, count - second * rate)])
        found = found[rate:]


def _added(under: Array, sounds: Sequence[tuple[float, Samples]], rate: int) -> Array:
    starts = [max(0, round(delay * rate)) for delay, _samples in sounds]
    ends = [start + len(samples) for start, (_delay, samples) in zip(starts, sounds, strict=True)]
    found = np.zeros(max([len(under), *ends]))
    found[: len(under)] = under
    for start, end, (_delay, samples) in zip(starts, ends, sounds, strict=True):
        found[start:end] += samples
    return found


def _softened(found: Array) -> Samples:
    size = np.abs(found)
    soft = 1 - (1 - KNEE) ** 2 / np.maximum(size + 1 - 2 * KNEE, 1 - KNEE)
    return np.asarray(np.where(size > KNEE, np.copysign(soft, found), found), np.float32)


def wav(samples: Samples, rate: int = RATE) -> bytes:
    """A WAV file of 16 bits, one channel."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return out.getvalue()


class Plays(Protocol):
    """What takes sounds: a loudspeaker, or the track of a film."""

    def play(self, samples: Samples) -> bool:
        """Takes a sound that begins now; says whether it could."""
