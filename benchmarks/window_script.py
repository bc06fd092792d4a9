"""Plays a match in the real window and prints how long its frames take, as JSON: a process of its own for window.py.

Arguments: when the process was started (seconds since the epoch), a folder for the match, frames in a stretch, rounds,
runs of a forecast. Without rounds it shows its first screen, and that is all.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from game.games.evaluation.window.match import Match
from game.games.evaluation.window.model import Act
from game.games.evaluation.window.placing import first_proposal, scene_of
from game.match.history import Setup, checked_setup
from game.ui.live_forecast import CHUNK
from game.ui.run import Wanted, opened
from game.ui.window import GameWindow
from game.workers.pool import LocalPool
from physics.predict import run_draws
from physics.scene import Noise

PACE = 1 / 60  # s: frames begin no more often
TILES = 10  # in the row; one more is in the hand
SETTLE = 30  # frames before the clock counts, at most

Times = list[float]  # s
Doing = Callable[[int], None]  # what people do in a frame, by its number


class Player:
    """Somebody at the window, frame by frame."""

    def __init__(self, window: GameWindow, pool: LocalPool) -> None:
        self.window, self._pool = window, pool
        self._last = time.perf_counter()
        self.runs = 0  # of the row, beside frames
        self.disturbed = 0  # frames alone in which a worker had something to do

    @property
    def match(self) -> Match:
        screen = self.window.desk.stack[0]
        assert isinstance(screen, Match)
        return screen

    def frame(self, doing: Doing | None = None, number: int = 0) -> float:
        """One frame as the window's own loop makes it, and the seconds that it took."""
        time.sleep(max(0.0, self._last + PACE - time.perf_counter()))
        started = time.perf_counter()
        past, self._last = started - self._last, started
        self.window.switch_to()
        self.window.dispatch_events()
        if doing is not None:
            doing(number)
        self.window.on_update(past)
        self.window.on_draw()
        self.window.flip()
        self.window.ctx.finish()
        return time.perf_counter() - started

    def build(self) -> None:
        """Stands tiles until only one is left, and takes that one with the mouse."""
        match = self.match
        while match.shown.act is not Act.BUILD or len(match.shown.row) < TILES:
            if match.shown.act is Act.BUILD:
                match.controller.place(first_proposal(match.shown.row, match.shown.supply[0]))
            elif match.shown.callers:
                match.controller.nobody_calls()
            self.frame()
        match.hand.take(match.shown.row, match.shown.supply[0])
        proposal = match.hand.proposal
        assert proposal is not None
        scene = scene_of(proposal)
        assert scene is not None
        self._scene = scene
        self._spot = proposal.ghost.x, proposal.ghost.y
        self.frame()
        while match.view.is_moving:
            self.frame()
        self._eye = match.view.orbit

    def alone(self, doing: Doing, frames: int) -> Times:
        """The frames of somebody who does that while no worker has anything to do."""
        controller = self.match.controller
        controller.set_hints(False)
        while self._pool.is_busy or controller.session.busy:
            self.frame()
        self._begin(doing, frames)
        found = []
        for number in range(frames):
            found.append(self.frame(doing, SETTLE + number))
            self.disturbed += self._pool.is_busy
        return found

    def beside(self, doing: Doing, frames: int, runs: int) -> Times:
        """The frames of somebody who does that, with live hints, until the whole row has been run that often."""
        self.match.controller.set_hints(True)
        self._begin(doing, frames)
        chunks = [tuple(range(start, min(start + CHUNK, runs))) for start in range(0, runs, CHUNK)]
        futures = [self._pool.submit(run_draws, self._scene, Noise(), 1, chunk, "bullet") for chunk in chunks]
        found: Times = []
        while not all(future.done() for future in futures):
            found.append(self.frame(doing, SETTLE + len(found)))
        self.runs += sum(len(future.result()) for future in futures)
        return found

    def _begin(self, doing: Doing, frames: int) -> None:
        self.match.view.go(self._eye, 0.0)
        for number in range(min(SETTLE, frames)):
            self.frame(doing, number)

    # What is done

    def rest(self, number: int) -> None:
        """Nothing moves."""

    def turn(self, number: int) -> None:
        """The eye is turned to and fro."""
        self.match.view.drag(6 * math.cos(number / 14), 2 * math.cos(number / 9))

    def place(self, number: int) -> None:
        """The tile in the hand follows the mouse about its place."""
        self.match.hand.by_mouse = True
        x, y = self._spot
        seen = self.match.view.seen((x + 0.02 * math.sin(number / 10), y + 0.015 * math.sin(number / 7), 0.0))
        if seen is not None:
            self.window.on_mouse_motion(round(seen[0]), round(seen[1]), 0, 0)


def main() -> None:
    """See the module."""
    born, folder, frames, rounds = float(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    runs = int(sys.argv[5])
    wanted = Wanted(folder=folder, language="en")
    if rounds:
        setup = checked_setup(Setup("evaluation", ("Ann", "Bob"), 5, {"rounds": 1}, hints=True))
        wanted = replace(wanted, setup=setup, path=folder / "match.topple")
    with opened(wanted) as (window, pool):
        player = Player(window, pool)
        player.frame()
        found: dict[str, Any] = {"first": time.time() - born, "renderer": window.ctx.info.RENDERER, "frames": {}}
        if rounds:
            player.build()
            found["frames"] = times(player, frames, rounds, runs)
        found |= {"runs": player.runs, "disturbed": player.disturbed}
    json.dump(found, sys.stdout)


def times(player: Player, frames: int, rounds: int, runs: int) -> dict[str, dict[str, Times]]:
    """Of every kind of frame, alone and beside a forecast by turns."""
    doings: dict[str, Doing] = {"still": player.rest, "turning": player.turn, "placing": player.place}
    found: dict[str, dict[str, Times]] = {name: {"alone": [], "beside": []} for name in doings}
    for _ in range(rounds):
        for name, doing in doings.items():
            found[name]["alone"] += player.alone(doing, frames)
            found[name]["beside"] += player.beside(doing, frames, runs)
    return found


if __name__ == "__main__":
    main()
