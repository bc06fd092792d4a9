"""Expected chips against every way the votes and the fall can come out."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.games.evaluation.bot.chips import EVEN, Others, Stakes, placing_worth, vote_worth

chances = st.floats(0, 1)


def gained(votes: tuple[bool, ...], fell: bool) -> list[int]:
    """Chips by the rules: who was right takes as many as there are others."""
    others = sum(vote is not fell for vote in votes)
    return [others if vote is fell else 0 for vote in votes]


def against_others(votes: tuple[bool, ...], fell: bool, seat: int) -> float:
    chips = gained(votes, fell)
    return chips[seat] - (sum(chips) - chips[seat]) / (len(chips) - 1)


@given(st.booleans(), chances, st.lists(chances, max_size=3), chances, st.floats(-1, 1), st.booleans())
def test_worth_of_a_vote_is_the_mean_over_all_that_can_happen(
    success: bool, falls: float, others: list[float], spread: float, going_on: float, forced: bool
) -> None:
    beliefs = Others(tuple(others), tuple(1 - (1 - other) * spread for other in others))
    expected = 0.0
    for fell, votes in product((True, False), product((True, False), repeat=len(others))):
        chance = falls if fell else 1 - falls
        for vote, fails in zip(votes, beliefs.if_falls if fell else beliefs.if_stands, strict=True):
            chance *= 1 - fails if vote else fails
        ballot = (success, True, *votes)
        pushed = forced or not all(ballot)
        expected += chance * (against_others(ballot, fell, 0) if pushed else going_on)
    found = vote_worth(success, falls, beliefs, going_on=going_on, forced=forced)
    assert found == pytest.approx(expected, abs=1e-9)


@given(chances, st.lists(chances, min_size=1, max_size=4))
def test_who_placed_is_in_the_place_of_one_who_votes_for_success(falls: float, others: list[float]) -> None:
    beliefs = Others(tuple(others), tuple(others))
    expected = 0.0
    for fell, votes in product((True, False), product((True, False), repeat=len(others))):
        chance = falls if fell else 1 - falls
        for vote, fails in zip(votes, others, strict=True):
            chance *= 1 - fails if vote else fails
        if not all(votes):
            expected += chance * against_others((True, *votes), fell, 0)
    assert placing_worth(falls, beliefs) == pytest.approx(expected, abs=1e-9)


@given(chances)
def test_of_two_players_failure_is_worth_a_vote_when_it_is_likelier(falls: float) -> None:
    alone = Others((), ())
    assert vote_worth(True, falls, alone) == 0
    assert vote_worth(False, falls, alone) == pytest.approx(1 - 2 * falls)
    assert placing_worth(falls, Others((1.0,), (1.0,))) == pytest.approx(2 * falls - 1)


def test_stakes_weigh_winning_and_losing() -> None:
    assert EVEN.worth(2) == 2 and EVEN.worth(-2) == -2
    bold = Stakes(1.0, 0.5)
    assert vote_worth(False, 0.6, Others((), ()), stakes=bold) == pytest.approx(0.4 - 0.6 * 0.5)
