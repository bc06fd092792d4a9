"""The screen of a replay in a window that nobody sees, used by keys and mouse; says as JSON what it showed."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ["ARCADE_HEADLESS"] = "True"

import arcade

from game.film.film import film_of
from game.film.playback import Playback
from game.games.evaluation.window.falling import Falling
from game.games.evaluation.window.model import Act
from game.sound.strikes import Strike
from game.ui.app import show_film
from game.ui.replay.replay import Replay
from game.ui.toolkit.widgets import Action, Slider
from game.ui.window import GameWindow

FRAME = 1 / 60


class Ear:
    """Counts what would be heard, and when."""

    def __init__(self) -> None:
        self.clock = 0.0
        self.heard: list[float] = []

    def place(self) -> None:
        pass

    def strikes(self, heard: Sequence[tuple[float, Strike]]) -> None:
        self.heard += [self.clock + delay for delay, _strike in heard]

    def tick(self) -> None:
        pass

    def flip(self) -> None:
        pass


class Watcher:
    """Who watches the film."""

    def __init__(self, window: GameWindow, ear: Ear) -> None:
        self.window, self.ear = window, ear

    @property
    def screen(self) -> Replay:
        top = self.window.desk.top
        assert isinstance(top, Replay)
        return top

    def key(self, *names: str) -> float:
        for name in names:
            self.window.on_key_press(getattr(arcade.key, name), 0)
        self.draw()
        return self.screen.t

    def draw(self) -> None:
        self.window.on_update(0.0)
        self.window.on_draw()

    def goes_on(self, seconds: float) -> float:
        for _frame in range(round(seconds / FRAME)):
            self.window.on_update(FRAME)
            self.ear.clock += FRAME
        self.draw()
        return self.screen.t

    def line(self) -> Slider:
        found = self.screen.focus.named("film")
        assert isinstance(found, Slider)
        return found

    def spot(self, share: float) -> tuple[int, int]:
        track = self.line().track()
        return round(track.x + share * track.width), round(track.middle[1])

    def click(self, name: str) -> None:
        widget = self.screen.focus.named(name)
        assert widget is not None, name
        x, y = map(round, widget.rect.middle)
        self.window.on_mouse_press(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
        self.window.on_mouse_release(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
        self.draw()


def main() -> None:
    film = film_of(Path(sys.argv[1]))
    window, ear = GameWindow((960, 640)), Ear()
    show_film(window, film, "en")
    watcher = Watcher(window, ear)
    screen = watcher.screen
    screen._sounds = ear
    watcher.draw()
    found: dict[str, Any] = {"lasts": film.lasts, "moments": film.moments, "played": watcher.goes_on(1.0)}
    found["paused"] = [watcher.key("SPACE"), watcher.goes_on(0.5)]
    found["home"], found["end"] = watcher.key("HOME"), watcher.key("END")
    found["stepped"] = [watcher.key("HOME"), watcher.key("PERIOD"), watcher.key("PERIOD"), watcher.key("COMMA")]
    found["rounds"] = [watcher.key("BRACKETRIGHT"), watcher.key("BRACKETRIGHT"), watcher.key("BRACKETLEFT")]
    found["nudged"] = watcher.key("RIGHT") - watcher.key("LEFT")
    watcher.key("MINUS", "MINUS", "MINUS")
    found["slowest"] = screen.speed
    watcher.click("speed2")
    found["fastest"] = screen.speed
    found["going"] = [
        screen.is_playing,
        watcher.key("SPACE") and screen.is_playing,
        watcher.key("SPACE") and screen.speed,
    ]
    x, y = watcher.spot(0.5)
    window.on_mouse_press(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
    watcher.draw()
    found["clicked"] = screen.t
    x, y = watcher.spot(0.25)
    window.on_mouse_drag(x, y, 0, 0, arcade.MOUSE_BUTTON_LEFT, 0)
    watcher.draw()
    found["dragged"] = screen.t
    window.on_mouse_release(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
    window.on_mouse_motion(5, 400, 0, 0)
    window.on_mouse_press(5, 400, arcade.MOUSE_BUTTON_LEFT, 0)
    window.on_mouse_release(5, 400, arcade.MOUSE_BUTTON_LEFT, 0)
    # A fall from its push, at real speed: what is heard, and how the eye moves.
    watcher.key("MINUS")
    push = film.pushes[0]
    shot = film.shots[film.index(push)]
    watcher.screen.t = shot.begins
    window.on_update(0.0)
    assert shot.playback is not None
    ear.clock, ear.heard, eyes = 0.0, [], []
    screen.is_playing = True
    while screen.t < shot.ends - 0.05:
        watcher.window.on_update(FRAME)
        ear.clock += FRAME
        eyes.append(screen._view.orbit.target[0])
    began = shot.playback.real(shot.playback.start)
    found["heard"] = ear.heard
    found["due"] = [shot.playback.real(strike.time) - began for strike in shot.playback.strikes]
    found["eyes"] = eyes
    said = []
    for _language in range(3):
        said.append(screen.telling().sentences[-1][1])
        watcher.key("F2")
    found["said"] = said
    window.on_key_press(arcade.key.F3, 0)
    watcher.draw()
    found["contrast"] = window.desk.contrast
    found["live"] = live(watcher, shot.playback)
    json.dump(found, sys.stdout)


def live(watcher: Watcher, playback: Playback) -> dict[str, Any]:
    """The same fall at the screen of a match."""
    gone_on: list[float] = []
    clock = 0.0
    controller: Any = SimpleNamespace(go_on=lambda: gone_on.append(clock))
    shown: Any = SimpleNamespace(act=Act.FALLING, playback=playback)
    falling, ear = Falling(controller, watcher.screen._view, shown), watcher.ear
    ear.heard = []

    def goes_on(seconds: float) -> float:
        nonlocal clock
        for _frame in range(round(seconds / FRAME)):
            ear.clock = clock
            falling.update(FRAME, ear)
            clock += FRAME
        assert falling.player is not None
        return falling.player.t

    while not gone_on:
        goes_on(FRAME)
    found: dict[str, Any] = {"ended": gone_on[0], "heard": list(ear.heard)}
    falling.key("r")
    found["again"] = goes_on(0.3)
    falling.key("space")
    found["paused"] = [goes_on(0.1), goes_on(0.3)]
    falling.key("right")
    found["nudged"] = goes_on(0.1)
    falling.acted(Action("film", 0.1))
    found["scrubbed"] = goes_on(0.1)
    for key in ("-", "-", "space"):
        falling.key(key)
    found["quarter"] = goes_on(0.2)
    gone_on.clear()
    falling.key("enter")
    found["skipped"] = len(gone_on)
    return found


main()
