"""The measure of motion: deaf to noise, flicker and slow light, awake to tiles and hands."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.drawing.blocks import Hand, blocks_of
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_setup
from vision.reader.reading import ReadTile
from vision.watching.motion import Image, Motion, MotionMeter
from vision.watching.settle import SETTLE_RULES, Kind, Phase, Seen, TableState, step

RATE = 15.0  # pictures per second


def table(rng: np.random.Generator) -> Image:
    """A wooden table with a mat on it, 640 × 360."""
    grain = cv2.resize(rng.normal(0, 1, (360, 16)).astype(np.float32), (640, 360))
    picture = np.clip(110 + 12 * grain, 0, 255)
    picture[60:300, 120:520] = 225
    return np.repeat(picture[..., None], 3, axis=2).astype(np.uint8)


def filmed(picture: Image, rng: np.random.Generator, noise: float = 3.0, gain: object = 1.0) -> Image:
    return np.asarray(np.clip(picture * np.asarray(gain) + rng.normal(0, noise, picture.shape), 0, 255), np.uint8)


def seen(pictures: list[Image], meter: MotionMeter | None = None, start: int = 0) -> list[Motion]:
    meter = meter or MotionMeter()
    return [meter.measure((start + index) / RATE, picture) for index, picture in enumerate(pictures)]


@pytest.mark.parametrize("noise", [0.0, 3.0, 9.0])
def test_camera_noise_is_no_motion(noise: float) -> None:
    rng = np.random.default_rng(1)
    still = table(rng)
    assert (
        max(motion.moving for motion in seen([filmed(still, rng, noise) for _ in range(20)])) <= SETTLE_RULES.max_moving
    )


def test_flicker_bands_and_a_passing_cloud_are_no_motion() -> None:
    rng = np.random.default_rng(2)
    still = table(rng)
    rows = np.arange(360)[:, None, None]
    bands = [1 + 0.08 * np.sin(rows / 40 + index) for index in range(12)]
    lamps = [1 + 0.1 * (-1) ** index for index in range(12)]
    cloud = [1 - 0.02 * index for index in range(12)]
    for gains in (bands, lamps, cloud):
        assert (
            max(motion.moving for motion in seen([filmed(still, rng, 3.0, gain) for gain in gains]))
            <= SETTLE_RULES.max_moving
        )


def test_an_overexposed_mat_under_a_flickering_lamp_is_no_motion() -> None:
    """Where the light is cut off it does not change with the lamp, while all the rest does."""
    rng = np.random.default_rng(2)
    still = table(rng)
    still[60:300, 120:520] = np.linspace(235, 255, 400).astype(np.uint8)[None, :, None]
    gains = [1 + 0.05 * np.sin(index) for index in range(12)]
    assert (
        max(motion.moving for motion in seen([filmed(still, rng, 3.0, gain) for gain in gains]))
        <= SETTLE_RULES.max_moving
    )


def test_a_small_tile_that_moves_by_a_few_millimetres_is_motion() -> None:
    """Value 1 is 14 mm wide and 28 mm tall; here a mm is about one pixel."""
    rng = np.random.default_rng(3)
    pictures = []
    for shift in (0, 0, 0, 5, 10, 10, 10, 10, 10, 10):
        picture = table(rng := np.random.default_rng(3))
        picture[150:178, 300 + shift : 314 + shift] = (150, 110, 70)
        pictures.append(filmed(picture, rng))
    moving = [motion.moving > SETTLE_RULES.max_moving for motion in seen(pictures)]
    assert not any(moving[:3]) and moving[3] and moving[4] and not any(moving[-2:])


def test_a_hand_comes_in_from_the_edge_and_a_tile_does_not() -> None:
    rng = np.random.default_rng(4)
    still = table(rng)
    meter = MotionMeter()
    seen([filmed(still, rng) for _ in range(3)], meter)
    meter.calm()
    tile = still.copy()
    tile[150:190, 300:320] = (150, 110, 70)
    (placed,) = seen([filmed(tile, rng)], meter, 3)
    assert placed.changed > 0 and not placed.hand
    hand = still.copy()
    cv2.ellipse(hand, (330, 330), (45, 120), 20, 0, 360, (190, 140, 120), -1)
    found = seen([filmed(hand, rng) for _ in range(10)], meter, 4)
    assert all(motion.hand for motion in found)  # also while it holds still
    assert found[0].moving > SETTLE_RULES.max_moving
    assert found[-1].moving <= SETTLE_RULES.max_moving
    assert not seen([filmed(still, rng) for _ in range(3)], meter, 14)[-1].hand


def test_a_filmed_hand_that_places_a_tile_is_told_and_nothing_else() -> None:
    """Rendered pictures with noise, JPEG and a lamp that flickers; the hand also holds still for a while."""
    setup = random_setup(9, 3, size=(480, 360), distance=800.0, count=4)
    blocks = blocks_of(setup.scene)
    line = tuple(ReadTile(place.value, place.x * 1e3, place.y * 1e3) for place in setup.scene.line.placements)
    x, y, _z = blocks[-1].centre
    arm = [Hand((x, y, 70.0), (x + 200, y - 450, 120.0))]
    shots = [
        photograph(standing, setup.sight, setup.appearance, setup.seed, hands=hands).image
        for standing, hands in ((blocks[:-1], []), (blocks[:-1], arm), (blocks, arm), (blocks, []))
    ]
    film = [(shots[0], 3)] * 12 + [(shots[1], 0)] * 10 + [(shots[2], 0)] * 10 + [(shots[3], 4)] * 15
    rng, meter, state = np.random.default_rng(0), MotionMeter(), TableState()
    told = []
    for index, (picture, standing) in enumerate(film):
        noisy = filmed(picture, rng, 3.0, 1 + 0.03 * np.sin(index))
        seen_now = cv2.imdecode(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 88])[1], cv2.IMREAD_COLOR)
        motion = meter.measure(index / RATE, np.asarray(seen_now, np.uint8))
        reading = line[:standing] if state.wants_reading else None
        before = state.phase
        state, events = step(state, Seen(index / RATE, motion.moving, motion.hand, reading))
        if state.phase is Phase.SETTLED and before is not Phase.SETTLED:
            meter.calm()
        told += [event.kind for event in events]
    assert told == [Kind.PLACED] * 3 + [Kind.HAND_IN, Kind.HAND_OUT, Kind.PLACED]


def test_another_size_begins_anew() -> None:
    meter = MotionMeter()
    meter.measure(0.0, np.zeros((48, 64, 3), np.uint8))
    assert meter.measure(0.1, np.full((1, 1), 255, np.uint8)).moving == 0.0
    assert meter.measure(0.2, np.zeros((90, 160, 3), np.uint8)).moving == 0.0
