"""The row in characters and in words, for rows of all kinds and terminals of all widths."""

from __future__ import annotations

import random

import pytest

from game import words
from game.games.evaluation.moves import Pass
from game.games.evaluation.rules import GAME
from game.games.evaluation.text.row import BLOCKS, LETTERS, drawn, gaps_of, number, row_in, row_words


def view_after(moves: int, seed: int) -> dict[str, object]:
    """What is seen after that many placements made by chance."""
    state, generator = GAME.start(2, {}, seed), random.Random(seed)
    for _ in range(moves):
        seat = state.active
        state, _events = GAME.apply(state, seat, generator.choice(GAME.moves(state, seat)))
        while state.phase.value == "call":
            state, _events = GAME.apply(state, min(GAME.to_act(state)), Pass())
    return dict(GAME.view(state, None))


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_every_row_fits_and_shows_every_tile(language: str) -> None:
    words.use(language)
    try:
        for seed, moves in enumerate((0, 1, 2, 4, 7, 10, 14, 20)):
            view = view_after(moves, seed)
            for width in (80, 60, 40):
                for brush in (BLOCKS, LETTERS):
                    lines = drawn(view, width, brush)
                    assert max(map(len, lines)) <= width, (seed, width)
                    shown = {word for line in lines for word in line.split()}
                    assert {str(tile.value) for tile in row_in(view)} <= shown
                    assert {number(gap) for gap in gaps_of(row_in(view))} <= shown
                    assert brush is BLOCKS or not set("".join(lines)) & set("█▄─►◄")
    finally:
        words.use("en")


def test_a_straight_row_looks_like_this() -> None:
    state = GAME.start(2, {}, 0)
    for text in ("stand 8 at 26.75 0 yaw 0 upright last", "stand 4 at -20.5 0 yaw 0 side first"):
        state, _events = GAME.apply(state, state.active, GAME.read(text))
        if state.phase.value == "call":
            state, _events = GAME.apply(state, 1 - state.active, Pass())
    view = GAME.view(state, None)
    assert drawn(view, 80, LETTERS) == [
        "                                 ####",
        "                    ###          ####",
        "                    ###          ####",
        "                    ###          ####",
        "        > ##        ###          ####",
        "          ##        ###          ####",
        "       ---------------------------------",
        "tile      4          6            8",
        "side      ==",
        "gap, mm        15          20",
    ]
    assert row_words(view) == (
        "The row from left to right: 4 on its side, gap 15 mm, 6 upright, gap 20 mm, 8 upright. "
        "A push would begin with the tile 4."
    )
