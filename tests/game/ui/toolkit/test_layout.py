"""Nothing overlaps, nothing leaves the window and words fit, in every window and with every size of letters."""

from __future__ import annotations

import math
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from game.games.evaluation.placements import TILES
from game.games.evaluation.window.votes import voters_room
from game.pictures.theme import (
    COLOURS,
    CONTRAST,
    SIGNS,
    TEXT_SIZES,
    WARM,
    Colour,
    Palette,
    contrast,
    seated,
    sizes_for,
)
from game.ui.toolkit.layout import (
    LONG,
    SHORT,
    MatchPlaces,
    Rect,
    dock_places,
    match_places,
    sheet_places,
    start_places,
    tray_places,
)

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
    coach = [places.coach] if places.coach.height else []
    return [*places.cards, places.round, *places.menu, *coach, places.words, places.dock]


def over_table(places: MatchPlaces) -> list[Rect]:
    return [places.aside, places.note, *places.tools]


@given(widths, heights, letters, st.integers(2, 5), st.integers(2, 5), st.booleans())
def test_a_match_has_room(width: int, height: int, letter: float, players: int, tools: int, coached: bool) -> None:
    sizes = sizes_for(width, height, letter)
    places = match_places(width, height, sizes, players, tools=tools, coached=coached)
    assert bool(places.coach.height) is coached and len(places.tools) == tools
    whole = Rect(0, 0, width, height)
    apart([*flat(places), places.view], whole)
    apart(over_table(places), places.view)
    assert places.view.height > (0.4 if coached else 0.5) * height
    dock = dock_places(places.dock, sizes)
    apart([dock.tray, *dock.keys, dock.main], places.dock)


@given(widths, heights, letters, st.integers(1, 5), st.integers(0, 2), st.integers(0, 5), st.booleans(), st.booleans())
def test_the_start_has_room(
    width: int, height: int, letter: float, seats: int, long: int, short: int, several_games: bool, has_table: bool
) -> None:
    places = start_places(
        width,
        height,
        sizes_for(width, height, letter),
        seats=seats,
        options=[LONG] * long + [SHORT] * short,
        several_games=several_games,
        has_table=has_table,
    )
    whole = Rect(0, 0, width, height)
    apart([places.title, places.subtitle, places.languages, places.panel, places.aside], whole)
    lines = [rect for seat in places.seats for rect in (seat.sign, seat.name, seat.kind)]
    table = [places.table] if has_table else []
    apart([places.game, *table, *lines, *places.options, places.error, *places.buttons], places.panel)
    assert (len(places.seats), len(places.options)) == (seats, long + short)
    apart(list(places.listed), places.aside)


@given(widths, heights, letters, st.integers(2, 5))
def test_the_voters_have_room_over_the_table(width: int, height: int, letter: float, players: int) -> None:
    sizes = sizes_for(width, height, letter)
    places = match_places(width, height, sizes, players, tools=5, coached=True)
    strip = voters_room(places, sizes, players)
    apart([strip, places.aside, places.note, *places.tools], places.view)
    assert strip.width / players > 110 * sizes.unit  # two keys, and a name over them


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


def test_letters_grow_with_the_window_and_with_the_size_chosen() -> None:
    assert sizes_for(3840, 2160).body > sizes_for(1920, 1080).body > sizes_for(960, 640).body >= 14
    assert sizes_for(1920, 1080, TEXT_SIZES[1]).body > sizes_for(1920, 1080).body


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
        assert len(set(palette.colours)) == len(palette.colours) == len(COLOURS) >= 6
        assert all(contrast(colour, palette.panel) >= 4.5 for colour in palette.colours)
    assert contrast(CONTRAST.on_sign, CONTRAST.good) >= 4.5
    assert contrast(CONTRAST.on_sign, CONTRAST.bad) >= 4.5


# What each kind of colour blindness makes of linear red, green and blue (Machado, Oliveira and Fernandes 2009).
SEEN_BY = {
    "everybody": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour: Colour, seen: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """The colour in CIELAB, as somebody sees it."""
    parts = [part / 255 for part in colour[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = (min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in seen)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("palette", [WARM, CONTRAST], ids=["warm", "contrast"])
def test_nobody_mixes_up_the_colours_of_players(palette: Palette, eyes: str) -> None:
    seen = [lab(colour, SEEN_BY[eyes]) for colour in palette.colours]
    assert min(math.dist(one, other) for one, other in combinations(seen, 2)) > (25 if eyes == "everybody" else 12)


def test_chosen_colours_come_first() -> None:
    palette = seated(WARM, (6, 0))
    assert palette.players[:2] == (WARM.colours[6], WARM.colours[0])
    assert len(set(palette.players)) == len(palette.players) == len(set(SIGNS)) == 5


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
