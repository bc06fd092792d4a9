"""Pictures: an empty one, letters and cards on it, and writing it to a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from physics.errors import MissingError
from physics.files import check_ending, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

    from physics.line import Point, Standing

ENDINGS = (".png", ".svg", ".pdf")
DPI = 160
MARGIN = 26.0  # pt around what is drawn
MAX_SCALE = 4.2  # pt per mm
PAPER, INK, SOFT_INK = "#fdf8ef", "#3a2a1c", "#7a6654"

Colour = str | tuple[float, float, float]


def require_matplotlib() -> None:
    """MissingError when matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingError(
            "Pictures need {package}, which is not installed (extra {extra}).", package="matplotlib", extra="lab"
        ) from None


def new_figure(width: float, height: float) -> Figure:
    """An empty picture of that size in points, apart from every other one; MissingError without matplotlib."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), facecolor=PAPER)
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Writes a picture, whole or not at all. OutputError when it cannot be written or the ending is none of ours."""
    check_ending(path, ENDINGS)
    kind = path.suffix.lower().removeprefix(".")
    # No date and no version: the same picture is the same file.
    unsaid = {"png": ("Software",), "svg": ("Date", "Creator"), "pdf": ("CreationDate", "Creator", "Producer")}[kind]
    with whole_file(path) as beside:
        figure.savefig(beside, format=kind, dpi=DPI, facecolor=PAPER, metadata=dict.fromkeys(unsaid))


def font(size: float, bold: bool = False) -> FontProperties:
    """The letters of every picture, with Latin, Greek and Cyrillic ones."""
    from matplotlib.font_manager import FontProperties

    return FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")


@dataclass(frozen=True)
class Words:
    """A line of letters."""

    text: str
    size: float
    bold: bool = False
    colour: str = INK

    @property
    def width(self) -> float:
        """How wide they are, pt."""
        from matplotlib.textpath import text_to_path

        sizes = text_to_path.get_text_width_height_descent(self.text, font(self.size, self.bold), ismath=False)
        return float(sizes[0])


@dataclass(frozen=True)
class Label:
    """Lines of letters on a small card, tied to a point by a leader; without a colour, bare letters."""

    lines: tuple[Words, ...]
    card: Standing
    start: Point
    rim: Colour | None


def folded(words: Words, room: float) -> list[Words]:
    """The words in as many lines as it takes to stay within the room."""
    first, *rest = words.text.split(" ")
    lines = [replace(words, text=first)]
    for word in rest:
        longer = replace(words, text=f"{lines[-1].text} {word}")
        if longer.width <= room:
            lines[-1] = longer
        else:
            lines.append(replace(words, text=word))
    return lines


def write(axes: Axes, words: Words, x: float, y: float, align: str = "center") -> None:
    """Puts the words at that place."""
    letters = axes.text(x, y, words.text, fontproperties=font(words.size, words.bold), color=words.colour, zorder=9)
    letters.set(horizontalalignment=align, verticalalignment="center_baseline")


def draw_label(axes: Axes, label: Label) -> None:
    """Draws a label with its leader."""
    from matplotlib.patches import FancyBboxPatch

    card = label.card
    if label.rim is not None:
        axes.plot(*zip(label.start, (card.x, card.y), strict=True), color=INK, linewidth=0.8, zorder=5)
        corner = card.x - card.depth / 2, card.y - card.breadth / 2
        patch = FancyBboxPatch(corner, card.depth, card.breadth, "round,pad=0,rounding_size=6")
        patch.set(facecolor=PAPER, edgecolor=label.rim, linewidth=1.8, zorder=7)
        axes.add_patch(patch)
    y = card.y + sum(words.size * 1.22 for words in label.lines) / 2
    for words in label.lines:
        write(axes, words, card.x, y - words.size * 0.61)
        y -= words.size * 1.22


def finish_axes(
    axes: Axes, across: str, up: str, title: str = "", legend: Literal["best", "upper left"] = "best"
) -> None:
    """Names the axes and the plot, and gives it the looks of every plot; the legend where it is said."""
    axes.set_facecolor(PAPER)
    axes.grid(color=SOFT_INK, alpha=0.25, linewidth=0.6)
    axes.set_xlabel(across, fontproperties=font(9))
    axes.set_ylabel(up, fontproperties=font(9))
    axes.set_title(title, fontproperties=font(10, bold=True))
    for tick in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        tick.set_fontproperties(font(8))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(prop=font(8), frameon=False, loc=legend)
