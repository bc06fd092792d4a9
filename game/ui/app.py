"""The way through the window: from the start to a match, to its end, and back; choices remembered, matches kept."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from game.film.film import Film, film_of
from game.match.history import CAMERA, HAND, SIMULATED, Setup, checked_setup, new_seed
from game.match.players import strength_of
from game.match.saved import NAME, free_file, matches_folder
from game.pictures.player_colours import colours_of, with_colours
from game.pictures.theme import TEXT_SIZES
from game.sound.effects import Clacks
from game.ui.match_control import BOT_TIME, MatchControl, resumed
from game.ui.match_settings import PERSON, MatchSettings, SeatSettings
from game.ui.match_window import Around, window_of
from game.ui.replay.replay import Replay
from game.ui.run import Wanted
from game.ui.saved import Choices, Unfinished, remember, remembered, unfinished
from game.ui.screens.base import Desk, Sounds
from game.ui.screens.over import Over
from game.ui.screens.start import Cameras, Start
from game.ui.speaker import Speaker
from game.ui.toolkit.layout import SEATS
from game.ui.view3d.table3d import Table3D
from game.ui.view3d.tableview import TableView
from game.ui.watches import Watches
from game.ui.window import GameWindow
from game.words import wanted_language
from physics.errors import ToppleError
from vision.camera.devices import Camera, cameras_there

if TYPE_CHECKING:
    from game.table.calibrating import Calibrating


class App:
    """Everything behind the window; see the module."""

    def __init__(
        self,
        window: GameWindow,
        executor: Executor,
        wanted: Wanted,
        *,
        bot_time: float = BOT_TIME,
        endings: Executor | None = None,
    ) -> None:
        self.window, self.desk, self._endings = window, window.desk, endings
        self._executor, self._wanted, self._bot_time = executor, wanted, bot_time
        self._choices = remembered(wanted.folder)
        self._view = TableView(Table3D(window.ctx))
        self._sounds: Sounds = Clacks(Speaker())
        self._guided = not _has_played(wanted.folder)
        self._uses_rig = wanted.uses_rig
        desk = self.desk
        _set(desk, self._choices, wanted.language)
        desk.changed = self._remember

    @property
    def folder(self) -> Path:
        """Where matches are kept; OutputError when there can be no such folder."""
        return matches_folder(self._wanted.folder)

    def open(self) -> None:
        """Shows the first screen; InputError when the match that is wanted cannot be."""
        wanted = self._wanted
        if wanted.resume is not None:
            self._show(self._resumed(wanted.resume), guided=False)
        elif wanted.setup is not None:
            path = wanted.path or free_file(self.folder / NAME)
            self._show(self._begun(path, wanted.setup), guided=self._guided)
        else:
            self.start()

    def start(self) -> None:
        """The screen before a match."""
        cameras = Cameras(self._cameras, self._calibrate)
        self.window.begin(Start(self.desk, self._settings(), self._kept, self._begin, self._continue, cameras))

    def _cameras(self) -> tuple[Camera, ...]:
        """The cameras that can be calibrated: none while one of them watches the table."""
        is_free = self._wanted.watches.table is None and find_spec("cv2") is not None
        return cameras_there() if is_free else ()

    def _calibrate(self, camera: Camera) -> None:
        """Leads through the calibration, and back."""
        from game.table.calibrating import Calibrating
        from game.ui.camera.calibrate import Calibrate
        from vision.camera.sources import source_of

        self.desk.over(Calibrate(self.desk, Calibrating(source_of(str(camera.number))), self.desk.back))

    # From the start to a match

    def _settings(self) -> MatchSettings:
        choices = self._choices
        seats = []
        for name in choices.players:
            strength = strength_of(name)
            seats.append(SeatSettings(PERSON, name) if strength is None else SeatSettings(strength))
        everybody = (*choices.players, *("" for _seat in range(SEATS)))[:SEATS]
        return MatchSettings(
            seats=tuple(seats),
            game=choices.game,
            options=choices.options,
            table=HAND if self._uses_rig else choices.table,
            hints=choices.hints,
            clumsy=choices.clumsy,
            guided=self._guided,
            colours=colours_of(everybody, choices.colours),
            rig=None if self._wanted.watches.rig is None else self._uses_rig,
        )

    def _kept(self) -> Sequence[Unfinished]:
        try:
            return unfinished(self.folder)
        except ToppleError:  # it is said when a match is to begin
            return ()

    def _begin(self, settings: MatchSettings) -> None:
        players = settings.players()
        seed = new_seed() if self._wanted.seed is None else self._wanted.seed
        setup = Setup(settings.game, players, seed, settings.chosen)
        if settings.has_tiles:
            is_followed = self._wanted.watches.hands is not None and settings.kit.hands is not None
            table = CAMERA if is_followed else settings.table
            clumsy = settings.clumsy and table == SIMULATED
            setup = replace(setup, table=table, hints=settings.hints, clumsy=clumsy)
        setup = checked_setup(setup)
        colours = settings.taken_colours()
        known = with_colours(self._choices.colours, settings.typed(), colours)
        self._choices = replace(
            self._choices,
            game=settings.game,
            players=settings.typed(),
            colours=with_colours(known, players, colours),
            options=settings.options,
            table=settings.table,
            hints=settings.hints,
            clumsy=settings.clumsy,
        )
        self._remember()
        self._uses_rig = bool(settings.rig)
        path = free_file(self.folder / NAME)
        self._show(self._begun(path, setup), guided=settings.guided)

    def _continue(self, path: Path) -> None:
        self._show(self._resumed(path), guided=False)

    def _begun(self, path: Path, setup: Setup) -> MatchControl:
        kind = window_of(setup.game).control
        control: MatchControl = kind.begin(path, setup, self._executor, bot_time=self._bot_time, watches=self._watches)
        return control

    def _resumed(self, path: Path) -> MatchControl:
        session = resumed(path, self._executor, self._watches)
        kind = window_of(session.setup.game).control
        control: MatchControl = kind(session, self._executor, bot_time=self._bot_time, watches=self._watches)
        return control

    @property
    def _watches(self) -> Watches:
        watches = self._wanted.watches
        return watches if self._uses_rig else replace(watches, rig=None)

    def _show(self, control: MatchControl, *, guided: bool) -> None:
        setup = control.session.setup
        self.desk.game = setup.game
        self.desk.colours = colours_of(setup.names, self._choices.colours)
        around = Around(
            self.desk,
            self._view,
            self._sounds,
            guided=guided,
            leave=self.start,
            ended=lambda: self._end(control),
            closed=lambda: self._close(control),
        )
        self.window.begin(window_of(setup.game).screen(control, around))

    def _close(self, control: MatchControl) -> None:
        """What a match that is over still has to learn comes in behind the window's back."""
        if self._endings is not None and control.has_pending_forecast:
            self._endings.submit(control.finish)
        else:
            control.close()

    # After a match

    def _end(self, control: MatchControl) -> None:
        self.desk.over(Over(self.desk, control, self.folder, self._again, self.start, self._replay))

    def _again(self, control: MatchControl) -> None:
        self._show(control.again(free_file(self.folder / NAME)), guided=False)

    def _replay(self, path: Path) -> None:
        self.desk.over(Replay(self.desk, film_of(path), self._view, self._sounds, self.desk.back))

    def _remember(self) -> None:
        desk = self.desk
        self._choices = replace(
            self._choices,
            language=desk.language,
            contrast=desk.contrast,
            text_size=TEXT_SIZES[desk.text_size],
            sound=0.0 if desk.muted else self._choices.sound or Choices().sound,
        )
        remember(self._choices, self._wanted.folder)


def _has_played(folder: Path | None) -> bool:
    """Whether there is a match of this person already."""
    try:
        return any(matches_folder(folder).glob("*.topple"))
    except ToppleError:
        return False


def show_film(window: GameWindow, film: Film, language: str = "") -> None:
    """Shows a log alone in the window."""
    desk, choices = window.desk, remembered()
    _set(desk, choices, language)
    desk.colours = colours_of(film.tell().names, choices.colours)
    desk.game = film.game or desk.game
    view = TableView(Table3D(window.ctx))
    window.begin(Replay(desk, film, view, Clacks(Speaker()), window.close, can_leave=False))


def show_calibration(window: GameWindow, work: Calibrating, language: str = "") -> None:
    """Shows the calibration of a camera alone in the window."""
    from game.ui.camera.calibrate import Calibrate

    _set(window.desk, remembered(), language)
    window.begin(Calibrate(window.desk, work, window.on_close))


def _set(desk: Desk, choices: Choices, language: str) -> None:
    """The desk as it was set last time."""
    desk.set_language(language or choices.language or wanted_language())
    desk.contrast = choices.contrast
    desk.text_size = TEXT_SIZES.index(choices.text_size) if choices.text_size in TEXT_SIZES else 0
    desk.muted = choices.sound == 0
