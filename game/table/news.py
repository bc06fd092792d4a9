"""What happens at a watched table, line by line: in words for people, or as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from game.match.publish import Public
from game.table.fall import RowFall
from game.text.report import speed_words, stance_words
from game.text.story import Story, fall_words
from game.words import _, say
from physics.errors import ToppleError
from vision.reader.reading import ReadTile
from vision.watching.settle import Kind, TableEvent

Line = Mapping[str, Any]
DISAGREE, AGREE = "table and game disagree", "table and game agree again"


def table_line(event: TableEvent) -> Line:
    """An event of the table as a program reads it; mm and degrees."""
    found: dict[str, Any] = {"t": round(event.time, 3), "event": event.kind.value}
    if event.change is not None:
        found["value"] = event.change.value
        tile = event.change.after
        if tile is not None:
            found |= _place(tile)
    return found


def _place(tile: ReadTile) -> Line:
    place = {"x": round(tile.x, 1), "y": round(tile.y, 1), "yaw": round(tile.yaw, 1)}
    return {**place, "stance": tile.stance.value, "state": tile.state.value}


def table_words(event: TableEvent) -> str:
    """An event of the table as a sentence."""
    change = event.change
    if event.kind is Kind.HAND_IN:
        return _("A hand is in view.")
    if event.kind is Kind.HAND_OUT or change is None:
        return _("The hand is out of view.")
    tile = change.after or change.before
    assert tile is not None
    said = {
        Kind.PLACED: _("The tile {value} stands at x {x}, y {y} mm, turned {yaw}°, {stance}."),
        Kind.MOVED: _("The tile {value} was moved to x {x}, y {y} mm, turned {yaw}°, {stance}."),
        Kind.TAKEN: _("The tile {value} was taken away."),
        Kind.FALLEN: _("The tile {value} has fallen."),
    }[change.kind]
    return said.format(
        value=change.value,
        x=f"{tile.x:.0f}",
        y=f"{tile.y:.0f}",
        yaw=f"{tile.yaw:.0f}",
        stance=stance_words(tile.stance),
    )


def match_lines(event: Public, time: float, speed: float | None) -> Iterator[Line]:
    """What a spectator may know of an event of the match, as a program reads it."""
    _t, kind, data = event
    when = {"t": round(time, 3)}
    match kind:
        case "step":
            for each in data["events"]:
                yield {**when, "event": "game", "kind": each["kind"], **each["data"]}
        case "outcome":
            yield {**when, **_outcome(data, speed)}
        case "sight" if data["sight"] != "moving":
            is_same = data["sight"] == "agrees"
            yield {**when, "event": AGREE if is_same else DISAGREE, **data}
        case "result":
            yield {**when, "event": "result", "scores": data["scores"], "winners": data["winners"]}


def _outcome(data: Mapping[str, Any], speed: float | None) -> Line:
    """What became of a row, as a program reads it."""
    return {
        "event": "outcome",
        "values": [tile["value"] for tile in data["tiles"]],
        "fates": data["fates"],
        "fell_at": data["fell_at"],
        "judge": data["judge"],
        "wave_speed": None if speed is None else round(speed, 3),
    }


class News:
    """Tells lines as they come: prints them, unless `out` takes them."""

    def __init__(self, *, as_json: bool, story: Story | None = None, out: Callable[[str], None] | None = None) -> None:
        self._as_json, self._story, self._out = as_json, story, out or _printed
        self._differs = False

    def table(self, event: TableEvent) -> None:
        """Something has happened on the table."""
        self._print(table_line(event), table_words(event))

    def known(self, events: Sequence[Public]) -> None:
        """What the match was before anything is told of it."""
        if self._story is not None:
            for _event in self._story.tell_each(events):
                pass

    def match(self, event: Public, time: float, speed: float | None) -> None:
        """Something has happened in the match, at that time of the pictures, s; the wave's speed in m/s."""
        if self._as_json:
            for line in match_lines(event, time, speed):
                if line["event"] == AGREE and not self._differs:
                    continue
                self._differs = line["event"] == DISAGREE or (self._differs and line["event"] != AGREE)
                self._print(line, "")
            return
        assert self._story is not None
        for _t, words in self._story.tell([event]):
            self._out(words)
        if event[1] == "outcome":
            self._tell_speed(speed)

    def fall(self, time: float, fall: RowFall) -> None:
        """A row has fallen at a table without a match."""
        data = {
            "tiles": [{"value": tile.value} for tile in fall.tiles],
            "fates": [None if fate is None else fate.value for fate in fall.fates],
            "fell_at": [None if at is None else round(at, 3) for at in fall.fall.fell_at],
            "judge": "camera",
        }
        if self._as_json:
            self._print({"t": round(time, 3), **_outcome(data, fall.fall.speed)}, "")
            return
        for words in fall_words(data):
            self._out(words)
        self._tell_speed(fall.fall.speed)

    def _tell_speed(self, speed: float | None) -> None:
        if speed is not None:
            self._out(speed_words(speed))

    def corrected(self, time: float, tile: ReadTile) -> None:
        """A person has said how a tile really stands."""
        line = {"t": round(time, 3), "event": "corrected", "value": tile.value, **_place(tile)}
        said = _("The tile {value} now counts as standing at x {x}, y {y} mm.")
        self._print(line, said.format(value=tile.value, x=f"{tile.x:.0f}", y=f"{tile.y:.0f}"))

    def trouble(self, time: float, error: ToppleError, kind: str = "refused") -> None:
        """Something is refused, or the camera is lost."""
        self._print({"t": round(time, 3), "event": kind, "reason": say(error)}, say(error))

    def back(self, time: float) -> None:
        """The camera gives pictures again."""
        self._print({"t": round(time, 3), "event": "back"}, _("The camera gives pictures again."))

    def _print(self, line: Line, words: str) -> None:
        self._out(json.dumps(line) if self._as_json else words)


def _printed(text: str) -> None:
    print(text, flush=True)
