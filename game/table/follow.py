"""A match that a camera watches, without a window: pictures in, moves and news out, and what people say in between."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from game.core import TABLE, RuleError
from game.match.publish import Publisher
from game.match.session import Session
from game.match.steps import Status
from game.match.turns import tell_sight
from game.table.camera import TableCamera
from game.table.corrections import correction_in, no_correction
from game.table.fall import FallWatch
from game.table.news import News
from game.text.lines import LineInput
from physics.errors import InputError, OutputError, ToppleError
from physics.fields import shown
from vision.camera.frames import Back, CameraFrame, Ended, Frames, Item, Lost
from vision.camera.sources import Skipped
from vision.reader.reading import ReadTile

LOOK = 0.1  # s between two looks at what people say


class SpokenCommands:
    """What people say, line by line: `SEAT: MOVE`, as in `1: call` or `0: vote success`; and what was read wrong,
    `8 at -12.5 30`, mm on the mat, or `7 is 8`."""

    def __init__(self, lines: LineInput, *, waits: bool) -> None:
        """`waits`: a line that cannot be played yet waits until it can; with a film nobody hurries."""
        self._input, self._waits = lines, waits
        self._waiting: deque[str] = deque()

    def obeyed(self, camera: TableCamera, session: Session | None) -> Iterator[ToppleError | ReadTile]:
        """Does what can be done now; yields what is refused, and tiles as they were corrected.

        OutputError when the log cannot be written.
        """
        while (line := self._input.poll(0.0)) is not None:
            self._waiting += [line] if line.strip() else []
        while self._waiting and (session is None or session.result is None):
            try:
                better = _corrected(camera, session, self._waiting[0])
                if better is not None:
                    yield better
                elif session is not None:
                    _play(session, self._waiting[0])
                else:
                    raise no_correction(self._waiting[0])
            except OutputError:
                raise
            except ToppleError as error:
                if self._waits:
                    return
                yield error
            self._waiting.popleft()


def _corrected(camera: TableCamera, session: Session | None, line: str) -> ReadTile | None:
    """The tile as the line corrects it; None when it is no correction. ToppleError when it cannot be so."""
    found = correction_in(line)
    if found is None:
        return None
    value = found.value
    if found.other is not None:
        camera.rename(session, value, found.other)
        value = found.other
    elif found.place is not None:
        camera.correct(session, value, *found.place)
    return next(tile for tile in camera.tiles if tile.value == value)


def _play(session: Session, line: str) -> None:
    who, colon, move = line.partition(":")
    if not colon or not (who.strip().isdecimal() or who.strip() == "table"):
        raise InputError(
            "{line} is not a move; write SEAT: MOVE, such as 1: call or 0: vote success.", line=shown(line)
        )
    if who.strip() == "table":
        session.play(TABLE, move.strip(), by=0)
    else:
        session.play(int(who), move.strip())


class TableMatch:
    """See the module; without a session only the table is told of."""

    def __init__(self, camera: TableCamera, news: News, session: Session | None, said: SpokenCommands) -> None:
        self._camera, self._news, self._session, self._said = camera, news, session, said
        self._publisher = None if session is None else Publisher(session.setup, None, is_sent=False)
        self._falls = FallWatch(camera) if session is None else None
        self._fed = 0
        self._trouble = ""  # of the last picture
        if session is not None and self._publisher is not None:
            for entry in session.entries:  # of a resumed match: known already
                self._publisher.feed(entry)
            self._fed = len(session.entries)
            news.known(self._publisher.events)

    def run(self, frames: Frames, seconds: float | None = None, show: Callable[[], bool] = lambda: True) -> None:
        """Until the pictures end, the match is over, or so many seconds of them have passed.

        `show` is called after every picture, and ends it as well when it returns False. InputError when there never
        were any pictures, OutputError when the log cannot be written.
        """
        camera = self._camera
        while self._session is None or self._session.result is None:
            item = frames.poll(LOOK)
            if item is not None:
                self._tell_of(item)
                camera.eye.take(item)
                self._tell_trouble(item)
            for event in camera.eye.events():
                self._news.table(event)
            fall = None if self._falls is None else self._falls.look()
            if fall is not None:
                self._news.fall(camera.eye.view.time, fall)
            self._obey()
            if self._session is not None:
                self._step(self._session)
            is_late = seconds is not None and camera.eye.view.time >= seconds
            if isinstance(item, Ended) or is_late or not show():
                break
        if self._session is not None:
            self._step(self._session)

    def drag(self, value: int, by: tuple[float, float]) -> None:
        """Somebody drags a tile to its place, by shares of the picture; what is refused is told."""
        time = self._camera.eye.view.time
        try:
            self._camera.drag(self._session, value, by)
        except ToppleError as error:
            self._news.trouble(time, error)
            return
        self._news.corrected(time, next(tile for tile in self._camera.tiles if tile.value == value))

    def _obey(self) -> None:
        time = self._camera.eye.view.time
        for said in self._said.obeyed(self._camera, self._session):
            if isinstance(said, ReadTile):
                self._news.corrected(time, said)
            else:
                self._news.trouble(time, said)

    def _tell_of(self, item: Item) -> None:
        time = self._camera.eye.view.time
        if isinstance(item, Lost | Skipped):
            self._news.trouble(time, item.reason, "lost" if isinstance(item, Lost) else "skipped")
        elif isinstance(item, Back):
            self._news.back(time)

    def _tell_trouble(self, item: Item) -> None:
        """Says why the table cannot be read, once, unless that was said of the picture already."""
        view = self._camera.eye.view
        said = "" if view.trouble is None else str(view.trouble)
        if view.trouble is not None and said != self._trouble and isinstance(item, CameraFrame):
            self._news.trouble(view.time, view.trouble, "unreadable")
        self._trouble = said

    def _step(self, session: Session) -> None:
        """What the picture and the people mean to the match."""
        camera = self._camera
        time = camera.eye.view.time
        try:
            camera.act(session)
        except RuleError as error:
            self._news.trouble(time, error)
        tell_sight(session, camera.snapshot())
        try:
            if session.status is Status.FALLING and not session.asks_people and camera.is_due():
                session.settle()
            session.poll()
        except OutputError:
            raise
        except ToppleError as error:
            self._news.trouble(time, error, "asked")
        self._news_of(session)

    def _news_of(self, session: Session) -> None:
        assert self._publisher is not None
        for entry in session.entries[self._fed :]:
            self._fed += 1
            for event in self._publisher.feed(entry):
                self._news.match(event, self._camera.eye.view.time, self._camera.speed)
