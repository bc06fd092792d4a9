"""What a rig's commands mean: fits, their residuals, and impulses told by a falling tile."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.rig import (
    RigMap,
    TapSample,
    TiltSample,
    fit_rig,
    impulse_of_rate,
    rate_of_fall,
    read_map,
    save_map,
    threshold_impulse,
)
from calibration.store import CalibrationError, load
from calibration.tile_video import leans_in
from physics.engine import SINGLE_STEP, Settings, engine
from physics.errors import InputError, SceneError
from physics.line import straight
from physics.scene import Scene, Table, Tap
from physics.tile_theory import Profile
from physics.tiles import load_set
from physics.trajectory import Trajectory

TILTS = [TiltSample(math.radians(a), math.radians(1.04 * a + 0.3), True) for a in (-10, -5, 0, 5, 10)]
EVALUATION = load_set("evaluation")
TILE = next(tile for tile in EVALUATION.tiles if tile.value == 8)
PROFILE = Profile(TILE.height, TILE.thickness, TILE.mass)
HEIGHT = 2 * (TILE.height**2 + TILE.thickness**2) / (3 * TILE.height)  # where a tap does not move the foot


def impulse(stroke: float) -> float:
    return 1e-3 * (0.05 + 1.1 * stroke / 1000 + 0.9 * (stroke / 1000) ** 2)


def taps(noise: float = 0.0) -> list[TapSample]:
    random = Random(1)
    return [TapSample(s, impulse(s) * (1 + random.gauss(0, noise))) for s in (200, 300, 400, 500, 600, 700, 800)]


def test_the_map_finds_the_curve_and_its_inverse() -> None:
    found = fit_rig(taps(), TILTS)
    assert found.tap_rms < 1e-9
    assert found.impulse_of(450) == pytest.approx(impulse(450))
    for stroke in (200.0, 333.3, 800.0):
        assert found.stroke_for(impulse(stroke)) == pytest.approx(stroke, abs=0.01)
    assert found.gain == pytest.approx(1.04) and math.degrees(found.offset) == pytest.approx(0.3)
    assert found.offset + found.gain * found.tilt_for(0.1) == pytest.approx(0.1)


def test_residuals_tell_how_far_to_trust_it() -> None:
    found = fit_rig(taps(0.05), TILTS)
    assert found.tap_rms == pytest.approx(math.sqrt(np.mean(np.square(found.tap_residuals()))))
    assert 0.005e-3 < found.tap_rms < 0.08e-3
    loose = [TiltSample(t.command, t.measured + d, up) for t in TILTS for d, up in ((0.01, True), (-0.01, False))]
    assert fit_rig(taps(), loose).backlash == pytest.approx(0.02)


@given(st.floats(0.1, 3.0), st.floats(0.0, 2.0), st.floats(0.0, 1.0))
def test_every_impulse_in_range_has_a_stroke(slope: float, bend: float, share: float) -> None:
    samples = [TapSample(s, 1e-3 * (slope * s / 1000 + bend * (s / 1000) ** 2)) for s in (200, 350, 500, 650, 800)]
    found = fit_rig(samples, TILTS)
    low, high = found.impulses
    wanted = low + share * (high - low)
    assert 200 <= found.stroke_for(wanted) <= 800
    assert found.impulse_of(found.stroke_for(wanted)) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    "curve", [(0.1, 2.0, 0.0), (-0.2, 3.0, -1.4), (0.5, -0.3, 1.2)], ids=["line", "flattens", "steepens"]
)
def test_the_stroke_is_found_however_the_curve_bends(curve: tuple[float, float, float]) -> None:
    found = replace(
        fit_rig(taps(), TILTS), curve=(1e-3 * curve[0], 1e-3 * curve[1], 1e-3 * curve[2]), strokes=(200.0, 1000.0)
    )
    for stroke in (200.0, 333.3, 999.0, 1000.0):
        s = stroke / 1000
        wanted = 1e-3 * (curve[0] + curve[1] * s + curve[2] * s * s)
        assert found.stroke_for(wanted) == pytest.approx(stroke, abs=1e-6)


def test_an_impulse_out_of_range_is_refused_with_the_range() -> None:
    found = fit_rig(taps(), TILTS)
    with pytest.raises(InputError) as error:
        found.stroke_for(5e-3)
    assert str(error.value) == "An impulse of 5.0 mN·s is out of the rig's calibrated range: 0.306 to 1.506."
    assert found.stroke_for(0.306e-3) and found.stroke_for(1.506e-3)


@pytest.mark.parametrize(
    ("samples", "tilts", "words"),
    [
        (taps()[:2], TILTS, "2 different strokes were measured"),
        ([TapSample(s, 1e-3 - s * 1e-6) for s in (200, 300, 400)], TILTS, "does not grow with the stroke"),
        ([TapSample(s, (s - 300) * 1e-6) for s in (200, 300, 400)], TILTS, "The weakest taps were not felt"),
        (taps(), TILTS[:2], "2 different angles were measured"),
        (taps(), [TiltSample(t.command, -t.measured) for t in TILTS], "its x axis along the tilt"),
    ],
)
def test_samples_that_make_no_sense_are_refused(samples: list[TapSample], tilts: list[TiltSample], words: str) -> None:
    with pytest.raises(CalibrationError, match=words):
        fit_rig(samples, tilts)


def test_a_stored_map_is_the_same_map(tmp_path: Path) -> None:
    found = fit_rig(taps(0.03), TILTS)
    path = save_map(found, "00000abc", "beef", tmp_path)
    again = read_map(load("rig", "00000abc", "beef", tmp_path))
    assert again.curve == pytest.approx(found.curve) and again.gain == found.gain
    assert again.tap_residuals() == pytest.approx(found.tap_residuals(), abs=1e-12)
    assert [tilt.rising for tilt in again.tilts] == [tilt.rising for tilt in found.tilts]
    path.write_text(path.read_text().replace("stroke_most = 800.0", "stroke_most = 100.0"))
    with pytest.raises(SceneError, match="does not grow"):
        read_map(load("rig", "00000abc", "beef", tmp_path))


# A tile that is tapped in the simulation: its motion tells the impulse it was given


def tapped(given: float) -> Trajectory:
    scene = Scene(straight(EVALUATION, [TILE.value], 0.02), Table(friction=1.0), Tap(given, HEIGHT))
    [outcome] = engine("bullet").run([scene], Settings(step=SINGLE_STEP, record=1 / 240, to_rest=True))
    assert outcome.trajectory is not None
    return outcome.trajectory


@pytest.mark.parametrize("factor", [1.1, 1.5, 2.5])
def test_an_impulse_means_the_same_in_physics_as_on_the_table(factor: float) -> None:
    given = factor * threshold_impulse(PROFILE, HEIGHT)
    motion = tapped(given)
    rate = rate_of_fall(PROFILE, motion.times.tolist(), motion.leans()[:, 0].tolist())
    assert impulse_of_rate(PROFILE, HEIGHT, rate) == pytest.approx(given, rel=0.04)


def filmed(path: Path, leans: list[float], light: bool) -> None:
    """A side view of the tile at those leans, 240 pictures a second, tile and background told apart by brightness."""
    size, scale = (480, 360), 4000  # px, px to a metre
    paint, behind = ((200, 210, 220), (40, 40, 40)) if light else ((30, 40, 50), (215, 215, 215))
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 240, size)
    height, half = TILE.height * scale, TILE.thickness * scale
    for lean in [0.0] * 6 + leans:
        turn = np.array([[math.cos(lean), -math.sin(lean)], [math.sin(lean), math.cos(lean)]])
        corners = np.array([[0, 0], [-half, 0], [-half, -height], [0, -height]]) @ turn.T + (200, 300)
        picture = np.full((size[1], size[0], 3), behind, np.uint8)
        cv2.fillPoly(picture, [np.round(corners * 16).astype(np.int32)], paint, cv2.LINE_AA, 4)
        writer.write(picture)
    writer.release()


@pytest.mark.parametrize("light", [True, False])
def test_a_video_of_a_tile_tells_the_impulse(tmp_path: Path, light: bool) -> None:
    given = 1.6 * threshold_impulse(PROFILE, HEIGHT)
    leans = tapped(given).leans()[:40, 0].tolist()
    filmed(tmp_path / "tap.avi", leans, light)
    times, found = leans_in(tmp_path / "tap.avi")
    assert found[6 : 6 + len(leans)] == pytest.approx(leans, abs=math.radians(0.4))
    rate = rate_of_fall(PROFILE, times, found)
    assert impulse_of_rate(PROFILE, HEIGHT, rate) == pytest.approx(given, rel=0.06)


def test_a_video_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.avi").write_bytes(b"no video")
    with pytest.raises(CalibrationError, match="is not a video of a tile"):
        leans_in(tmp_path / "no.avi")
    with pytest.raises(CalibrationError, match="film with more pictures a second"):
        rate_of_fall(PROFILE, [0.0, 0.1], [0.0, 0.5])
    with pytest.raises(CalibrationError, match="does not turn"):
        rate_of_fall(PROFILE, [0.0, 0.1, 0.2, 0.3], [0.3, 0.2, 0.1, 0.05])


def test_a_map_is_a_value() -> None:
    assert isinstance(fit_rig(taps(), TILTS), RigMap)
    assert fit_rig(taps(), TILTS) == fit_rig(taps(), TILTS)
