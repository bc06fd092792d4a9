"""The page of the validation: what was expected, what was measured, and plots of the laws with the engine's points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from game.pictures.canvas import finish_axes, new_figure, save_figure
from game.proof.page import NOTES, RELIABILITY, VALIDATION, marked, part, read_page, write_text
from physics import theory
from physics.validation.rows import SHAPE, SPEED_GAPS, STEP_GAPS
from physics.validation.suite import CaseResult, CheckResult, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEADS = ("Case", "Number", "Expected", "Tolerance", "Measured", "Deviation", "Verdict")
POINTS = 33  # of a curve

EIGHTH = 1 / 8  # thickness over height of V19's tiles
# From light to dark with growing friction, in print as well.
SHADES = ("#7fb4dc", "#4f93c8", "#2a72ad", "#11508f", "#0a2f57")
OWN, ENSEMBLE = "#b83a0b", "#e08214"


def write_page(folder: Path, report: Report, others: Sequence[Report] = ()) -> None:
    """Writes validation.md and its plots into the folder, the same bytes for the same reports but for their seconds.

    The first report has the plots, those of other engines a table each.

    What stands between the marks of the notes and of the reliability in a page that is there already stays.
    OutputError when a file cannot be written or the old page cannot be read, MissingError when matplotlib is not
    installed.
    """
    page = folder / VALIDATION
    old = read_page(page)
    figures = {name: draw(report) for name, (_title, _about, draw) in PLOTS.items()}
    for name, figure in figures.items():
        save_figure(figure, folder / name)
    write_text(page, page_text(report, old, others))


def page_text(report: Report, old: str = "", others: Sequence[Report] = ()) -> str:
    """The page in Markdown, with the parts that stay of the old one and the tables of other engines."""
    at = _milliseconds(report.ensemble_step)
    lines = [
        "# Validation",
        "",
        "Every case here has an answer that is known without a simulation: a closed form for one tile, or a law of",
        "falling rows. The engine is measured against it. This page and its plots are written by",
        "",
        "    ./topple validate --docs docs",
        "",
        f"Engine: {report.engine}. Each case is measured twice: at a small step of its own, at which every number must",
        f"lie within its tolerance, and at {at}, the step of the many runs behind a prediction. There the numbers show",
        "what the larger step costs. Where the last column says how many tolerances are allowed, they must keep to it.",
        "",
        _result(report),
        "",
        "## Cases",
        "",
        *_table(
            ("Case", "What is measured", "Set-up", "Step"),
            ((case.name, case.title, case.setup, _milliseconds(case.step)) for case in report.cases),
        ),
        "",
        "μ is the friction of tile on tile, μ_f that of tile on table, h, d and s are height, thickness and gap, α is",
        "the angle at which a tile tips, m g its weight, ω the rate of a striking tile.",
        "",
        "## Expected and measured",
        "",
        *_table(
            (*HEADS, f"At {at}", "Deviation", f"Verdict at {at}"),
            _rows(report),
        ),
        "",
        *chain.from_iterable(
            (f"{case.name} broke down: {error}.", "") for case in report.cases for error in case.errors
        ),
        "## Laws and points",
        "",
        *chain.from_iterable((f"![{title}]({name})", "", about, "") for name, (title, about, _draw) in PLOTS.items()),
        *chain.from_iterable(_other_engine(other) for other in others),
        marked(part(old, RELIABILITY), RELIABILITY),
        "",
        "## Notes",
        "",
        marked(part(old, NOTES), NOTES),
        "",
    ]
    return "\n".join(lines)


def _other_engine(report: Report) -> Iterator[str]:
    """The part about a further engine: its table, and what it is known not to meet."""
    at = _milliseconds(report.ensemble_step)
    yield from (f"## Engine {report.engine}", "", _result(report), "")
    yield from _table((*HEADS, f"At {at}", "Deviation", f"Verdict at {at}"), _rows(report))
    yield ""
    for case in report.cases:
        yield from (f"{case.name} broke down: {error}.\n" for error in case.errors)
    yield from ("Known deviations, each with the bound beyond which the case fails:", "")
    for case in report.cases:
        if case.deviation is not None:
            yield f"- {case.name}, up to {case.deviation.bound:g} × the tolerance: {case.deviation.reason}."
    yield ""


def _result(report: Report) -> str:
    failed = [case.name for case in report.cases if not case.passed]
    if failed:
        return f"**{len(failed)} of {len(report.cases)} cases fail: {', '.join(failed)}.**"
    return f"**All {len(report.cases)} cases pass.**"


def _milliseconds(step: float) -> str:
    return f"{step * 1e3:g} ms"


def _table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _rows(report: Report) -> Iterator[Sequence[str]]:
    for case in report.cases:
        for number, check in enumerate(case.checks):
            yield (
                case.name if number == 0 else "",
                check.label,
                _number(check, check.expected),
                "–" if check.unit == "verdict" else f"± {check.tolerance:.2g}",
                _number(check, check.measured),
                _deviation(check, check.measured),
                _verdict(case, check),
                _number(check, check.ensemble_measured),
                _deviation(check, check.ensemble_measured),
                _ensemble_verdict(check, case.ensemble_slack),
            )


def _verdict(case: CaseResult, check: CheckResult) -> str:
    if not check.holds:
        return "**fails**"
    near = abs(check.measured - check.expected) <= check.tolerance
    return "holds" if near or case.deviation is None else f"known; {case.deviation.bound:g} × allowed"


def _number(check: CheckResult, value: float) -> str:
    if math.isnan(value):
        return "nothing"
    if check.unit == "verdict":
        return "yes" if value else "no"
    return f"{value:.4g} {check.unit}".rstrip()


def _deviation(check: CheckResult, value: float) -> str:
    if check.unit == "verdict" or math.isnan(value) or check.expected == 0:
        return "–"
    percent = round((value - check.expected) / abs(check.expected) * 100, 2) + 0.0  # + 0.0 takes the sign off −0
    return f"{percent:+.2f} %".replace("-", "−")


def _ensemble_verdict(check: CheckResult, slack: float | None) -> str:
    if slack is None:
        return "within" if check.ensemble_within else "outside"
    if check.ensemble_within:
        return f"within; {slack:g} × allowed"
    return f"outside; within the {slack:g} × allowed" if check.ensemble_holds else f"**fails**; {slack:g} × allowed"


# Plots


def _row_speed(report: Report) -> Figure:
    figure = new_figure(560, 380)
    axes = figure.add_axes((0.1, 0.13, 0.87, 0.84))
    gaps = _spread(0.03, 0.97)
    for friction, shade in zip((0.0, 0.1, 0.2, 0.3, 0.5), SHADES, strict=True):
        speeds = [theory.row_speed(gap, SHAPE, friction) or math.nan for gap in gaps]
        axes.plot(gaps, speeds, color=shade, linewidth=1.6, label=f"theory, μ {friction:g}")
    _points(axes, report, "V14", SPEED_GAPS, note=", μ 0.2")
    finish_axes(axes, "gap over height, s/h", "speed of the wave, V/√(gh)")
    return figure


def _growth(report: Report) -> Figure:
    figure = new_figure(840, 380)
    left, right = figure.add_axes((0.07, 0.13, 0.42, 0.79)), figure.add_axes((0.565, 0.13, 0.42, 0.79))
    gaps = _spread(0.05, 0.95)
    for shape, dashes in ((EIGHTH, "-"), (0.156, "--")):
        for friction, shade in zip((0.0, 0.2, 0.4), SHADES[::2], strict=True):
            limits = [theory.growth_limit(gap, shape, friction) or math.nan for gap in gaps]
            left.plot(gaps, limits, dashes, color=shade, linewidth=1.6, label=f"theory, d/h {shape:g}, μ {friction:g}")
    _points(left, report, "V19", (0.5,), note=", d/h 0.125, μ 0.2")
    finish_axes(left, "gap over height of the smaller tile, s/h", "growth from tile to tile", "A running wave")
    gaps = _spread(0.16, 0.99)
    steps = [theory.largest_step(gap, SHAPE, 0.0) or math.nan for gap in gaps]
    right.plot(gaps, steps, color=SHADES[3], linewidth=1.6, label="theory, d/h 0.156, μ 0")
    _points(right, report, "V13", STEP_GAPS)
    finish_axes(
        right, "gap over height of the first tile, s/h", "size of the second tile", "A first tile, gently let go"
    )
    return figure


def _smallest_gap(report: Report) -> Figure:
    figure = new_figure(560, 380)
    axes = figure.add_axes((0.1, 0.13, 0.87, 0.84))
    shapes = _spread(0.1, 0.22)
    for friction, shade in zip((0.0, 0.2), SHADES[::3], strict=True):
        gaps = [theory.smallest_gap(shape, friction) for shape in shapes]
        finite = [gap if math.isfinite(gap) else math.nan for gap in gaps]
        axes.plot(shapes, finite, color=shade, linewidth=1.6, label=f"theory, μ {friction:g}")
    _points(axes, report, "V12", (SHAPE, SHAPE), note=", μ 0 and 0.2")
    finish_axes(axes, "thickness over height, d/h", "smallest gap over height, s/h")
    return figure


PLOTS: dict[str, tuple[str, str, Callable[[Report], Figure]]] = {
    "validation-row-speed.png": (
        "Row speed over the gap",
        "Speed of the wave in a row of equal tiles: the collective law for several frictions, and the engine's (V14).",
        _row_speed,
    ),
    "validation-growth.png": (
        "Growth limits over the gap",
        "How much larger the next tile may be. Left: in a row that grows on and on, pushed briskly (V19). Right: the\n"
        "second tile, when the first is gently let go (V13).",
        _growth,
    ),
    "validation-smallest-gap.png": (
        "Smallest gap over the thickness",
        "The smallest gap at which a row of equal tiles falls once its first tile is gently let go (V12).",
        _smallest_gap,
    ),
}


def _spread(low: float, high: float) -> list[float]:
    """Numbers from low to high, closer together towards the ends, where the curves bend most."""
    return [low + (high - low) * (1 - math.cos(math.pi * index / (POINTS - 1))) / 2 for index in range(POINTS)]


def _points(axes: Axes, report: Report, name: str, places: Sequence[float], note: str = "") -> None:
    """The case's first measured numbers, one for each place, at its own step and at the ensemble's."""
    for case in report.cases:
        if case.name != name:
            continue
        checks = case.checks[: len(places)]
        label = f"{report.engine}, {_milliseconds(report.ensemble_step)}{note}"
        frames = axes.scatter(places, [check.ensemble_measured for check in checks], 70, marker="s", label=label)
        frames.set(facecolor="none", edgecolor=ENSEMBLE, linewidth=1.6, zorder=3)
        label = f"{report.engine}, {_milliseconds(case.step)}{note}"
        axes.scatter(places, [check.measured for check in checks], 20, color=OWN, label=label, zorder=3)
