"""How long the window's frames take on a machine without a graphics card, and what a forecast beside them costs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SCREEN = "1400x900x24"
STARTS, FRAMES, ROUNDS, RUNS = 3, 90, 3, 100
DOINGS = {"still": "nothing", "turning": "the eye", "placing": "the tile in the hand"}

Say = Callable[[str], None]


@dataclass(frozen=True)
class Frames:
    """How long frames took, s: the same movements alone, and beside the runs of a forecast."""

    alone: tuple[float, ...]
    beside: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The 95th percentile beside the forecast, in times of that alone."""
        return _percentile(self.beside, 95) / _percentile(self.alone, 95)


@dataclass(frozen=True)
class Measured:
    """What a window on the virtual screen was found to do."""

    first: float  # s from the start of Python to the first frame
    frames: dict[str, Frames]  # by what is done
    runs: int  # that went on beside them
    disturbed: int  # frames alone in which a worker was busy nevertheless
    renderer: str


def missing() -> str | None:
    """What is not installed here and needed for a window and a virtual screen to measure it on; None: nothing."""
    there = {"arcade": find_spec("arcade"), "Xvfb": shutil.which("Xvfb")}
    return next((package for package, found in there.items() if found is None), None)


@contextlib.contextmanager
def virtual_screen() -> Iterator[str]:
    """A screen in memory, by its name; only where nothing is missing."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", SCREEN, "-nolisten", "tcp"],
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


def measured(screen: str, frames: int, rounds: int, runs: int = RUNS) -> Measured:
    """A window on that screen: of each kind so many frames alone, then all those beside so many runs; over again."""
    env = {**os.environ, "DISPLAY": screen, "LIBGL_ALWAYS_SOFTWARE": "1", "PYTHONPATH": str(ROOT)}
    env.pop("ARCADE_HEADLESS", None)
    with tempfile.TemporaryDirectory() as folder:
        arguments = [repr(time.time()), folder, str(frames), str(rounds), str(runs)]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.window_script", *arguments],
            env=env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    kinds = {name: Frames(tuple(each["alone"]), tuple(each["beside"])) for name, each in found["frames"].items()}
    return Measured(found["first"], kinds, found["runs"], found["disturbed"], found["renderer"].partition(" ")[0])


def report(say: Say, starts: int = STARTS, frames: int = FRAMES, rounds: int = ROUNDS) -> list[str]:
    """The window as Markdown; only where nothing is missing."""
    with virtual_screen() as screen:
        firsts = []
        for number in range(starts):
            say(f"the window opens: {number + 1} of {starts}")
            firsts.append(measured(screen, 0, 0).first)
        say("frames of the window")
        return section(measured(screen, frames, rounds), median(firsts))


def section(found: Measured, first: float) -> list[str]:
    """What was found as Markdown; `first` is the time to the first frame, s."""
    alone, beside = (sum(len(getattr(each, kind)) for each in found.frames.values()) for kind in ("alone", "beside"))
    return [
        "## Window",
        "",
        f"1280 × 800 on a virtual screen, drawn by the processor alone ({found.renderer}). From the start of Python",
        f"to the first frame: **{first:.1f} s**. Then a row of ten tiles and the eleventh in the hand: by turns alone,",
        f"with no worker at anything ({alone} frames), and with live hints and a forecast of {RUNS} runs of all eleven",
        f"on the match's own workers, from its first run to its last ({beside} frames, {found.runs} runs).",
        "",
        "| what moves | frame alone, ms: median | 95 % | beside a forecast: median | 95 % | 95 %, times that alone |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(name, each) for name, each in found.frames.items()),
        "",
    ]


def _row(name: str, frames: Frames) -> str:
    times = [_percentile(each, share) * 1e3 for each in (frames.alone, frames.beside) for share in (50, 95)]
    return f"| {DOINGS[name]} | {' | '.join(f'{each:.1f}' for each in times)} | {frames.ratio:.2f} |"


def _percentile(times: Sequence[float], share: float) -> float:
    return float(np.percentile(times, share))
