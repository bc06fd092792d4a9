"""The part of the validation page about forecasts that come true: numbers, the diagram, and what the interval owns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

from game.pictures.canvas import INK, finish_axes, new_figure, save_figure
from game.proof.page import RELIABILITY, VALIDATION, read_page, with_part, write_text
from physics.intervals import CONTACT_DOUBT, WIDE_DOUBT, WIDE_GAPS
from physics.score import BINS, binned, brier, calibration_error, perfect_error
from physics.validation.doubt import DOUBTFUL, doubt_of
from physics.validation.reliability import FORECASTER, OTHER, STEPS, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DIAGRAM = "validation-reliability.png"
USUAL_COLOUR, WIDE_COLOUR, BAND = "#11508f", "#e08214", "#7fb4dc"
POINTS = 101  # of a curve
WIDTH = 140  # letters of a line

_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(0.975)


@dataclass(frozen=True)
class Reliability:
    """The studies of one proof."""

    usual: Study  # lines as people build them
    wide: Study  # lines with wide gaps

    @property
    def passed(self) -> bool:
        """Whether forecasts of usual lines come true; wide gaps are only reported."""
        return self.usual.passed


def write_part(folder: Path, found: Reliability) -> None:
    """Puts the reliability into validation.md of that folder, and the diagram beside it.

    The rest of the page stays. OutputError when a file cannot be written or the old page cannot be read, MissingError
    when matplotlib is not installed.
    """
    page = folder / VALIDATION
    old = read_page(page) or "# Validation\n"
    save_figure(diagram(found), folder / DIAGRAM)
    write_text(page, with_part(old, "\n" + part_text(found) + "\n", RELIABILITY))


def part_text(found: Reliability) -> str:
    """The part in Markdown, English only."""
    usual = found.usual
    pieces = (
        "## Reliability of the forecast",
        _paragraph(_METHOD, usual),
        "    ./topple prove physics --docs docs",
        f"**{_result(usual)}**",
        "\n".join(_scores(usual)),
        "\n".join(_bins(usual)),
        f"![Forecasts against what became of the lines]({DIAGRAM})",
        _paragraph(_PICTURE, usual),
        "### What the interval owns",
        _paragraph(_COMPARED, usual),
        "\n".join(_doubts(found)),
        _paragraph(_OWNED, usual),
    )
    return "\n\n".join(pieces)


_METHOD = """
Do lines fall as often as forecast? {lines} random lines of {plan.tiles[0]} to {plan.tiles[1]} tiles, with gaps of
{gaps} of the lower neighbour's height, are each read with the camera's noise and forecast from that reading. Nothing
else being known of a line, the truth is the reading plus noise, with materials and push drawn as well: {plan.truths}
such true lines each are run once, with the other engine. Of {candidates} candidates the first were kept that fill every
tenth of the forecasts with {plan.per_bin}, by the forecast alone. Forecasts are made by {forecaster}, as `predict`
makes them, true lines run by {other}. Written by
"""
_PICTURE = """
Left: forecasts in ten bins and the share that fell, with the 95 % that the number of pairs leaves open. Right: single
lines, each by its forecast and by the share that fell in many runs of the other engine; the bands are the contact
model's part of the stated interval.
"""
_COMPARED = """
On {compared} of these lines, spread over all tenths, both engines ran the same {plan.runs} true lines, drawn apart from
those of the forecast. Doubtful are lines forecast from {doubtful[0]:g} to {doubtful[1]:g}. What the number of runs adds
is taken off the root mean square and the standard deviation, and allowed for where an interval is said to hold the
other engine's probability. A smaller study of wide gaps is reported beside it, not judged.
"""
_OWNED = """
`sampling` is Wilson's interval of the runs; the stated `interval` adds a normal error on the probit scale, in squares:
{doubt:g}, which is ± {half:.2f} (95 %) at a half and fades out towards 0 and 1; but {wide:g} for a line on which runs
differ and that hangs on a gap of {wide_gaps[0]:g} to {wide_gaps[1]:g} of the height of the tile that falls across.
Both figures were chosen on lines of another seed than these. The last row is the error with which 95 % of the intervals
would have held, were it the same for all lines.
"""


def _paragraph(text: str, study: Study) -> str:
    """The text with the study's numbers, in lines of equal length."""
    filled = text.format(
        lines=len(study.lines),
        gaps=_gaps(study),
        plan=study.plan,
        candidates=study.candidates,
        compared=len(study.differences),
        forecaster=f"{FORECASTER} at {_step(FORECASTER)}",
        other=f"{OTHER} at {_step(OTHER)}",
        doubtful=DOUBTFUL,
        doubt=CONTACT_DOUBT,
        half=_NORMAL.cdf(_Z * CONTACT_DOUBT) - 0.5,
        wide=WIDE_DOUBT,
        wide_gaps=WIDE_GAPS,
    )
    whole = " ".join(filled.split()).replace(" %", "\u00a0%")  # a number and its sign stay on one line
    return textwrap.fill(whole, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\u00a0", " ")


def _result(study: Study) -> str:
    error = calibration_error(study.pairs)
    if study.passed:
        return f"Forecasts hold: the calibration error is {error:.3f}, at most {study.allowed:.2g} is asked."
    return f"Forecasts fail: the calibration error is {error:.3f}, but at most {study.allowed:.2g} is asked."


def _scores(study: Study) -> Iterator[str]:
    pairs = study.pairs
    forecasts = [forecast for forecast, _fell in pairs]
    perfect = sum(forecast * (1 - forecast) for forecast in forecasts) / len(forecasts)
    yield f"| {len(pairs)} pairs | measured | a perfect forecaster of these lines |"
    yield "| --- | --- | --- |"
    yield f"| Brier score | {brier(pairs):.3f} | {perfect:.3f} |"
    yield (
        f"| expected calibration error, ten bins | {calibration_error(pairs):.3f} | {perfect_error(forecasts):.3f} |"
    )
    yield from _own_row(study)


def _bins(study: Study) -> Iterator[str]:
    yield "| Forecasts | pairs | mean forecast | share that fell | 95 % by the pairs |"
    yield "| --- | --- | --- | --- | --- |"
    for each in binned(study.pairs):
        low, high = each.interval
        yield (
            f"| {each.low:.1f} to {each.high:.1f} | {each.pairs} | {each.forecast:.3f} | {each.share:.3f} | "
            f"{low:.2f} to {high:.2f} |"
        )


def _own_row(study: Study) -> Iterator[str]:
    """Judged by its own engine: what is left there is chance and the stopping of the runs, not the contact model."""
    if study.own_pairs:
        own = study.own_pairs
        perfect = perfect_error([forecast for forecast, _fell in own])
        label = f"the same, judged by {FORECASTER} itself on {len(own)} pairs"
        yield f"| {label} | {calibration_error(own):.3f} | {perfect:.3f} |"


def _doubts(found: Reliability) -> Iterator[str]:
    studies = [study for study in (found.usual, found.wide) if any(each.doubtful for each in study.differences)]
    doubts = [(doubt_of(study.differences), doubt_of(study.dead_differences)) for study in studies]
    yield "| | " + " | ".join(f"gaps of {_gaps(study)}" for study in studies) + " |"
    yield "| --- |" + " --- |" * len(studies)
    errors = [f"{calibration_error(study.pairs):.3f}" for study in studies]
    yield "| expected calibration error | " + " | ".join(errors) + " |"
    for label, form in _ROWS:
        numbers = [form.format(doubt=doubt, dead=dead).replace("-", "−") for doubt, dead in doubts]
        yield f"| {label} | " + " | ".join(numbers) + " |"


_ROWS = (
    ("doubtful lines compared", "{doubt.lines}"),
    ("mean difference in probability", "{doubt.mean:+.3f}"),
    ("median size of it", "{doubt.median:.3f}"),
    ("root mean square", "{doubt.rms:.3f}"),
    ("mean difference without bounce in either engine", "{dead.mean:+.3f}"),
    ("root mean square without bounce", "{dead.rms:.3f}"),
    ("standard deviation, probit scale", "{doubt.probit:.2f}"),
    ("`sampling` holds the other engine's probability", "{doubt.sampling:.0%}"),
    ("the stated `interval` holds it", "{doubt.stated:.0%}"),
    ("error on the probit scale needed for 95 %", "{doubt.needed:.2f}"),
)


def _gaps(study: Study) -> str:
    return f"{study.plan.gaps[0]:g} to {study.plan.gaps[1]:g}"


def _step(engine: str) -> str:
    return f"{STEPS[engine] * 1e3:g} ms"


# The diagram


def diagram(found: Reliability) -> Figure:
    """The reliability diagram, and beside it the engines' opinions of single lines."""
    figure = new_figure(840, 420)
    left, right = figure.add_axes((0.065, 0.115, 0.42, 0.81)), figure.add_axes((0.565, 0.115, 0.42, 0.81))
    bins = binned(found.usual.pairs)
    middles, shares = [each.forecast for each in bins], [each.share for each in bins]
    below = [each.share - each.interval[0] for each in bins]
    above = [each.interval[1] - each.share for each in bins]
    left.errorbar(
        middles,
        shares,
        (below, above),
        fmt="o",
        color=USUAL_COLOUR,
        capsize=3,
        label="share that fell, and its 95 %",
        zorder=3,
    )
    _finish(left, "forecast", f"share that fell by {OTHER}", "Forecasts in ten bins")
    places = [index / (POINTS - 1) for index in range(1, POINTS - 1)]
    for doubt, shade, label in ((WIDE_DOUBT, 0.15, "weak gap wide"), (CONTACT_DOUBT, 0.35, "else")):
        below, above = ([_NORMAL.cdf(_NORMAL.inv_cdf(place) + side * doubt) for place in places] for side in (-_Z, _Z))
        right.fill_between(
            places, below, above, color=BAND, alpha=shade, linewidth=0, label=f"contact model, 95 %, {label}"
        )
    for study, colour, marker in ((found.wide, WIDE_COLOUR, "^"), (found.usual, USUAL_COLOUR, "o")):
        forecasts = [each.prediction.probability for each in study.differences]
        shares = [each.other for each in study.differences]
        dots = right.scatter(forecasts, shares, 22, color=colour, marker=marker, label=f"gaps of {_gaps(study)}")
        dots.set(zorder=3, alpha=0.8)
    _finish(right, "forecast", f"share that fell in many runs by {OTHER}", "Single lines")
    return figure


def _finish(axes: Axes, across: str, up: str, title: str) -> None:
    axes.plot((0, 1), (0, 1), "--", color=INK, linewidth=0.9, zorder=2)
    axes.set(xlim=(-0.025, 1.025), ylim=(-0.025, 1.025), xticks=[tick / BINS for tick in range(0, BINS + 1, 2)])
    axes.set_aspect("equal")
    finish_axes(axes, across, up, title, "upper left")
