"""Pictures of every screen of the window, to be looked at: python -m tests.game.ui.gallery OUT

The real App is led through matches by the keys and widgets that people use, without a display. Of every screen it is
asserted that no widget lies outside of the window or over another one; words that had no room are listed. All screens
are shown in the usual size, the main ones in the others.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("ARCADE_HEADLESS", "True")

from game import catalogue
from game.games.evaluation.window.match import Match
from game.games.evaluation.window.model import Act
from game.match.history import HAND, Setup, checked_setup
from game.table.rig import PushRig
from game.ui.app import App
from game.ui.camera.realtable import must_stop
from game.ui.replay.replay import Replay
from game.ui.run import Wanted
from game.ui.screens.base import Screen
from game.ui.screens.over import Over
from game.ui.screens.plain_match import PlainMatch
from game.ui.screens.sheets import Menu, Rules
from game.ui.screens.start import Start
from game.ui.toolkit.widgets import Action, Button
from game.ui.watches import Watches
from game.ui.window import USUAL_SIZE, GameWindow
from game.words import LANGUAGES
from game.workers.pool import match_workers
from hardware.opening import open_rig
from hardware.simulated.emulated import EMULATED
from tests.game.ui.gallery_cameras import Posing, calibration, camera_table, many_cameras
from tests.game.ui.person import tidy
from tests.game.ui.reporting import ReportingWindow

PATIENCE = 60.0  # s for what workers find
FRAME = 0.05  # s
MAIN = ("start", "start-five", "start-games", "start-teams", "start-many-games", "letters-start-teams",
        "building", "placing", "illegal", "call", "vote", "countdown", "scored", "over", "replay", "rules", "menu",
        "letters-building", "letters-start", "witness", "rig-ready", "rig-counting", "rig-stopped", "letters-rig",
        "camera-no-mat", "camera-differs", "letters-differs", "letters-menu-cameras", "plain-covered", "plain",
        "letters-plain", "calibrate-refused", "calibrate-mat", "letters-calibrate")  # fmt: skip
PEOPLE = ("Олександра", "Maximiliane", "Bo", "bot:weak", "bot:strong")


S = TypeVar("S", bound=Screen)


class GalleryWindow(ReportingWindow):
    """Says nothing: it is looked at."""

    def on_draw(self) -> None:
        GameWindow.on_draw(self)


class Gallery:
    """Leads the window from screen to screen and takes a picture of each in every language."""

    def __init__(self, out: Path, size: tuple[int, int], languages: tuple[str, ...]) -> None:
        self.out, self.size, self.languages = out, size, languages
        self.window = GalleryWindow(size)
        self.faults: list[str] = []
        self.taken = 0
        out.mkdir(parents=True, exist_ok=True)

    # Seeing

    @property
    def top(self) -> Screen:
        return self.window.desk.top

    def shows(self, kind: type[S]) -> S:
        """The upper screen, which must be of that kind."""
        assert isinstance(self.top, kind), self.top
        return self.top

    @property
    def match(self) -> Match:
        match = self.window.desk.stack[0]
        assert isinstance(match, Match), match
        return match

    def picture(self, name: str) -> None:
        """One picture in each language, looked through for what lies wrong."""
        if self.size != USUAL_SIZE and name not in MAIN:
            return
        desk = self.window.desk
        was = desk.language
        for language in self.languages:
            desk.set_language(language)
            self.window.on_update(0.0)
            self.window.on_expose()
            self.window.on_draw()
            title = f"{name}-{self.size[0]}x{self.size[1]}-{language}"
            self.window.picture().convert("RGB").save(self.out / f"{title}.png")
            self.taken += 1
            seen = self.window.seen()
            try:
                tidy(seen)
            except AssertionError as error:
                self.faults.append(f"{title}: {error.args[0][:-1] if error.args else error!r}")
            if language != "en":
                points = (text for text in seen["texts"] if re.search(r"\d\.\d", text))
                self.faults += [f"{title}: a decimal point in {text!r}" for text in points]
            self.faults += [f"{title}: no room for {text!r}" for text in dict.fromkeys(seen["cut"])]
        desk.set_language(was)
        self.window.on_update(0.0)

    def settings(self, name: str) -> None:
        """The same screen with strong contrast, and with the largest letters."""
        desk = self.window.desk
        desk.set_contrast(True)
        self.picture(f"contrast-{name}")
        desk.set_contrast(False)
        desk.set_text_size(99)
        self.picture(f"letters-{name}")
        desk.set_text_size(0)

    # Doing

    def until(self, is_so: Callable[[], object]) -> None:
        """Lets time go by until that is so."""
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < deadline, self.window.seen()
            self.window.on_update(FRAME)
            time.sleep(0.002)

    def rest(self) -> None:
        """Lets time go by until the eye rests."""
        self.until(lambda: self.window.seen()["still"])

    def keys(self, *names: str) -> None:
        """Keys, as the window hands them to its upper screen."""
        for name in names:
            assert self.top.key(name), (name, self.window.seen())
            self.window.on_update(FRAME)

    def act(self, name: str, value: object = None) -> None:
        """A widget is used."""
        self.top.focus.show(self.top.widgets())
        widget = self.top.focus.named(name)
        assert widget is not None, (name, self.window.seen())
        self.top.acted(Action(name, widget.value if isinstance(widget, Button) else value))
        self.window.on_update(0.0)

    def at(self, act: Act, asked: int | None = None) -> None:
        """Until the match is there and the eye rests."""
        self.until(lambda: self.match.shown.act is act and (asked is None or self.match.shown.asked == asked))
        self.rest()


def start(gallery: Gallery, app: App) -> None:
    app.start()
    gallery.picture("start")
    for seat, player in enumerate(PEOPLE):
        strength = player.removeprefix("bot:")
        gallery.act(f"kind{seat}", "person" if strength == player else strength)
        if strength == player:
            gallery.act(f"name{seat}", player)
    gallery.act("hints", True)
    gallery.act("name1", PEOPLE[0])
    gallery.act("start")
    gallery.shows(Start)
    gallery.picture("start-refused")
    gallery.act("name1", PEOPLE[1])
    gallery.act("rules")
    gallery.shows(Rules)
    gallery.picture("rules")
    gallery.keys("escape")
    gallery.act("menu")
    gallery.shows(Menu)
    gallery.picture("menu")
    gallery.settings("menu")
    gallery.keys("escape")


def building(gallery: Gallery) -> None:
    """From the first tile of five players to a row that is called."""
    gallery.act("start")
    gallery.at(Act.BUILD, 0)
    gallery.picture("building")  # with what newcomers are told
    gallery.settings("building")
    gallery.keys("8")
    gallery.picture("placing")
    gallery.keys("g", *["ctrl+left"] * 4)
    assert gallery.match.hand.move is None
    gallery.picture("illegal")
    gallery.keys("g", "escape", "8")
    gallery.keys(*["ctrl+right"] * 4, "enter")  # so far away that another one fits between
    gallery.at(Act.CALL, 1)
    gallery.picture("call")
    gallery.settings("call")
    gallery.keys("space")
    gallery.until(lambda: gallery.match.shown.act is not Act.CALL)


def inserting(gallery: Gallery) -> None:
    gallery.at(Act.BUILD, 1)
    gallery.keys("5")
    for _spot in range(4):
        proposal = gallery.match.hand.proposal
        assert proposal is not None
        if len(proposal.neighbours) == 2:
            break
        gallery.keys("d")
    gallery.keys("left", "left")
    gallery.until(lambda: gallery.match.shown.hint is not None and gallery.match.shown.hint.is_final)
    gallery.picture("insert")
    gallery.keys("enter")


def voting(gallery: Gallery) -> None:
    gallery.until(lambda: 0 in gallery.match.shown.callers)
    gallery.act("call0")
    gallery.until(lambda: gallery.match.shown.voter is not None)
    gallery.picture("vote-covered")
    gallery.keys("enter")
    gallery.picture("vote")
    gallery.settings("vote")
    gallery.keys("f")
    others_vote(gallery)
    gallery.at(Act.COUNTDOWN)
    gallery.picture("countdown-begins")
    gallery.until(lambda: gallery.match.ballot.turned() >= 1.0)
    gallery.picture("countdown")


def others_vote(gallery: Gallery) -> None:
    """Everybody else says that the row falls."""
    while gallery.match.shown.act is Act.VOTE:
        gallery.until(lambda: gallery.match.shown.voter is not None or gallery.match.shown.act is not Act.VOTE)
        if gallery.match.shown.act is Act.VOTE:
            gallery.keys("enter", "s")


def falling(gallery: Gallery) -> None:
    gallery.at(Act.ARMED, 1)
    gallery.picture("armed")
    gallery.keys("enter")
    gallery.until(lambda: gallery.match.player is not None and gallery.match.player.t > 0.12)
    gallery.picture("falling")
    gallery.settings("falling")
    gallery.keys("enter")
    gallery.until(lambda: gallery.match.shown.act is Act.SCORED and gallery.match.shown.forecast is not None)
    gallery.picture("scored")
    gallery.settings("scored")


def play_on(gallery: Gallery) -> bool:
    """Does what is asked, if anything is; whether the match is over."""
    if isinstance(gallery.top, Over):
        return True
    shown = gallery.match.shown
    match shown.act:
        case Act.BUILD if shown.asked in shown.people:
            gallery.keys("8", "enter")
        case Act.CALL if shown.callers:
            gallery.act(f"call{shown.callers[0]}")
        case Act.VOTE if shown.voter is not None:
            gallery.keys(*(() if gallery.match.ballot.is_ready else ("enter",)), "f")
        case Act.ARMED if shown.asked in shown.people:
            gallery.keys("enter")
        case Act.FALLING | Act.SCORED:
            gallery.top.key("enter")
    return False


def to_the_end(gallery: Gallery) -> None:
    """A short match to its end, then what there is after it."""
    gallery.until(lambda: play_on(gallery))
    gallery.picture("over")
    gallery.settings("over")
    gallery.act("season")
    gallery.picture("season")
    gallery.act("replay")
    replay = gallery.shows(Replay)
    gallery.until(lambda: replay.t > replay.film.pushes[0] + 0.15)
    gallery.picture("replay")
    gallery.settings("replay")
    gallery.keys("escape")


def to_the_push(gallery: Gallery) -> None:
    """Three people build a row, call it and vote, until it is to be pushed."""
    gallery.keys("8", "enter")
    gallery.at(Act.CALL)
    gallery.act("call1")
    gallery.until(lambda: gallery.match.shown.voter is not None)
    gallery.keys("enter", "f")
    others_vote(gallery)
    gallery.at(Act.ARMED)


def real_table(gallery: Gallery) -> None:
    """A table of one's own, where people say what fell."""
    gallery.at(Act.BUILD, 0)
    gallery.picture("real-building")
    to_the_push(gallery)
    gallery.picture("real-armed")
    gallery.keys("enter")
    gallery.at(Act.WITNESS)
    gallery.keys("8")
    gallery.picture("witness")
    gallery.settings("witness")
    gallery.keys("enter")
    gallery.until(lambda: gallery.match.shown.act is not Act.WITNESS)
    gallery.picture("real-told")


def rig_table(gallery: Gallery) -> None:
    """A rig whose clock stands still: asked for, counting down, stopped."""
    gallery.at(Act.BUILD, 0)
    to_the_push(gallery)
    gallery.picture("rig-ready")
    gallery.keys("enter")
    gallery.rest()
    gallery.picture("rig-counting")
    gallery.settings("rig")
    gallery.keys("space")
    gallery.until(lambda: not must_stop(gallery.match.shown.real))
    gallery.picture("rig-stopped")


def all_screens(gallery: Gallery, folder: Path) -> None:
    with match_workers(2) as pool, opened(gallery, App(gallery.window, pool, wanted(folder), bot_time=0.0)) as app:
        start(gallery, app)
        building(gallery)
        gallery.keys("escape")
        gallery.act("leave")
        gallery.picture("start-five")
        gallery.settings("start")
        gallery.keys("c")
        gallery.until(lambda: gallery.match.shown.asked == 1)
        inserting(gallery)
        voting(gallery)
        falling(gallery)
    setup = Setup("evaluation", PEOPLE[:2], 5, {"rounds": 1})
    with match_workers(2) as pool, opened(gallery, App(gallery.window, pool, wanted(folder, setup), bot_time=0.0)):
        to_the_end(gallery)
    setup = Setup("evaluation", PEOPLE[:3], 5, {"rounds": 1}, table=HAND)
    with match_workers(2) as pool, opened(gallery, App(gallery.window, pool, wanted(folder, setup), bot_time=0.0)):
        real_table(gallery)
    with closing(PushRig(lambda: open_rig(EMULATED), clock=lambda: 0.0)) as rig, match_workers(2) as pool:
        asked = replace(wanted(folder, setup), watches=Watches(rig=rig), uses_rig=True)
        rig.find()
        with opened(gallery, App(gallery.window, pool, asked, bot_time=0.0)):
            rig_table(gallery)
    asked = replace(asked, setup=None)
    with match_workers(2) as pool, opened(gallery, App(gallery.window, pool, asked)):
        gallery.picture("start-rig")
    cameras(gallery, wanted(folder, setup))
    games(gallery, wanted(folder))


def cameras(gallery: Gallery, asked: Wanted) -> None:
    """A table that a camera watches, and the camera's calibration."""
    posing = Posing()
    asked = replace(asked, watches=Watches(table=posing))
    with match_workers(2) as pool, opened(gallery, App(gallery.window, pool, asked, bot_time=0.0)):
        camera_table(gallery, posing)
    many_cameras(gallery)
    calibration(gallery)


def games(gallery: Gallery, asked: Wanted) -> None:
    """Two games, of which one has no standing tiles, options that change the seats, and no window of its own."""
    was = catalogue.GAMES
    catalogue.GAMES = {**was, "lanterns": "tests.game.lanterns"}
    try:
        with match_workers(1) as pool, opened(gallery, App(gallery.window, pool, asked)):
            gallery.picture("start-games")
            gallery.act("game", "lanterns")
            gallery.act("mode", "teams")
            gallery.picture("start-teams")
            gallery.settings("start-teams")
        setup = checked_setup(Setup("lanterns", PEOPLE[:3], 5, {"rounds": 1}))
        asked = replace(asked, setup=setup)
        with match_workers(1) as pool, opened(gallery, App(gallery.window, pool, asked, bot_time=0.0)):
            plain(gallery)
        catalogue.GAMES = {**was, **{f"lanterns-{number}": "tests.game.lanterns" for number in range(9)}}
        with match_workers(1) as pool, opened(gallery, App(gallery.window, pool, replace(asked, setup=None))):
            gallery.picture("start-many-games")
    finally:
        catalogue.GAMES = was


def plain(gallery: Gallery) -> None:
    """A game without a window of its own: covered, a hand, a refusal, who may speak out of turn, the end."""
    gallery.picture("plain-covered")
    gallery.keys("enter")
    gallery.picture("plain")
    gallery.settings("plain")
    gallery.act("line", "bid 1234")
    gallery.act("say")
    gallery.picture("plain-refused")
    while isinstance(match := gallery.top, PlainMatch):
        if match.floor.speakers:
            gallery.picture("plain-speakers")
        if match.floor.is_covered:
            gallery.act("ready")
        gallery.act("move0")
    gallery.shows(Over)
    gallery.picture("plain-over")


def wanted(folder: Path, setup: Setup | None = None) -> Wanted:
    return Wanted(setup=None if setup is None else checked_setup(setup), folder=folder, language="en", seed=5)


@contextmanager
def opened(gallery: Gallery, app: App) -> Iterator[App]:
    """The app with its first screen; its screens are closed in the end."""
    app.open()
    gallery.window.on_update(0.0)
    try:
        yield app
    finally:
        for screen in reversed(gallery.window.desk.stack):
            screen.closed()
        gallery.window.desk.stack.clear()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.game.ui.gallery", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sizes", default="1280x800,960x640,2560x1440")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    options = parser.parse_args()
    first, *others = options.sizes.split(",")
    width, height = first.split("x")
    gallery = Gallery(options.out, (int(width), int(height)), tuple(options.languages.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        all_screens(gallery, Path(folder))
    for fault in gallery.faults:
        print(fault)
    print(f"{first}: {gallery.taken} pictures, {len(gallery.faults)} faults", flush=True)
    if not others:
        return int(bool(gallery.faults))
    # A window without a display cannot change its size: the others have a process of their own.
    more = [sys.executable, "-m", "tests.game.ui.gallery", str(options.out)]
    more += ["--sizes", ",".join(others), "--languages", options.languages]
    return subprocess.run(more, check=False).returncode or int(bool(gallery.faults))


if __name__ == "__main__":
    sys.exit(main())
