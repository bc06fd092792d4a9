"""What only one of several people at a terminal may read: shown when the others look away, and wiped off afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from game.core import Seat
from game.match.session import Session
from game.text.game_text import GameText
from game.text.private import PrivateLines
from game.text.terminal import Terminal
from game.words import _


class Curtain:
    """The hands and secrets of one match at one terminal."""

    def __init__(
        self, session: Session, terminal: Terminal, text: GameText, names: Sequence[str], people: Sequence[Seat]
    ) -> None:
        self._session, self._terminal, self._names = session, terminal, names
        self._private = PrivateLines(session, text, people)
        self._is_shared = len(people) > 1
        self._is_open = False

    def open(self, seat: Seat) -> None:
        """Shows that seat what only it may know; EOFError when nobody answers any more."""
        lines = self._private.of(seat, self._names)
        self._private.read(seat, made[-1].number if (made := self._session.history.moves) else 0)
        if not lines:
            return
        if self._is_shared:
            ready = _("{name}, what comes now is for you alone: press Enter when nobody else is looking")
            self._terminal.ask(ready.format(name=self._names[seat]))
            self._is_open = True
        for line in lines:
            self._terminal.say(line)

    def show_again(self, seat: Seat) -> None:
        """Shows once more what that seat, which was asked last, holds now."""
        if self._is_open or not self._is_shared:
            for line in self._private.of(seat, self._names):
                self._terminal.say(line)

    def close(self) -> None:
        """Wipes it off, where others will look at the same screen."""
        if self._is_open:
            self._is_open = False
            self._terminal.wipe()
