"""What a run costs: the share of stepping, runs per second on one core and on all, long lines, and the start."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import physics.bullet
from benchmarks.lines import DOUBTFUL, scenes
from game.workers.pool import default_workers
from physics.engine import Settings, engine
from physics.line import straight
from physics.noise import draw
from physics.predict import run_draws
from physics.scene import Finger, Noise, Scene
from physics.tiles import load_set

TILES = (50, 200, 1_000, 5_000)
WHOLE_TILES = (50, 200)  # of which the full way is timed as well: at 1,000 it takes minutes
GAP = 0.020  # m, between classic tiles of 48 mm
STARTS = 5

Say = Callable[[str], None]


def stepping_share(repeats: int) -> tuple[float, float, float]:
    """Of a draw and its run at the ensemble's step: the share of CPU time within Bullet, ms a run, steps a run."""
    some = scenes(DOUBTFUL)
    run_draws(some[0], Noise(), 3, (0, 1), "bullet")
    spent, steps = 0.0, 0
    plain = physics.bullet._BulletWorld.step

    def timed(self: physics.bullet._BulletWorld) -> None:
        nonlocal spent, steps
        started = time.thread_time()
        plain(self)
        spent += time.thread_time() - started
        steps += 1

    def runs() -> float:
        started = time.thread_time()
        for scene in some:
            run_draws(scene, Noise(), 3, (0, 1, 2, 3), "bullet")
        return time.thread_time() - started

    totals = []
    for _ in range(repeats):
        totals.append(runs())  # without the clock, which is not part of a run
        physics.bullet._BulletWorld.step = timed  # type: ignore[method-assign]
        runs()
        physics.bullet._BulletWorld.step = plain  # type: ignore[method-assign]
    count = 4 * len(some)
    total = sum(totals) / repeats
    return spent / repeats / total, total / count * 1e3, steps / repeats / count


def runs_per_second(workers: int, rounds: int) -> float:
    """Runs of the doubtful lines per second by the clock, spread over that many processes."""
    some = scenes(DOUBTFUL)
    jobs = [(scene, Noise(), 4, tuple(range(4)), "bullet") for _ in range(rounds) for scene in some]
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(run_draws, *zip(*jobs[: 2 * workers], strict=True)))  # start them
        started = time.perf_counter()
        list(pool.map(run_draws, *zip(*jobs, strict=True)))
        return 4 * len(jobs) / (time.perf_counter() - started)


def long_line(tiles: int, *, whole: bool = False) -> tuple[float, float, bool]:
    """CPU seconds of one run of a straight row of classic tiles, its simulated seconds, and whether it fell."""
    scene = Scene(straight(load_set("classic"), [1] * tiles, GAP), push=Finger(end="first"))
    drawn = draw(scene, Noise(), 5, 0)
    started = time.process_time()
    outcome = engine("bullet").run([drawn], Settings(whole=whole))[0]
    return time.process_time() - started, outcome.ended, outcome.all_fell


def started_in(code: str) -> float:
    """Seconds by the clock that a fresh Python takes for that code, the best of a few."""
    best = float("inf")
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return best


def report_runs(say: Say, repeats: int = 3) -> tuple[list[str], float]:
    """Runs as Markdown, and how much faster all cores are than one."""
    say("stepping")
    share, cost, steps = stepping_share(repeats)
    rates: dict[int, list[float]] = {1: [], default_workers(): []}
    for number in range(repeats):
        for workers, found in rates.items():
            say(f"runs per second: {number + 1} of {repeats}, {workers} processes")
            found.append(runs_per_second(workers, 1))
    one, all_cores = (median(found) for found in rates.values())
    return [
        "## Runs",
        "",
        f"The 25 doubtful lines, drawing and building included: **{cost:.1f} ms** of CPU and {steps:.0f} steps of 2 ms",
        f"a run, of which Bullet's own stepping takes **{share:.0%}**. **{one:.0f}** runs per second on one core,",
        f"**{all_cores:.0f}** on {default_workers()}: {all_cores / one:.2f} times as many.",
        "",
    ], all_cores / one


def report_growth(say: Say, tiles: tuple[int, ...] = TILES) -> list[str]:
    """Long lines as Markdown."""
    long_line(tiles[0])  # what loads on the first call is not part of a run
    found = []
    for count in tiles:
        say(f"a line of {count} tiles")
        whole = long_line(count, whole=True)[0] if count in WHOLE_TILES else None
        found.append((count, long_line(count), whole))
    least = found[0][1][0] / found[0][0]
    rows = []
    for count, (cost, simulated, fell), whole in found:
        ratios = [f"{cost / count / least:.2f}", "–" if whole is None else f"{whole / cost:.1f}"]
        cells = [f"{count:,}", f"{simulated:.1f}", f"{cost:.2f}", f"{cost / count * 1e3:.1f}", *ratios]
        rows.append(f"| {' | '.join(cells)} | {'yes' if fell else 'no'} |")
    return [
        "## Long lines",
        "",
        "A straight row of classic tiles (48 mm high, 20 mm apart), one run:",
        "",
        f"| tiles | simulated s | CPU s | CPU ms a tile | a tile, times that at {tiles[0]} "
        "| all tiles all the time: times as dear | fell |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *rows,
        "",
        "From 20 tiles on only those that move take part in a run, and what they can meet: about fifteen at a time,",
        "however long the row. So cost grows with the length, and not with its square as with all tiles all the time.",
        "On a tilted table, or with a push by tilting it, all of them take part.",
        "",
    ]


def report_start(say: Say, line: Path) -> list[str]:
    """The start as Markdown."""
    say("start-up")
    bare = started_in("pass")
    doctor = started_in("from game.cli import main; main(['doctor', '--json'])")
    imports = started_in("import game.commands.forecast, physics.bullet")
    bullet = started_in("from physics.engine import engine; engine('bullet')")
    whole = started_in(f"from game.cli import main; main(['predict', {str(line)!r}, '--json'])")
    return [
        "## Start",
        "",
        f"A fresh Python takes {bare * 1e3:.0f} ms; with all that `predict` imports {imports * 1e3:.0f} ms, half of",
        f"it numpy; with PyBullet loaded and connected {bullet * 1e3:.0f} ms; `doctor` {doctor * 1e3:.0f} ms. The",
        f"whole command on a clear line of eleven tiles, from start to answer: **{whole:.2f} s**.",
        "",
    ]
