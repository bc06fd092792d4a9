"""What has happened in a match, in the order in which a window tells and shows it.

Sentences are those of the terminal. Some moments are to be seen first: the countdown before the votes, the fall before
its outcome. They stand in one line with what is told, and nothing behind them is told before they have been seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from game.match import Told
from game.publish import Public, Publisher
from game.rules.evaluation_state import Phase, State, row_scene
from game.session import Session
from game.stage import scene_key
from game.text.story import Story
from game.ui.playback import Playback, playback_in
from game.ui.shown import TROUBLE, Act, Beat, Happening, revealed_in, score_in
from game.words import say
from physics.errors import SceneError, ToppleError

LINES = 30  # sentences that are kept to be shown


class Teller:
    """Turns entries of the log into happenings and beats, as a spectator may know them."""

    def __init__(self, session: Session) -> None:
        self._course = session.course
        self._story = Story(session.setup)
        self._publisher = Publisher(session.setup, None)
        self._heard: list[tuple[Told, State | None]] = []  # with the state before it
        self._queue: deque[Beat | Happening] = deque()
        self._ready: list[Happening] = []
        self._lines: deque[str] = deque(maxlen=LINES)
        self._fallen: Playback | None = None  # the last fall, until it is scored
        for entry in session.entries:
            self._publisher.feed(entry)
        for _event, texts in self._story.tell_each(self._publisher.events):  # of a resumed match: told already
            self._lines.extend(texts)

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat."""
        return self._story.names

    @property
    def lines(self) -> tuple[str, ...]:
        """The last sentences, the newest last."""
        return tuple(self._lines)

    @property
    def beat(self) -> Beat | None:
        """What is to be seen now; None: the match itself."""
        self._take_in()
        return next((each for each in self._queue if isinstance(each, Beat)), None)

    @property
    def is_held(self) -> bool:
        """Whether something is to be seen before anybody moves."""
        return self.beat is not None

    def hear(self, told: Told) -> None:
        """Takes an entry of the log when it is written."""
        before = self._course.made[-1].before if told.entry.kind in ("move", "outcome", "knocked") else None
        self._heard.append((told, before))

    def trouble(self, error: ToppleError) -> None:
        """Tells of something that was refused or went wrong, at once."""
        words = say(error)
        self._lines.append(words)
        self._ready.append(Happening(TROUBLE, {}, (words,)))

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
        events = [(event, before) for told, before in heard for event in self._publisher.feed(told.entry)]
        told = self._story.tell_each([event for event, _before in events])
        for (event, texts), (_event, before) in zip(told, events, strict=True):
            self._line_up(event, texts, before)
        self._release()

    def _line_up(self, event: Public, texts: tuple[str, ...], before: State | None) -> None:
        _t, kind, data = event
        happening = Happening(kind, data, texts)
        if before is None:
            self._queue.append(happening)
        elif kind in ("outcome", "knocked"):
            self._fallen = self._playback(kind, data)
            if self._fallen is not None:
                scene = data["scene"] if kind == "outcome" else ""
                self._queue.append(Beat(Act.FALLING, before, scene, _sides(before), self._fallen))
            self._queue.append(happening)
        else:
            self._line_up_step(event, happening, before)

    def _line_up_step(self, event: Public, happening: Happening, before: State) -> None:
        revealed = revealed_in(event)
        if revealed is not None:
            self._queue.append(Beat(Act.COUNTDOWN, before, votes=revealed))
        self._queue.append(happening)
        score = score_in(happening.data.get("events", ()), _sides(before), happening.sentences)
        if score is not None:
            scene = "" if score.fell is None else scene_key(row_scene(before))
            self._queue.append(Beat(Act.SCORED, before, scene, score.votes, self._fallen, score))
            self._fallen = None

    def _playback(self, kind: str, data: Mapping[str, Any]) -> Playback | None:
        """The fall, slow at its weakest gap; None where it was not recorded."""
        try:
            playback = playback_in(data)
        except SceneError as error:  # of a camera, say: the match goes on without the picture
            self.trouble(error)
            return None
        if playback is None or kind == "knocked":
            return playback
        return playback.slowed(self._course.forecasts.get(data["scene"], {}).get("weakest_at"))

    def _release(self) -> None:
        while self._queue and isinstance(self._queue[0], Happening):
            happening = self._queue.popleft()
            assert isinstance(happening, Happening)
            self._lines.extend(happening.sentences)
            self._ready.append(happening)


def _sides(state: State) -> tuple[str | None, ...]:
    """The votes as they may be told; none before they are all open."""
    if state.phase not in (Phase.PUSH, Phase.FALL):
        return ()
    return tuple("success" if vote else "failure" for vote in state.votes)
