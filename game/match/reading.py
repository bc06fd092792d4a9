"""A match's log read as strictly as it was written: what the rules do not give is refused with line and reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game.core import TABLE, RuleError
from game.match import steps
from game.match.history import SIMULATED, AppliedMove, Effect, LoggedEntry, MatchHistory, Setup, setup_in
from game.match.log import MATCH, Entry, Recording, log_in, read_log
from game.match.log_entries import check_entry
from game.match.tabletop import Tabletop, scene_key
from physics.errors import SceneError, ToppleError
from physics.fields import shown
from physics.outcome import Fate, Outcome, OutcomeSource
from physics.record import Record, header_in, read_bytes
from physics.run_file import RUN, run_in
from physics.scene import Scene

Row = tuple[tuple[int, ...], int]  # its values and which of its tiles is pushed


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A match as its file tells it."""

    setup: Setup
    recording: Recording
    history: MatchHistory


def read_match(path: Path) -> MatchFile:
    """The match in the file; SceneError with file, line and reason when it is damaged or could not have been played."""
    recording, history = opened(path)
    for _logged in taken(history, recording.entries, str(path)):
        pass
    return MatchFile(history.setup, recording, history)


def opened(path: Path) -> tuple[Recording, MatchHistory]:
    """What the file holds, and the match before the first entry, for `taken`; SceneError when it is damaged."""
    return _begun(read_log(path), path)


def _begun(recording: Recording, path: Path) -> tuple[Recording, MatchHistory]:
    return recording, MatchHistory(setup_in(recording.header, f"{path}:1"))


def opened_any(path: Path) -> tuple[Recording, MatchHistory] | Record:
    """What the file holds, which is read once: a match before its first entry, for `taken`, or a run.

    SceneError when it is damaged, or neither.
    """
    raw = read_bytes(path)
    if not raw:
        raise SceneError("{file} is empty.", file=str(path))
    kind = header_in(raw.partition(b"\n")[0], f"{path}:1").get("kind")
    if kind == MATCH:
        return _begun(log_in(raw, path), path)
    if kind == RUN:
        return run_in(raw, path)
    raise SceneError(
        "{file} is of the kind {kind}; what can be told is one of {kinds}.",
        file=str(path),
        kind=shown(kind),
        kinds=f"{MATCH}, {RUN}",
    )


def replayed(setup: Setup, entries: Iterable[Entry], where: str) -> MatchHistory:
    """The history of a whole log; SceneError with the line of the first entry that cannot be."""
    history = MatchHistory(setup)
    for _logged in taken(history, entries, where):
        pass
    return history


def taken(history: MatchHistory, entries: Iterable[Entry], where: str) -> Iterator[LoggedEntry]:
    """Every entry once the history has taken it in; SceneError with the line of the first one that cannot be."""
    reader = _Reader(history)
    for entry in entries:
        line = f"{where}:{entry.number + 1}"
        check_entry(entry, len(history.setup.names), line)
        try:
            logged = reader.take(entry)
        except ToppleError as error:
            raise SceneError("{where}: {reason}", where=line, reason=error) from None
        except (LookupError, TypeError, ValueError, AttributeError):
            raise SceneError("{where}: this line is damaged.", where=line) from None
        yield logged


class _Reader:
    """A history and what its entries may refer to."""

    def __init__(self, history: MatchHistory) -> None:
        self.history = history
        self._rows: dict[str, Row] = {}  # rows that stood, by the key of their scene
        self._stood: list[Scene] = []  # those that are not in `_rows` yet
        self._moved_again: list[AppliedMove] = []  # after an undo or a correction; neither are the rows before them
        self._falling: set[str] = set()  # the keys of the row that was pushed: people may correct where a tile stood
        self._fall: Mapping[str, Any] | None = None  # what was last said of that row
        self._knocked: int | None = None  # who has just knocked the row over with a clumsy hand

    def take(self, entry: Entry) -> LoggedEntry:
        """Takes in the entry; RuleError when the match would not have written it then."""
        effect = self._effect(entry.data) if entry.kind == "move" else None
        self._check(entry.kind, entry.data)
        logged = self.history.take(entry, effect)
        match entry.kind:
            case "outcome":
                self._fall = entry.data
            case "knocked":
                self._knocked = entry.data["seat"]
            case "move":
                self._knocked, self._fall, self._falling = None, None, set()
                self._see()
            case "undo" | "correction":
                self._knocked = None
                self._moved_again += self.history.moves_from(entry.data["of"])
                self._see()
            case "site":
                self._knocked = None
                self._see()
        return logged

    def _see(self) -> None:
        """Takes note of the row as it stands now."""
        scene = self.history.scene
        if scene is None:
            return
        self._stood.append(scene)
        if steps.is_falling(self.history):
            self._falling.add(scene_key(scene))

    def _check(self, kind: str, data: Mapping[str, Any]) -> None:
        match kind:
            case "undo":
                _check_same("of", data["of"], steps.to_take_back(self.history, data["seat"]).number)
            case "correction":
                steps.check_correction(self.history, data["of"], self.history.game.read(data["move"]))
            case "forecast":
                self._check_forecast(data)
            case "outcome":
                self._check_outcome(data)
            case "knocked":
                self._check_knocked(data)
            case "site" | "rig" if self.history.setup.table == SIMULATED:
                raise RuleError("The simulated table is level, and no rig pushes at it.")
            case "sight" if self.history.setup.table == SIMULATED:
                raise RuleError("No camera looks at the simulated table.")
            case "result":
                self._check_result(data)

    def _effect(self, data: Mapping[str, Any]) -> Effect:
        """What the rules make of a move that the match would have written."""
        move = self.history.game.read(data["move"])
        if self.history.tabletop is not None:
            self._check_table(self.history.tabletop, move, data)
        return self.history.effect(data["seat"], move)

    def _check_table(self, tabletop: Tabletop, move: Any, data: Mapping[str, Any]) -> None:
        """RuleError when the table would not have given that move."""
        if tabletop.is_accident(move) and self.history.setup.table == SIMULATED:
            if data["seat"] != TABLE:
                raise RuleError("Accidents are declared at real tables; at the simulated one the program finds them.")
            if self._knocked is None or move != tabletop.accident(self._knocked):
                raise RuleError("No clumsy hand has knocked the row over.")
        if tabletop.is_finding(move) and steps.is_falling(self.history):
            if self._fall is None:
                raise RuleError("It says what fell, but the fall itself is missing.")
            for key in ("move", "by"):
                _check_same(key, data.get(key), self._fall.get(key))

    def _check_forecast(self, data: Mapping[str, Any]) -> None:
        if data["scene"] not in self._rows:
            self._name_rows()
        row = self._rows.get(data["scene"])
        if row is None:
            raise RuleError("No such row stood in the match: it has no forecast.")
        if "failed" not in data:
            _check_same("values", data["values"], list(row[0]))
            _check_same("pushed", data["pushed"], row[1])

    def _name_rows(self) -> None:
        """Fills `_rows`, also with rows that stood between moves only by an undo or a correction: a resumed match
        forecasts all. Only when one of them is asked for: few forecasts are, and there may be thousands of rows.
        """
        between = (self.history.scene_before(made) for made in self._moved_again)
        for scene in (*self._stood, *between):
            if scene is not None:
                self._rows[scene_key(scene)] = scene.line.values, scene.pushed
        self._stood.clear()
        self._moved_again.clear()

    def _check_outcome(self, data: Mapping[str, Any]) -> None:
        history = self.history
        tabletop, scene, move = history.tabletop, history.scene, history.game.read(data["move"])
        if tabletop is None or scene is None or data["scene"] not in self._falling:
            raise RuleError("No such row was pushed: it cannot have fallen.")
        _check_same("tiles", [tile["value"] for tile in data["tiles"]], list(scene.line.values))
        if data["fates"] is None:  # people have reported which tiles stand
            if not tabletop.is_finding(move) or tabletop.fell(move):
                raise RuleError("{text} does not say what stands.", text=shown(data["move"]))
            _check_same("all_fell", data["all_fell"], False)
            return
        fates = tuple(Fate(fate) for fate in data["fates"])
        outcome = Outcome(fates, tuple(data["fell_at"]), data["ended"], data["settled"], OutcomeSource(data["judge"]))
        _check_same("all_fell", data["all_fell"], outcome.all_fell)
        _check_same("move", data["move"], history.game.write(tabletop.finding(history.state, outcome)))

    def _check_knocked(self, data: Mapping[str, Any]) -> None:
        scene = self.history.scene  # None of a lone tile, which can be knocked over all the same
        if not self.history.setup.clumsy:
            raise RuleError("The hands of this match are not clumsy.")
        for tile in data["tiles"]:
            if scene is not None and tile["value"] not in scene.line.values:
                raise RuleError(
                    "The tile {value} is not in the row {row}.",
                    value=tile["value"],
                    row=", ".join(map(str, scene.line.values)),
                )

    def _check_result(self, data: Mapping[str, Any]) -> None:
        result = self.history.game.result(self.history.state)
        if result is None:
            raise RuleError("The match is not over: it has no result yet.")
        if self.history.has_result:
            raise RuleError("The match has its result already.")
        _check_same("scores", data["scores"], list(result.scores))
        _check_same("winners", data["winners"], list(result.winners))


def _check_same(key: str, given: object, right: object) -> None:
    """RuleError when the file does not give what the match has for that key."""
    if given != right:
        raise RuleError(
            "{key} is {value}, but according to the match it is {right}.",
            key=key,
            value=shown(given),
            right=shown(right),
        )
