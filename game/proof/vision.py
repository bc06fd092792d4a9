"""The page about how well the camera reads tables."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from game.proof.page import NOTES, marked, part, read_page, write_text
from vision.proof.comparison import COUNTING, Score
from vision.proof.lens import LensFound
from vision.proof.study import Read, Study, alike, by_angle, by_light, held, numbers, worst

PAGE = "vision.md"
WIDTH = 140  # letters of a line
WORST = 8  # pictures that are listed
COLUMNS = (
    *("pictures", "tiles", "found", "false", "value", "stance"),
    *("median mm", "95 % mm", "yaw median", "order", "all right", "within 1 σ"),
)
HEAD = ("| | " + " | ".join(COLUMNS) + " |", "|" + " --- |" * (1 + len(COLUMNS)))


_METHOD = """
Pictures of random rows, five to eleven tiles, straight and curved, gaps from 5 mm, a quarter of the tiles on their
side, in five kinds of light, on plain and coloured tables, plain and coloured tiles, with lens distortion, blur, noise
and JPEG; each is read by the code that a live camera uses, with nothing known but the lens. Written by
"""
_NEAR, _SEEN = COUNTING.max_distance, COUNTING.min_seen
_WORDS = f"""
A tile counts as found when the reading has one within {_NEAR:g} mm. Tiles of which less than {100 * _SEEN:.0f} % can be
seen may be missed, and do not count; a tile that is read where there is none is false, and so is a wrong one where less
than that can be seen. The order is right when all tiles that were read follow one another as they stand, with none that
is false; whether their values are right is told apart, and all right is a picture with no fault of any kind. Positions
are of the middle of the foot; within 1 σ: the share of all x and y that are as near to the truth as their stated
standard error, 68 % when it is honest.
"""


@dataclass(frozen=True)
class FilmSeen:
    """A filmed round, and what is wrong with what the camera made of it."""

    kind: str
    seed: int
    events: int
    faults: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Vision:
    """Everything of one proof."""

    study: Study
    lenses: Sequence[LensFound | str]  # or why one was refused
    films: Sequence[FilmSeen]

    @property
    def passed(self) -> bool:
        """Whether all that is asked holds."""
        lenses = all(isinstance(each, LensFound) and each.held for each in self.lenses)
        films = not any(film.faults for film in self.films)
        return all(held(self.study.usual).values()) and lenses and films


def write_page(folder: Path, found: Vision) -> None:
    """Writes vision.md into the folder; the notes in it stay. OutputError when it cannot be read or written."""
    page = folder / PAGE
    write_text(page, page_text(found, part(read_page(page), NOTES)))


def page_text(found: Vision, notes: str = "\n") -> str:
    """The page in Markdown, English only."""
    pieces = (
        "# How well the camera reads a table",
        _filled(_METHOD),
        "    ./topple prove vision --docs docs",
        _filled(_WORDS),
        "## What is asked",
        "\n".join(_asked(found.study.usual)),
        "## By angle off vertical and by light",
        "1280 × 960, 70 cm away:",
        _table({"all": found.study.usual, **by_angle(found.study.usual), **by_light(found.study.usual)}),
        "## By distance, size of the picture and what else differs",
        "Everything else as above:",
        _table(found.study.others),
        *_photos(found.study.photos),
        "## From reading to forecast",
        _forecasts(found.study.usual),
        "## Known lenses found again",
        "\n".join(_lenses(found.lenses)),
        "## Filmed rounds",
        "\n".join(_films(found.films)),
        "## Where it breaks",
        "\n".join(_worst(found)),
        marked(notes, NOTES),
    )
    return "\n\n".join(pieces) + "\n"


def _filled(text: str) -> str:
    """The text in lines of equal length."""
    whole = " ".join(text.split()).replace(" %", "\u00a0%")  # a number and its sign stay on one line
    return textwrap.fill(whole, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\u00a0", " ")


def _asked(usual: Sequence[Read]) -> list[str]:
    rows = [f"| {what} | {'holds' if good else '**fails**'} |" for what, good in held(usual).items()]
    found = numbers(usual)
    return [f"| of {found.pictures} pictures, {found.tiles} tiles | |", "| --- | --- |", *rows]


def _table(kinds: Mapping[str, Sequence[Read]]) -> str:
    return "\n".join([*HEAD, *(_row(name, numbers(some)) for name, some in kinds.items() if some)])


def _row(name: str, found: Score) -> str:
    cells = [
        name,
        str(found.pictures),
        str(found.tiles),
        _percent(found.found),
        _percent(found.false, 2),
        _percent(found.value),
        _percent(found.stance),
        _number(found.median),
        _number(found.late),
        _number(found.yaw) + "°",
        _percent(found.order),
        _percent(found.whole),
        _percent(found.within, 0),
    ]
    return "| " + " | ".join(cells) + " |"


def _percent(share: float, digits: int = 1) -> str:
    return "–" if math.isnan(share) else f"{share * 100:.{digits}f} %"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _photos(photos: Sequence[Read]) -> list[str]:
    if not photos:
        return []
    return [
        "## Pictures that topple did not render",
        "Those given with `--photos`, each with its truth beside it:",
        _table({"all": photos}),
    ]


def _forecasts(read: Sequence[Read]) -> str:
    pairs = [one.forecasts for one in read if one.forecasts is not None]
    if not pairs:
        return "None was made."
    gaps = sorted(math.inf if math.isnan(ours - true) else abs(ours - true) for ours, true in pairs)
    high = gaps[min(len(gaps) - 1, math.ceil(0.95 * len(gaps)) - 1)]
    doubtful = sum(0.1 < true < 0.9 for _ours, true in pairs)
    shown = "none, for some rows could not be read as one" if math.isinf(high) else f"{high:.2f}"
    return _filled(
        f"""The rows of these pictures were forecast twice to ± 0.035, from the reading and from the truth; those with a
        tile that cannot be seen are left out, and {doubtful} of the {len(pairs)} others are doubtful, from 0.1 to 0.9.
        The two differ by at most 0.1 in **{_percent(alike(read))}** of the cases, and 95 % are asked; the 95th
        percentile of the difference is {shown}."""
    )


def _lenses(lenses: Sequence[LensFound | str]) -> list[str]:
    good = [each for each in lenses if isinstance(each, LensFound)]
    lines = [
        "The printed board, rendered in 14 places before seeded lenses (asked: focal length within 0.5 %, reprojection "
        "error ≤ 0.3 px):",
        "",
        "| pictures | lenses | focal length off by at most | reprojection error, at most |",
        "| --- | --- | --- | --- |",
    ]
    for size in sorted({each.size for each in good}):
        some = [each for each in good if each.size == size]
        off, error = max(each.focal_error for each in some), max(each.error for each in some)
        lines.append(f"| {size[0]} × {size[1]} | {len(some)} | {off * 100:.2f} % | {error:.2f} px |")
    return [*lines, *(f"\nRefused: {each}" for each in lenses if isinstance(each, str))]


def _films(films: Sequence[FilmSeen]) -> list[str]:
    lines = [
        "Whole rounds of Evaluation Domino as rendered films, hands and all, watched by `watch`: events, moves and "
        "chips must be exactly right.",
        "",
        "| film | events | right | seconds |",
        "| --- | --- | --- | --- |",
    ]
    for film in films:
        said = "yes" if not film.faults else "**no**: " + "; ".join(film.faults).replace("|", "/")
        lines.append(f"| {film.kind} {film.seed} | {film.events} | {said} | {film.seconds:.0f} |")
    return lines


def _worst(found: Vision) -> list[str]:
    """The usual pictures that went worst."""
    usual = found.study.usual
    bad = worst(usual)
    if not bad:
        return ["Not one of the usual pictures has a fault."]
    lines = [
        f"{len(bad)} of {len(usual)} usual pictures have a fault; the worst of them:",
        "",
        "| number | off vertical | light | tiles | missed | false | wrong value | wrong stance | order |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in bad[:WORST]:
        trial = one.trial
        order = "no mat seen" if trial.reading is None else "right" if trial.ordered else "wrong"
        angle = f"{trial.setup.sight.off_vertical:.0f}°"
        cells = (one.want.index, angle, one.light, len(trial.matches), one.missed, trial.false, *one.wrong, order)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines
