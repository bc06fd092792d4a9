"""Time to an answer of ± 0.05, and how right it is: topple against the script that most people would write."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from benchmarks.lines import CLEAR, DOUBTFUL, scenes
from benchmarks.plain_script import STEP, Poses, plain_fallen
from physics.engine import Settings, Watch, engine
from physics.noise import draw
from physics.outcome import Prediction
from physics.predict import ROUND, Precision, predict
from physics.scene import Noise, Scene
from physics.surrogate import Share

DRAWS = 24  # of each line that all ways run, so that they can be compared
PLAIN_RUNS = 385  # what ± 0.05 can need
STRICT_STEP = 0.25e-3  # s
NARROW = Precision(to_verdict=False)
WAYS = ("topple", "plain", "plain, stopping", "strict")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Line:
    """One line, run by all ways."""

    falls: dict[str, list[bool]]  # by way, in the order of the draws
    cost: dict[str, float]  # CPU seconds of a run, by way
    narrow: Prediction  # to ± 0.05 on all cores
    default: Prediction  # as people get it

    def off(self, way: str) -> float:
        """How far the way's probability is from the strict one, on the same draws."""
        return fmean(self.falls[way]) - fmean(self.falls["strict"])


def run_way(way: str, scene: Scene, draws: int) -> tuple[list[bool], float]:
    """Whether the line falls in each of its first draws, and the CPU seconds of a run. What a worker does."""
    drawn = [draw(scene, Noise(), 1, index) for index in range(draws)]
    engine("bullet").run(drawn[:1], Settings())  # so that nothing is timed that happens once
    started = time.process_time()
    match way:
        case "plain":
            falls = [all(plain_fallen(each)) for each in drawn]
        case "plain, stopping":
            falls = [all(plain_fallen(each, _watcher(each))) for each in drawn]
        case _:
            step = STRICT_STEP if way == "strict" else Settings().step
            falls = [outcome.all_fell for outcome in engine("bullet").run(drawn, Settings(step=step))]
    return falls, (time.process_time() - started) / draws


def _watcher(scene: Scene) -> Callable[[float, Poses], bool]:
    """The stopping rules of topple's runs, for the plain script: a look about every 20 ms."""
    watch = Watch(scene.line.standing(), to_rest=False)

    def over(moment: float, poses: Poses) -> bool:
        if round(moment / STEP) % 5:
            return False
        leans = [2 * math.asin(min(1.0, math.hypot(turn[0], turn[1]))) for _place, turn in poses]
        return watch.look(moment, leans, [(place[0], place[1], place[2]) for place, _turn in poses])

    return over


def measured(indexes: tuple[int, ...], draws: int, executor: Executor, say: Say) -> list[Line]:
    """Every line by every way; `say` is told how far it has come."""
    lines = scenes(indexes)
    jobs = [(way, scene, draws) for scene in lines for way in WAYS]
    results = []
    for done, result in enumerate(executor.map(run_way, *zip(*jobs, strict=True)), start=1):
        results.append(result)
        say(f"runs by all ways: {done} of {len(jobs)}")
    found = []
    for number, scene in enumerate(lines):
        say(f"forecasts: {number + 1} of {len(lines)}")
        ways = dict(zip(WAYS, results[number * len(WAYS) : (number + 1) * len(WAYS)], strict=True))
        found.append(
            Line(
                {way: falls for way, (falls, _) in ways.items()},
                {way: cost for way, (_, cost) in ways.items()},
                predict(scene, Noise(), seed=2, precision=NARROW, executor=executor),
                predict(scene, Noise(), seed=2, executor=executor),
            )
        )
    return found


def plain_runs(probability: float) -> int:
    """How many plain runs ± 0.05 needs at that probability, looked at as often as topple looks."""
    runs = ROUND
    while not NARROW.reached(Share(round(probability * runs) / runs, runs)):
        runs += ROUND
    return runs


def section(title: str, lines: Sequence[Line], cores: float) -> list[str]:
    """The comparison as Markdown; `cores` is how much faster both cores are than one."""
    ours = [line.narrow.seconds for line in lines]
    plain = [PLAIN_RUNS * line.cost["plain"] for line in lines]
    sharing = [plain_runs(line.narrow.probability) * line.cost["plain, stopping"] / cores for line in lines]
    total = sum(ours)

    def row(name: str, seconds: Sequence[float], runs: float, way: str) -> str:
        off = math.sqrt(fmean(line.off(way) ** 2 for line in lines))
        same = fmean(a == b for line in lines for a, b in zip(line.falls[way], line.falls["strict"], strict=True))
        return (
            f"| {name} | {fmean(seconds):.2f} | {sum(seconds) / total:.1f} | {runs:.0f} | "
            f"{fmean(line.cost[way] for line in lines) * 1e3:.1f} | {off:.3f} | {same:.1%} |"
        )

    return [
        f"### {title}",
        "",
        "| | seconds to ± 0.05 | times topple's | runs | CPU ms a run | rms error of p | same verdict as strict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        row("topple, all cores", ours, fmean(line.narrow.samples for line in lines), "topple"),
        row("plain script, one core", plain, PLAIN_RUNS, "plain"),
        row(
            "plain script, all cores and topple's stopping rules",
            sharing,
            fmean(plain_runs(line.narrow.probability) for line in lines),
            "plain, stopping",
        ),
        "",
        "As people get it, stopped as soon as the verdict is certain: "
        f"{fmean(line.default.seconds for line in lines):.2f} s and "
        f"{fmean(line.default.samples for line in lines):.0f} runs.",
        "",
    ]


def report(executor: Executor, cores: float, say: Say, draws: int = DRAWS) -> list[str]:
    """Both kinds of lines as Markdown."""
    doubtful = measured(DOUBTFUL, draws, executor, say)
    clear = measured(CLEAR, draws, executor, say)
    return [
        "## Time to an answer",
        "",
        f"25 doubtful and 25 clear lines of eleven tiles; {draws} common draws of each are run by every way and by",
        "PyBullet at 0.25 ms, the strict reference. The plain script: PyBullet as it comes, 1/240 s, a plane, a",
        f"fresh connection for every run, all poses polled in every step, 3 s, {PLAIN_RUNS} runs (its time is that of",
        f"a run times {PLAIN_RUNS}; CPU time, while topple's seconds are by the clock). With stopping rules it needs",
        "as many runs as ± 0.05 takes at the line's probability.",
        "",
        *section("Doubtful lines, p from 0.22 to 0.78", doubtful, cores),
        *section("Clear lines", clear, cores),
    ]
