"""Any log in words, line by line with times: a match as its spectators saw it, or a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from game.match.history import LoggedEntry, MatchHistory
from game.match.log import Recording
from game.match.publish import Public, Publisher
from game.match.reading import opened_any, taken
from game.match.tabletop import scene_key
from game.text.game_text import title_of
from game.text.names import listed
from game.text.report import forecast_in_short
from game.text.story import Story, stamped
from game.words import _, plural
from physics.harmless import harmless
from physics.record import Record
from physics.scene import Scene


def retold(path: Path) -> list[str]:
    """The lines of the story, all of them or none; SceneError when the file is damaged or neither a match nor a run."""
    found = opened_any(path)
    return [harmless(line) for line in (_run(found) if isinstance(found, Record) else _match(*found, path))]


# Matches


def _match(recording: Recording, history: MatchHistory, path: Path) -> Iterator[str]:
    """What spectators saw; of a match that is over the forecasts of all rows as well."""
    setup = history.setup
    events, rows = _published(history, taken(history, recording.entries, str(path)))
    story = Story(setup)
    is_over = history.has_result
    yield _("{game}, a match between {names}.").format(game=title_of(setup.game), names=listed(story.names))
    tellings = list(story.tell(events))
    at: dict[float, list[str]] = {
        t: [text for _t, text in group] for t, group in groupby(tellings, lambda each: each[0])
    }
    for t, texts in at.items():
        for text in texts:
            yield _stamped(t, text)
        guess = history.forecasts.get(scene_key(rows[t])) if is_over and t in rows else None
        if guess is not None:
            yield _stamped(t, _forecast(guess))
    if is_over:
        yield _("The seed of the match is {seed}.").format(seed=setup.seed)
    elif recording.entries:
        yield _("Here the log ends; the match goes on.")
    else:
        yield _("Nothing has happened yet.")


def _published(history: MatchHistory, entries: Iterable[LoggedEntry]) -> tuple[list[Public], dict[float, Scene]]:
    """The spectators' events, and which row was made when."""
    publisher = Publisher(history.setup, None, history, is_sent=False)
    rows: dict[float, Scene] = {}
    before = None
    for told in entries:
        publisher.add(told)
        scene = history.scene
        if scene is not None and scene != before:
            rows[told.entry.t] = scene
        before = scene
    return publisher.events, rows


def _forecast(data: Mapping[str, Any]) -> str:
    low, high = data["interval"]
    said = forecast_in_short(data["probability"], (low, high))
    return _("(Forecast of this row: {forecast}.)").format(forecast=said)


# Runs


def _run(record: Record) -> Iterator[str]:
    values = [tile["value"] for tile in record.header["tiles"]]
    pushed, engine = values[record.header["push"]["tile"]], record.header["engine"]
    count = plural("{count} tile", "{count} tiles", len(values))
    yield _("A run of {tiles}, pushed at the tile {value}, engine {engine}.").format(
        tiles=count, value=pushed, engine=engine
    )
    yield run_row(values)
    for t, kind, data in record.events:
        if kind == "fell":
            yield _stamped(t, _("The tile {value} falls.").format(value=data["value"]), decimals=3)
        elif kind == "outcome":
            yield _stamped(t, run_ended(values, data), decimals=3)


def run_row(values: Sequence[int]) -> str:
    """What stood in the row of a run."""
    return _("The row from left to right: {values}.").format(values=", ".join(map(str, values)))


def run_ended(values: Sequence[int], data: Mapping[str, Any]) -> str:
    """What became of that row, from the `outcome` of the run."""
    if data["all_fell"]:
        return _("Every tile fell.")
    left = [value for value, fate in zip(values, data["fates"], strict=True) if fate != "fallen"]
    return _("The row did not fall; still standing: {values}.").format(values=listed(left))


def _stamped(t: float, text: str, decimals: int = 1) -> str:
    return f"{stamped(t, decimals):>8}  {text}"
