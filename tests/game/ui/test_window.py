"""The real window on a virtual screen, played by real mouse and key events. It waits for states, never for seconds."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from game.log import read_log
from game.match import replayed, setup_in

ROOT = Path(__file__).parents[3]
PATIENCE = 90.0  # s before a state that does not come is a failure; a loaded machine needs a while

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("Xvfb") or shutil.which("apt-get")), reason="Xvfb and xdotool come with Debian's packages"
    ),
]

State = dict[str, Any]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


class Player:
    """A person at the window."""

    def __init__(self, display: str, folder: Path, language: str = "en") -> None:
        self._env = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT), "ARCADE_HEADLESS": ""}
        del self._env["ARCADE_HEADLESS"]
        self._errors = (folder / "stderr.txt").open("w+")
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "reporting.py"), str(folder), language],
            env=self._env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._said: queue.Queue[str] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.state: State = {}

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)

    def until(self, is_so: Callable[[State], object]) -> State:
        """The first state for which that is so."""
        deadline = time.monotonic() + PATIENCE
        while True:
            while not self._said.empty():
                self.state = json.loads(self._said.get())
            if self.state and is_so(self.state):
                return self.state
            try:
                line = self._said.get(timeout=max(0.0, min(1.0, deadline - time.monotonic())))
            except queue.Empty:
                if self._process.poll() is not None:
                    self._errors.seek(0)
                    raise AssertionError(self._errors.read()) from None
                if time.monotonic() > deadline:
                    raise AssertionError(f"it does not come; the window shows {self.state}") from None
                continue
            self.state = json.loads(line)

    def do(self, *words: object) -> None:
        subprocess.run(["xdotool", *map(str, words)], env=self._env, check=True)

    def click(self, name: str) -> None:
        x, y = self.until(lambda state: name in state["widgets"])["widgets"][name]
        self.do("mousemove", x, y, "click", 1)

    def key(self, *names: str) -> None:
        self.do("key", *names)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def finished(folder: Path) -> bool:
    path = next((folder / "matches").glob("*.topple"))
    recording = read_log(path)
    course = replayed(setup_in(recording.header, "header"), recording.entries, "log")
    return course.game.result(course.state) is not None


def play_on(player: Player, step: Callable[[Player, State], None]) -> None:
    """Until the match is over: at every state that asks for a person the step is made."""
    while True:
        state = player.until(
            lambda state: (
                state["screen"] == "Over"
                or (state.get("act") == "build" and state["asked"] in state["people"])
                or state.get("callers")
                or state.get("voter") is not None
                or (state.get("act") == "armed" and state["asked"] in state["people"])
                or (state.get("act") in ("falling", "scored") and "on" in state["widgets"])
            )
        )
        if state["screen"] == "Over":
            return
        before = moment(state)
        step(player, state)
        player.until(other(lambda state: "over" if state["screen"] == "Over" else moment(state), before))


def other(what: Callable[[State], object], before: object) -> Callable[[State], bool]:
    """Whether that has changed."""
    return lambda state: what(state) != before


def moment(state: State) -> tuple[Any, ...]:
    """What changes when somebody has done something."""
    return state["act"], state["moves"], state["voter"], state["asked"]


def by_mouse(player: Player, state: State) -> None:
    match state["act"]:
        case "build":
            value = max(state["tray"], key=int)
            assert state["end"] is not None
            player.do("mousemove", *state["tray"][value], "mousedown", 1)
            player.until(lambda state: state["held"] == int(value))
            x, y = state["end"]
            player.do("mousemove", x - 4, y, "mousemove", x, y)
            player.until(lambda state: state["legal"])
            player.do("mouseup", 1)
        case "call":
            player.click(f"call{state['callers'][0]}")
        case "vote":
            player.click("failure")
        case "armed":
            player.click("push")
        case _:
            player.click("on")


def by_keys(player: Player, state: State) -> None:
    match state["act"]:
        case "build":
            player.key("e")
            player.until(lambda state: state["held"] is not None and state["legal"])
            player.key("Return")
        case "call":
            player.key(str(state["callers"][0] + 1))
        case "vote":
            if not state["ready"]:
                player.key("Return")
                player.until(lambda state: state["ready"])
            player.key("f")
        case _:
            player.key("Return")


def test_a_match_by_mouse(display: str, folder: Path) -> None:
    player = Player(display, folder)
    try:
        player.until(lambda state: state["screen"] == "Start")
        player.click("language")
        player.until(lambda state: state["language"] == "uk")
        while player.state["values"]["rounds"] > 1:
            before = player.state["values"]["rounds"]
            player.do("mousemove", *player.state["fewer"]["rounds"], "click", 1)
            player.until(other(lambda state: state["values"]["rounds"], before))
        player.click("start")
        player.until(lambda state: state["screen"] == "Match")
        play_on(player, by_mouse)
        assert finished(folder)
        player.click("replay")
        player.until(lambda state: state["screen"] == "Replay")
    finally:
        player.close()


def test_a_match_goes_on_after_the_window_was_closed(display: str, folder: Path) -> None:
    player = Player(display, folder)
    try:
        player.until(lambda state: state["screen"] == "Start")
        player.key("Return")
        player.until(lambda state: state.get("act") == "build" and state["asked"] == 0)
        by_keys(player, player.state)
        row = player.until(lambda state: len(state["row"]) > 1)["row"]
    finally:
        player.close()
    player = Player(display, folder)
    try:
        player.until(lambda state: state["screen"] == "Start")
        player.key("c")
        state = player.until(lambda state: state["screen"] == "Match")
        assert state["row"][: len(row)] == row or set(row) <= set(state["row"])
    finally:
        player.close()


def test_a_match_by_keys_alone(display: str, folder: Path) -> None:
    player = Player(display, folder)
    try:
        player.until(lambda state: state["screen"] == "Start")
        player.key("Tab")
        player.until(lambda state: state["focus"] is not None)
        while player.state["focus"] != "rounds":
            was = player.state["focus"]
            player.key("Tab")
            player.until(other(lambda state: state["focus"], was))
        player.key("Left", "Left", "Escape", "Return")
        player.until(lambda state: state["screen"] == "Match")
        play_on(player, by_keys)
        assert finished(folder)
    finally:
        player.close()


def test_language_and_size_change_at_once(display: str, folder: Path) -> None:
    player = Player(display, folder)
    try:
        player.until(lambda state: state["screen"] == "Start")
        player.key("F2")
        player.until(lambda state: state["language"] == "uk")
        player.do("search", "--name", "^topple$", "windowsize", "1300", "860")
        player.until(lambda state: state["size"] == [1300, 860])
        player.key("F1")
        player.until(lambda state: state["screen"] == "Rules")
        player.key("Escape")
        player.until(lambda state: state["screen"] == "Start")
    finally:
        player.close()
