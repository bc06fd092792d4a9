"""Runs for others to look at: every file is read back by another program's reader, and none is left half written."""

from __future__ import annotations

import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pygfx as gfx
import pytest
import trimesh
from PIL import Image
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation, Slerp

from game.pictures import export
from game.pictures.export import ENDINGS, export_run, film_times, strip_times
from physics.engine import SINGLE_STEP, Settings, engine
from physics.errors import MissingError, OutputError
from physics.line import straight
from physics.outcome import Outcome
from physics.scene import Scene
from physics.tiles import load_set
from physics.trajectory import Trajectory
from vision import opencv
from vision.drawing.film_camera import camera_for, rotations

SCENE = Scene(straight(load_set("evaluation"), [3, 4, 5], 0.012))
# The turn from our axes to glTF's, where y is up.
UPWARD = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return engine("bullet").run([SCENE], Settings(step=SINGLE_STEP, record=0.01, to_rest=True))[0]


@pytest.fixture(scope="module")
def motion(outcome: Outcome) -> Trajectory:
    assert outcome.trajectory is not None
    return outcome.trajectory


@pytest.fixture(scope="module")
def glb(tmp_path_factory: pytest.TempPathFactory, outcome: Outcome) -> Path:
    path = tmp_path_factory.mktemp("glb") / "run.glb"
    export_run(path, SCENE, outcome)
    return path


def test_glb_keeps_to_the_specification(glb: Path) -> None:
    """What readers may rely on and seldom check: sizes, alignment, the range of every array."""
    data = glb.read_bytes()
    assert struct.unpack_from("<4sII", data) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON" and size % 4 == 0
    rest, rest_kind = struct.unpack_from("<I4s", data, 20 + size)
    assert rest_kind == b"BIN\0" and rest % 4 == 0 and 28 + size + rest == len(data)
    document, binary = json.loads(data[20 : 20 + size]), data[28 + size :]
    assert document["asset"]["version"] == "2.0"
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(binary)
        kind = {5126: np.float32, 5123: np.uint16}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        found = np.frombuffer(binary, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        assert found.nbytes == view["byteLength"]
        assert found.min(axis=0).tolist() == accessor["min"] and found.max(axis=0).tolist() == accessor["max"]


def test_glb_loads_as_boxes_where_the_tiles_stand(glb: Path, motion: Trajectory) -> None:
    scene = trimesh.load_scene(glb)
    names = sorted(name for name in scene.graph.nodes_geometry if name.startswith("tile"))
    assert names == ["tile 1, value 3", "tile 2, value 4", "tile 3, value 5"]
    for index, (name, box) in enumerate(zip(names, SCENE.line.standing(), strict=True)):
        pose, geometry = scene.graph[name]
        mesh = scene.geometry[geometry]
        mesh.merge_vertices(merge_norm=True)  # every face has corners of its own
        assert mesh.is_watertight and mesh.is_winding_consistent
        assert mesh.volume == pytest.approx(box.depth * box.breadth * box.height, rel=1e-5)
        assert mesh.extents == pytest.approx([box.depth, box.height, box.breadth], rel=1e-5)
        assert pose[:3, 3] == pytest.approx(UPWARD @ motion.positions[0, index], abs=1e-6)
        turn = UPWARD @ rotations(motion.quaternions[0, index]) @ UPWARD.T
        assert pose[:3, :3] == pytest.approx(turn, abs=1e-5)
        assert np.einsum("ij,ij->i", mesh.face_normals, mesh.triangles_center - mesh.center_mass).min() > 0
    assert scene.bounds[0][1] < 0 < scene.bounds[1][1]


def test_glb_moves_every_tile_as_it_moved(glb: Path, motion: Trajectory) -> None:
    loaded = gfx.load_gltf(str(glb), quiet=True, remote_ok=False)
    (clip,) = loaded.animations
    assert clip.name == "fall" and clip.duration == pytest.approx(motion.times[-1])
    names = ["tile 1, value 3", "tile 2, value 4", "tile 3, value 5"]
    tracks = sorted((track.name, track.path) for track in clip.tracks)
    assert tracks == [(name, path) for name in names for path in ("rotation", "translation")]
    for track in clip.tracks:
        assert (track.times[0], track.times[-1]) == pytest.approx((motion.times[0], motion.times[-1]))
        if track.path == "rotation":  # not every player takes the shorter way between two quaternions
            assert (np.sum(track.values[1:] * track.values[:-1], axis=1) > 0).all()
    # A player that comes to the end begins anew, so the last moment is a little before it.
    times = np.concatenate([motion.times[:-1], (motion.times[1:] + motion.times[:-1]) / 2, [motion.times[-1] - 1e-6]])
    player = gfx.AnimationMixer()
    player.clip_action(clip).play()
    nodes = {node.name: node for node in loaded.scene.children}
    seen = []
    for time in times.tolist():
        player.set_time(time)
        seen.append([nodes[name].world.matrix for name in names])
    poses = np.array(seen)
    for index in range(len(names)):
        places = make_interp_spline(motion.times, motion.positions[:, index], k=1)(times)
        assert poses[:, index, :3, 3] == pytest.approx(places @ UPWARD.T, abs=1e-6)
        turns = Slerp(motion.times, Rotation.from_quat(motion.quaternions[:, index]))(times).as_matrix()
        assert poses[:, index, :3, :3] == pytest.approx(UPWARD @ turns @ UPWARD.T, abs=1e-5)
    assert np.abs(poses[-1] - poses[0]).max() > 0.5  # they have fallen


def test_glb_looks_as_the_pictures_do(glb: Path, motion: Trajectory) -> None:
    camera = camera_for(SCENE, motion, (1280, 720))
    scene = trimesh.load_scene(glb)
    pose = scene.camera_transform
    assert pose[:3, 3] == pytest.approx(UPWARD @ camera.eye)
    right, down, forward = camera.axes() @ UPWARD.T
    assert pose[:3, :3] == pytest.approx(np.column_stack([right, -down, -forward]))
    across, upright = np.radians(scene.camera.fov)
    assert upright == pytest.approx(camera.field) and across / upright == pytest.approx(1280 / 720)


def test_mp4_is_a_film_at_real_speed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcome: Outcome, motion: Trajectory
) -> None:
    assert export.FILM_SIZE == (1280, 720)
    monkeypatch.setattr(export, "FILM_SIZE", (320, 180))
    told: list[tuple[int, int]] = []
    export_run(tmp_path / "run.mp4", SCENE, outcome, lambda done, total: told.append((done, total)))
    with av.open(str(tmp_path / "run.mp4")) as film:
        stream = film.streams.video[0]
        assert stream.codec_context.name == "h264" and stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (320, 180) and stream.average_rate == 30
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(stream)]
        assert stream.duration is not None and stream.time_base is not None
        lasts = float(stream.duration * stream.time_base)
    real = float(motion.times[-1]) + 1.5
    assert lasts == pytest.approx(real, abs=0.1)
    assert len(pictures) == len(film_times(motion, 30, 0.5, 1.0)) == math.ceil(real * 30) + 1
    assert told == [(done + 1, len(pictures)) for done in range(len(pictures))]
    assert np.abs(pictures[0] - pictures[10]).mean() < 1.5  # the rest before the fall
    assert (np.abs(pictures[0] - pictures[-1]).max(axis=2) > 60).mean() > 0.02
    data = (tmp_path / "run.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_gif_is_a_small_film(tmp_path: Path, outcome: Outcome, motion: Trajectory) -> None:
    export_run(tmp_path / "run.gif", SCENE, outcome)
    assert (tmp_path / "run.gif").stat().st_size < 3e6
    with Image.open(tmp_path / "run.gif") as film:
        assert film.size == (480, 270) and film.info["loop"] == 0
        lasts = 0
        for index in range(film.n_frames):
            film.seek(index)
            lasts += film.info["duration"]
    # Frames that show the same are one that stays.
    assert film.n_frames > 10
    assert lasts / 1000 == pytest.approx(float(motion.times[-1]) + 1.5, abs=0.12)


def test_png_is_a_strip_of_six_moments(tmp_path: Path, outcome: Outcome, motion: Trajectory) -> None:
    told: list[tuple[int, int]] = []
    export_run(tmp_path / "run.PNG", SCENE, outcome, lambda done, total: told.append((done, total)))
    with Image.open(tmp_path / "run.PNG") as strip:
        pixels = np.asarray(strip.convert("RGB")).astype(int)
    assert pixels.shape == (2 * 276 + 6, 3 * 486 + 6, 3)
    assert told[-1] == (6, 6)
    first, last = pixels[6:276, 6:486], pixels[282:552, 978:1458]
    assert (np.abs(first - last).max(axis=2) > 60).mean() > 0.02
    times = strip_times(motion)
    assert times[0] == 0 and times[-1] == motion.times[-1] and (np.diff(times) > 0).all()


def test_between_recorded_moments_motion_is_in_proportion() -> None:
    half = math.sin(math.pi / 4)
    # The second quaternion is a quarter turn about z, written as its opposite.
    turns = np.array([[[0.0, 0, 0, 1]], [[0, 0, -half, -half]]])
    places = np.array([[[0.0, 0, 0]], [[1.0, 2, 3]]])
    motion = Trajectory.whole(np.array([0.0, 1.0]), places, turns, np.zeros_like(places))
    found, turned = motion.between(np.array([-1.0, 0.5, 2.0]))
    assert found[:, 0].tolist() == [[0, 0, 0], [0.5, 1, 1.5], [1, 2, 3]]
    assert 2 * math.atan2(turned[1, 0, 2], turned[1, 0, 3]) == pytest.approx(math.pi / 4)


def test_a_run_of_one_moment_can_be_written(tmp_path: Path, motion: Trajectory) -> None:
    still = Trajectory.whole(motion.times[:1], motion.positions[:1], motion.quaternions[:1], motion.rates[:1])
    assert still.between(np.array([0.0, 1.0]))[0] == pytest.approx(np.repeat(still.positions, 2, axis=0))
    assert strip_times(still).tolist() == [0.0] * 6


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_interrupted_export_leaves_nothing(tmp_path: Path, outcome: Outcome, ending: str) -> None:
    before = tmp_path / f"run{ending}"
    before.write_text("what was there")

    def stop(done: int, total: int) -> None:
        if done == min(3, total):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_run(before, SCENE, outcome, stop)
    assert [path.name for path in tmp_path.iterdir()] == [before.name]
    assert before.read_text() == "what was there"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path: Path, ending: str) -> None:
    # A limit on the size of files stands for the disk; it cannot be lifted again, hence the process of its own.
    code = (
        "import resource, sys\n"
        "from game import cli\nfrom game.pictures import export\n"
        "export.FILM_SIZE = export.GIF_SIZE = export.STRIP_SIZE = (160, 90)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))\n"
        "sys.exit(cli.main(sys.argv[1:]))\n"
    )
    line = tmp_path / "line.toml"
    line.write_text(
        'set = "evaluation"\n' + "".join(f"[[tile]]\nvalue = {v}\nx = {v * 15}\ny = 0\n" for v in (3, 4, 5))
    )
    (tmp_path / "out").mkdir()
    arguments = ["simulate", str(line), "--out", str(tmp_path / "out" / f"run{ending}"), "--lang", "en"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_other_endings_are_refused(tmp_path: Path, outcome: Outcome) -> None:
    for name in ("run.avi", "run", "run.topple"):
        with pytest.raises(OutputError, match=r"allowed is \.glb, \.mp4, \.gif, \.png"):
            export_run(tmp_path / name, SCENE, outcome)
    with pytest.raises(OutputError, match="cannot be written"):
        export_run(tmp_path / "no" / "run.glb", SCENE, outcome)


@pytest.mark.parametrize(("ending", "package", "extra"), [(".mp4", "av", "video"), (".gif", "matplotlib", "lab")])
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, ending: str, package: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingError, match=rf"{package}, which is not installed \(extra {extra}\)"):
        export.require_for(Path("run" + ending))
    monkeypatch.setattr(opencv, "HAS_CV2", False)
    with pytest.raises(MissingError, match="opencv-python"):
        export.require_for(Path("run" + ending))
    export.require_for(Path("run.glb"))
