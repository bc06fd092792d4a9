"""A camera calibrated on rendered pictures, the lens and then the mat, with the screen that leads through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from calibration.files import basis_of, kept_lens
from calibration.guide import Advice, Next
from calibration.store import load
from game import words
from game.table.calibrating import Calibrating, Measured, Progress
from game.ui.camera.calibrate import Calibrate, advice_words
from game.ui.match_settings import MatchSettings
from game.ui.screens.base import Desk, Screen
from game.ui.screens.start import Cameras, Start
from game.ui.toolkit.widgets import Action, Button
from game.words import LANGUAGES
from physics.errors import InputError
from vision.camera.devices import Camera
from vision.camera.pose import looking_at
from vision.camera.sources import Image, ProgramSource, Taken
from vision.drawing.appearance import random_appearance
from vision.drawing.photograph import photograph
from vision.drawing.scenes import random_lens
from vision.proof.lens import board_seen, random_pose

SIZE = (640, 480)
LENS = random_lens(np.random.default_rng(2), SIZE, bent=True)
PATIENCE = 60.0  # s


class Show:
    """A camera that sees what it is told to."""

    def __init__(self) -> None:
        rng = np.random.default_rng(4)
        views = [board_seen(random_pose(rng, 40, LENS), rng, lens=LENS) for _ in range(30)]
        self.board = [np.repeat(view[..., None], 3, axis=2) for view in views]
        look = random_appearance("daylight", np.random.default_rng(1))
        self.mat = [photograph([], looking_at(LENS, (0.0, 0.0), 600.0, 0.4, -1.5, 0.0), look, 1).image]
        self.nothing = [np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)]
        self.now: list[Image] = self.nothing

    def pictures(self) -> Iterator[Taken]:
        number = 0
        while True:
            yield time.monotonic(), self.now[number % len(self.now)]
            number += 1


@pytest.fixture(scope="module")
def show() -> Show:
    return Show()


@pytest.fixture
def work(show: Show, tmp_path: Path) -> Iterator[Calibrating]:
    words.use("en")
    show.now = show.nothing
    found = Calibrating(ProgramSource(show.pictures, name="0", is_live=True), folder=tmp_path)
    yield found
    found.close()


def until(work: Calibrating, holds: Callable[[Progress], bool]) -> Progress:
    deadline = time.monotonic() + PATIENCE
    while not holds(work.snapshot()):
        assert time.monotonic() < deadline, work.snapshot()
        time.sleep(0.01)
    return work.snapshot()


def texts(screen: Calibrate) -> str:
    """Everything the screen says."""
    return " ".join([screen._heading(), screen._advice(), *screen._numbers(), screen._wrong(), screen._how()])


def offered(screen: Calibrate) -> set[str]:
    return {widget.name for widget in screen.widgets() if widget.enabled}


def test_from_nothing_to_a_kept_lens_and_place(work: Calibrating, show: Show, tmp_path: Path) -> None:
    left: list[bool] = []
    screen = Calibrate(Desk(cast(Any, None), width=960.0, height=640.0), work, lambda: left.append(True))
    until(work, lambda now: now.picture is not None)
    screen.update(0.1)
    assert "Show the whole board" in texts(screen) and offered(screen) == {"table", "leave"}
    assert not screen.key("enter")  # there is nothing to keep

    show.now = show.board
    until(work, lambda now: now.advice.next is Next.ENOUGH and now.fit is not None)
    screen.update(0.1)
    assert "That is enough" in texts(screen) and "Reprojection error" in texts(screen)
    assert screen.key("enter")
    assert kept_lens("0", SIZE, tmp_path)[0].fx == pytest.approx(LENS.fx, rel=0.005)

    show.now = show.nothing
    until(work, lambda now: now.stage is Measured.TABLE and now.refusal is not None)
    screen.update(0.1)
    assert "Show the mat" in texts(screen) and offered(screen) == {"again", "leave"}

    show.now = show.mat
    now = until(work, lambda now: now.table is not None)
    screen.update(0.1)
    assert not now.is_guessed and "above the mat" in texts(screen)
    assert screen.key("enter")
    values = load("table", "0", basis_of(SIZE), tmp_path).fields.inner("values")
    turn = np.array(values.numbers("rotation", count=9, low=-1.0001, high=1.0001)).reshape(3, 3)
    place = np.array(values.numbers("place", count=3, low=-1e5, high=1e5))
    assert (-turn.T @ place)[2] == pytest.approx(600.0 * np.cos(0.4), rel=0.01)
    assert "calibrated" in texts(screen) and str(tmp_path) in texts(screen)
    assert screen.key("enter") and left == [True]


def test_the_mat_goes_without_a_lens_and_says_what_that_costs(work: Calibrating, show: Show) -> None:
    screen = Calibrate(Desk(cast(Any, None), width=1280.0, height=800.0), work, lambda: None)
    assert screen.key("m")
    show.now = show.mat
    assert until(work, lambda now: now.table is not None).is_guessed
    screen.update(0.1)
    assert "only estimated from the mat" in texts(screen)
    assert screen.key("r")
    assert work.snapshot().stage is Measured.LENS and work.snapshot().collection.views == ()


def test_a_camera_that_is_not_there_is_said() -> None:
    def broken() -> Iterator[Taken]:
        raise InputError("There is no camera {number} here: plug it in, or give another number.", number=7)

    work = Calibrating(ProgramSource(broken, name="7", is_live=True))
    with pytest.raises(InputError, match="no camera 7"):
        work.wait(PATIENCE)
    screen = Calibrate(Desk(cast(Any, None)), work, lambda: None)
    screen.update(0.1)
    assert "There is no camera 7" in texts(screen)


def test_buttons_lie_in_the_window_and_apart(work: Calibrating) -> None:
    for size in ((1280.0, 800.0), (960.0, 640.0)):
        for text_size in range(4):
            desk = Desk(cast(Any, None), width=size[0], height=size[1], text_size=text_size)
            screen = Calibrate(desk, work, lambda: None)
            buttons = [widget.rect for widget in screen.widgets() if isinstance(widget, Button)]
            places = screen._places()
            assert all(rect.inside(places.panel) for rect in buttons)
            assert not any(one.overlaps(two) for k, one in enumerate(buttons) for two in buttons[:k])
            assert places.words.height > 3 * desk.sizes.body and not places.picture.overlaps(places.panel)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_advice_has_words(language: str) -> None:
    words.use(language)
    said = {advice_words(Advice(each)) for each in Next}
    words.use("en")
    assert len(said) == len(Next) and all(said)


def labels(menu: Screen) -> dict[str, tuple[str, str]]:
    """What else the menu offers, and what is said of it."""
    buttons = (widget for widget in menu.widgets() if isinstance(widget, Button))
    return {button.name: (button.label, button.tip) for button in buttons if button.name.startswith("more")}


def test_the_start_screen_offers_every_camera_that_is_there() -> None:
    words.use("en")
    begun: list[Camera] = []
    there: list[Camera] = []
    desk = Desk(cast(Any, None))
    cameras = Cameras(lambda: there, begun.append)
    start = Start(desk, MatchSettings(()), list, lambda wish: None, lambda key: None, cameras)
    desk.show(start)
    assert labels(start.menu()) == {}
    there.append(Camera(2, "C920"))
    menu = start.menu()
    assert labels(menu) == {"more0": ("Calibrate the camera", "C920")}
    words.use("uk")  # which is chosen in this very menu
    assert labels(menu) == {"more0": ("Калібрувати камеру", "C920")}
    words.use("en")
    there += [Camera(4), Camera(10)]
    desk.over(start.menu())
    assert [label for label, _tip in labels(desk.top).values()] == [f"Calibrate camera {n}" for n in (2, 4, 10)]
    rooms = [widget.rect for widget in desk.top.widgets()]
    assert not any(room.overlaps(other) for room, other in combinations(rooms, 2))
    desk.top.acted(Action("more1"))
    assert begun == [Camera(4)] and desk.stack == [start]
