"""A person at the real window: mouse and keys go through X to it, and what it shows is read. For test_window*.py."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0  # s before a state that does not come is a failure; a loaded machine needs a while
SCREEN = (1680, 1050)

State = dict[str, Any]


@contextlib.contextmanager
def virtual_screen() -> Iterator[str]:
    """A screen that nobody sees: its name for DISPLAY."""
    read, write = os.pipe()
    size = f"{SCREEN[0]}x{SCREEN[1]}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


class Person:
    """One window and who sits before it. `state` is what the window showed last."""

    def __init__(self, display: str, folder: Path, *command: str, lanterns: bool = False, **options: Any) -> None:
        """With a command its window; otherwise the window itself with these options. `lanterns`: that game is there."""
        self.folder = folder
        self._env = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder)}
        self._env |= {"TOPPLE_LANG": "en", "PYTHONUTF8": "1"}
        self._env |= {"WITH_LANTERNS": "1"} if lanterns else {}
        self._env.pop("ARCADE_HEADLESS", None)
        asked = {"folder": str(folder / "topple"), "language": "en", "seed": 5, **options}
        arguments = ["command", *command] if command else [json.dumps(asked)]
        self._errors = (folder / "stderr.txt").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("reporting.py")), *arguments],
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

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.killed()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)

    # Seeing

    @property
    def log(self) -> Path:
        """The match that was begun last."""
        return max((self.folder / "topple" / "matches").glob("*.topple"), key=lambda path: path.stat().st_mtime_ns)

    def until(self, is_so: Callable[[State], object]) -> State:
        """The first state for which that is so; AssertionError with the last state when it does not come."""
        deadline = time.monotonic() + PATIENCE
        while True:
            while not self._said.empty():
                self.state = json.loads(self._said.get())
            if self.state and is_so(self.state):
                return self.state
            if self.process.poll() is not None and self._said.empty():
                raise AssertionError(f"the window has gone: {self.errors()}\n{self._last()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"it does not come; {self._last()}")
            with contextlib.suppress(queue.Empty):
                self.state = json.loads(self._said.get(timeout=0.5))

    def _last(self) -> str:
        return f"the window shows {json.dumps(self.state, ensure_ascii=False)}"

    def errors(self) -> str:
        """What the process has complained of."""
        self._errors.seek(0)
        return self._errors.read()

    def at(self, screen: str) -> State:
        """Until that screen is on top."""
        return self.until(lambda state: state["screen"] == screen)

    # Doing

    def do(self, *words: object) -> None:
        """Mouse and keys, as xdotool calls them."""
        subprocess.run(["xdotool", *map(str, words)], env=self._env, check=True)

    def click(self, name: str) -> None:
        """A click on that widget."""
        self.do("mousemove", *self.until(lambda state: name in state["widgets"])["widgets"][name], "click", 1)

    def choose(self, name: str, value: str) -> None:
        """A click on one of the values of a choice."""
        self.do("mousemove", *self.until(lambda state: name in state["cells"])["cells"][name][value], "click", 1)
        self.until(lambda state: state["values"][name] == value)

    def fewer(self, name: str, value: int) -> None:
        """Clicks on a stepper's minus down to that value."""
        while (now := self.state["values"][name]) > value:
            self.do("mousemove", *self.state["fewer"][name], "click", 1)
            self.until(other(lambda state: state["values"][name], now))

    def key(self, *names: str) -> None:
        """Keys, one after another."""
        self.do("key", *names)

    def changes(self, what: Callable[[State], object], *keys: str) -> State:
        """Presses keys and waits until that is another."""
        before = what(self.state)
        self.key(*keys)
        return self.until(other(what, before))

    def focus(self, name: str) -> None:
        """Tab until the keyboard is at that widget."""
        while self.state["focus"] != name:
            self.changes(lambda state: state["focus"], "Tab")

    def resize(self, width: int, height: int) -> State:
        """The window in another size, laid out anew."""
        self.do("search", "--onlyvisible", "--name", "^topple$", "windowsize", width, height)
        return self.until(lambda state: state["size"] == [width, height])

    # Leaving

    def close(self) -> int:
        """The cross in the corner of the window; its exit code."""
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "^topple$"],
            env=self._env, check=True, capture_output=True, text=True,
        )  # fmt: skip
        _ask_to_close(self._env["DISPLAY"], int(found.stdout.split()[0]))
        return self.gone()

    def gone(self) -> int:
        """Waits until the window has closed; its exit code."""
        return self._ended()

    def killed(self) -> None:
        """Ends it without a warning."""
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        code = self.process.wait(PATIENCE)
        self._listener.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        if not self._errors.closed:
            self._errors.close()
        return code


def _ask_to_close(display: str, number: int) -> None:
    """What a window manager sends when somebody clicks on the cross."""
    from ctypes import byref

    from pyglet.libs.x11 import xlib

    shown = xlib.XOpenDisplay(display.encode())
    event = xlib.XEvent()
    event.xclient.type = xlib.ClientMessage
    event.xclient.window = number
    event.xclient.message_type = xlib.XInternAtom(shown, b"WM_PROTOCOLS", 0)
    event.xclient.format = 32
    event.xclient.data.l[0] = xlib.XInternAtom(shown, b"WM_DELETE_WINDOW", 0)
    xlib.XSendEvent(shown, number, 0, 0, byref(event))
    xlib.XCloseDisplay(shown)


def other(what: Callable[[State], object], before: object) -> Callable[[State], bool]:
    """Whether that has changed."""
    return lambda state: what(state) != before


def tidy(state: State) -> None:
    """AssertionError when a widget lies outside of the window or over another one."""
    width, height = state["size"]
    rects = state["rects"]
    for name, (left, top, right, bottom) in rects.items():
        assert left >= -0.5 and top >= -0.5 and right <= width + 0.5 and bottom <= height + 0.5, (name, state)
        assert right > left and bottom > top, (name, state)
    for (one, a), (two, b) in combinations(rects.items(), 2):
        apart = a[2] <= b[0] + 0.5 or b[2] <= a[0] + 0.5 or a[3] <= b[1] + 0.5 or b[3] <= a[1] + 0.5
        assert apart, (one, two, state)
