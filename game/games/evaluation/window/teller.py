"""What has happened in a match, in the order in which a window tells and shows it.

Sentences are those of the terminal. What was told is kept as events and errors, and said anew when the language
changes. Some moments are to be seen first: the countdown before the votes, the fall before
its outcome. They stand in one line with what is told, and nothing behind them is told before they have been seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from game.film.playback import Playback, playback_in
from game.games.evaluation.state import Phase, State
from game.games.evaluation.window.model import TROUBLE, Act, Cue, Happening, revealed_in, score_in
from game.match.history import AppliedMove, LoggedEntry, Setup
from game.match.publish import Public, Publisher
from game.match.session import Session
from game.match.tabletop import scene_key
from game.text.story import Story
from game.words import language_in_use, say
from physics.errors import SceneError, ToppleError

LINES = 30  # sentences that are kept to be shown


@dataclass(slots=True)
class _Waiting:
    """A beat or a happening in line; its sentences are those of the event of that number."""

    what: Cue | Happening
    number: int


class _Sentences:
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


class Teller:
    """Turns entries of the log into happenings and beats, as a spectator may know them."""

    def __init__(self, session: Session) -> None:
        self._history = session.history
        self._sentences = _Sentences(session.setup)
        self._publisher = Publisher(session.setup, None)
        self._heard: list[tuple[LoggedEntry, AppliedMove | None]] = []  # with the move that it tells of
        self._queue: deque[_Waiting] = deque()
        self._ready: list[Happening] = []
        self._told: deque[int | ToppleError] = deque(maxlen=LINES)  # events by number, and what went wrong
        self._fallen: Playback | None = None  # the last fall, until it is scored
        for entry in session.entries:
            self._publisher.feed(entry)
        for number in self._sentences.add(list(self._publisher.events)):  # of a resumed match: told already
            self._tell(number)

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat, in the language in use."""
        return self._sentences.names

    @property
    def lines(self) -> tuple[str, ...]:
        """The last sentences in the language in use, the newest last."""
        said = ((say(each),) if isinstance(each, ToppleError) else self._sentences.of(each) for each in self._told)
        return tuple(text for texts in said for text in texts)[-LINES:]

    @property
    def beat(self) -> Cue | None:
        """What is to be seen now; None: the match itself."""
        self._take_in()
        first = self._queue[0] if self._queue else None
        if first is None or not isinstance(first.what, Cue):
            return None
        beat = first.what
        if beat.score is None:
            return beat
        return replace(beat, score=replace(beat.score, sentences=self._sentences.of(first.number)))

    @property
    def is_held(self) -> bool:
        """Whether something is to be seen before anybody moves."""
        return self.beat is not None

    def hear(self, told: LoggedEntry) -> None:
        """Takes an entry of the log when it is written."""
        self._heard.append((told, self._made(told)))

    def _made(self, told: LoggedEntry) -> AppliedMove | None:
        """The move that is told of or corrected; None where there is no such move."""
        made = self._history.made
        if told.entry.kind == "correction":
            return next(each for each in made if each.number == told.entry.data["of"])
        return made[-1] if told.entry.kind in ("move", "outcome", "knocked") else None

    def trouble(self, error: ToppleError) -> None:
        """Tells of something that was refused or went wrong, at once."""
        self._told.append(error)
        self._ready.append(Happening(TROUBLE, {}, (say(error),)))

    def go_on(self) -> None:
        """What was shown has been seen."""
        if self.beat is not None:
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
            for number, (event, made) in zip(numbers, events, strict=True):
                self._line_up(event, number, made)
        self._release()

    def _line_up(self, event: Public, number: int, made: AppliedMove | None) -> None:
        _t, kind, data = event
        happening = Happening(kind, data, self._sentences.of(number))
        if made is not None and kind in ("outcome", "knocked"):
            self._fallen = self._playback(kind, data)
            if self._fallen is not None:
                scene = data["scene"] if kind == "outcome" else ""
                self._wait(Cue(Act.FALLING, made.before, scene, _sides(made.before), self._fallen), number)
            self._wait(happening, number)
        elif made is not None:
            self._line_up_step(event, happening, number, made)
        else:
            self._wait(happening, number)

    def _line_up_step(self, event: Public, happening: Happening, number: int, made: AppliedMove) -> None:
        before, row = made.before, self._history.scene_before(made)
        revealed = revealed_in(event)
        if revealed is not None:
            self._wait(Cue(Act.COUNTDOWN, before, votes=revealed), number)
        self._wait(happening, number)
        score = score_in(happening.data.get("events", ()), _sides(before), happening.sentences)
        if score is not None:
            scene = "" if score.fell is None or row is None else scene_key(row)
            self._wait(Cue(Act.SCORED, before, scene, score.votes, self._fallen, score), number)
            self._fallen = None

    def _wait(self, what: Cue | Happening, number: int) -> None:
        self._queue.append(_Waiting(what, number))

    def _playback(self, kind: str, data: Mapping[str, Any]) -> Playback | None:
        """The fall, slow at its weakest gap; None where it was not recorded."""
        try:
            playback = playback_in(data)
        except SceneError as error:  # of a camera, say: the match goes on without the picture
            self.trouble(error)
            return None
        if playback is None or kind == "knocked":
            return playback
        return playback.slowed(self._history.forecasts.get(data["scene"], {}).get("weakest_at"))

    def _release(self) -> None:
        while self._queue and isinstance(self._queue[0].what, Happening):
            waiting = self._queue.popleft()
            assert isinstance(waiting.what, Happening)
            self._tell(waiting.number)
            self._ready.append(replace(waiting.what, sentences=self._sentences.of(waiting.number)))

    def _tell(self, number: int) -> None:
        if self._sentences.of(number):
            self._told.append(number)


def _sides(state: State) -> tuple[str | None, ...]:
    """The votes as they may be told; none before they are all open."""
    if state.phase not in (Phase.PUSH, Phase.FALL):
        return ()
    return tuple("success" if vote else "failure" for vote in state.votes)
