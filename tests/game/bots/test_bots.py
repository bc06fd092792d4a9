"""Bots: every choice is legal, depends on nothing hidden, and stronger ones judge and play better."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from game.bots.arena import Played, Standings, play_match, tournament
from game.bots.bot import BotSeat, RandomBot, Turn, make_bot, turn_of
from game.catalogue import GAMES, kit_of
from game.cli import main
from game.commands import prove
from game.core import TABLE, random_match, replay, seats_in_turn
from game.games.evaluation.bot.candidates import candidates, movable, row_after
from game.games.evaluation.bot.fit_model import built_rows, examples, fitted, sampled
from game.games.evaluation.bot.judgement import RowJudge, misread, scene_of
from game.games.evaluation.bot.model import read_model, row_model, rows_of
from game.games.evaluation.bot.player import row_from_view, table_from_view
from game.games.evaluation.bot.strengths import SKILLS
from game.games.evaluation.moves import Call, Pass, Stand, Vote
from game.games.evaluation.placements import Row
from game.games.evaluation.rules import GAME
from game.games.evaluation.state import Phase, State
from game.match.players import strength_of
from game.proof.bots import ASKED, is_enough, page_text
from physics.engine import SINGLE_STEP, Settings, engine
from physics.engines import default_engine
from physics.errors import InputError
from physics.line import Placement
from physics.tiles import Stance

every_strength = pytest.mark.parametrize("strength", list(SKILLS))


def through_json(turn: Turn) -> Turn:
    """The turn as a client would get it."""
    view: Mapping[str, Any] = json.loads(json.dumps(turn.view))
    return replace(turn, view=view)


@cache
def states() -> tuple[tuple[State, int], ...]:
    """Moments of matches by chance, with the seats that are to act."""
    found = []
    for seed, seats in enumerate((2, 3, 5)):
        _final, moves = random_match(GAME, seats, {"rounds": 1}, seed)
        for count in range(0, len(moves), 5):
            state = replay(GAME, seats, {"rounds": 1}, seed, moves[:count])
            found += [(state, seat) for seat in sorted(GAME.to_act(state)) if seat != TABLE]
    return tuple(found[:: max(1, len(found) // 30)])


def straight_row(*tiles: tuple[int, float]) -> Row:
    """Upright tiles along x: values and where their middles are, mm."""
    return tuple(Placement(value, x / 1e3, 0.0) for value, x in tiles)


# Choices


@every_strength
def test_choices_are_legal_and_always_the_same(strength: str) -> None:
    for state, seat in states():
        turn = turn_of(GAME, state, seat, 7)
        move = make_bot("evaluation", strength, 3, seat).choose(turn)
        GAME.check(state, seat, move)
        assert make_bot("evaluation", strength, 3, seat).choose(through_json(turn)) == move


@every_strength
def test_what_is_hidden_makes_no_difference(strength: str) -> None:
    generator, seen = random.Random(1), set[bool]()
    for seats in (3, 5):
        state = GAME.start(seats, {}, 1)
        for seat, text in ((0, "stand 7 at 26.5 0 yaw 0 upright last"), (1, "call"), (2, "vote failure")):
            state, _events = GAME.apply(state, seat, GAME.read(text))
        for _ in range(8):
            other = GAME.alternatives(state, 1, generator)
            seen.add(other == state)
            choices = [make_bot("evaluation", strength, 3, 1).choose(turn_of(GAME, s, 1, 3)) for s in (state, other)]
            assert choices[0] == choices[1]
    assert seen == {True, False}  # some of them did differ


def test_the_view_holds_all_that_a_bot_needs() -> None:
    for state, seat in states():
        table = table_from_view(GAME.view(state, seat), seat)
        assert (table.placer, table.caller, table.forced) == (state.active, state.caller, state.forced)
        assert (table.chips, table.round, table.rounds) == (state.chips, state.round, state.rounds)
        assert table.phase == state.phase.value
        assert movable(table.row) == state.movable
        for shown, true in zip(table.row, state.row, strict=True):
            assert (shown.value, shown.stance) == (true.value, true.stance)
            assert (shown.x, shown.y, shown.yaw) == pytest.approx((true.x, true.y, true.yaw), abs=1e-7)


def decisions(strength: str, row: Row, phase: Phase, seats: int) -> list[object]:
    """What seats after the one that placed the last tile of such a row do, of matches with ten seeds."""
    votes = (None,) * seats if phase is Phase.VOTE else ()
    start = GAME.start(seats, {}, 1)
    state = replace(start, row=row, phase=phase, votes=votes, caller=1 if phase is Phase.VOTE else None)
    return [make_bot("evaluation", strength, seed, 1).choose(turn_of(GAME, state, 1, 4)) for seed in range(10)]


@every_strength
@pytest.mark.parametrize("seats", [2, 4])
def test_clear_rows_are_judged_as_everybody_would(strength: str, seats: int) -> None:
    falls, stands = straight_row((6, 0), (7, 26.5), (8, 53.75)), straight_row((2, 0), (11, 37.0))
    least = 8 if strength == "weak" else 10  # a weak eye may be mistaken even here
    assert decisions(strength, falls, Phase.CALL, seats).count(Pass()) >= least
    assert decisions(strength, falls, Phase.VOTE, seats).count(Vote(True)) >= least
    assert decisions(strength, stands, Phase.CALL, seats).count(Call()) >= least
    assert decisions(strength, stands, Phase.VOTE, seats).count(Vote(False)) >= least


@every_strength
def test_thinking_is_told_and_ends_at_one(strength: str) -> None:
    for state, seat in states()[::5]:
        told: list[float] = []
        make_bot("evaluation", strength, 3, seat).choose(turn_of(GAME, state, seat, 7), told.append)
        assert told == sorted(told) and told[-1] == 1.0 and told[0] > 0


def test_thinking_can_be_ended() -> None:
    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_bot("evaluation", "strong", 3, 0).choose(turn_of(GAME, GAME.start(2, {}, 1), 0, 0), stop)


# Names


def test_bots_are_named_by_their_strength() -> None:
    assert [strength_of(name) for name in ("bot:weak", " Bot: Strong ", "Ann", "robot:weak")] == [
        "weak",
        "strong",
        None,
        None,
    ]
    for wrong in ("bot:", "bot:best", "bot:weak,bot:strong"):
        with pytest.raises(InputError, match="bot:weak, bot:normal, bot:strong"):
            strength_of(wrong)
    with pytest.raises(InputError):
        make_bot("evaluation", "best", 0, 0)


def test_games_without_a_bot_of_their_own_are_played_by_chance() -> None:
    bot = RandomBot(BotSeat("weak", 1, 0))
    assert isinstance(bot, RandomBot) and bot.runs == 0
    turn = turn_of(GAME, GAME.start(2, {}, 1), 0, 0)
    assert turn.allowed(bot.choose(turn)) and bot.choose(turn) == bot.choose(turn)
    for name in GAMES:
        assert isinstance(make_bot(name, "weak", 1, 0), RandomBot) is (kit_of(name).make_bot is None)


# Rows and the eye


def test_candidates_are_legal_and_lead_to_the_rows_they_come_with() -> None:
    generator = random.Random(5)
    row: Row = straight_row((6, 0))
    for _ in range(16):
        found = candidates(row, generator, 10)
        lifted = len(row) == 11
        assert found
        for stand, after in found.items():
            assert stand.lifted is lifted
            assert [tile.value for tile in row_after(row, stand)] == [tile.value for tile in after]
            assert all(
                math.cos(one.yaw - other.yaw) > 0.999999 and (one.x, one.y) == (other.x, other.y)
                for one, other in zip(row_after(row, stand), after, strict=True)
            )
        row = next(iter(found.values()))


def test_offers_lead_to_the_row_that_the_rules_make() -> None:
    for state, seat in states():
        if state.phase is Phase.BUILD:
            for stand in GAME.moves(state, seat):
                assert isinstance(stand, Stand)
                after, _events = GAME.apply(state, seat, stand)
                for made, true in zip(row_after(row_from_view(GAME.view(state, seat)), stand), after.row, strict=True):
                    assert made.value == true.value
                    assert (made.x, made.y) == pytest.approx((true.x, true.y), abs=1e-7)
                    assert math.cos(made.yaw - true.yaw) > 0.999999


def test_an_eye_sees_the_same_error_as_long_as_the_tiles_stand() -> None:
    judge = RowJudge(SKILLS["weak"], 1, 0)
    row = straight_row((6, 0), (7, 26.5), (8, 53.75))
    seen = judge.seen(row, 1)
    assert seen == RowJudge(SKILLS["weak"], 1, 0).seen(row, 1) != row
    assert judge.seen(row[:2], 1) == seen[:2]
    assert seen != judge.seen(row, 2) and seen != RowJudge(SKILLS["weak"], 1, 1).seen(row, 1)
    assert judge.seen(row, 1, share=0.0) == row
    rounded = tuple(replace(tile, x=tile.x + 4e-10) for tile in row)  # as a view shows it
    assert [tile.yaw for tile in judge.seen(rounded, 1)] == [tile.yaw for tile in seen]
    gap = (seen[1].x - seen[0].x) - 6.5e-3
    assert gap > 0 and gap != pytest.approx(20e-3)


def test_eyes_are_as_good_as_their_skill() -> None:
    row = straight_row((6, 0), (7, 26.5))
    for skill in SKILLS.values():
        seen = [RowJudge(skill, seed, 0).seen(row, 1) for seed in range(400)]
        gaps = np.log([(math.dist((b.x, b.y), (a.x, a.y)) - 6.5e-3) / 20e-3 for a, b in seen])
        assert np.std(gaps) == pytest.approx(skill.gap_error, rel=0.15)
        assert np.std([b.yaw for _a, b in seen]) == pytest.approx(skill.yaw_error, rel=0.15)


def test_a_row_is_simulated_once_and_only_in_doubt() -> None:
    judge = RowJudge(SKILLS["strong"], 1, 0)
    clear, doubtful = straight_row((6, 0), (7, 26.5)), most_doubtful(8)
    judge.falls(clear, 1)
    assert judge.runs == 0
    first = judge.falls(doubtful, 1)
    assert judge.runs == SKILLS["strong"].runs
    assert judge.falls(doubtful, 1) == first and judge.runs == SKILLS["strong"].runs


def test_an_executor_changes_nothing() -> None:
    class Counting(ThreadPoolExecutor):
        calls = 0

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            return super().submit(fn, *args, **kwargs)

    row = most_doubtful(8)
    with Counting(1) as pool:
        spread: Executor = pool
        assert RowJudge(SKILLS["normal"], 1, 0, executor=spread).falls(row, 1) == RowJudge(
            SKILLS["normal"], 1, 0
        ).falls(row, 1)
        assert pool.calls == SKILLS["normal"].runs


def test_tiles_that_would_seem_to_overlap_are_seen_better() -> None:
    """Broad tiles as close as the rules allow: with a bad eye they seem to overlap."""
    row: Row = (
        Placement(6, 0.0, 0.0),
        Placement(10, 10.6e-3, 0.0, 0.0, Stance.SIDE),
        Placement(11, 23.2e-3, 0.0, 0.0, Stance.SIDE),
    )
    for seed in range(12):
        judge = RowJudge(SKILLS["weak"], seed, 0)
        assert 0 <= judge.falls(row, 1) <= 1


# The cheap model


def most_doubtful(seed: int) -> Row:
    rows = judged_rows()[seed:]
    return min(rows, key=lambda row: abs(float(row_model().falls(rows_of([row]))[0]) - 0.5))


@cache
def judged_rows() -> tuple[Row, ...]:
    return tuple(built_rows(1234, 40, lambda rows: row_model().falls(rows_of(rows))))


@cache
def truths() -> tuple[bool, ...]:
    runs = engine(default_engine()).run([scene_of(row) for row in judged_rows()], Settings(step=SINGLE_STEP))
    return tuple(outcome.all_fell for outcome in runs)


def miss(forecasts: list[float]) -> float:
    """Brier score."""
    return float(np.mean((np.array(forecasts) - np.array(truths())) ** 2))


def test_the_cheap_model_knows_most_rows() -> None:
    forecasts = [float(row_model().falls(rows_of([row]))[0]) for row in judged_rows()]
    assert all(0 <= forecast <= 1 for forecast in forecasts)
    assert miss(forecasts) < 0.15  # a coin has 0.25


def test_the_cheap_model_does_not_mind_where_the_row_stands_or_how_it_is_told() -> None:
    row = judged_rows()[20]
    turned = tuple(
        replace(
            tile,
            x=0.3 + tile.x * math.cos(1.0) - tile.y * math.sin(1.0),
            y=tile.x * math.sin(1.0) + tile.y * math.cos(1.0),
            yaw=tile.yaw + 1.0,
        )
        for tile in row
    )
    backwards = tuple(replace(tile, yaw=tile.yaw + math.pi) for tile in reversed(row))
    expected = row_model().falls(rows_of([row]))
    assert row_model().falls(rows_of([turned])) == pytest.approx(expected)
    assert row_model().falls(rows_of([backwards])) == pytest.approx(expected)
    same = misread(rows_of([row]), 0.0, 0.0, np.random.default_rng(0))
    assert row_model().falls(same) == pytest.approx(expected)


def test_stronger_bots_judge_better() -> None:
    misses = {
        strength: miss([RowJudge(skill, seed, 0).falls(row, 1) for seed, row in enumerate(judged_rows())])
        for strength, skill in SKILLS.items()
    }
    assert misses["weak"] > misses["normal"] > misses["strong"]
    assert misses["strong"] < 0.08


# Matches


def test_the_same_seed_is_the_same_match() -> None:
    one, again = (play_match("evaluation", ("normal", "weak"), 11, {"rounds": 1}) for _ in range(2))
    assert one == again
    assert one.moves != play_match("evaluation", ("normal", "weak"), 12, {"rounds": 1}).moves
    moves = [(seat, GAME.read(text)) for seat, text in one.moves]
    result = GAME.result(replay(GAME, 2, {"rounds": 1}, 11, moves))
    assert result is not None and (result.scores, result.winners) == (one.scores, one.winners)


def test_callers_are_asked_clockwise_from_the_left_of_who_placed() -> None:
    state = GAME.start(4, {"first": 2}, 1)
    state, _events = GAME.apply(state, 2, GAME.read("stand 7 at 26.5 0 yaw 0 upright last"))
    assert seats_in_turn(GAME, state, GAME.to_act(state)) == [3, 0, 1]
    state, _events = GAME.apply(state, 3, Pass())
    assert seats_in_turn(GAME, state, {TABLE, *GAME.to_act(state)}) == [0, 1, TABLE]


@pytest.mark.slow
def test_the_strong_win_a_slice_of_the_tournament() -> None:
    """Of 200 matches the strong bot wins nearly all; bounds for a few are wide."""
    found: Standings = tournament(10, "evaluation", ("strong", "weak"), 100, {"rounds": 1})
    assert len(found.matches) == 10 and found.decided >= 6
    assert found.wins("strong") + found.wins("weak") == found.decided
    assert found.share("strong") >= 0.6
    low, high = found.interval("strong")
    assert low < found.share("strong") < high or found.share("strong") == 1
    assert {match.bots for match in found.matches} == {("strong", "weak"), ("weak", "strong")}
    text = page_text([found], 100.0)
    assert f"| {found.decided} | strong | {found.wins('strong')} |" in text and "10.0 s of all cores" in text
    assert is_enough([found]) is (found.share("strong") >= ASKED)


def test_a_tournament_is_the_same_with_an_executor() -> None:
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(1) as pool:
        spread = tournament(3, "evaluation", ("weak", "weak", "weak"), 5, {"rounds": 1}, executor=pool)
    alone = tournament(
        3, "evaluation", ("weak", "weak", "weak"), 5, {"rounds": 1}, progress=lambda *at: told.append(at)
    )
    assert spread == alone and told == [(1, 3), (2, 3), (3, 3)]
    assert all(sum(match.scores) > 0 and match.seed == 5 for match in alone.matches)


def test_shares_count_only_matches_that_one_seat_won() -> None:
    match = play_match("evaluation", ("weak", "weak"), 1, {"rounds": 1})
    one, shared = replace(match, bots=("strong", "weak"), winners=(0,)), replace(match, winners=(0, 1))
    found = Standings((one, replace(one, winners=(1,)), one, shared))
    assert (found.decided, found.wins("strong"), found.share("strong")) == (3, 2, 2 / 3)
    assert Standings((shared,)).share("weak") == 0.5 and Standings((shared,)).interval("weak") == (0.0, 1.0)


def test_the_cheap_model_can_be_learnt_and_kept() -> None:
    samples = sampled(built_rows(3, 60, None), None)
    joints, went_on = examples(samples)
    model = fitted(joints, went_on)
    assert np.mean((model.joints(joints) > 0) == went_on) > 0.9
    kept = read_model(model.text())
    assert kept.joints(joints) == pytest.approx(model.joints(joints), abs=0.05)
    assert kept.text() == model.text()


def test_prove_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    made = Played("evaluation", ("strong", "weak"), 1, (3, 0), (0,), ((0, "pass"),), (2, 1))
    lost = replace(made, winners=(1,))
    for winner, code in ((made, 0), (lost, 1)):
        monkeypatch.setattr(prove, "tournament", lambda *_, bots=winner, **__: Standings((bots,)))
        monkeypatch.setattr(prove, "PAIRS", (("strong", "weak"),))
        assert main(["prove", "game", "--matches", "2", "--workers", "1", "--docs", str(tmp_path)]) == code
        assert (tmp_path / "bots.md").read_text(encoding="utf-8") in capsys.readouterr().out
    assert main(["prove", "game", "--docs", str(tmp_path / "nowhere")]) == 2
