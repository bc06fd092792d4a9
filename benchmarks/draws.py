"""How many runs a probability needs: plain draws, quasi-random draws, and topple's model of the draws."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from statistics import fmean

import numpy as np
import numpy.typing as npt

from benchmarks.lines import DOUBTFUL, scenes
from physics.engine import Settings, engine
from physics.noise import draw_with_normals, overlaps_of, perturbed
from physics.scene import Noise, Scene
from physics.surrogate import corrected

LINES = 8
POINTS = 128  # a power of two, as Sobol's points want it
REPEATS = 8

Array = npt.NDArray[np.float64]
Say = Callable[[str], None]


def fell_at(scene: Scene, normals: Array) -> tuple[bool, ...]:
    """Whether the line falls in each of those draws. What a worker does."""
    drawn = [perturbed(scene, Noise(), row) for row in normals]
    return tuple(outcome.all_fell for outcome in engine("bullet").run(drawn, Settings()))


def sobol_normals(scene: Scene, seed: int) -> Array:
    """Scrambled quasi-random normals; those whose tiles overlap are left out."""
    from scipy.stats import norm, qmc

    points = qmc.Sobol(3 * len(scene.line) + 4, rng=seed).random(POINTS)
    normals: Array = norm.ppf(np.clip(points, 1e-9, 1 - 1e-9))
    return normals[[not perturbed(scene, Noise(), row).line.overlaps() for row in normals]]


def plain_normals(scene: Scene, seed: int) -> Array:
    """The draws of predictions."""
    return np.array([draw_with_normals(scene, Noise(), seed, index)[1] for index in range(POINTS)])


def report(executor: Executor, say: Say, lines: int = LINES, repeats: int = REPEATS) -> list[str]:
    """The spread of the same number of runs, drawn in each way, as Markdown."""
    some = scenes(DOUBTFUL[:lines])
    jobs = [
        (scene, make(scene, 1000 + repeat))
        for scene in some
        for make in (plain_normals, sobol_normals)
        for repeat in range(repeats)
    ]
    results = []
    for done, fell in enumerate(executor.map(fell_at, *zip(*jobs, strict=True)), start=1):
        results.append(np.array(fell))
        say(f"ways to draw: {done} of {len(jobs)}")
    gains: dict[str, list[float]] = {"quasi-random": [], "model": []}
    for number, scene in enumerate(some):
        start = 2 * repeats * number
        plain, sobol = results[start : start + repeats], results[start + repeats : start + 2 * repeats]
        probability = fmean(float(fell.mean()) for fell in (*plain, *sobol))
        variance = probability * (1 - probability) / POINTS
        overlaps = overlaps_of(scene, Noise())
        model = [corrected(fell, jobs[start + repeat][1], overlaps).probability for repeat, fell in enumerate(plain)]
        gains["quasi-random"].append(float(np.var([fell.mean() for fell in sobol], ddof=1)) / variance)
        gains["model"].append(float(np.var(model, ddof=1)) / variance)
    return [
        "## Fewer runs",
        "",
        f"{lines} doubtful lines, {POINTS} runs, {repeats} times over: the variance of the answer against that of",
        "plain draws, and so how many fewer runs give the same interval (each ± 20 %).",
        "",
        "| draws | variance against plain | fewer runs by |",
        "| --- | --- | --- |",
        "| plain | 1 | 1 |",
        *(f"| {name} | {fmean(found):.2f} | {1 / fmean(found):.1f} |" for name, found in gains.items()),
        "",
    ]
