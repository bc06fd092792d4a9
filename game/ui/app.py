"""The way through the window: from the start to a match, to its end, and back; choices remembered, matches kept."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from game.bots import strength_of
from game.match import Setup, checked_setup
from game.text.names import check_names
from game.ui import controller as matches
from game.ui.clacks import Clacks
from game.ui.controller import Controller
from game.ui.film import Film, film_of
from game.ui.look import TEXT_SIZES
from game.ui.memory import Choices, Unfinished, free_path, matches_folder, remember, remembered, unfinished
from game.ui.run import Wanted
from game.ui.screens.base import Sounds
from game.ui.screens.match import Match
from game.ui.screens.over import Over
from game.ui.screens.replay import Replay
from game.ui.screens.start import PERSON, Kept, SeatWish, Start, Wish
from game.ui.sound import Speaker
from game.ui.table3d import Table3D
from game.ui.tableview import TableView
from game.ui.window import GameWindow
from game.words import _, wanted_language

BOT_TIME = matches.BOT_TIME


class App:
    """Everything behind the window; see the module."""

    def __init__(self, window: GameWindow, executor: Executor, wanted: Wanted, *, bot_time: float = BOT_TIME) -> None:
        self.window, self.desk = window, window.desk
        self._executor, self._wanted, self._bot_time = executor, wanted, bot_time
        self._choices = remembered(wanted.folder)
        self._view = TableView(Table3D(window.ctx))
        self._sounds: Sounds = Clacks(Speaker())
        self._guided = not _has_played(wanted.folder)
        desk = self.desk
        desk.language = wanted.language or self._choices.language or wanted_language()
        desk.set_language(desk.language)
        desk.contrast = self._choices.contrast
        desk.text_size = TEXT_SIZES.index(self._choices.text_size) if self._choices.text_size in TEXT_SIZES else 0
        desk.muted = self._choices.sound == 0
        desk.changed = self._remember

    @property
    def folder(self) -> Path:
        """Where matches are kept."""
        return matches_folder(self._wanted.folder)

    def open(self) -> None:
        """Shows the first screen; InputError when the match that is wanted cannot be."""
        wanted = self._wanted
        if wanted.resume is not None:
            self._show(matches.resume(wanted.resume, self._executor, bot_time=self._bot_time), guided=False)
        elif wanted.setup is not None:
            path = wanted.path or free_path(self.folder)
            self._show(matches.begin(path, wanted.setup, self._executor, bot_time=self._bot_time), guided=self._guided)
        else:
            self.start()

    def start(self) -> None:
        """The screen before a match."""
        self.window.begin(Start(self.desk, self._wish(), self._kept, self._begin, self._continue))

    # From the start to a match

    def _wish(self) -> Wish:
        choices = self._choices
        seats = []
        for number, name in enumerate(choices.players, 1):
            strength = strength_of(name)
            shown = name or (_("Player") if number == 1 else _("Player {number}").format(number=number))
            seats.append(SeatWish(PERSON, shown) if strength is None else SeatWish(strength))
        rounds = choices.options.get("rounds", 3)
        return Wish(tuple(seats), int(rounds), choices.hints, choices.clumsy, self._guided)

    def _kept(self) -> Sequence[Kept]:
        return [Kept(str(each.path), ", ".join(each.names), _about(each)) for each in unfinished(self.folder)]

    def _begin(self, wish: Wish) -> None:
        players = wish.players()
        seed = secrets.randbelow(2**31) if self._wanted.seed is None else self._wanted.seed
        setup = Setup("evaluation", players, seed, {"rounds": wish.rounds}, hints=wish.hints, clumsy=wish.clumsy)
        setup = checked_setup(setup)
        check_names(players)
        setup.rules.start(len(players), setup.options, setup.seed)
        self._choices = replace(
            self._choices, players=players, options={"rounds": wish.rounds}, hints=wish.hints, clumsy=wish.clumsy
        )
        self._remember()
        path = free_path(self.folder)
        self._show(matches.begin(path, setup, self._executor, bot_time=self._bot_time), guided=wish.guided)

    def _continue(self, key: str) -> None:
        self._show(matches.resume(Path(key), self._executor, bot_time=self._bot_time), guided=False)

    def _show(self, controller: Controller, *, guided: bool) -> None:
        screen = Match(
            self.desk,
            controller,
            self._view,
            self._sounds,
            guided=guided,
            leave=self.start,
            ended=lambda: self._end(controller),
        )
        self.window.begin(screen)

    # After a match

    def _end(self, controller: Controller) -> None:
        self.desk.over(Over(self.desk, controller, self.folder, self._again, self.start, self._replay))

    def _again(self, controller: Controller) -> None:
        self._show(controller.again(free_path(self.folder)), guided=False)

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


def _about(match: Unfinished) -> str:
    return _("Round {round} of {rounds}.").format(round=match.round, rounds=match.rounds)


def _has_played(folder: Path | None) -> bool:
    """Whether there is a match of this person already."""
    return any(matches_folder(folder).glob("*.topple"))


def show_film(window: GameWindow, film: Film, language: str = "") -> None:
    """Shows a log alone in the window."""
    desk, choices = window.desk, remembered()
    desk.set_language(language or choices.language or wanted_language())
    desk.contrast = choices.contrast
    desk.text_size = TEXT_SIZES.index(choices.text_size) if choices.text_size in TEXT_SIZES else 0
    desk.muted = choices.sound == 0
    view = TableView(Table3D(window.ctx))
    window.begin(Replay(desk, film, view, Clacks(Speaker()), window.close, can_leave=False))
