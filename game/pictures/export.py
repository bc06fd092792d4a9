"""A run for others to look at: .glb for 3D programs, .mp4 and .gif as films, .png as a strip of moments."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from game.pictures.video import require_film, write_gif, write_mp4
from game.words import _, number
from physics.files import check_ending, whole_file
from physics.outcome import Outcome
from physics.scene import Scene
from physics.trajectory import Trajectory
from vision.drawing.film_camera import Camera, Size, camera_for, camera_path

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

ENDINGS = (".glb", ".mp4", ".gif", ".png")
FILM_SIZE, FILM_RATE = (1280, 720), 30
GIF_SIZE, GIF_RATE = (480, 270), 20
STRIP_SIZE, STRIP_COLUMNS = (480, 270), 3
STRIP_SHARES = (0.0, 0.12, 0.35, 0.6, 0.85, 1.0)  # of all the turning of all tiles, so that something happens between
BEFORE, AFTER = 0.5, 1.0  # s that a film stands still, to be taken in
BORDER = 6  # pixels between the moments of a strip
PAPER, INK = (253, 248, 239), (58, 42, 28)
WOOD, TABLE_ROOM = (0.61, 0.34, 0.16), 0.15  # linear light; m of table around the tiles where it has no edge

# glTF's numbers for kinds of data.
FLOAT, UNSIGNED_SHORT, VERTICES, INDEXES = 5126, 5123, 34962, 34963

Array = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Tell = Callable[[int, int], None]  # frames done, frames in all


def require_for(path: Path) -> None:
    """OutputError for an ending that is none of ours, MissingError when a package it takes is not installed."""
    check_ending(path, ENDINGS)
    ending = path.suffix.lower()
    if ending == ".glb":
        return
    require_film(ending)


def export_run(path: Path, scene: Scene, outcome: Outcome, progress: Tell | None = None) -> None:
    """Writes a recorded run by the path's ending, whole or not at all; `progress` may raise to end it.

    OutputError when it cannot be written or the ending is none of ours, MissingError when a package is missing.
    """
    require_for(path)
    assert outcome.trajectory is not None, "only a recorded run can be written"
    tell = progress or _silent
    with whole_file(path) as beside:
        match path.suffix.lower():
            case ".glb":
                beside.write_bytes(glb(scene, outcome.trajectory))
                tell(1, 1)
            case ".mp4":
                _write_film(beside, path, scene, outcome.trajectory, tell)
            case ".gif":
                _write_gif(beside, scene, outcome.trajectory, tell)
            case _:
                _strip(scene, outcome.trajectory, tell).save(beside, optimize=True)


def _silent(done: int, total: int) -> None:
    """Tells nobody."""


def film_times(motion: Trajectory, rate: float, before: float, after: float) -> Array:
    """The moment each frame of a film shows, s: at real speed, with a rest at both ends."""
    start, end = float(motion.times[0]), float(motion.times[-1])
    count = math.ceil((before + end - start + after) * rate) + 1
    return np.clip(start - before + np.arange(count) / rate, start, end)


def _frames(scene: Scene, motion: Trajectory, times: Array, size: Size, tell: Tell) -> Iterator[Image]:
    """The pictures of a film, each painted when it is asked for; equal moments only once."""
    from vision.drawing.render import render

    boxes, values = scene.line.standing(), scene.line.values
    cameras = camera_path(scene, motion, times, size)
    last: tuple[float, Camera] | None = None
    picture: Image | None = None
    for index, (time, camera) in enumerate(zip(times.tolist(), cameras, strict=True)):
        if picture is None or last != (time, camera):
            places, turns = motion.between(np.array(time))
            picture = render(boxes, values, places, turns, camera, size, scene.table.size)
            last = time, camera
        yield picture
        tell(index + 1, len(times))


def _write_film(beside: Path, path: Path, scene: Scene, motion: Trajectory, tell: Tell) -> None:
    times = film_times(motion, FILM_RATE, BEFORE, AFTER)
    pictures = ((picture, 1) for picture in _frames(scene, motion, times, FILM_SIZE, tell))
    write_mp4(beside, path, pictures, FILM_SIZE, FILM_RATE)


def _write_gif(beside: Path, scene: Scene, motion: Trajectory, tell: Tell) -> None:
    times = film_times(motion, GIF_RATE, 0.0, 0.0)
    some = list(_frames(scene, motion, times[[0, len(times) // 2, -1]], GIF_SIZE, _silent))
    durations = [1000 // GIF_RATE] * len(times)
    durations[0] += round(BEFORE * 1000)
    durations[-1] += round(AFTER * 1000)
    write_gif(beside, some, _frames(scene, motion, times, GIF_SIZE, tell), durations)


def strip_times(motion: Trajectory) -> Array:
    """The moments of a strip, s: the first, the last, and between them those at which equal shares have turned."""
    turned = motion.turning().cumsum()
    if turned[-1] <= 0:
        turned = np.linspace(0, 1, len(turned))
    times: Array = np.interp(np.array(STRIP_SHARES) * turned[-1], turned, motion.times)
    times[0], times[-1] = motion.times[0], motion.times[-1]
    return times


def _strip(scene: Scene, motion: Trajectory, tell: Tell) -> Picture:
    import matplotlib
    from PIL import Image as images
    from PIL import ImageDraw, ImageFont

    times = strip_times(motion)
    rows = math.ceil(len(times) / STRIP_COLUMNS)
    step = STRIP_SIZE[0] + BORDER, STRIP_SIZE[1] + BORDER
    sheet = images.new("RGB", (step[0] * STRIP_COLUMNS + BORDER, step[1] * rows + BORDER), PAPER)
    pen = ImageDraw.Draw(sheet)
    # matplotlib brings letters of all our languages along, wherever it is installed.
    letters = ImageFont.truetype(str(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")), 15)
    for index, picture in enumerate(_frames(scene, motion, times, STRIP_SIZE, tell)):
        x, y = BORDER + step[0] * (index % STRIP_COLUMNS), BORDER + step[1] * (index // STRIP_COLUMNS)
        sheet.paste(images.fromarray(picture), (x, y))
        label = _("{time} s").format(time=number(times[index], 2))
        left, top, right, bottom = pen.textbbox((x + 14, y + 11), label, font=letters)
        pen.rounded_rectangle((left - 7, top - 5, right + 7, bottom + 5), 6, fill=PAPER)
        pen.text((x + 14, y + 11), label, font=letters, fill=INK)
    return sheet


class _Buffer:
    """The numbers of a glTF file, and where in them each array is."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: npt.NDArray[Any], target: int | None = None) -> int:
        """Takes in an array of 32-bit floats or 16-bit numbers; the index of its accessor comes back."""
        kind = FLOAT if array.dtype == np.float32 else UNSIGNED_SHORT
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.views.append(view if target is None else {**view, "target": target})
        self.data += array.tobytes()
        self.data += b"\0" * (-len(self.data) % 4)
        names = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
        columns = array.reshape(len(array), -1)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": kind,
                "count": len(array),
                "type": names[columns.shape[1]],
                "min": columns.min(axis=0).tolist(),
                "max": columns.max(axis=0).tolist(),
            }
        )
        return len(self.accessors) - 1


def glb(scene: Scene, motion: Trajectory) -> bytes:
    """The run as a binary glTF 2.0 file: a node for each tile, the table, a camera, and the motion as an animation."""
    from vision.drawing.render import tile_colours

    buffer = _Buffer()
    boxes, values = scene.line.standing(), scene.line.values
    materials = [_material("table", WOOD)]
    materials += [_material(f"paint {index + 1}", _linear(colour)) for index, colour in enumerate(tile_colours(values))]
    middle, table = _table_box(scene, motion)
    meshes = [_box_mesh(buffer, "table", table, 0)]
    nodes: list[dict[str, Any]] = [{"name": "table", "mesh": 0, "translation": middle}]
    clocks: dict[bytes, int] = {}  # the accessor of each row of times: tiles of a short row share one
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for index, (box, value) in enumerate(zip(boxes, values, strict=True)):
        meshes.append(_box_mesh(buffer, f"tile {index + 1}", (box.depth, box.height, box.breadth), index + 1))
        moments, places, turns = (_held(part, motion, index) for part in motion.of_tile(index))
        places, turns = _upward(places), _upward(turns)
        # Players go the straight way between two quaternions, so none may jump to its opposite.
        turns[1:] *= np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0, -1.0, 1.0))[:, None]
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        node = {"name": f"tile {index + 1}, value {value}", "mesh": index + 1, "extras": {"value": value}}
        nodes.append({**node, "translation": places[0].tolist(), "rotation": turns[0].tolist()})
        moments[0], moments[-1] = motion.times[0], motion.times[-1]
        clock = moments.astype(np.float32)
        times = clocks.get(clock.tobytes())
        if times is None:
            times = clocks[clock.tobytes()] = buffer.add(clock)
        for path, track in (("translation", places), ("rotation", turns)):
            channels.append({"sampler": len(samplers), "target": {"node": index + 1, "path": path}})
            samplers.append({"input": times, "output": buffer.add(track.astype(np.float32)), "interpolation": "LINEAR"})
    camera = camera_for(scene, motion, FILM_SIZE)
    nodes.append({"name": "camera", "camera": 0, **_camera_pose(camera)})
    lens = {"aspectRatio": FILM_SIZE[0] / FILM_SIZE[1], "yfov": camera.field, "znear": 0.01, "zfar": 1000.0}
    document = {
        "asset": {"version": "2.0", "generator": "topple"},
        "scene": 0,
        "scenes": [{"name": "run", "nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "cameras": [{"type": "perspective", "perspective": lens}],
        "animations": [{"name": "fall", "samplers": samplers, "channels": channels}],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.data)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(buffer.data), b"BIN\0") + bytes(buffer.data)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _held(track: Array, motion: Trajectory, tile: int) -> Array:
    """What is kept of a tile, with its first and its last once more where it stands still before or after it."""
    before, after = int(motion.firsts[tile] > 0), int(motion.lasts[tile] < len(motion.times) - 1)
    return np.concatenate([*[track[:1]] * before, track, *[track[-1:]] * after])


def _upward(vectors: Array) -> Array:
    """Places (…, 3), or quaternions (…, 4), in glTF's axes: it has y up, so our x, y, z are its x, -z, y."""
    turned = vectors.copy()
    turned[..., 1], turned[..., 2] = vectors[..., 2], -vectors[..., 1]
    return turned


def _material(name: str, colour: tuple[float, ...]) -> dict[str, Any]:
    surface = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.55}
    return {"name": name, "pbrMetallicRoughness": surface}


def _linear(colour: tuple[int, ...]) -> tuple[float, ...]:
    """A colour of the screen as amounts of light, which glTF wants."""
    return tuple(round(((part / 255 + 0.055) / 1.055) ** 2.4 if part > 10 else part / 3294.6, 5) for part in colour)


def _box_mesh(buffer: _Buffer, name: str, sides: tuple[float, float, float], material: int) -> dict[str, Any]:
    """A box around the origin; every face has corners of its own, as each looks another way."""
    corners: list[Array] = []
    normals: list[Array] = []
    indexes: list[int] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            right = np.roll(normal, 1)
            up = np.cross(normal, right)
            indexes += [len(corners) + corner for corner in (0, 1, 2, 0, 2, 3)]
            corners += [normal + a * right + b * up for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [normal] * 4
    attributes = {
        "POSITION": buffer.add((np.array(corners) * sides / 2).astype(np.float32), VERTICES),
        "NORMAL": buffer.add(np.array(normals, np.float32), VERTICES),
    }
    primitive = {"attributes": attributes, "indices": buffer.add(np.array(indexes, np.uint16), INDEXES)}
    return {"name": name, "primitives": [{**primitive, "material": material}]}


def _table_box(scene: Scene, motion: Trajectory) -> tuple[list[float], tuple[float, float, float]]:
    """Middle and sides of the table in glTF's axes: its own size, or where it has none, room around all tiles."""
    if scene.table.size is not None:
        low, high = -np.array(scene.table.size) / 2, np.array(scene.table.size) / 2
    else:
        room = TABLE_ROOM + max(math.hypot(box.height, box.breadth) for box in scene.line.standing())
        low, high = motion.kept[:, :2].min(axis=0) - room, motion.kept[:, :2].max(axis=0) + room
    thick = 0.03 * float((high - low).max())
    middle = (low + high) / 2
    return [float(middle[0]), -thick / 2, float(-middle[1])], (float(high[0] - low[0]), thick, float(high[1] - low[1]))


def _camera_pose(camera: Camera) -> dict[str, list[float]]:
    """A camera of glTF looks along its own -z with y up; first it is lowered, then turned about the vertical."""
    down, turn = -camera.pitch / 2, (camera.yaw - math.pi / 2) / 2
    rotation = [
        math.cos(turn) * math.sin(down),
        math.sin(turn) * math.cos(down),
        -math.sin(turn) * math.sin(down),
        math.cos(turn) * math.cos(down),
    ]
    return {"translation": _upward(np.array(camera.eye)).tolist(), "rotation": rotation}
