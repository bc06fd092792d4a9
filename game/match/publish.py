"""What may leave the machine of a match: the log as one seat, or a spectator, may know it.

The file holds everything. Published are a header without the seed and events of their own numbers:

    step      {"events": [{"kind", "data"}], "changes"?, "undo"?, "correction"?}   what happened, and what is known then
    forecast  {"scene", "probability", …}                after the push of that row; with hints as soon as it is made
    outcome   {"scene", "fates", "frames", …}            the fall
    knocked   {"seat", "frames", …}                      what a clumsy hand knocked over
    sight     {"sight", "differences"}                   what a camera makes of the table: agrees, moving, differs
    rig       {"stage", "trouble", "link"?}              what a push rig is at
    site      {"tilt", "tapped"}                         how the table stands, and whether a rig pushes at it
    result    {"scores", "winners", "seed"}              the end; now the seed may be known

A step may carry the whole `view` in place of `changes`, which say what became of it since (see game.match.changes), and
the first one does: `view_after` follows both. Who joins late begins with the whole view of that moment, see `joined`.
The step of a correction has the events of the move as it is now.

An entry that shows nothing to somebody leaves no gap in the numbers of that one. A longer log only adds events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from game.core import Event, Seat
from game.match.changes import changes, merged
from game.match.history import LoggedEntry, MatchHistory, Setup, seed_data
from game.match.log import Entry
from physics.record import FORMAT, VERSION

Public = tuple[float, str, Mapping[str, Any]]


def public_header(setup: Setup) -> dict[str, Any]:
    """The first line for everybody."""
    header = setup.header()
    del header["seed"]
    return {"format": FORMAT, "version": VERSION, "kind": "match", **header}


class Publisher:
    """One reader's stream: feed it the log's entries in order. Its events are numbered by their place in `events`.

    Whoever takes the entries into a history anyway gives that history and lets the stream `add` what it told of them.
    `is_sent`: steps carry what changed. A reader in the same process gets whole views, which cost it nothing.
    """

    def __init__(
        self, setup: Setup, seat: Seat | None, history: MatchHistory | None = None, *, is_sent: bool = True
    ) -> None:
        self._is_sent = is_sent
        self._history = MatchHistory(setup) if history is None else history
        self.seat = seat
        self._fallen: set[str] = set()  # scenes that were pushed
        self._kept: dict[str, Mapping[str, Any]] = {}  # forecasts that wait for the push
        self._view = self._history.game.view(self._history.state, seat)
        self.events: list[Public] = [(0.0, "step", {"events": [], "view": self._view})]

    def feed(self, entry: Entry) -> tuple[Public, ...]:
        """What the entry adds for this reader; nothing when it is hidden."""
        return self.add(self._history.take(entry))

    def add(self, told: LoggedEntry) -> tuple[Public, ...]:
        """What the entry adds that the history has just taken in."""
        entry = told.entry
        before = len(self.events)
        match entry.kind:
            case "move":
                self._step(entry.t, self._known(told.events), {})
            case "undo":
                self._step(entry.t, [], {entry.kind: {"seat": entry.data["seat"]}})
            case "correction":
                now = self._history.numbered(entry.data["of"])
                assert now is not None, "a move that was corrected counts"
                self._step(entry.t, self._known(now.events), {entry.kind: {"seat": entry.data["seat"]}})
            case "forecast" if "failed" not in entry.data:
                if self._history.setup.hints or entry.data["scene"] in self._fallen:
                    self.events.append((entry.t, "forecast", _without(entry.data, "seed")))
                else:
                    self._kept[entry.data["scene"]] = entry.data
            case "outcome":
                scene = entry.data["scene"]
                self._fallen.add(scene)
                if scene in self._kept:
                    self.events.append((entry.t, "forecast", _without(self._kept.pop(scene), "seed")))
                self.events.append((entry.t, "outcome", entry.data))
            case "knocked" | "sight" | "rig" | "site":
                self.events.append((entry.t, entry.kind, entry.data))
            case "result":
                self.events.append((entry.t, "result", {**entry.data, "seed": seed_data(self._history.setup.seed)}))
        return tuple(self.events[before:])

    def _known(self, events: Sequence[Event]) -> list[dict[str, object]]:
        return [{"kind": event.kind, "data": event.data} for event in events if event.known_to(self.seat)]

    def _step(self, t: float, shown: Sequence[Mapping[str, object]], more: Mapping[str, object]) -> None:
        view = self._history.game.view(self._history.state, self.seat)
        news: dict[str, object] = {}
        if self._is_sent:
            made = changes(self._view, view)
            news = {"changes": made} if made else {}
        elif view != self._view:
            news = {"view": view}
        if shown or more or news:
            self.events.append((t, "step", {"events": list(shown), **more, **news}))
        self._view = view


def _without(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def published(setup: Setup, entries: Iterable[Entry], seat: Seat | None) -> list[Public]:
    """All that this seat (None: a spectator) may know of the log."""
    publisher = Publisher(setup, seat)
    for entry in entries:
        publisher.feed(entry)
    return publisher.events


def view_after(view: Mapping[str, Any], step: Mapping[str, Any]) -> Mapping[str, Any]:
    """All that is known after a step, from the view before it; that may be empty for a step that carries all of it.

    LookupError, TypeError or ValueError when the step does not follow that view.
    """
    found: Mapping[str, Any] = step["view"] if "view" in step else merged(view, step.get("changes", {}))
    return found


def joined(events: Sequence[Public], number: int) -> list[Public]:
    """The stream from the event of that number on, for who has nothing before it: the whole view comes first."""
    if number == 0:
        return list(events)
    view: Mapping[str, Any] = {}
    for _t, kind, data in events[:number]:
        if kind == "step":
            view = view_after(view, data)
    return [(events[number - 1][0], "step", {"events": [], "view": view}), *events[number:]]
