"""What only one of several people at a screen may read: a hand, a secret, and news that nobody else knows."""

from __future__ import annotations

from collections.abc import Sequence

from game.core import Seat
from game.match.session import Session
from game.text.game_text import GameText


class PrivateLines:
    """By seat, for one match; what was read once of the news is not told again."""

    def __init__(self, session: Session, text: GameText, people: Sequence[Seat]) -> None:
        self._session, self._text = session, text
        self._known = dict.fromkeys(people, session.entries[-1].number if session.entries else 0)

    def of(self, seat: Seat, names: Sequence[str]) -> list[str]:
        """What that seat alone may know: its news since it last read them, then what it has; empty where nothing is."""
        view, known = self._session.view(seat), self._known.get(seat, 0)
        made = [each for each in self._session.history.moves if each.number > known]
        events = [event for each in made for event in each.events if event.to is not None and event.known_to(seat)]
        told = [self._text.event(event.kind, event.data, view, names) for event in events]
        return [*(sentence for sentence in told if sentence), *self._text.private(view, seat)]

    def read(self, seat: Seat, until: int) -> None:
        """That seat has read its news up to the move of that number."""
        self._known[seat] = max(until, self._known.get(seat, 0))
