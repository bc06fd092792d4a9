"""The plan view: everything is on it, to scale and legible, and the file is whole or not there."""

from __future__ import annotations

import gettext
import math
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game import words
from game.pictures.canvas import DPI, ENDINGS
from game.pictures.plan import MAX_LABELS, draw_plan, plan_figure
from physics.errors import MissingError, OutputError
from physics.line import Line, Placement, chain, straight
from physics.outcome import Prediction
from physics.scene import Finger, Scene, Table, Tap, Tilt
from physics.tiles import Stance, load_set

pytest.importorskip("matplotlib")
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.transforms import Bbox

EVALUATION, CLASSIC, WHITEHEAD = load_set("evaluation"), load_set("classic"), load_set("whitehead")
FALLS, STANDS = "#11508f", "#b83a0b"
UP = Stance.UPRIGHT


def predicted(scene: Scene, falls: list[float] | float, weakest_at: int | None = None) -> Prediction:
    shares = falls if isinstance(falls, list) else [falls] * len(scene.line)
    low, high = max(0.0, min(shares) - 0.1), min(1.0, min(shares) + 0.1)
    return Prediction(
        probability=min(shares),
        interval=(low, high),
        sampling=(low, high),
        confidence=0.95,
        samples=64,
        values=scene.line.values,
        tile_falls=tuple(shares),
        weakest_at=weakest_at,
        pushed=scene.pushed,
        engine="bullet",
        seed=0,
        seconds=0.0,
    )


def curved(*sides: int, heading: float = 0.0) -> Scene:
    """The eleven tiles in an S; those of the values on their side."""
    turns = (0, 14, 16, 18, 12, -4, -18, -22, -18, -12, 8)
    joints = [
        (value, 0.011 + 0.0028 * value, math.radians(turn), Stance.SIDE if value in sides else UP)
        for value, turn in enumerate(turns, start=1)
    ]
    return Scene(chain(EVALUATION, joints, Placement(1, 0.1, -0.2, heading)))


def row(count: int, gap: float = 0.015, heading: float = 0.0) -> Scene:
    return Scene(chain(CLASSIC, [(1, gap, 0.0, UP)] * count, Placement(1, 0.0, 0.0, heading)))


def falling_off(scene: Scene) -> list[float]:
    return [1 - 0.9 * index / len(scene.line) for index in range(len(scene.line))]


def letters(figure: Figure) -> dict[int, tuple[str, Bbox]]:
    figure.draw_without_rendering()
    return {
        number: (text.get_text(), text.get_window_extent())
        for number, text in enumerate(figure.axes[0].texts)
        if text.get_text()
    }


def said(figure: Figure) -> list[str]:
    """The texts with plain spaces."""
    return [text.replace("\u202f", " ") for text, _box in letters(figure).values()]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def pixels(path: Path) -> np.ndarray[Any, Any]:
    return imread(path)[..., :3]


def of_colour(image: np.ndarray[Any, Any], colour: str) -> np.ndarray[Any, Any]:
    """Where the table has exactly that colour; the legend at the foot left out."""
    found: np.ndarray[Any, Any] = np.abs(image - np.array(to_rgb(colour))).max(axis=2) < 2.5 / 255
    found[int(0.8 * len(found)) :] = False
    return found


LINES = {
    "one": row(1),
    "one small": Scene(Line(EVALUATION, (Placement(1, 0.3, 0.4, 1.0),)), push=Tap(0.002, 0.02)),
    "three": Scene(straight(EVALUATION, [5, 6, 9], 0.018), push=Tilt()),
    "eleven": curved(),
    "eleven upwards, two on their side": curved(6, 9, heading=1.2),
    "nearly touching": Scene(straight(EVALUATION, list(range(1, 8)), 0.001)),
    "growing": Scene(chain(WHITEHEAD, [(tile.value, 0.35 * tile.height, 0.0, UP) for tile in WHITEHEAD.tiles])),
    "long": row(40),
    "tall": row(MAX_LABELS, heading=math.pi / 2),
    "ring": Scene(chain(CLASSIC, [(1, 0.015, math.radians(9), UP)] * 36)),
    "on a table": Scene(straight(EVALUATION, [3, 4], 0.01), Table(size=(0.1, 0.06))),
}

UKRAINIAN = {
    "The chance that every tile falls. {why}": "Імовірність того, що впадуть геть усі кісточки. {why}",
    "The runs alone say {runs}; with what is not known about how tiles bounce and slip, it is {whole}.": (
        "Самі лише прогони дають {runs}; як кісточки відскакують і ковзають, відомо щонайбільше з точністю {whole}."
    ),
    "{low} to {high} %": "від {low} до {high} %",
    "probably does not fall completely": "імовірно, впаде не повністю: щонайменше одна кісточка встоїть",
    "weakest gap": "найслабший проміжок",
    "on its side": "стоїть на ребрі",
    "push here": "штовхати тут",
    "chance to fall": "імовірність упасти",
    "{width} mm": "{width} мм",
}


class Ukrainian(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return UKRAINIAN.get(message, message)


@pytest.mark.parametrize("language", ["en", "uk"])
@pytest.mark.parametrize("name", LINES)
def test_no_text_is_cut_off_or_covers_another(name: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_catalogue", Ukrainian() if language == "uk" else gettext.NullTranslations())
    scene = LINES[name]
    weakest = None if len(scene.line) == 1 else len(scene.line) // 2 - 1
    figure = plan_figure(scene, predicted(scene, falling_off(scene), weakest))
    found = letters(figure)
    for text, box in found.values():
        assert box.x0 >= 0 and box.y0 >= 0, text
        assert box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, text
    for (one, box), (other, other_box) in combinations(found.values(), 2):
        assert not box.overlaps(other_box), (one, other)


@pytest.mark.parametrize("name", ["three", "nearly touching", "growing", "long"])
def test_no_text_lies_on_a_tile(name: str) -> None:
    scene = LINES[name]
    figure = plan_figure(scene, predicted(scene, falling_off(scene), 1))
    found = letters(figure)
    axes = figure.axes[0]
    tiles = axes.collections[1].get_paths()
    assert len(tiles) == len(scene.line)
    for tile in tiles:
        box = tile.get_extents(axes.transData)
        assert not [text for text, other in found.values() if box.overlaps(other)]


@pytest.mark.parametrize("name", ["eleven", "eleven upwards, two on their side", "growing", "long", "tall", "ring"])
def test_every_tile_has_its_value_and_chance(name: str) -> None:
    scene = LINES[name]
    shares = falling_off(scene)
    texts = said(plan_figure(scene, predicted(scene, shares, 2)))
    for value in set(scene.line.values):
        assert texts.count(str(value)) == scene.line.values.count(value)
    for share in shares:
        assert f"{share:.0%}".replace("%", " %") in texts


def test_hundreds_of_tiles_go_without_labels_but_for_the_ones_that_matter() -> None:
    scene = row(200)
    texts = said(plan_figure(scene, predicted(scene, falling_off(scene), 120)))
    assert texts.count("1") == 4  # both ends, both sides of the weakest gap
    assert "15.0 mm" in texts


@pytest.mark.parametrize(
    ("chance", "verdict"),
    [
        (0.97, "Almost certainly falls"),
        (0.02, "Almost certainly does not fall completely"),
        (0.5, "Could go either way"),
    ],
)
def test_the_header_says_chance_word_and_why_it_is_not_surer(chance: float, verdict: str) -> None:
    scene = curved()
    texts = said(plan_figure(scene, predicted(scene, chance)))
    low, high = max(0.0, chance - 0.1), min(1.0, chance + 0.1)
    assert verdict in texts
    assert f"{chance:.0%}".replace("%", " %") in texts
    why = f"The runs alone say {low * 100:.0f} to {high:.0%}; with what is not known about how tiles bounce"
    assert f"The chance that every tile falls. {why}".replace("%", " %") in " ".join(texts)


def test_the_weakest_gap_has_its_width() -> None:
    scene = Scene(chain(EVALUATION, [(5, 0.0, 0.0, UP), (6, 0.0123, 0.0, UP), (7, 0.0456, 0.0, UP)]))
    assert {"weakest gap", "45.6 mm"} <= set(said(plan_figure(scene, predicted(scene, 0.4, 1))))
    assert "12.3 mm" in said(plan_figure(scene, predicted(scene, 0.4, 0)))
    assert "weakest gap" not in said(plan_figure(scene, predicted(scene, 1.0)))


def test_tiles_on_their_side_are_marked() -> None:
    upright, turned = curved(), curved(6)
    assert "on its side" not in said(plan_figure(upright, predicted(upright, 1.0)))
    assert said(plan_figure(turned, predicted(turned, 1.0))).count("on its side") == 2  # the tile's own and the legend


@pytest.mark.parametrize(("end", "behind"), [("first", -1), ("last", 1)])
def test_the_arrow_stands_behind_the_pushed_end(end: str, behind: int) -> None:
    scene = Scene(straight(CLASSIC, [1, 1, 1], 0.02), push=Finger(end=end))
    figure = plan_figure(scene, predicted(scene, 1.0))
    boxes = dict(letters(figure).values())
    tiles = [path.get_extents(figure.axes[0].transData) for path in figure.axes[0].collections[1].get_paths()]
    pushed = tiles[scene.pushed]
    assert (boxes["push here"].x0 + boxes["push here"].x1 - pushed.x0 - pushed.x1) * behind > 0
    assert (
        min(tile.x0 for tile in tiles) > boxes["push here"].x1 or max(tile.x1 for tile in tiles) < boxes["push here"].x0
    )


@pytest.mark.parametrize("heading", [0.0, math.pi / 2])
def test_tiles_are_to_scale(heading: float, tmp_path: Path) -> None:
    scene = Scene(Line(EVALUATION, (Placement(11, 0.0, 0.0, heading),)))
    path = tmp_path / "plan.png"
    draw_plan(scene, predicted(scene, 1.0), path)
    rows, columns = np.nonzero(of_colour(pixels(path), FALLS))
    high, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    assert max(high, wide) / min(high, wide) == pytest.approx(42 / 10, rel=0.03)
    assert bool(high > wide) == (heading == 0.0)


def test_colours_tell_chances_apart(tmp_path: Path) -> None:
    scene = LINES["three"]
    path = tmp_path / "plan.png"
    areas = {}
    for chance in (0.0, 0.5, 1.0):
        draw_plan(scene, predicted(scene, chance), path)
        image = pixels(path)
        areas[chance] = of_colour(image, STANDS).sum(), of_colour(image, FALLS).sum()
    assert areas[0.0][0] > 10_000 and areas[0.0][1] == 0
    assert areas[1.0][1] > 10_000 and areas[1.0][0] == 0
    assert areas[0.5] == (0, 0)


@pytest.mark.parametrize(
    ("scene", "inches_wide", "inches_high"),
    [
        (row(1), (6, 9), (3, 6)),
        (curved(), (10, 16), (5, 12)),
        (row(200), (15, 22), (3, 6)),
        (row(200, heading=math.pi / 2), (6, 9), (15, 24)),
    ],
)
def test_pictures_have_a_sensible_size(
    scene: Scene, inches_wide: tuple[float, float], inches_high: tuple[float, float], tmp_path: Path
) -> None:
    path = tmp_path / "plan.png"
    draw_plan(scene, predicted(scene, falling_off(scene)), path)
    height, width, _colours = pixels(path).shape
    assert inches_wide[0] * DPI < width < inches_wide[1] * DPI
    assert inches_high[0] * DPI < height < inches_high[1] * DPI


def test_two_thousand_tiles_are_still_seen(tmp_path: Path) -> None:
    scene = row(2000, gap=0.01)
    draw_plan(scene, predicted(scene, 1.0), tmp_path / "plan.png")
    image = pixels(tmp_path / "plan.png")
    blue = (image[..., 2] - image[..., 0] > 0.2)[: int(0.8 * len(image))]
    assert blue.any(axis=0).mean() > 0.8


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("A.PDF", b"%PDF")])
def test_the_ending_decides_the_kind(name: str, begins: bytes, tmp_path: Path) -> None:
    draw_plan(curved(), predicted(curved(), 0.7, 3), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert names(tmp_path) == [name]


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        draw_plan(curved(9), predicted(curved(9), 0.7, 3), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("name", ["plan.gif", "plan", "plan.png.txt"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError) as refusal:
        draw_plan(row(3), predicted(row(3), 1.0), tmp_path / name)
    assert name in str(refusal.value)
    assert all(ending in str(refusal.value) for ending in ENDINGS)
    assert names(tmp_path) == []


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        draw_plan(row(3), predicted(row(3), 1.0), tmp_path / "nowhere" / "plan.png")


@pytest.mark.parametrize(
    ("stop", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, "No space left"), OutputError)]
)
def test_a_picture_that_is_not_finished_leaves_the_old_one(
    stop: BaseException, raised: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "plan.png"
    path.write_bytes(b"the old one")

    def half(self: Figure, file: Path, **_options: object) -> None:
        file.write_bytes(b"\x89PNG and then")
        raise stop

    monkeypatch.setattr(Figure, "savefig", half)
    with pytest.raises(raised):
        draw_plan(row(3), predicted(row(3), 1.0), path)
    assert path.read_bytes() == b"the old one"
    assert names(tmp_path) == ["plan.png"]


def test_without_matplotlib_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingError, match="matplotlib, which is not installed \\(extra lab\\)"):
        draw_plan(row(3), predicted(row(3), 1.0), tmp_path / "plan.png")
    assert names(tmp_path) == []
