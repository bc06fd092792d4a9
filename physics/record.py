"""The .topple file: a header line, then one event per line as [t, kind, data]; and runs written as one, or as CSV."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from physics.errors import SceneError
from physics.fields import shown
from physics.files import whole_file
from physics.outcome import Outcome
from physics.scene import Scene
from physics.trajectory import Array, Recorder, Trajectory, leans_of

FORMAT, VERSION = "topple", 1
LONG_ROW = 20  # tiles, from which on a file has only what moved
MAX_MB = 128  # of a file that is read: an hour of play takes a few
MAX_BYTES = MAX_MB * 2**20

Event = tuple[float, str, Any]


@dataclass(frozen=True)
class Record:
    """A .topple file as it was read."""

    header: dict[str, Any]
    events: tuple[Event, ...]


def write_record(path: Path, header: dict[str, Any], events: list[Event]) -> None:
    """Writes a whole file at once; OutputError when it cannot be written."""
    head = {"format": FORMAT, "version": VERSION, **header}
    lines = [json.dumps(head, ensure_ascii=False)]
    lines += [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events]
    with whole_file(path) as beside:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """The header and events of a file; SceneError with the line when it is no .topple file of this version."""
    return record_in(read_bytes(path), path)


def record_in(raw: bytes, path: Path) -> Record:
    """The same of a file whose bytes are read already."""
    lines = raw.removesuffix(b"\n").split(b"\n")
    header = header_in(lines[0], f"{path}:1")
    events = [event_in(line, f"{path}:{number}") for number, line in enumerate(lines[1:], start=2)]
    return Record(header, tuple(events))


def read_bytes(path: Path) -> bytes:
    """All of the file; SceneError when it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            found = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SceneError("{file} cannot be read: {reason}.", file=str(path), reason=reason) from None
    if len(found) > MAX_BYTES:
        raise SceneError("{file} is larger than {most} MB, the most that is read.", file=str(path), most=MAX_MB)
    return found


def header_in(line: bytes, where: str) -> dict[str, Any]:
    """The header in a first line; SceneError when it is none, or one of another version."""
    header = _parsed(line, where)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SceneError("{where}: this is not a topple file.", where=where)
    version = header.get("version")
    if type(version) is not int or version != VERSION:
        raise SceneError(
            "{where}: the file has version {version}; this topple reads version {known}.",
            where=where,
            version=shown(version),
            known=VERSION,
        )
    return header


def event_in(line: bytes, where: str) -> Event:
    """The event in a line; SceneError when there is none."""
    event = _parsed(line, where)
    is_event = isinstance(event, list) and len(event) == 3 and isinstance(event[1], str)
    if not (is_event and type(event[0]) in (int, float) and abs(event[0]) < math.inf):
        raise SceneError("{where}: this is not an event [t, kind, data].", where=where)
    return event[0], event[1], event[2]


def _parsed(line: bytes, where: str) -> Any:
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):  # no JSON, no text, or a number of thousands of digits
        raise SceneError("{where}: this line is damaged.", where=where) from None


def write_run(path: Path, scene: Scene, outcome: Outcome) -> None:
    """One recorded run as a .topple or .csv file, by the path's ending; OutputError when it cannot be written."""
    assert outcome.trajectory is not None, "only a recorded run can be written"
    if path.suffix.lower() == ".csv":
        _write_csv(path, scene, outcome.trajectory)
    else:
        write_record(path, run_header(scene, outcome), run_events(scene, outcome))


def run_header(scene: Scene, outcome: Outcome) -> dict[str, Any]:
    """What stood on the table, in millimetres and degrees, and what the outcome was found with."""
    return {"kind": "run", **standing(scene), "engine": outcome.engine, "step": outcome.step}


def standing(scene: Scene) -> dict[str, Any]:
    """What stood on the table and what was to push it, in millimetres and degrees."""
    tiles = [
        {
            "value": placement.value,
            "x": _mm(placement.x),
            "y": _mm(placement.y),
            "yaw": _degrees(placement.yaw),
            "stance": placement.stance.value,
            "depth": _mm(box.depth),
            "breadth": _mm(box.breadth),
            "height": _mm(box.height),
        }
        for placement, box in zip(scene.line.placements, scene.line.standing(), strict=True)
    ]
    size = scene.table.size
    return {
        "set": scene.line.tile_set.name,
        "tiles": tiles,
        "table": {"size": None if size is None else [_mm(size[0]), _mm(size[1])]},
        "push": {"kind": type(scene.push).__name__.lower(), "tile": scene.pushed, "yaw": _degrees(scene.push_yaw)},
    }


def run_events(scene: Scene, outcome: Outcome) -> list[Event]:
    """Frames, falls, and the outcome, in order of time.

    Of a long row only the first frame has all tiles; after it `moved` has those that are not where they were.
    """
    assert outcome.trajectory is not None
    motion = outcome.trajectory
    events = _moves(motion) if motion.count >= LONG_ROW else whole_frames(motion)
    values = scene.line.values
    falls = sorted((time, index) for index, time in enumerate(outcome.fell_at) if time is not None)
    events += [(round(time, 6), "fell", {"tile": index, "value": values[index]}) for time, index in falls]
    events.sort(key=lambda event: event[0])
    verdict = {
        "fates": [fate.value for fate in outcome.fates],
        "all_fell": outcome.all_fell,
        "settled": outcome.settled,
    }
    return [*events, (round(outcome.ended, 6), "outcome", verdict)]


def whole_frames(motion: Trajectory) -> list[Event]:
    """For every moment a frame: x, y, z in mm and the quaternion x y z w of each tile."""
    return [(round(time, 6), "frame", _poses(*motion.at(moment))) for moment, time in enumerate(motion.times.tolist())]


def _moves(motion: Trajectory) -> list[Event]:
    """The first frame, and for every moment after it the poses of the tiles that moved, each after its index."""
    times = motion.times.tolist()
    events: list[Event] = [(round(times[0], 6), "frame", _poses(*motion.at(0)))]
    for moment, tiles in enumerate(motion.moved()[1:], start=1):
        some = np.array(tiles, np.intp)
        kept = motion.kept[motion.begins[some] + moment - motion.firsts[some]]
        moves = [[tile, *pose] for tile, pose in zip(tiles, _poses(kept[:, :3], kept[:, 3:7]), strict=True)]
        events.append((round(times[moment], 6), "moved", moves))
    return events


def _poses(places: Array, turns: Array) -> list[list[float]]:
    return [
        [round(value * 1e3, 4) for value in place] + [round(value, 6) for value in turn]
        for place, turn in zip(places.tolist(), turns.tolist(), strict=True)
    ]


def motion_in(record: Record) -> Trajectory | None:
    """The motion in the frames and moves of a run's file that `run_in` has read; None where it has none."""
    recorder = Recorder()
    for t, kind, data in record.events:
        if kind == "frame":
            recorder.note(t, range(len(data)), _ten(data))
        elif kind == "moved":
            recorder.note(t, [move[0] for move in data], _ten([move[1:] for move in data]))
    return recorder.trajectory()


def _ten(poses: Sequence[Sequence[float]]) -> Array:
    """Poses of a file as rows of a trajectory: in metres, turns of length one, and what is not known zero."""
    found = np.zeros((len(poses), 10))
    if len(poses):
        found[:, :7] = poses
        found[:, :3] /= 1e3
        found[:, 3:7] /= np.linalg.norm(found[:, 3:7], axis=1, keepdims=True)
    return found


def _write_csv(path: Path, scene: Scene, motion: Trajectory) -> None:
    """A row for every tile and moment; of a long row, as in its events, after the first moment only for what moved."""
    values = scene.line.values
    everything = list(range(motion.count))
    moved = motion.moved() if motion.count >= LONG_ROW else [everything] * len(motion.times)
    with whole_file(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
        file.write("time_s,tile,value,x_mm,y_mm,z_mm,lean_deg,qx,qy,qz,qw\n")
        for moment, time in enumerate(motion.times.tolist()):
            tiles = moved[moment] if moment else everything
            places, turns = (part[tiles] for part in motion.at(moment))
            leans = np.degrees(leans_of(turns)).tolist()
            rows = zip(tiles, (places * 1e3).tolist(), turns.tolist(), leans, strict=True)
            for tile, (x, y, z), turn, lean in rows:
                quaternion = ",".join(f"{part:.6f}" for part in turn)
                file.write(f"{time:.4f},{tile + 1},{values[tile]},{x:.4f},{y:.4f},{z:.4f},{lean:.3f},{quaternion}\n")


def _mm(value: float) -> float:
    return round(value * 1e3, 6)


def _degrees(value: float) -> float:
    return round(math.degrees(value), 6)
