"""Tiles placed by hand and by keys: what is proposed, and that the rules say the same of it."""

from __future__ import annotations

import math
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.core import Chance, RuleError
from game.games.evaluation.choices import offers
from game.games.evaluation.moves import End, Stand
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row, at_end, stood, without
from game.games.evaluation.rules import GAME
from game.games.evaluation.state import State
from game.games.evaluation.window.placing import (
    TURN_STEP,
    Aim,
    Flip,
    Gap,
    Loosen,
    NextSpot,
    Proposal,
    Shift,
    Step,
    Turn,
    aimed,
    first_proposal,
    stepped,
)
from physics.line import Placement, straight
from physics.tiles import Stance

LONE: Row = (Placement(6, 0.0, 0.0),)
PAIR: Row = straight(NUMBERS.tiles, (6, 8), 30e-3).placements
MM = 1e-3


def grown(seed: int, length: int) -> Row:
    """A row as matches make them."""
    generator, row = random.Random(seed), LONE
    while len(row) < length:
        values = [tile.value for tile in NUMBERS.tiles.tiles if tile.value not in {each.value for each in row}]
        choices = offers(row, values, generator, lifted=False)
        if not choices:
            break
        row = stood(row, generator.choice(choices))
    return row


def state_of(row: Row) -> State:
    return State(Chance(0), 3, (0, 0, 0), 1, row)


def agrees(proposal: Proposal) -> None:
    """The rules say of the proposal what it says itself."""
    if proposal.refusal is None:
        assert proposal.move == proposal.stand
        GAME.check(state_of(proposal.row), 1, proposal.stand)
        return
    assert proposal.move is None
    with pytest.raises(RuleError) as refused:
        GAME.check(state_of(proposal.row), 1, proposal.stand)
    assert (refused.value.sentence, refused.value.fields) == (proposal.refusal.sentence, proposal.refusal.fields)


def movable(row: Row, index: int) -> int:
    values = state_of(row).movable
    return values[index % len(values)]


places = st.floats(-0.3, 0.3, allow_nan=False)


@settings(deadline=None, max_examples=120)
@given(
    seed=st.integers(0, 10_000),
    length=st.integers(1, 11),
    pick=st.integers(0, 10),
    stance=st.sampled_from(Stance),
    x=places,
    y=places,
    turn=st.none() | st.integers(-12, 12).map(lambda steps: steps * TURN_STEP),
    free=st.booleans(),
    yaw=st.floats(-7, 7),
)
def test_the_rules_say_the_same_of_every_proposal(
    seed: int, length: int, pick: int, stance: Stance, x: float, y: float, turn: float | None, free: bool, yaw: float
) -> None:
    row = grown(seed, length)
    value = movable(row, pick)
    proposal = aimed(row, Aim(value, stance, x, y, free, turn, yaw))
    agrees(proposal)
    assert proposal.lifted is not bool(state_of(row).supply)
    assert len(proposal.gaps) == len(proposal.neighbours) == (1 if isinstance(proposal.stand.spot, End) else 2)
    if free:
        assert (proposal.ghost.x, proposal.ghost.y, proposal.guide) == (x, y, None)
    else:
        assert proposal.guide is not None
        assert abs(math.degrees(proposal.guide.turn) / 5 - round(math.degrees(proposal.guide.turn) / 5)) < 1e-9
        # Written in a log and read again it is the same move.
        assert GAME.read(GAME.write(proposal.stand)) == proposal.stand


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    length=st.integers(1, 11),
    pick=st.integers(0, 10),
    steps=st.lists(
        st.sampled_from(
            [NextSpot(), NextSpot(-1), Gap(MM), Gap(-5 * MM), Gap(9 * MM), Turn(), Turn(-TURN_STEP), Flip(), Loosen(),
             Shift(MM, -2 * MM)]
        ),
        max_size=12,
    ),
)  # fmt: skip
def test_keys_alone_never_leave_what_the_rules_know(seed: int, length: int, pick: int, steps: list[Step]) -> None:
    row = grown(seed, length)
    proposal = first_proposal(row, movable(row, pick))
    for step in steps:
        agrees(proposal)
        proposal = stepped(proposal, step)
    agrees(proposal)


@settings(deadline=None, max_examples=60)
@given(
    end=st.sampled_from(End), gap=st.integers(3, 40), turn=st.integers(-9, 9), stance=st.sampled_from(Stance),
    seed=st.integers(0, 500), length=st.integers(1, 6),
)  # fmt: skip
def test_a_hand_at_a_guided_place_finds_it(
    end: End, gap: int, turn: int, stance: Stance, seed: int, length: int
) -> None:
    row = grown(seed, length)
    value = movable(row, 3)
    stand = at_end(row, value, stance, end, gap * MM, turn * TURN_STEP)
    proposal = aimed(row, Aim(value, stance, stand.placement.x, stand.placement.y, turn=turn * TURN_STEP))
    tile = stand.placement
    apart = math.hypot(proposal.ghost.x - tile.x, proposal.ghost.y - tile.y)
    assert proposal.stand == stand or (proposal.stand.spot != end and apart < MM)
    if proposal.stand == stand:
        assert proposal.gaps == pytest.approx((gap,), abs=1e-6)


# One by one


def test_the_gap_follows_the_hand_in_whole_millimetres() -> None:
    near = aimed(LONE, Aim(8, Stance.UPRIGHT, 24.3 * MM, 0.0))
    assert near.stand.spot is End.LAST and near.gaps == pytest.approx((18.0,)) and near.turn == 0.0
    assert aimed(LONE, Aim(8, Stance.UPRIGHT, 0.5, 0.02)).gaps == pytest.approx((40.0,), abs=2)
    assert aimed(LONE, Aim(8, Stance.UPRIGHT, 1 * MM, 0.0)).gaps == pytest.approx((3.0,))
    left = aimed(LONE, Aim(8, Stance.SIDE, -24.3 * MM, 0.0))
    assert left.stand.spot is End.FIRST and left.ghost.stance is Stance.SIDE and left.gaps == pytest.approx((18.0,))


def test_the_turn_follows_the_hand_in_steps() -> None:
    for end, sign in ((End.LAST, 1), (End.FIRST, -1)):
        wanted = at_end(LONE, 5, Stance.UPRIGHT, end, 25 * MM, sign * math.radians(20)).placement
        found = aimed(LONE, Aim(5, Stance.UPRIGHT, wanted.x + 0.2 * MM, wanted.y))
        assert found.stand.spot is end and found.turn == pytest.approx(sign * 20)
        chosen = aimed(LONE, Aim(5, Stance.UPRIGHT, wanted.x, wanted.y, turn=0.0))
        assert chosen.turn == 0.0


def test_a_turn_that_would_touch_gives_way_to_the_next_one() -> None:
    # So near a neighbour a wide tile cannot turn as far as the hand leads it.
    proposal = aimed(LONE, Aim(11, Stance.SIDE, 12 * MM, 7 * MM))
    assert proposal.refusal is None


def test_between_two_neighbours() -> None:
    x = PAIR[0].x + 14 * MM
    proposal = aimed(PAIR, Aim(5, Stance.UPRIGHT, x, 2 * MM))
    assert proposal.stand.spot == (6, 8) and proposal.neighbours == (6, 8) and proposal.refusal is None
    assert sum(proposal.gaps) == pytest.approx(30 - 5.5)
    tight = straight(NUMBERS.tiles, (6, 8), 8e-3).placements
    refused = aimed(tight, Aim(5, Stance.UPRIGHT, tight[0].x + 7 * MM, 0.0))
    assert refused.stand.spot == (6, 8) and refused.move is None
    assert refused.refusal is not None and "free air are needed" in refused.refusal.sentence


def test_set_free_it_stands_where_the_hand_is_and_finds_its_place() -> None:
    free = aimed(PAIR, Aim(5, Stance.UPRIGHT, PAIR[0].x + 15 * MM, 1 * MM, free=True, yaw=0.2))
    assert free.stand.spot == (6, 8) and free.refusal is None and free.turn == pytest.approx(math.degrees(0.2))
    last = aimed(PAIR, Aim(5, Stance.UPRIGHT, PAIR[1].x + 20 * MM, 5 * MM, free=True, yaw=0.5 + math.pi))
    assert last.stand.spot is End.LAST and last.refusal is None
    beside = aimed(PAIR, Aim(5, Stance.UPRIGHT, PAIR[0].x, 0.1, free=True))
    assert beside.move is None and beside.refusal is not None
    # Free and snapped say the same of the same place.
    snapped = aimed(PAIR, Aim(5, Stance.UPRIGHT, PAIR[1].x + 20 * MM, 0.0))
    loose = stepped(snapped, Loosen())
    assert loose.guide is None and loose.ghost == snapped.ghost and loose.gaps == snapped.gaps
    assert stepped(loose, Loosen()).stand == snapped.stand


def test_an_inner_tile_is_lifted_when_the_supply_is_empty() -> None:
    row = straight(NUMBERS.tiles, (3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11), 15e-3).placements
    proposal = aimed(row, Aim(6, Stance.UPRIGHT, row[-1].x + 25 * MM, 0.0))
    assert proposal.lifted and proposal.stand.spot is End.LAST and proposal.neighbours == (11,)
    agrees(proposal)
    assert proposal.move is not None
    assert [tile.value for tile in stood(without(row, 6), proposal.move)][-1] == 6
    assert isinstance(stepped(proposal, NextSpot()).stand.spot, End)
    end = aimed(row, Aim(11, Stance.UPRIGHT, row[0].x - 25 * MM, 0.0))
    assert end.refusal is not None and end.refusal.sentence.startswith("The supply is empty")
    early = aimed(PAIR, Aim(6, Stance.UPRIGHT, PAIR[1].x + 25 * MM, 0.0))
    assert early.refusal is not None and "is not in the supply" in early.refusal.sentence
    agrees(aimed(LONE, Aim(6, Stance.UPRIGHT, 0.1, 0.0)))


def test_keys_go_round_the_places() -> None:
    proposal = first_proposal(PAIR, 5)
    assert proposal.stand == at_end(PAIR, 5, Stance.UPRIGHT, End.LAST, 20 * MM, 0.0)
    spots = []
    for _ in range(3):
        proposal = stepped(proposal, NextSpot())
        spots.append(proposal.stand.spot)
    assert spots == [End.FIRST, (6, 8), End.LAST]
    tight = straight(NUMBERS.tiles, (6, 8), 8e-3).placements
    assert stepped(first_proposal(tight, 5), NextSpot(-1)).stand.spot is End.FIRST  # no room between


def test_keys_change_gap_turn_stance_and_place() -> None:
    proposal = first_proposal(LONE, 5)
    assert stepped(proposal, Gap(MM)).gaps == pytest.approx((21.0,))
    assert stepped(proposal, Gap(-5 * MM)).gaps == pytest.approx((15.0,))
    assert stepped(proposal, Gap(99 * MM)).gaps == pytest.approx((40.0,))
    assert stepped(stepped(proposal, Turn()), Turn()).turn == pytest.approx(10)
    assert stepped(proposal, Turn(2.0)).turn == pytest.approx(45)
    assert stepped(proposal, Flip()).ghost.stance is Stance.SIDE
    assert stepped(stepped(proposal, Flip()), Flip()).stand == proposal.stand
    moved = stepped(proposal, Shift(3 * MM, 4 * MM))
    assert (moved.ghost.x, moved.ghost.y) == pytest.approx((proposal.ghost.x + 3 * MM, 4 * MM)) and moved.guide is None
    assert stepped(moved, Gap(2 * MM)).gaps[0] > moved.gaps[0]
    assert stepped(moved, Turn()).ghost.yaw == pytest.approx(TURN_STEP)
    assert stepped(moved, Flip()).ghost.stance is Stance.SIDE
    between = stepped(first_proposal(PAIR, 5), NextSpot(-1))
    assert stepped(between, Turn()) == between


def test_the_first_proposal_is_legal_where_there_is_a_place() -> None:
    for seed in range(40):
        row = grown(seed, 9)
        proposal = first_proposal(row, movable(row, seed))
        agrees(proposal)
    bent = stood(LONE, Stand(Placement(8, 0.031, 0.0), End.LAST))
    assert first_proposal(bent, 5).refusal is None


def test_a_proposal_is_quick_enough_for_every_frame() -> None:
    row = grown(3, 9)
    value = movable(row, 0)
    generator = random.Random(1)
    aims = [Aim(value, Stance.UPRIGHT, generator.uniform(-0.2, 0.2), generator.uniform(-0.1, 0.1)) for _ in range(100)]
    began = time.process_time()
    for aim in aims:
        aimed(row, aim)
    assert (time.process_time() - began) / len(aims) < 8e-3
