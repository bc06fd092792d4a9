"""A log as a film: every moment of a match, or of one run, on one time line that can be gone along in both directions.

A log's own times are of no use for that: people think for minutes, and a row falls in a second. Each step is shown as
long as it takes to read, each fall as long as it took.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.log import MATCH, read_log
from game.match import replayed, setup_in
from game.publish import published
from game.text.evaluation_row import row_in
from game.text.retold import RUN
from game.text.story import Story
from game.ui.boxes import TileBox
from game.ui.playback import Playback, playback_in
from game.ui.tableview import row_boxes
from game.words import _
from physics.errors import SceneError
from physics.fields import shown
from physics.pose import Vector
from physics.record import header_in, read_bytes, read_record

STEP_TIME, LINE_TIME = 0.7, 0.7  # s that a step is shown, and more for each sentence
AFTER_FALL = 0.8  # s


@dataclass(frozen=True, slots=True)
class Shot:
    """One stretch of the film: a row that stands, or one that falls."""

    begins: float  # s
    lasts: float  # s
    words: tuple[str, ...]
    boxes: tuple[TileBox, ...]  # as they stand, or as the fall begins
    chips: tuple[int, ...] = ()
    round: int = 0
    playback: Playback | None = None


@dataclass(frozen=True, slots=True)
class Film:
    """All of it."""

    title: str
    names: tuple[str, ...]  # of the players; none for a run
    shots: tuple[Shot, ...]

    @property
    def lasts(self) -> float:
        """How long it is, s."""
        return self.shots[-1].begins + self.shots[-1].lasts

    @property
    def falls(self) -> tuple[float, ...]:
        """When rows fall, s."""
        return tuple(shot.begins for shot in self.shots if shot.playback is not None)

    def index(self, t: float) -> int:
        """The number of the shot at that time."""
        return max(0, bisect_right([shot.begins for shot in self.shots], t) - 1)

    def boxes(self, t: float) -> tuple[TileBox, ...]:
        """The tiles at that time."""
        shot = self.shots[self.index(t)]
        if shot.playback is None:
            return shot.boxes
        return posed(shot.playback, shot.playback.start + t - shot.begins, [box.size for box in shot.boxes])


def posed(playback: Playback, t: float, sizes: Sequence[Vector]) -> tuple[TileBox, ...]:
    """The tiles of a fall at a moment of it, with these sizes."""
    poses = playback.at(t)
    found = []
    places, turns = poses.positions.tolist(), poses.quaternions.tolist()
    for tile, size, place, turn in zip(playback.tiles, sizes, places, turns, strict=True):
        found.append(TileBox(tile.value, size, (place[0], place[1], place[2]), (turn[0], turn[1], turn[2], turn[3])))
    return tuple(found)


def film_of(path: Path) -> Film:
    """The film of that log; SceneError when it is damaged, or neither a match nor a run."""
    kind = header_in(read_bytes(path).partition(b"\n")[0], f"{path}:1").get("kind")
    if kind == MATCH:
        return _match(path)
    if kind == RUN:
        return _run(path)
    raise SceneError(
        "{file} is of the kind {kind}; what can be told is one of {kinds}.",
        file=str(path),
        kind=shown(kind),
        kinds=f"{MATCH}, {RUN}",
    )


def _match(path: Path) -> Film:
    recording = read_log(path)
    setup = setup_in(recording.header, f"{path}:1")
    replayed(setup, recording.entries, str(path))  # refuses what could not have been played
    story = Story(setup)
    shots: list[Shot] = []
    try:
        for (_t, kind, data), words in story.tell_each(published(setup, recording.entries, None)):
            _add(shots, kind, data, words)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise SceneError("{where}: this line is damaged.", where=str(path)) from None
    return Film(", ".join(story.names), story.names, tuple(shots))


def _add(shots: list[Shot], kind: str, data: Mapping[str, Any], words: tuple[str, ...]) -> None:
    begins = shots[-1].begins + shots[-1].lasts if shots else 0.0
    if kind == "step":
        view = data["view"]
        boxes = tuple(row_boxes(row_in(view)))
        lasts = STEP_TIME + LINE_TIME * len(words)
        shots.append(Shot(begins, lasts, words, boxes, tuple(view["chips"]), view["round"]))
        return
    playback = playback_in(data) if kind in ("outcome", "knocked") else None
    if playback is not None:
        boxes = posed(playback, playback.start, _sizes(data["tiles"]))
        lasts = playback.duration + AFTER_FALL
        before = shots[-1] if shots else Shot(0.0, 0.0, (), ())
        shots.append(Shot(begins, lasts, words, boxes, before.chips, before.round, playback))


def _run(path: Path) -> Film:
    record = read_record(path)
    try:
        header = record.header
        values = [tile["value"] for tile in header["tiles"]]
        fell: list[float | None] = [None] * len(values)
        for t, kind, data in record.events:
            if kind == "fell":
                fell[data["tile"]] = t
        frames = [[t, data] for t, kind, data in record.events if kind == "frame"]
        playback = playback_in({**header, "frames": frames, "fell_at": fell})
        if playback is None:
            raise ValueError
        boxes = posed(playback, playback.start, _sizes(header["tiles"]))
        words = _("The row from left to right: {values}.").format(values=", ".join(map(str, values)))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise SceneError("{file} is a damaged run.", file=str(path)) from None
    return Film(path.name, (), (Shot(0.0, playback.duration + AFTER_FALL, (words,), boxes, playback=playback),))


def _sizes(tiles: Sequence[Mapping[str, Any]]) -> list[Vector]:
    return [(tile["depth"] / 1e3, tile["breadth"] / 1e3, tile["height"] / 1e3) for tile in tiles]
