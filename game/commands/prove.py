"""prove: what is too long for the tests, measured in full and written down."""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from game.bots.arena import tournament
from game.commands.options import whole, workers_option
from game.pictures.canvas import require_matplotlib
from game.proof import agreement as agreement_page
from game.proof import bots as bots_page
from game.proof import reliability as reliability_page
from game.proof import rig as rig_page
from game.proof.page import STEPS, VALIDATION, read_page
from game.proof.reliability import Reliability
from game.proof.rig import FirmwareProof, RigProof
from game.words import _
from game.workers.pool import worker_pool
from game.workers.progress import Progress, bar
from hardware.simulated.simavr import Simulator, SteppedPort, build
from hardware.simulated.trial import Trial, emulated_trial, firmware_trial, flooded_stops, together
from physics.errors import InputError, MissingError
from physics.files import check_writable
from physics.score import BINS
from physics.validation.agreement import compare
from physics.validation.reliability import WIDE, Plan, study

if TYPE_CHECKING:
    from game.proof.vision import FilmSeen
    from vision.proof.lens import LensFound

AGREEMENT_SEED = 1
RELIABILITY_SEED = 2  # the contact doubts were chosen on lines of seed 1
MATCH_SEED = 1  # of the first match
MATCHES = 200
PAIRS = (("strong", "weak"), ("strong", "normal"), ("normal", "weak"))
COMMANDS = 10_000  # to the rig, on the worst line
RATES = (0.0, 0.01, 0.02, 0.05)  # shares of bytes that are hit
CHUNK = 500  # commands to one rig
FIRMWARE_COMMANDS, STOPS = 500, 50
RIG_SEED = 1
PICTURES, LENSES, FILMS = 200, 12, 2
LINES = {"agreement": 300, "steps": 200, "reliability": 400}
WIDE_LINES, WIDE_RUNS, WIDE_TILES = 80, 50, (2, 5)  # of the smaller study beside the reliability's


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of prove."""
    parser.add_argument("area", choices=tuple(AREAS), help=_("what to prove"))
    parser.add_argument(
        "--only",
        choices=tuple(LINES),
        help=_("physics: only how engines agree, what steps and laws of blows do, or whether forecasts hold"),
    )
    parser.add_argument(
        "--lines",
        type=whole(1, 100_000),
        metavar="N",
        help=_("physics: how many random lines (300 to compare engines, 400 to forecast), or draws of each (200)"),
    )
    parser.add_argument(
        "--matches", type=whole(2, 100_000), metavar="N", help=_("game: how many matches of each pair of bots (200)")
    )
    parser.add_argument(
        "--commands",
        type=whole(10, 10_000_000),
        metavar="N",
        help=_("rig: how many commands on the worst line (10000)"),
    )
    parser.add_argument(
        "--pictures", type=whole(5, 100_000), metavar="N", help=_("vision: how many pictures of the usual kind (200)")
    )
    parser.add_argument(
        "--photos",
        type=Path,
        metavar=_("FOLDER"),
        help=_("vision: read these pictures as well, each with the truth beside it (.json)"),
    )
    parser.add_argument("--docs", type=Path, metavar=_("FOLDER"), help=_("write the pages of what was measured there"))
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what was measured; 1 when that is not enough."""
    if options.docs is not None and not options.docs.is_dir():
        raise InputError("There is no folder {folder}.", folder=options.docs)
    return AREAS[options.area](options)


def _physics(options: argparse.Namespace) -> int:
    """How engines agree and how reliable forecasts are."""
    wanted = (options.only,) if options.only else tuple(LINES)
    if options.docs is not None:
        _check_folder(options.docs, wanted)
    good = True
    with worker_pool(options.workers) as executor:
        for what in wanted:
            prove = {"agreement": _agreement, "steps": _steps, "reliability": _reliability}[what]
            with Progress() as progress:
                text, enough = prove(options.lines or LINES[what], options.docs, executor, progress)
            print(text)
            good = good and enough
    return 0 if good else 1


def _check_folder(folder: Path, wanted: tuple[str, ...]) -> None:
    """OutputError or MissingError now, rather than after many minutes of work."""
    if "agreement" in wanted:
        check_writable(folder / agreement_page.PAGE)
    if "steps" in wanted:
        check_writable(folder / STEPS)
    if "reliability" in wanted:
        require_matplotlib()
        read_page(folder / VALIDATION)
        check_writable(folder / VALIDATION)


def _agreement(lines: int, docs: Path | None, executor: Executor | None, progress: Progress) -> tuple[str, bool]:
    fell, found = compare(
        AGREEMENT_SEED,
        lines,
        executor,
        lambda done, total: progress.show(_("{bar} comparing engines").format(bar=bar(done / total))),
    )
    if docs is not None:
        agreement_page.write_page(docs, lines, fell, found)
    return agreement_page.page_text(lines, fell, found), all(agreement_page.is_enough(each) for each in found)


def _steps(draws: int, docs: Path | None, executor: Executor | None, progress: Progress) -> tuple[str, bool]:
    from game.proof import steps as steps_page  # they need numba
    from physics.validation.steps import KINDS, compared

    found = []
    for number, kind in enumerate(KINDS):

        def tell(done: int, total: int, number: int = number) -> None:
            share = (number + done / total) / len(KINDS)
            progress.show(_("{bar} comparing steps and laws of blows").format(bar=bar(share)))

        found.append(compared(kind, draws, executor, tell))
    if docs is not None:
        steps_page.write_page(docs, draws, found)
    return steps_page.page_text(draws, found), all(steps_page.is_enough(each) for each in found)


def _reliability(lines: int, docs: Path | None, executor: Executor | None, progress: Progress) -> tuple[str, bool]:
    found = Reliability(
        *(
            study(
                plan,
                executor,
                lambda done, total: progress.show(
                    _("{bar} comparing forecasts with true lines").format(bar=bar(done / total))
                ),
            )
            for plan in plans(lines)
        )
    )
    if docs is not None:
        reliability_page.write_part(docs, found)
    return reliability_page.part_text(found), found.passed


def plans(lines: int) -> tuple[Plan, Plan]:
    """The studies of usual and of wide gaps; as many lines or a few more, so that every tenth has as many."""
    per_bin = math.ceil(lines / BINS)
    wide = min(per_bin, WIDE_LINES // BINS)
    few = Plan(RELIABILITY_SEED, wide, compared=wide, runs=WIDE_RUNS, gaps=WIDE, tiles=WIDE_TILES)
    return Plan(RELIABILITY_SEED, per_bin), few


def _game(options: argparse.Namespace) -> int:
    """How often bots of each strength win."""
    if options.docs is not None:
        check_writable(options.docs / bots_page.PAGE)
    matches, started = options.matches or MATCHES, time.perf_counter()
    with worker_pool(options.workers) as executor, Progress() as progress:
        found = []
        for bots in PAIRS:
            names = ", ".join(bots)

            def tell(done: int, count: int, names: str = names) -> None:
                text = _("{bar} {bots}: {done} of {count} matches")
                progress.show(text.format(bar=bar(done / count), bots=names, done=done, count=count))

            found.append(tournament(matches, "evaluation", bots, MATCH_SEED, executor=executor, progress=tell))
    seconds = time.perf_counter() - started
    if options.docs is not None:
        bots_page.write_page(options.docs, found, seconds)
    print(bots_page.page_text(found, seconds))
    return 0 if bots_page.is_enough(found) else 1


def _rig(options: argparse.Namespace) -> int:
    """What becomes of commands to a rig on a bad line, and of stops."""
    if options.docs is not None:
        check_writable(options.docs / rig_page.PAGE)
    commands, started = options.commands or COMMANDS, time.perf_counter()
    with worker_pool(options.workers) as executor, Progress() as progress:

        def tell(share: float) -> None:
            progress.show(_("{bar} asking the rig").format(bar=bar(share)))

        emulated = [
            _emulated(rate, commands if rate == RATES[-1] else max(10, commands // 5), executor, tell) for rate in RATES
        ]
        firmware = _firmware()
    found = RigProof(emulated, firmware, time.perf_counter() - started)
    if options.docs is not None:
        rig_page.write_part(options.docs, found)
    print(rig_page.part_text(found))
    return 0 if found.is_enough else 1


def _emulated(rate: float, commands: int, executor: Executor | None, tell: Callable[[float], None]) -> Trial:
    sizes = [min(CHUNK, commands - begun) for begun in range(0, commands, CHUNK)]
    seeds = range(RIG_SEED, RIG_SEED + len(sizes))
    spread = executor.map if executor else map
    trials = []
    for trial in spread(emulated_trial, sizes, [rate] * len(sizes), seeds):
        trials.append(trial)
        tell(len(trials) / len(sizes))
    return together(trials)


def _firmware() -> FirmwareProof | None:
    try:
        built = build()
    except MissingError:
        return None
    trials = []
    for rate in RATES:
        with Simulator(built) as simulator:
            trials.append(firmware_trial(SteppedPort(simulator), FIRMWARE_COMMANDS, rate, RIG_SEED))
    with Simulator(built) as simulator:
        port = SteppedPort(simulator)
        flooded_stops(port, 1, RIG_SEED)
        simulator.longest_deafness()  # what it took to start does not count
        stops = flooded_stops(port, STOPS, RIG_SEED)
        return FirmwareProof(built, trials, stops, simulator.longest_deafness())


def _vision(options: argparse.Namespace) -> int:
    """How well pictures of known tables are read, known lenses found again, and filmed rounds followed."""
    from vision.opencv import require_cv2

    require_cv2()
    from game.proof import vision as vision_page
    from game.proof.filmed_rounds import KINDS
    from game.proof.vision import FilmSeen
    from vision.camera.sources import FolderSource
    from vision.proof.study import study

    photos = FolderSource(options.photos).files() if options.photos is not None else []
    if options.docs is not None:
        read_page(options.docs / vision_page.PAGE)
        check_writable(options.docs / vision_page.PAGE)
    with worker_pool(options.workers) as executor, Progress() as progress:

        def tell(done: int, total: int) -> None:
            progress.show(
                _("{bar} pictures read: {done} of {total}").format(bar=bar(done / total), done=done, total=total)
            )

        pictures = study(options.pictures or PICTURES, photos, executor, tell)
        lenses: list[LensFound | str] = []
        films: list[FilmSeen] = []
        with tempfile.TemporaryDirectory() as folder:
            jobs = [partial(find_lens, seed) for seed in range(LENSES)]
            rounds = [partial(watch_round, kind, seed, Path(folder)) for seed in range(FILMS) for kind in KINDS]
            work: list[partial[LensFound | str] | partial[FilmSeen]] = [*jobs, *rounds]
            for done in executor.map(_done, work) if executor is not None else map(_done, work):
                if isinstance(done, FilmSeen):
                    films.append(done)
                else:
                    lenses.append(done)
                count = len(lenses) + len(films)
                text = _("{bar} lenses and filmed rounds: {done} of {total}")
                progress.show(text.format(bar=bar(count / len(work)), done=count, total=len(work)))
        found = vision_page.Vision(pictures, lenses, films)
    if options.docs is not None:
        vision_page.write_page(options.docs, found)
    print(vision_page.page_text(found))
    return 0 if found.passed else 1


def _done(job: partial[LensFound | str] | partial[FilmSeen]) -> LensFound | str | FilmSeen:
    return job()


def find_lens(seed: int) -> LensFound | str:
    """A known lens found again, or why it was not. What a worker does."""
    from vision.proof.lens import find_again

    try:
        return find_again(seed)
    except InputError as error:
        return str(error)


def watch_round(kind: str, seed: int, folder: Path) -> FilmSeen:
    """A filmed round of that kind, watched. What a worker does."""
    from game.proof.filmed_rounds import filmed_rounds
    from game.proof.vision import FilmSeen

    watched = filmed_rounds(seed, folder, (kind,))[0]
    return FilmSeen(kind, seed, len(watched.filmed.events), tuple(watched.faults()), watched.seconds)


AREAS = {"physics": _physics, "game": _game, "vision": _vision, "rig": _rig}
