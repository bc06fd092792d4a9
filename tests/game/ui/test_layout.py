"""Nothing overlaps, nothing leaves the window and words fit, in every window and with every size of letters."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from game.rules.evaluation_geometry import TILES
from game.ui.layout import (
    MatchPlaces,
    Rect,
    dock_places,
    match_places,
    sheet_places,
    start_places,
    tray_places,
)
from game.ui.look import CONTRAST, SIGNS, TEXT_SIZES, WARM, contrast, sizes_for
from game.ui.memory import TEXT_SIZES as REMEMBERED_SIZES

WINDOWS = ((960, 640), (1280, 800), (1366, 768), (1024, 1400), (1920, 1080), (2560, 1440), (3840, 2160), (3440, 1440))
widths, heights = st.integers(960, 3840), st.integers(640, 2160)
letters = st.sampled_from(TEXT_SIZES)


def apart(rects: list[Rect], whole: Rect) -> None:
    for rect in rects:
        assert rect.inside(whole), rect
        assert rect.width > 8 and rect.height > 8, rect
    for one, other in combinations(rects, 2):
        assert not one.overlaps(other), (one, other)


def flat(places: MatchPlaces) -> list[Rect]:
    return [*places.cards, places.round, *places.menu, places.words, places.dock]


def over_table(places: MatchPlaces) -> list[Rect]:
    return [places.aside, places.note, *places.tools, places.coach]


@given(widths, heights, letters, st.integers(2, 5))
def test_a_match_has_room(width: int, height: int, letter: float, players: int) -> None:
    sizes = sizes_for(width, height, letter)
    places = match_places(width, height, sizes, players)
    whole = Rect(0, 0, width, height)
    apart([*flat(places), places.view], whole)
    apart(over_table(places), places.view)
    assert places.view.height > 0.4 * height
    dock = dock_places(places.dock, sizes)
    apart([dock.tray, *dock.keys, dock.main], places.dock)


@given(widths, heights, letters)
def test_the_start_has_room(width: int, height: int, letter: float) -> None:
    places = start_places(width, height, sizes_for(width, height, letter))
    whole = Rect(0, 0, width, height)
    apart([places.title, places.subtitle, places.languages, places.panel, places.aside], whole)
    apart([places.heading, *places.seats, *places.options, places.error, *places.buttons], places.panel)
    apart(list(places.listed), places.aside)


@given(widths, heights, letters)
def test_a_sheet_has_room(width: int, height: int, letter: float) -> None:
    places = sheet_places(width, height, sizes_for(width, height, letter))
    apart([places.sheet], Rect(0, 0, width, height))
    apart([places.heading, places.body, places.buttons], places.sheet)


@given(widths, heights, letters, st.integers(1, 11))
def test_the_tray_holds_its_tiles_in_true_proportion(width: int, height: int, letter: float, count: int) -> None:
    sizes = sizes_for(width, height, letter)
    room = dock_places(match_places(width, height, sizes, 2).dock, sizes).tray
    tiles = TILES.tiles[:count]
    rects = tray_places(room, [tile.width for tile in tiles], [tile.height for tile in tiles], sizes.gap)
    apart(rects, room) if count < 9 else [rect.inside(room) or pytest.fail(str(rect)) for rect in rects]
    for tile, rect in zip(tiles, rects, strict=True):
        assert rect.width / rect.height == pytest.approx(tile.width / tile.height)


def test_letters_grow_with_the_window_and_with_the_wish() -> None:
    assert sizes_for(3840, 2160).body > sizes_for(1920, 1080).body > sizes_for(960, 640).body >= 14
    assert sizes_for(1920, 1080, TEXT_SIZES[1]).body > sizes_for(1920, 1080).body
    assert tuple(TEXT_SIZES) == tuple(REMEMBERED_SIZES)


@pytest.mark.parametrize("window", WINDOWS)
def test_words_fit_their_places(window: tuple[int, int]) -> None:
    font = _font()
    for letter, players in product(TEXT_SIZES, (2, 5)):
        sizes = sizes_for(*window, letter)
        places = match_places(*window, sizes, players)
        dock = dock_places(places.dock, sizes)
        # Letters may be made smaller down to a bit over half before words are cut.
        for words, room in (
            ("Весь ряд", places.tools[0]),
            ("Продовжити", dock.main),
            ("Знову", dock.keys[0]),
            ("Сильний бот 2", places.cards[0]),
        ):
            assert font.getlength(words) * sizes.body * 0.62 / 100 < room.width * 0.75, (words, window, letter)


def test_colours_can_be_read_and_told_apart() -> None:
    for palette in (WARM, CONTRAST):
        least = 7.0 if palette is CONTRAST else 4.5
        for ground in (palette.panel, palette.raised, palette.table):
            assert contrast(palette.ink, ground) >= least
        assert contrast(palette.soft, palette.panel) >= 4.5
        assert contrast(palette.on_accent, palette.accent) >= 4.5
        assert len(set(palette.players)) == len(palette.players) == len(set(SIGNS)) == 5
    assert contrast(CONTRAST.on_sign, CONTRAST.good) >= 4.5
    assert contrast(CONTRAST.on_sign, CONTRAST.bad) >= 4.5


def test_rectangles_are_cut_without_loss() -> None:
    whole = Rect(10, 20, 100, 50)
    top, rest = whole.cut_top(10, 5)
    assert (top.y, top.height, rest.height) == (60, 10, 35)
    left, right = whole.cut_left(30)
    assert left.right == right.x and left.width + right.width == whole.width
    columns = whole.columns(3, 5)
    assert columns[-1].right == pytest.approx(whole.right)
    rows = whole.rows(2, 10)
    assert rows[0].top == whole.top and rows[1].y == pytest.approx(whole.y)
    assert whole.centred(1000, 10) == Rect(10, 40, 100, 10)


def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype("DejaVuSans.ttf", 100)
