"""A match as its log tells it: how it was set up, which moves count after undos and corrections, and the forecasts.

move        {"seat", "move", "by"?}           a move as text; seat -1 is the table, `by` who said it for the table
undo        {"seat", "of"}                    takes back the move of that number
correction  {"seat", "of", "move"}            corrects what that move said of the table
forecast    {"scene", "probability", …}       how likely that very row is to fall, or {"scene", "failed"}
outcome     {"scene", "move", "frames", …}    the fall of that row, and the table's move that follows from it
knocked     {"seat", "frames", …}             what a clumsy hand knocked over
sight       {"sight", "differences"}          what a camera makes of the table
rig         {"stage", "trouble", "link"?}     what a push rig is at; in the end, how its line was
site        {"tilt", "tapped"}                how the table stands from now on, and whether a rig pushes at it
result      {"scores", "winners"}             how the match ended
"""

from __future__ import annotations

import re
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from game.catalogue import game_named
from game.core import AnyGame, Event, RuleError, Seat, Value, check_seats, read_options, read_version
from game.match.log import Entry
from game.match.players import check_names
from game.match.site import Site, site_in
from game.match.tabletop import Tabletop, scene_key, tabletop_of
from physics.engines import ENGINES, default_engine
from physics.errors import InputError, SceneError, ToppleError
from physics.fields import shown
from physics.scene import Scene

SIMULATED, CAMERA, HAND = TABLES = ("simulated", "camera", "hand")
SEED_BITS = 128  # too many to be searched for, whatever hangs on them
MAX_SEED = 2**SEED_BITS - 1
EXACT = 2**53 - 1  # the largest whole number that every reader of JSON takes as it is
LABEL_DIGITS = 8  # of a long seed, where it only names the match
MAX_APPLIED = 5_000  # moves, made once or after a correction once more, and sites; the longest match has 3,400
_SEED_TEXT = re.compile(r"[1-9][0-9]{0,38}")


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that is agreed on before a match."""

    game: str
    names: tuple[str, ...]  # by seat; bots are bot:weak, bot:normal, bot:strong
    seed: int
    options: Mapping[str, Value]  # all of the game's
    table: str = SIMULATED  # who says what fell: one run, a camera, or the players
    hints: bool = False  # players see the forecasts
    clumsy: bool = False  # a tile set down on another one may knock the row over
    engine: str = ""  # of the runs; empty: the preferred one of this machine
    version: int | None = None  # of the rules; None: the newest

    @property
    def rules(self) -> AnyGame:
        """The game itself."""
        return game_named(self.game)

    def header(self) -> dict[str, Any]:
        """The setup as the first line of a log."""
        header = {
            "game": self.game,
            "rules": read_version(self.rules, self.version),
            "options": dict(self.options),
            "seats": list(self.names),
            "seed": seed_data(self.seed),
        }
        if tabletop_of(self.game) is not None:
            header |= {"table": self.table, "hints": self.hints, "clumsy": self.clumsy, "engine": self.engine}
        return header


def new_seed() -> int:
    """A seed that nobody can guess."""
    return secrets.randbits(SEED_BITS)


def seed_data(seed: int) -> int | str:
    """The seed as a log holds it: a text where some readers would lose digits of the number."""
    return seed if seed <= EXACT else str(seed)


def short_seed(seed: int) -> str:
    """The seed as a label for people: its first digits where it is too long to be read."""
    digits = str(seed)
    return digits if len(digits) <= LABEL_DIGITS + 2 else f"{digits[:LABEL_DIGITS]}…"


def seed_in(data: object) -> int:
    """The seed that a log holds; TypeError or ValueError when it is none. Older logs have larger numbers, too."""
    if isinstance(data, str) and _SEED_TEXT.fullmatch(data) and int(data) > EXACT:
        return int(data)
    if type(data) is not int:
        raise TypeError
    return data


def checked_setup(setup: Setup) -> Setup:
    """The setup with every option named; InputError or UnknownGame when something in it is wrong."""
    game = setup.rules
    options = read_options(game, setup.options)
    check_seats(game, len(setup.names), options)
    check_names(setup.names)
    if not 0 <= setup.seed <= MAX_SEED:
        raise InputError(
            "The seed is {value}, but must be a whole number from 0 to {high}.", value=shown(setup.seed), high=MAX_SEED
        )
    version = read_version(game, setup.version)
    setup = replace(setup, game=game.name, options=options, version=version)
    if tabletop_of(game.name) is not None:
        return _checked_table(setup)
    if setup.table != SIMULATED or setup.hints or setup.clumsy or setup.engine:
        raise InputError(
            "The game {game} has no standing tiles: leave out table, hints, clumsy and engine.", game=game.name
        )
    return setup


def _checked_table(setup: Setup) -> Setup:
    """The same for how tiles stand and fall."""
    if setup.table not in TABLES:
        raise InputError(
            "The table is {value}; allowed is one of {words}.", value=shown(setup.table), words=", ".join(TABLES)
        )
    if setup.clumsy and setup.table != SIMULATED:
        raise InputError("Clumsy hands are for the simulated table; at a real one anybody can declare an accident.")
    chosen = setup.engine or default_engine()
    if chosen not in ENGINES:
        raise InputError("There is no engine {name}; allowed is {names}.", name=shown(chosen), names=", ".join(ENGINES))
    return replace(setup, engine=chosen)


def setup_in(header: Mapping[str, Any], where: str) -> Setup:
    """The setup in a log's header; SceneError when it is wrong or incomplete."""
    try:
        names, options, seed = header["seats"], header["options"], seed_in(header["seed"])
        table, engine = header.get("table", SIMULATED), header.get("engine", "")  # only where tiles stand and fall
        texts = (header["game"], table, engine, *names)
        flags = (header.get("hints", False), header.get("clumsy", False))
        version = header.get("rules", 1)  # the first logs do not name it
        good = (
            isinstance(names, list)
            and type(version) is int
            and all(isinstance(text, str) for text in texts)
            and all(isinstance(value, str) or type(value) is int for value in options.values())
            and all(isinstance(flag, bool) for flag in flags)
        )
        if not good:
            raise TypeError
        found = Setup(header["game"], tuple(names), seed, options, table, flags[0], flags[1], engine, version)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SceneError("{where}: this is not the header of a match.", where=where) from None
    try:
        return checked_setup(found)
    except ToppleError as error:
        raise SceneError("{where}: {reason}", where=where, reason=error) from None


@dataclass(frozen=True, slots=True)
class AppliedMove:
    """A move that counts."""

    number: int  # of its entry
    seat: Seat
    move: Any
    by: Seat  # who made or said it
    before: Any  # the state it was made in
    events: tuple[Event, ...]

    @property
    def reveals(self) -> bool:
        """Whether somebody learnt from it what cannot be unlearnt."""
        return any(event.reveals for event in self.events)


@dataclass(frozen=True, slots=True)
class Effect:
    """What the rules make of a move, found out before it is logged."""

    move: Any
    after: Any  # the state
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """One entry of the log and what the rules say to it."""

    entry: Entry
    events: tuple[Event, ...] = ()  # for those who may know them: see Event.known_to


class MatchHistory:
    """How a match went, entry by entry."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game: AnyGame = setup.rules
        self.tabletop: Tabletop | None = tabletop_of(setup.game)
        self.start = self.game.start(len(setup.names), setup.options, setup.seed, setup.version)
        self.moves: tuple[AppliedMove, ...] = ()
        self.forecasts: dict[str, Mapping[str, Any]] = {}  # by the scene's key
        self.outcomes: dict[str, tuple[int, Mapping[str, Any]]] = {}  # the last of each scene, with its number
        self.forecast_numbers: dict[str, int] = {}
        self.sites: tuple[tuple[int, Site], ...] = ((0, Site()),)  # each with the number of its entry
        self.has_result = False
        self.applied = 0  # moves, each time that one was applied, and sites
        self.state: Any = self.start

    @property
    def scene(self) -> Scene | None:
        """The row on the table; None when there is nothing to forecast."""
        return self._scene(self.state, self.site)

    @property
    def site(self) -> Site:
        """How the table stands, and what pushes at it."""
        return self.sites[-1][1]

    def scene_before(self, made: AppliedMove) -> Scene | None:
        """The row on the table when that move was made."""
        later = bisect_left(self.sites, made.number, key=lambda site: site[0])
        return self._scene(made.before, self.sites[later - 1][1])

    def _scene(self, state: Any, site: Site) -> Scene | None:
        scene = self.tabletop.scene(state) if self.tabletop else None
        return None if scene is None else site.placed(scene)

    def effect(self, seat: Seat, move: Any) -> Effect:
        """What the rules make of the move as the match is now; RuleError when they refuse it, or there is no room."""
        self.check_room(1)
        return Effect(move, *self.game.apply(self.state, seat, move))

    def take(self, entry: Entry, effect: Effect | None = None) -> LoggedEntry:
        """Takes in the next entry; a move with the effect that was found out for it, if it was.

        RuleError when it cannot be; LookupError, TypeError or such when it is none.
        """
        data = entry.data
        match entry.kind:
            case "move":
                seat = data["seat"]
                effect = effect or self.effect(seat, self.game.read(data["move"]))
                by = data.get("by", seat)
                self.moves = (*self.moves, AppliedMove(entry.number, seat, effect.move, by, self.state, effect.events))
                self.state = effect.after
                self.applied += 1
                return LoggedEntry(entry, effect.events)
            case "undo":
                later = self._later(data["of"])
                self.moves, self.state = self.without(data["of"])
                self.applied += later
            case "correction":
                later = self._later(data["of"])
                self.moves, self.state = self.corrected(data["of"], self.game.read(data["move"]))
                self.applied += later
            case "forecast" if "failed" not in data:
                self.forecasts[data["scene"]] = data
                self.forecast_numbers[data["scene"]] = entry.number
            case "outcome":
                self.outcomes[data["scene"]] = (entry.number, data)
            case "site":
                self.check_room(1)
                self.sites = (*self.sites, (entry.number, site_in(data)))
                self.applied += 1
            case "result":
                self.has_result = True
        return LoggedEntry(entry)

    def without(self, number: int) -> tuple[tuple[AppliedMove, ...], Any]:
        """The moves that count and the state when that move is taken back.

        RuleError when a later move would have been another one without it.
        """
        index = self._index(number)
        later = self.moves[index + 1 :]
        self.check_room(len(later))
        try:
            made, state = self._again(self.moves[:index], self.moves[index].before, later)
            same = all(old.events == new.events for old, new in zip(later, made[index:], strict=True))
        except RuleError:
            same = False
        if not same:
            raise RuleError("The move cannot be taken back: others have moved since.")
        return made, state

    def corrected(self, number: int, move: Any) -> tuple[tuple[AppliedMove, ...], Any]:
        """The moves that count and the state when that move had been another; RuleError when it cannot have been."""
        index = self._index(number)
        later = (replace(self.moves[index], move=move), *self.moves[index + 1 :])
        self.check_room(len(later))
        return self._again(self.moves[:index], self.moves[index].before, later)

    def check_undo(self, number: int) -> None:
        """RuleError when that move cannot be taken back, as `without` says."""
        self.without(number)

    def check_correction(self, number: int, move: Any) -> None:
        """RuleError when that move cannot have been the other one, as `corrected` says."""
        self.corrected(number, move)

    def check_room(self, moves: int) -> None:
        """RuleError when so many more moves cannot be applied: a file that anybody may send must be read in no time."""
        if self.applied + moves > MAX_APPLIED:
            raise RuleError(
                "A match has at most {most} moves, counting those that corrections repeat; begin another one.",
                most=MAX_APPLIED,
            )

    def _later(self, number: int) -> int:
        """How many moves are applied again when that one changes."""
        return len(self.moves) - self._index(number)

    def numbered(self, number: int) -> AppliedMove | None:
        """The move of that number, if there is one that counts."""
        index = bisect_left(self.moves, number, key=lambda made: made.number)
        return self.moves[index] if index < len(self.moves) and self.moves[index].number == number else None

    def moves_from(self, number: int) -> tuple[AppliedMove, ...]:
        """The moves that count from that number on."""
        return self.moves[bisect_left(self.moves, number, key=lambda made: made.number) :]

    def _index(self, number: int) -> int:
        if self.numbered(number) is None:
            raise RuleError("There is no move {number} in this match.", number=shown(number))
        return bisect_left(self.moves, number, key=lambda made: made.number)

    def _again(
        self, before: tuple[AppliedMove, ...], state: Any, moves: Iterable[AppliedMove]
    ) -> tuple[tuple[AppliedMove, ...], Any]:
        made = list(before)
        for old in moves:
            after, events = self.game.apply(state, old.seat, old.move)
            made.append(replace(old, before=state, events=events))
            state = after
        return tuple(made), state

    def known_outcome(self) -> Mapping[str, Any] | None:
        """The outcome of the push the game waits for, when the log has it already."""
        scene = self.scene
        if scene is None or not self.moves:
            return None
        number, data = self.outcomes.get(scene_key(scene), (0, {}))
        return data if number > self.moves[-1].number else None
