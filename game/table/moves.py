"""What hands do before a camera, made moves of a match, and what people say of tiles, made corrections.

Everything here happens in the thread that the session belongs to. The eye is told in turn what the match waits for:
where tiles are expected, and when a row is about to fall.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from game.core import RuleError
from game.match.history import AppliedMove, LoggedEntry
from game.match.players import strength_of
from game.match.ports import Difference
from game.match.session import Session
from game.match.tabletop import Tabletop
from game.table.axes import TableFrame, fitted
from game.table.corrections import Corrections
from game.table.eye import TableEye
from game.table.hands import Row, TableHands, hands_of
from game.table.sense import Sense, not_cleared, sense
from physics.line import Placement
from physics.outcome import Fate
from physics.scene import Scene
from vision.reader.reading import ReadTile

Shows = Callable[[Row, Scene | None], None]
"""Has a table show this row, and how it falls where it was pushed."""


class TableMoves:
    """See the module. `shows`: a table that shows the match itself."""

    def __init__(self, eye: TableEye, corrections: Corrections, shows: Shows | None = None) -> None:
        self._eye, self._corrections, self._shows = eye, corrections, shows
        self.frame: TableFrame | None = None  # where the game's axes lie on the mat, once that is known
        self.differences: tuple[Difference, ...] = ()  # between table and game
        self._ends = -1  # rounds and accidents before this one
        self._known: set[int] = set()  # tiles of the row that were seen in their places
        self._done: object = None  # what was last looked at
        self._refused: object = None  # the refusal that was told last

    # What hands do

    def act(self, session: Session) -> tuple[LoggedEntry, ...]:
        """Tells the match what the hands did since; never waits. RuleError, once, for what the rules refuse."""
        hands, tabletop = self._hands(session), session.history.tabletop
        if hands is None or tabletop is None or session.result is not None:
            self.differences = ()
            return ()
        state = session.state
        self._follow(session, hands, tabletop)
        view = self._eye.view
        key = view.seen, view.is_calm, state, len(self._corrections)
        is_falling = tabletop.is_falling(state)
        if not view.is_calm or is_falling:
            self.differences = () if is_falling else self.differences
            return ()
        if key == self._done:
            return ()
        told = self._read(session, hands, self._corrections.applied(view.tiles))
        self._done = key
        return told

    def _follow(self, session: Session, hands: TableHands, tabletop: Tabletop) -> None:
        """Begins anew with every round, and films from the votes to the fall."""
        state, eye = session.state, self._eye
        moves = (made.move for made in session.history.moves)
        ends = sum(tabletop.is_finding(move) or tabletop.is_accident(move) for move in moves)
        if ends != self._ends:
            self._ends, self.frame = ends, None
            self._known.clear()
            self._corrections.clear()
        is_falling = tabletop.is_falling(state)
        films = is_falling or tabletop.is_armed(state)
        if films and not eye.is_filming:
            eye.film.clear()
        eye.is_filming = eye.expects_fall = films
        if self._shows is not None:
            self._shows(hands.row(state), session.history.scene if is_falling else None)
        # Of a row that was pushed nobody knows where its tiles are.
        eye.prior = None if self.frame is None or is_falling else _expected(self.frame, hands.row(state))

    def _read(self, session: Session, hands: TableHands, tiles: tuple[ReadTile, ...]) -> tuple[LoggedEntry, ...]:
        """Tells the match what these tiles mean."""
        state = session.state
        row = hands.row(state)
        standing = [tile for tile in tiles if tile.state is not Fate.FALLEN]
        if self.frame is None:
            if len(row) == 1 and [tile.value for tile in standing] != [row[0].value]:
                self.differences = not_cleared(row, standing)
                return ()
            self.frame = fitted(row, standing)
            if self.frame is None:
                missing = {tile.value for tile in row} - {tile.value for tile in standing}
                self.differences = tuple(Difference("missing", value) for value in sorted(missing))
                return ()
        last = _last_placed(session, hands)
        is_seen = last is None or _placed_at(hands, last.move).value in self._known
        unseen = None if last is None or is_seen else last.move
        by_hand = strength_of(session.setup.names[hands.placer(state)]) is None
        found = sense(hands, state, self.frame, tiles, by_hand=by_hand, unseen=unseen)
        # A table that shows the match itself will show what it does not show yet.
        self.differences = found.differences if self._shows is None or unseen is None else ()
        if found.refused is not None:
            return self._refuse(found.refused)
        if found.move is None:
            if not found.differences:
                self._known = {tile.value for tile in row}
                self.frame = fitted(row, standing) or self.frame
                self._refused = None
            return ()
        return self._play(session, found, last)

    def _play(self, session: Session, found: Sense, last: AppliedMove | None) -> tuple[LoggedEntry, ...]:
        try:
            if found.corrects:
                assert last is not None
                return session.correct(found.seat, last.number, found.move)
            return session.play(found.seat, found.move)
        except RuleError as error:
            return self._refuse(error)

    def _refuse(self, error: RuleError) -> tuple[LoggedEntry, ...]:
        """Raises what the rules say, unless it was said of this very table."""
        said = str(error)
        if said != self._refused:
            self._refused = said
            raise error
        return ()

    def _hands(self, session: Session) -> TableHands | None:
        """What the match's game says of its table; None when a camera that reads these tiles cannot follow it."""
        hands = hands_of(session.setup.game)
        return hands if hands is not None and hands.tiles == self._eye.tile_set else None

    # What people say

    def correct(self, session: Session | None, value: int, x: float, y: float) -> tuple[LoggedEntry, ...]:
        """A person says that the tile stands at that point of the mat, mm, instead of where it was read.

        RuleError when there is no such tile, or when it cannot have stood there.
        """
        read, shown = self._corrections.known_as(value, self._eye.view.tiles)
        return self._say(session, read, shown, replace(shown, x=x, y=y))

    def rename(self, session: Session | None, value: int, other: int) -> tuple[LoggedEntry, ...]:
        """A person says that the tile is another one than was read.

        RuleError when it cannot be that one, SceneError when the set has no such tile.
        """
        _ = self._eye.tile_set[other]
        read = self._eye.view.tiles
        if other != value and any(tile.value == other for tile in self._corrections.applied(read)):
            raise RuleError("The tile {value} is seen elsewhere on the table.", value=other)
        tile, shown = self._corrections.known_as(value, read)
        return self._say(session, tile, shown, replace(shown, value=other))

    def drag(self, session: Session | None, value: int, by: tuple[float, float]) -> tuple[LoggedEntry, ...]:
        """As `correct`, by shares of the picture's width and height."""
        seen = self._eye.view.seen
        _read, tile = self._corrections.known_as(value, () if seen is None else seen.reading.tiles)
        assert seen is not None  # for the tile is in it
        sight = seen.view.sight
        spot = sight.project(np.array([[tile.x, tile.y, 0.0]]))
        moved = spot + np.array(by) * (sight.lens.width, sight.lens.height)
        x, y = sight.to_plane(moved)[0].tolist()
        return self.correct(session, value, x, y)

    def _say(
        self, session: Session | None, read: ReadTile, shown: ReadTile, better: ReadTile
    ) -> tuple[LoggedEntry, ...]:
        """Keeps what people say of a tile, and corrects the move that set it down."""
        told: tuple[LoggedEntry, ...] = ()
        if session is not None:
            hands = self._hands(session)
            if hands is None or self.frame is None:
                raise RuleError("The tile {value} is not seen on the table.", value=shown.value)
            last = _last_placed(session, hands)
            if last is not None and (place := _placed_at(hands, last.move)).value == shown.value:
                own = self.frame.in_game(better)
                move = hands.elsewhere(last.move, replace(place, value=better.value, x=own.x, y=own.y))
                told = session.correct(hands.placer(session.state), last.number, move)
        self._corrections.keep(read, better)
        return told


def _last_placed(session: Session, hands: TableHands) -> AppliedMove | None:
    """The last move that stood a tile."""
    made = reversed(session.history.moves)
    return next((each for each in made if hands.placement(each.move) is not None), None)


def _placed_at(hands: TableHands, move: Any) -> Placement:
    place = hands.placement(move)
    assert place is not None
    return place


def _expected(frame: TableFrame, row: Row) -> tuple[ReadTile, ...]:
    """The row where a reader should look for it."""
    return tuple(replace(frame.on_mat(tile), sigma=(1.0, 1.0, 1.0)) for tile in row)
