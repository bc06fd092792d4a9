"""Who has which colour: never two the same, and the same ones again next time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from game.pictures.player_colours import MAX_KEPT, colours_of, keys_of, swapped, with_colours
from game.pictures.theme import COLOURS

names = st.lists(st.sampled_from(["", "Ann", "Боб", "bot:weak", "bot:strong"]), min_size=2, max_size=5)
chosen = st.permutations(range(len(COLOURS)))


def test_seats_without_a_name_and_alike_bots_are_told_apart() -> None:
    assert keys_of(["", " Ann ", "bot:weak", "bot:weak", ""]) == ("#1", "Ann", "bot:weak", "bot:weak#2", "#5")


@given(names, chosen)
def test_colours_are_there_again(players: list[str], order: list[int]) -> None:
    colours = tuple(order[: len(players)])
    known = with_colours({"Carol": COLOURS[0]}, players, colours)
    assert colours_of(players, known) == colours and known["Carol"] == COLOURS[0]


@given(names, st.dictionaries(st.sampled_from(["Ann", "Боб", "bot:weak", "#1"]), st.sampled_from([*COLOURS, "mud"])))
def test_no_two_players_share_a_colour(players: list[str], known: dict[str, str]) -> None:
    colours = colours_of(players, known)
    assert len(set(colours)) == len(colours) == len(players)


def test_a_colour_that_is_taken_is_swapped() -> None:
    assert swapped((0, 1, 2), 0, 2) == (2, 1, 0)
    assert swapped((0, 1, 2), 0, 6) == (6, 1, 2)
    assert swapped((0, 1, 2), 1, 1) == (0, 1, 2)


def test_not_everybody_is_remembered_for_ever() -> None:
    known: dict[str, str] = {}
    for number in range(MAX_KEPT + 9):
        known = with_colours(known, [f"Ann {number}", "Bob"], (1, 2))
    assert len(known) == MAX_KEPT and "Ann 0" not in known and known["Bob"] == COLOURS[2]
