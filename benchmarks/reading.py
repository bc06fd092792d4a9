"""What reading a picture of the table costs, beside plain marker detection on the same frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import fmean, median

import numpy as np
import numpy.typing as npt

SIZE = (1280, 720)
SEED = 11
TABLES, FRAMES, FIRSTS = 6, 10, 3
NOISE = 2.0  # grey levels by which a frame differs from the one before
FIRST_ASKED, LIVE_ASKED = 2.0, 10.0  # s; frames per second

Image = npt.NDArray[np.uint8]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Cost:
    """CPU seconds on one core for the frames of one table."""

    tiles: int
    first: float  # the first full reading, nothing known
    live: float  # a frame once the row is known, its markers looked for again
    motion: float  # looking whether anything moves in it
    markers: float  # plain ArUco detection on the same frame


def missing() -> str | None:
    """What is not installed here and needed; None: nothing."""
    return None if find_spec("cv2") is not None else "opencv-python"


def cost_of(index: int, frames: int = FRAMES) -> Cost:
    """The index-th table of the benchmark's seed, read on one core."""
    import cv2

    from calibration.board import MAT
    from calibration.camera import dictionary
    from physics.tiles import load_set
    from vision.drawing.blocks import blocks_of
    from vision.drawing.photograph import photograph
    from vision.drawing.scenes import random_setup
    from vision.watching.changes import ComparedPicture
    from vision.watching.live import LiveReader
    from vision.watching.motion import MotionMeter

    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        setup = random_setup(SEED, index, size=SIZE)
        picture = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed).image
        firsts = []
        for _ in range(FIRSTS):
            reader = LiveReader(load_set("evaluation"), setup.sight.lens)
            started = time.thread_time()
            known = reader.read(ComparedPicture(picture)).reading.tiles
            firsts.append(time.thread_time() - started)
        detector = cv2.aruco.ArucoDetector(dictionary(MAT.dictionary))
        live, motion, markers = [], [], []
        meter = MotionMeter()
        for number, frame in enumerate(_frames(picture, frames, np.random.default_rng(index))):
            started = time.thread_time()
            detector.detectMarkers(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY))
            markers.append(time.thread_time() - started)
            started = time.thread_time()
            known = reader.read(ComparedPicture(frame), known).reading.tiles or known
            live.append(time.thread_time() - started)
            started = time.thread_time()
            meter.measure(number / 30, frame)
            motion.append(time.thread_time() - started)
    finally:
        cv2.setNumThreads(threads)
    return Cost(len(setup.scene.line), median(firsts), median(live), median(motion), median(markers))


def _frames(picture: Image, count: int, rng: np.random.Generator) -> Sequence[Image]:
    """The same picture again with other noise."""
    noise = [NOISE * rng.standard_normal(picture.shape, np.float32) for _ in range(count)]
    return [np.clip(picture + each, 0, 255).astype(np.uint8) for each in noise]


def report(say: Say, tables: int = TABLES, frames: int = FRAMES) -> list[str]:
    """Readings as Markdown."""
    cost_of(0, 1)  # so that nothing is timed that happens once
    found = []
    for index in range(tables):
        say(f"readings: {index + 1} of {tables}")
        found.append(cost_of(index, frames))
    return section(found)


def section(found: Sequence[Cost]) -> list[str]:
    """What was measured, as Markdown."""
    first, live, motion, markers = (
        fmean(getattr(each, name) for each in found) for name in ("first", "live", "motion", "markers")
    )
    tiles = f"{min(each.tiles for each in found)} to {max(each.tiles for each in found)}"
    slowest = max(each.first for each in found)
    return [
        "## Reading pictures",
        "",
        f"Rendered pictures of {tiles} tiles, {SIZE[0]} × {SIZE[1]}, {len(found)} tables, CPU time on one core:",
        f"medians of {FIRSTS} readings with nothing known and of {FRAMES} live frames of each table. A live frame",
        "is read with the row known from the frame before; the markers of the mat are looked for in each.",
        "",
        "| | CPU ms | frames a second | times plain ArUco | asked |",
        "| --- | --- | --- | --- | --- |",
        f"| first full reading | {first * 1e3:.0f} (slowest {slowest * 1e3:.0f}) | {1 / first:.1f} | "
        f"{first / markers:.0f} | ≤ {FIRST_ASKED:g} s: {_said(slowest <= FIRST_ASKED)} |",
        f"| live frame, row known | {live * 1e3:.0f} | {1 / live:.1f} | {live / markers:.1f} | "
        f"≥ {LIVE_ASKED:g} a second: {_said(1 / live >= LIVE_ASKED)} |",
        f"| looking for motion | {motion * 1e3:.0f} | {1 / motion:.1f} | {motion / markers:.1f} | – |",
        f"| plain ArUco detection | {markers * 1e3:.0f} | {1 / markers:.1f} | 1 | – |",
        "",
    ]


def _said(held: bool) -> str:
    return "holds" if held else "**fails**"
