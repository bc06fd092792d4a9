"""What has happened in a match, in the order in which a window tells it.

Sentences are those of the terminal. What was told is kept as events and errors, and said anew when the language
changes. A game may show moments first, such as a countdown or a fall: its own teller puts them in line with what is
told, and nothing behind them is told before they have been seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from game.match.history import AppliedMove, LoggedEntry, Setup
from game.match.publish import Public, Publisher
from game.match.session import Session
from game.text.story import Story
from game.words import language_in_use, say
from physics.errors import ToppleError

LINES = 30  # sentences that are kept to be shown
TROUBLE = "trouble"

Moment = TypeVar("Moment")
"""What a game shows before the match goes on."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One published event and what is said of it."""

    kind: str  # step, forecast, outcome, knocked or result; trouble: something was refused or went wrong
    data: Mapping[str, Any]
    sentences: tuple[str, ...]

    @property
    def events(self) -> tuple[str, ...]:
        """The kinds of the rules' events in it, such as stood or called: what sounds and movements go with."""
        return tuple(event["kind"] for event in self.data.get("events", ()))


class Sentences:
    """What is said of every event, in the language in use."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._batches: list[list[Public]] = []  # a forecast is told otherwise together with its fall than alone
        self._begin()

    def _begin(self) -> None:
        self._language = language_in_use()
        self._story = Story(self._setup)
        self._said: list[tuple[str, ...]] = []

    def _catch_up(self) -> None:
        if self._language != language_in_use():
            self._begin()
            for batch in self._batches:
                self._tell(batch)

    def _tell(self, batch: list[Public]) -> None:
        self._said += [texts for _event, texts in self._story.tell_each(batch)]

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat."""
        self._catch_up()
        return self._story.names

    def add(self, events: list[Public]) -> range:
        """Takes events that came together; their numbers."""
        self._catch_up()
        first = len(self._said)
        self._batches.append(events)
        self._tell(events)
        return range(first, len(self._said))

    def of(self, number: int) -> tuple[str, ...]:
        """What is said of that event."""
        self._catch_up()
        return self._said[number]


class Teller(Generic[Moment]):
    """Turns entries of the log into happenings, as a spectator may know them; see the module."""

    def __init__(self, session: Session, lines: int = LINES) -> None:
        self._history = session.history
        self._most = lines
        self._sentences = Sentences(session.setup)
        self._publisher = Publisher(session.setup, None, is_sent=False)
        self._heard: list[tuple[LoggedEntry, AppliedMove | None]] = []  # with the move that it tells of
        self._queue: deque[tuple[Happening | Moment, int]] = deque()  # with the number of the event
        self._ready: list[Happening] = []
        self._told: deque[int | ToppleError] = deque(maxlen=lines)  # events by number, and what went wrong
        for entry in session.entries:
            self._publisher.feed(entry)
        for number in self._sentences.add(list(self._publisher.events)):  # of a resumed match: told already
            self._tell(number)

    def line_up(self, happening: Happening, made: AppliedMove | None) -> Iterable[Happening | Moment]:
        """What is to be told and seen of an event, in order: of a game's own, where it shows more than sentences."""
        return (happening,)

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat, in the language in use."""
        return self._sentences.names

    @property
    def lines(self) -> tuple[str, ...]:
        """The last sentences in the language in use, the newest last."""
        said = ((say(each),) if isinstance(each, ToppleError) else self._sentences.of(each) for each in self._told)
        return tuple(text for texts in said for text in texts)[-self._most :]

    @property
    def first(self) -> tuple[Moment, tuple[str, ...]] | None:
        """What is to be seen now, and what is said of its event; None: the match itself."""
        self._take_in()
        if not self._queue:
            return None
        what, number = self._queue[0]  # happenings do not wait before anything else
        return None if isinstance(what, Happening) else (what, self._sentences.of(number))

    @property
    def is_held(self) -> bool:
        """Whether something is to be seen before anybody moves."""
        return self.first is not None

    def hear(self, told: LoggedEntry) -> None:
        """Takes an entry of the log when it is written."""
        self._heard.append((told, self._made(told)))

    def _made(self, told: LoggedEntry) -> AppliedMove | None:
        """The move that is told of or corrected; None where there is no such move."""
        made = self._history.moves
        if told.entry.kind == "correction":
            return next(each for each in made if each.number == told.entry.data["of"])
        return made[-1] if told.entry.kind in ("move", "outcome", "knocked") else None

    def trouble(self, error: ToppleError) -> None:
        """Tells of something that was refused or went wrong, at once."""
        self._told.append(error)
        self._ready.append(Happening(TROUBLE, {}, (say(error),)))

    def go_on(self) -> None:
        """What was shown has been seen."""
        if self.is_held:
            self._queue.popleft()
            self._release()

    def ready(self) -> tuple[Happening, ...]:
        """What is to be told now, once."""
        self._take_in()
        ready, self._ready = tuple(self._ready), []
        return ready

    def _take_in(self) -> None:
        """Puts what was heard in line, and tells what comes before the next thing to be seen."""
        heard, self._heard = self._heard, []
        events = [(event, made) for told, made in heard for event in self._publisher.feed(told.entry)]
        if events:
            numbers = self._sentences.add([event for event, _made in events])
            for number, ((_t, kind, data), made) in zip(numbers, events, strict=True):
                happening = Happening(kind, data, self._sentences.of(number))
                self._queue.extend((what, number) for what in self.line_up(happening, made))
        self._release()

    def _release(self) -> None:
        while self._queue and isinstance(self._queue[0][0], Happening):
            what, number = self._queue.popleft()
            assert isinstance(what, Happening)
            self._tell(number)
            self._ready.append(replace(what, sentences=self._sentences.of(number)))

    def _tell(self, number: int) -> None:
        if self._sentences.of(number):
            self._told.append(number)
