"""Evaluation Domino, clause by clause: the rulebook, its engine model, and the scenarios with known answers."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from game.core import TABLE, Event, RuleError
from game.games.evaluation import rules as evaluation
from game.games.evaluation.moves import Accident, Call, End, FallReport, Move, Pass, Push, Stand, Vote
from game.games.evaluation.numbers import NUMBERS
from game.games.evaluation.placements import Row, at_end, between, free_air, without
from game.games.evaluation.rules import GAME
from game.games.evaluation.state import REFUSALS, Phase, State, row_scene
from physics.engine import SINGLE_STEP, Settings, engine
from physics.errors import InputError
from physics.line import straight
from physics.scene import Finger
from physics.tiles import Stance

UP, SIDE = Stance.UPRIGHT, Stance.SIDE
FELL = FallReport(True)


def begin(seats: int = 3, **options: int) -> State:
    return GAME.start(seats, options, seed=0)


def row_of(*values: int, gap: float = 10.0) -> Row:
    """A straight row of upright tiles, the gap in mm."""
    return straight(NUMBERS.tiles, values, gap / 1e3).placements


def do(state: State, *moves: tuple[int, Move]) -> State:
    for seat, move in moves:
        state, _events = GAME.apply(state, seat, move)
    return state


def events_of(state: State, seat: int, move: Move) -> tuple[Event, ...]:
    return GAME.apply(state, seat, move)[1]


def place(state: State, value: int = 0, end: End = End.LAST, gap: float = 15.0) -> State:
    """The active player stands a tile, or moves one when the supply is empty, straight on."""
    lifted = not state.supply
    value = value or state.movable[0]
    row = without(state.row, value) if lifted else state.row
    return do(state, (state.active, at_end(row, value, UP, end, gap / 1e3, 0.0, lifted=lifted)))


def nobody_calls(state: State) -> State:
    for step in range(1, len(state.chips)):
        state = do(state, ((state.active + step) % len(state.chips), Pass()))
        if state.phase is not Phase.CALL:
            break
    return state


def votes(state: State, sides: str) -> State:
    for seat, side in enumerate(sides):
        state = do(state, (seat, Vote(side == "S")))
    return state


def judged(state: State, sides: str, found: FallReport, caller: int | None = None) -> State:
    """A call (by the next player), these votes from seat 0 on, the push, and what was found."""
    placer = state.active
    state = do(state, (state.after(placer) if caller is None else caller, Call()))
    return do(votes(state, sides), (placer, Push()), (TABLE, found))


def a_round(state: State, sides: str, found: FallReport) -> State:
    return judged(place(state), sides, found)


def refusal(state: State, seat: int, move: Move) -> str:
    with pytest.raises(RuleError) as caught:
        GAME.check(state, seat, move)
    with pytest.raises(RuleError):
        GAME.apply(state, seat, move)
    return str(caught.value)


def values(state: State) -> list[int]:
    return [tile.value for tile in state.row]


# Scenarios with known answers


@pytest.mark.parametrize(("found", "chips"), [(FELL, (2, 2, 2, 0, 0)), (FallReport(False), (0, 0, 0, 3, 3))])
def test_scenarios_1_and_2_the_rulebooks_example(found: FallReport, chips: tuple[int, ...]) -> None:
    assert a_round(begin(5), "SSSFF", found).chips == chips


def test_scenario_3_all_success() -> None:
    state = do(place(begin(3, first=1)), (0, Call()))
    state = votes(state, "SSS")
    assert (state.phase, state.chips, state.round, state.active) == (Phase.BUILD, (0, 0, 0), 1, 2)
    assert len(state.row) == 2


def test_scenario_4_the_placer_votes_success() -> None:
    state = do(place(begin(3, first=2)), (0, Call()))
    assert refusal(state, 2, Vote(False)) == "Seat 2 has just placed a tile and must vote for success."
    assert GAME.moves(state, 2) == (Vote(True),)


def test_scenario_5_the_placer_does_not_call() -> None:
    state = place(begin(3, first=2))
    assert "Seat 2 has just placed a tile" in refusal(state, 2, Call())
    assert "Seat 2 has just placed a tile" in refusal(state, 2, Pass())


def test_scenario_6_push_end() -> None:
    state = replace(begin(), row=row_of(9, 6, 4, 11, 7))
    scene = row_scene(state)
    assert state.push_end is End.LAST
    assert scene.line.values[scene.pushed] == 7
    assert [scene.line.values[index] for index in scene.push_order] == [7, 11, 4, 6, 9]


@pytest.mark.parametrize(
    ("values", "gap", "falls"),
    [((1, 2), 30, False), ((6, 7), 20, True), ((5, 6, 7, 8), 20, True), ((2, 11), 12, False)],
    ids=["7 out of reach", "8 must fall", "8 must fall, longer", "9 must stand"],
)
def test_scenarios_7_to_9_verdicts(values: Sequence[int], gap: float, falls: bool) -> None:
    scene = row_scene(replace(begin(), row=row_of(*values, gap=gap)))
    assert scene.line.values[scene.pushed] == values[0]
    outcome = engine("bullet").run([scene], Settings(step=SINGLE_STEP))[0]
    assert outcome.all_fell is falls


def test_scenario_7_chips() -> None:
    state = replace(begin(2), row=row_of(1, 2, gap=30), phase=Phase.CALL)
    assert judged(state, "SF", FallReport(False, (2,))).chips == (0, 1)


def test_scenario_10_insertion() -> None:
    state = replace(begin(), row=row_of(6, 8, gap=15))
    tight = between(state.row, 0, 5, UP, 7e-3)
    assert refusal(state, 0, tight) == (
        "The tile 5 stands 2.5 mm from the tile 8; at least 3 mm of free air are needed."
    )
    state = do(state, (0, between(state.row, 0, 5, UP, 4e-3)))
    assert values(state) == [6, 5, 8]
    assert [free_air(one, other) * 1e3 for one, other in pairwise(state.row)] == pytest.approx([4, 5.5])


def test_scenario_11_empty_supply() -> None:
    full = replace(begin(), row=row_of(3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11, gap=12))
    assert full.movable == (9, 6, 1, 2, 4, 5, 7, 8, 10)
    for value in full.movable:
        for end in End:
            GAME.check(full, 0, at_end(without(full.row, value), value, UP, end, 10e-3, 0.0, lifted=True))
    for value in (3, 11):
        stand = at_end(full.row, value, UP, End.LAST, 10e-3, 0.0, lifted=True)
        assert "The inner tiles are 9, 6, 1, 2, 4, 5, 7, 8, 10." in refusal(full, 0, stand)
    state = place(full, 6, gap=10)
    assert values(state) == [3, 9, 1, 2, 4, 5, 7, 8, 10, 11, 6]
    assert free_air(state.row[1], state.row[2]) * 1e3 == pytest.approx(12 + 6 + 12)
    assert without(full.row, 6) == state.row[:-1]  # nobody else moved
    assert state.relocations == 1 and state.phase is Phase.CALL


def test_scenario_12_accident() -> None:
    state = place(replace(begin(4), chips=(2, 0, 0, 2), round=2), 9)
    state = do(state, (TABLE, Accident(1)))
    assert (state.chips, state.round, values(state), state.active) == ((3, 0, 1, 3), 2, [6], 1)
    assert state.phase is Phase.BUILD


# Set-up


def test_r1_r8_the_row_begins_with_the_6_and_ten_tiles_are_left() -> None:
    state = begin()
    (tile,) = state.row
    assert (tile.value, tile.x, tile.y, tile.yaw, tile.stance) == (6, 0, 0, 0, UP)
    assert state.supply == (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)
    assert state.chips == (0, 0, 0) and state.round == 1 and state.rounds == 3


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_r4_two_to_five_players(seats: int) -> None:
    assert begin(seats).seats == range(seats)


def test_r7_a17_the_first_player_is_chosen() -> None:
    assert [begin(3, first=first).active for first in range(3)] == [0, 1, 2]
    assert begin().active == 0
    with pytest.raises(InputError, match="from 0 to 2"):
        begin(3, first=3)


# Building


def test_r9_any_tile_of_the_supply_but_no_other() -> None:
    state = begin()
    for value in state.supply:
        assert values(place(state, value)) == [6, value]
    assert "The tile 6 is not in the supply" in refusal(state, 0, at_end(state.row, 6, UP, End.LAST, 0.01, 0.0))
    assert "The tile 12" in refusal(state, 0, replace_value(at_end(state.row, 5, UP, End.LAST, 0.01, 0.0), 12))
    lifted = at_end(state.row, 5, UP, End.LAST, 0.01, 0.0, lifted=True)
    assert "not in the supply" in refusal(state, 0, lifted)


def replace_value(stand: Stand, value: int) -> Stand:
    return replace(stand, placement=replace(stand.placement, value=value))


def test_r10_r19_players_place_clockwise_until_a_call() -> None:
    state, seen = begin(4, first=2), []
    for _ in range(6):
        seen.append(state.active)
        state = nobody_calls(place(state))
    assert seen == [2, 3, 0, 1, 2, 3]


@pytest.mark.parametrize("stance", [UP, SIDE])
@pytest.mark.parametrize("end", list(End))
def test_r11_r13_either_end_and_both_stances(stance: Stance, end: End) -> None:
    state = do(begin(), (0, at_end(begin().row, 9, stance, end, 10e-3, 0.0)))
    assert values(state) == ([6, 9] if end is End.LAST else [9, 6])
    assert state.row[values(state).index(9)].stance is stance


def test_r12_r13_r14_in_between_and_round_a_bend() -> None:
    state = begin()
    for value in (5, 7, 4):
        state = nobody_calls(do(state, (state.active, at_end(state.row, value, UP, End.LAST, 20e-3, 0.4))))
    state = do(state, (state.active, between(state.row, 2, 1, SIDE, 8e-3)))
    assert values(state) == [6, 5, 7, 1, 4]


def test_r17_with_an_empty_supply_nothing_can_be_inserted() -> None:
    state = replace(begin(), row=row_of(3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11, gap=20))
    inserted = replace(between(without(state.row, 6), 0, 6, UP, 5e-3), lifted=True)
    assert "to one of its two ends only" in refusal(state, 0, inserted)
    assert "The supply is empty" in refusal(state, 0, replace(inserted, lifted=False))


def test_r17_every_offer_moves_an_inner_tile_to_an_end() -> None:
    state = replace(begin(), row=row_of(3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11, gap=20))
    offered = GAME.moves(state, 0)
    assert len(offered) > 10
    for move in offered:
        assert isinstance(move, Stand) and move.lifted and isinstance(move.spot, End)
        assert move.placement.value in state.movable


# The call


def test_r18_a7_anybody_but_the_placer_may_call_at_once() -> None:
    state = place(begin(4, first=1))
    assert GAME.to_act(state) == {0, 2, 3}
    for caller in (0, 2, 3):
        assert do(state, (caller, Call())).caller == caller
    state = do(state, (2, Pass()))
    assert GAME.to_act(state) == {0, 3}
    assert "waits for seat 0, 3" in refusal(state, 2, Call())


def test_r19_without_a_call_the_next_player_places() -> None:
    state = do(place(begin(3)), (2, Pass()))
    assert state.phase is Phase.CALL
    state = do(state, (1, Pass()))
    assert state.phase is Phase.BUILD and GAME.to_act(state) == {1}


def test_a6_the_same_placement_is_not_called_again() -> None:
    state = votes(do(place(begin(3)), (1, Call())), "SSS")
    assert state.phase is Phase.BUILD
    assert "waits for seat 1" in refusal(state, 2, Call())


def test_a8_v7_no_call_before_the_first_placement() -> None:
    for seat in (1, 2):
        assert "waits for seat 0" in refusal(begin(), seat, Call())
    assert refusal(begin(), 0, Call()) == REFUSALS[Phase.BUILD]


def test_a10_two_players() -> None:
    state = place(begin(2))
    assert GAME.to_act(state) == {1}
    assert judged(state, "SF", FELL).chips == (1, 0)


# Judgement


def test_r22_votes_are_secret_until_all_are_in() -> None:
    state = do(place(begin(3)), (1, Call()), (1, Vote(False)), (0, Vote(True)))
    assert GAME.to_act(state) == {2}
    assert GAME.view(state, 1)["votes"] == [None, "failure", None]
    for other in (None, 2, TABLE):
        assert GAME.view(state, other)["votes"] == [None, None, None]
    assert GAME.view(state, None)["voted"] == [0, 1]
    assert "waits for seat 2" in refusal(state, 1, Vote(True))
    state = do(state, (2, Vote(True)))
    assert GAME.view(state, None)["votes"] == ["success", "failure", "success"]


def test_r22_others_learn_that_somebody_voted_not_what() -> None:
    state = do(place(begin(3)), (1, Call()))
    first, second = events_of(state, 2, Vote(False))
    assert first.to is None and first.data == {"seat": 2}
    assert second.to == frozenset({2}) and second.data["vote"] == "failure"
    assert not first.reveals


def test_r22_the_reveal_cannot_be_unlearnt() -> None:
    state = do(place(begin(2)), (1, Call()), (0, Vote(True)))
    assert [event.reveals for event in events_of(state, 1, Vote(False))] == [False, False, True]


def test_hidden_votes_are_drawn_anew() -> None:
    state = do(place(begin(4)), (1, Call()), (0, Vote(True)), (1, Vote(True)), (2, Vote(True)))
    drawn = {GAME.alternatives(state, 1, random.Random(seed)).votes for seed in range(20)}
    assert drawn == {(True, True, True, None), (True, True, False, None)}
    assert len({GAME.alternatives(state, None, random.Random(seed)).votes for seed in range(40)}) == 4


@pytest.mark.parametrize("side", [True, False])
def test_r24_r25_a5_caller_and_others_are_free(side: bool) -> None:
    state = do(place(begin(3)), (1, Call()))
    for seat in (1, 2):
        assert do(state, (seat, Vote(side))).votes[seat] is side


def test_r27_one_failure_is_enough_for_a_push() -> None:
    state = votes(do(place(begin(3)), (1, Call())), "SSF")
    assert state.phase is Phase.PUSH


# The push


def test_r28_a4_the_placer_pushes_and_the_table_finds() -> None:
    state = votes(do(place(begin(3, first=1)), (2, Call())), "FSS")
    assert GAME.to_act(state) == {1}
    assert "waits for seat 1" in refusal(state, 2, Push())
    assert "waits for seat 1" in refusal(state, TABLE, FELL)
    state = do(state, (1, Push()))
    assert GAME.to_act(state) == {TABLE}
    assert "what happens on the table" in refusal(state, 1, FELL)


def test_r29_a9_only_the_two_end_tiles_are_compared() -> None:
    assert replace(begin(), row=row_of(6, 1, 9)).push_end is End.FIRST
    assert replace(begin(), row=row_of(9, 1, 6)).push_end is End.LAST
    state = replace(begin(2), row=row_of(9, 1, 6), phase=Phase.CALL)
    (event,) = events_of(votes(do(state, (1, Call())), "SF"), 0, Push())
    assert event.data == {"seat": 0, "value": 6, "end": "last"}


def test_r30_v1_the_push_is_a_light_finger() -> None:
    push = row_scene(place(begin())).push
    assert isinstance(push, Finger) and push.margin == pytest.approx(0.5 * 0.0174532925)


def test_v2_findings_name_tiles_of_the_row() -> None:
    state = do(votes(do(place(begin(2), 9), (1, Call())), "SF"), (0, Push()))
    assert refusal(state, TABLE, FallReport(False, (4,))) == "The tile 4 is not in the row 6, 9."
    assert "cannot have fallen" in refusal(state, TABLE, FallReport(True, (9,)))
    assert GAME.moves(state, TABLE) == (FELL, FallReport(False, (9,)))
    assert do(state, (TABLE, FallReport(False, (9,)))).chips == do(state, (TABLE, FallReport(False))).chips == (0, 1)


def test_moves_of_other_phases_are_told_what_is_due() -> None:
    build = begin(2)
    call = place(build)
    vote = do(call, (1, Call()))
    push = votes(vote, "SF")
    fall = do(push, (0, Push()))
    over = do(replace(fall, rounds=1), (TABLE, FELL))
    stand = at_end(build.row, 9, UP, End.LAST, 0.01, 0.0)
    moves: list[Move] = [stand, Pass(), Call(), Vote(True), Push(), FELL]
    for state, fitting in ((build, 1), (call, 2), (vote, 1), (push, 1), (fall, 1), (over, 0)):
        seats = GAME.to_act(state) or {0}
        refused = 0
        for move in moves:
            try:
                GAME.check(state, min(seats), move)
            except RuleError as error:
                assert str(error) == REFUSALS[state.phase]
                refused += 1
        assert refused == len(moves) - fitting, state.phase


# Scoring and rounds


@pytest.mark.parametrize(
    ("sides", "fell", "gained"),
    [
        ("SF", True, (1, 0)),
        ("SF", False, (0, 1)),
        ("SFFF", True, (3, 0, 0, 0)),
        ("SFFF", False, (0, 1, 1, 1)),
        ("SSSSF", True, (1, 1, 1, 1, 0)),
        ("SSSSF", False, (0, 0, 0, 0, 4)),
    ],
)
def test_r31_r32_scoring(sides: str, fell: bool, gained: tuple[int, ...]) -> None:
    assert a_round(begin(len(sides)), sides, FallReport(fell)).chips == gained


def test_a16_chips_never_run_out() -> None:
    state = replace(begin(2, rounds=20), chips=(30, 2))
    assert a_round(state, "SF", FELL).chips == (31, 2)


def test_r33_r34_the_pusher_starts_the_next_round_with_a_fresh_row() -> None:
    state = nobody_calls(place(begin(3)))
    state = a_round(state, "FSS", FELL)
    assert (state.round, state.active, values(state), state.phase) == (2, 1, [6], Phase.BUILD)
    assert state.relocations == 0 and state.votes == () and state.caller is None


def test_r36_most_chips_after_three_rounds_win() -> None:
    state = begin(3)
    for _ in range(3):
        assert GAME.result(state) is None
        state = a_round(state, "SFF", FELL)
    result = GAME.result(state)
    assert result is not None and (result.scores, result.winners) == ((6, 0, 0), (0,))
    assert GAME.view(state, None)["winners"] == [0]


def test_r37_a14_a18_a_tie_is_played_off_by_all_but_won_by_the_tied() -> None:
    state = replace(begin(3, rounds=1), chips=(0, 2, 4))
    state = a_round(state, "SFF", FELL)  # 2, 2, 4
    assert GAME.result(state) is not None  # no tie, no extra round
    state = replace(begin(3, rounds=1), chips=(0, 0, 0))
    state = a_round(state, "SFS", FELL)  # 1, 0, 1: a tie of 0 and 2
    assert (state.round, state.contenders, state.active) == (2, (0, 2), 0)
    state = a_round(state, "SFS", FallReport(False))  # seat 1 gains two and leads, but is no contender
    result = GAME.result(state)
    assert result is not None
    assert (result.scores, result.winners) == ((1, 2, 1), (0, 2))


def test_r37_the_contender_with_most_chips_wins() -> None:
    state = a_round(begin(3, rounds=1), "SFS", FELL)
    result = GAME.result(a_round(state, "SSF", FELL))
    assert result is not None and (result.scores, result.winners) == ((2, 1, 1), (0,))


def test_r38_still_level_contenders_share() -> None:
    state = a_round(begin(2, rounds=1), "SF", FELL)
    assert GAME.result(state) is not None
    state = a_round(replace(begin(2, rounds=1), chips=(0, 1)), "SF", FELL)  # 1, 1
    assert state.contenders == (0, 1)
    tied = replace(state, chips=(1, 2))
    result = GAME.result(a_round(tied, "SF", FELL))
    assert result is not None and result.winners == (0, 1)


# Accidents


@pytest.mark.parametrize("clumsy", [0, 1, 2])
@pytest.mark.parametrize("said_by", [TABLE, 0, 2])
def test_r35_a15_anybody_can_say_who_was_clumsy(clumsy: int, said_by: int) -> None:
    state = place(begin(3))
    for moment in (begin(3), state, do(state, (1, Call())), do(state, (1, Call()), (1, Vote(False)))):
        after = do(moment, (said_by, Accident(clumsy)))
        assert after.chips == tuple(int(seat != clumsy) for seat in range(3))
        assert (after.active, after.round, values(after), after.votes) == (clumsy, 1, [6], ())


def test_a15_no_accident_while_pushing_or_after_the_end() -> None:
    state = votes(do(place(begin(2, rounds=1)), (1, Call())), "SF")
    assert "belongs to the push" in refusal(state, 0, Accident(0))
    state = do(state, (0, Push()))
    assert "belongs to the push" in refusal(state, TABLE, Accident(0))
    assert refusal(do(state, (TABLE, FELL)), 0, Accident(0)) == "The match is over."


def test_r35_an_accident_is_of_somebody_at_the_table() -> None:
    for seat, clumsy in ((0, 3), (0, TABLE), (TABLE, TABLE), (3, 0), (TABLE, 99)):
        assert "the seats are 0 to 2" in refusal(begin(3), seat, Accident(clumsy))


def test_r35_an_accident_in_the_extra_round_keeps_the_contenders() -> None:
    state = do(a_round(begin(3, rounds=1), "SFS", FELL), (TABLE, Accident(1)))
    assert (state.round, state.contenders, state.chips) == (2, (0, 2), (2, 0, 2))


# Rounds always end


def full_round(seats: int = 2) -> State:
    """All eleven tiles stand in a long row; nobody ever called."""
    return replace(begin(seats), row=row_of(3, 9, 6, 1, 2, 4, 5, 7, 8, 10, 11, gap=20))


def test_a13_after_22_relocations_the_row_is_pushed_whatever_the_votes() -> None:
    state = full_round(3)
    for count in range(1, 22):
        state = place(state)
        assert (state.phase, state.relocations) == (Phase.CALL, count)
        state = nobody_calls(state)
    placer = state.active
    state = place(state)
    assert (state.phase, state.forced, state.caller) == (Phase.VOTE, True, (placer + 1) % 3)
    assert state.active == placer
    assert "must vote for success" in refusal(state, placer, Vote(False))
    state = votes(state, "SSS")
    assert state.phase is Phase.PUSH
    for found in (FELL, FallReport(False)):
        after = do(state, (placer, Push()), (TABLE, found))
        assert after.chips == (0, 0, 0) and after.round == 2 and after.active == placer


def test_a13_relocations_count_through_calls_that_come_to_nothing() -> None:
    state = place(full_round(2))
    state = votes(do(state, (1, Call())), "SS")
    assert state.relocations == 1 and not state.forced
    assert place(state).relocations == 2


def test_a20_without_a_place_the_row_is_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    state = do(place(begin(3, first=1)), (0, Pass()))
    monkeypatch.setattr(evaluation, "first_place", lambda *_args, **_options: None)
    forced, events = GAME.apply(state, 2, Pass())
    assert [event.kind for event in events] == ["passed", "forced"]
    assert (forced.phase, forced.active, forced.caller, forced.forced) == (Phase.VOTE, 1, 2, True)
    assert votes(forced, "SSS").phase is Phase.PUSH


def test_a20_even_after_a_call_that_came_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state = do(place(begin(2)), (1, Call()))
    monkeypatch.setattr(evaluation, "first_place", lambda *_args, **_options: None)
    state = votes(state, "SS")
    assert (state.phase, state.active, state.caller, state.forced) == (Phase.VOTE, 0, 1, True)
    assert do(votes(state, "SF"), (0, Push()), (TABLE, FELL)).chips == (1, 0)


def test_offers_are_drawn_from_the_states_own_chance() -> None:
    state = begin()
    assert GAME.moves(state, 0) == GAME.moves(state, 0)
    assert GAME.moves(state, 0) != GAME.moves(replace(state, chance=state.chance.next()), 0)
    assert GAME.moves(state, 0) != GAME.moves(GAME.start(3, {}, 1), 0)
    assert place(state).chance == state.chance.next()


def test_views_are_in_millimetres_and_degrees() -> None:
    state = do(begin(), (0, at_end(begin().row, 9, SIDE, End.LAST, 20e-3, 0.5235987755982988)))
    past = (20 + 12.5 * 0.5) / math.cos(math.pi / 12)  # a corner of the 6 is nearest, 12.5 mm to its side
    row = GAME.view(state, None)["row"]
    assert isinstance(row, list)
    assert row[1] == {
        "value": 9,
        "x": pytest.approx(3 + past * math.cos(math.pi / 12) + 4.25 * 0.8660254, abs=1e-5),
        "y": pytest.approx(past * math.sin(math.pi / 12) + 4.25 * 0.5),
        "yaw": pytest.approx(30),
        "stance": "side",
    }
