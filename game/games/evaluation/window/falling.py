"""The fall at the screen of a match: played with its sounds, stopped, gone along, seen again."""

from __future__ import annotations

from dataclasses import replace

from game.film.playback import Player
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.model import Act, Screen
from game.pictures.theme import Sizes
from game.ui.replay.speeds import SPEED, SPEED_KEYS, other_speed, speed_buttons
from game.ui.screens.base import Sounds
from game.ui.toolkit.layout import DockPlaces, Rect
from game.ui.toolkit.widgets import Action, Button, Slider, Widget
from game.ui.view3d.tableview import TableView
from game.words import _

AFTER_FALL = 1.2  # s that the fallen row is shown before the score comes by itself
NUDGE = 0.02  # s of an arrow key


class Falling:
    """Where the film of the fall is. `shown` is what the screen shows now."""

    def __init__(self, controller: Controller, view: TableView, shown: Screen) -> None:
        self._controller, self._view = controller, view
        self.shown = shown
        self.player: Player | None = None
        self._rested = 0.0  # s since its end
        self._is_by_hand = False  # who has stopped it goes on by hand

    def update(self, seconds: float, sounds: Sounds | None) -> None:
        """The fall goes on."""
        playback = self.shown.playback
        if self.shown.act not in (Act.FALLING, Act.SCORED) or playback is None:
            self.player = None
            return
        if self.player is None:
            self.player, self._rested, self._is_by_hand = Player.of(playback), 0.0, False
        was = self.player.t
        self.player = self.player.advanced(playback, seconds)
        if self.shown.act is Act.FALLING or self.player.is_playing:
            self._view.follow(playback, self.player.t, seconds)
        if sounds is not None and self.player.t > was:
            speed = self.player.speed
            sounds.strikes([(delay / speed, strike) for delay, strike in playback.heard(was, self.player.t)])
        if self.shown.act is Act.FALLING and self.player.is_over(playback) and not self._is_by_hand:
            self._rested += seconds
            if self._rested > AFTER_FALL:
                self._controller.go_on()

    def buttons(self, dock: DockPlaces, sizes: Sizes) -> list[Widget]:
        """The time line, its buttons, and on."""
        on = Button("on", dock.main, _("Continue"), "main", "Enter")
        if self.player is None or self.shown.playback is None:
            return [on]
        playback, player = self.shown.playback, self.player
        found: list[Widget] = []
        if self.shown.act is Act.FALLING:
            marks = () if playback.slow_at is None else (playback.slow_at,)
            track = dock.tray.centred(dock.tray.width, sizes.row * 0.8)
            found.append(Slider("film", track, player.t, playback.start, playback.end, NUDGE, marks))
        again, pause, slow, fast = dock.keys
        speeds = Rect(slow.x, slow.y, fast.right - slow.x, slow.height)
        return [
            *found,
            Button("again", again, _("Again"), key="R"),
            Button("pause", pause, _("Stop") if player.is_playing else _("Go"), key="␣"),
            *speed_buttons(speeds, player.speed, sizes.gap * 0.3),
            on,
        ]

    def acted(self, action: Action) -> bool:
        """A button was pressed; whether it was one of these."""
        if action.name == "on":
            self._controller.go_on()
            return True
        playback, player = self.shown.playback, self.player
        if playback is None or player is None:
            return False
        match action.name:
            case "film" if isinstance(action.value, float):
                share = (action.value - playback.start) / max(1e-9, playback.duration)
                self.player, self._is_by_hand = player.scrubbed(playback, share), True
            case "again":
                self.player, self._rested = player.replayed(playback), 0.0
            case "pause":
                self.player, self._is_by_hand = player.toggled(playback), True
            case name if name.startswith(SPEED):
                self.player = replace(player, speed=float(name.removeprefix(SPEED)))
            case _:
                return False
        return True

    def key(self, key: str) -> bool:
        """A key was pressed; whether it meant something here."""
        names = {"enter": "on", "space": "pause", "r": "again"}
        if key in names:
            return self.acted(Action(names[key]))
        if self.player is None or self.shown.playback is None:
            return False
        if key in SPEED_KEYS:
            self.player = replace(self.player, speed=other_speed(self.player.speed, SPEED_KEYS[key]))
            return True
        if key in ("home", "end"):
            return self.acted(Action("film", self.shown.playback.start if key == "home" else self.shown.playback.end))
        if key in ("left", "right"):
            return self.acted(Action("film", self.player.t + (NUDGE if key == "right" else -NUDGE)))
        return False
