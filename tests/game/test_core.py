"""One contract for all games: each is played by chance; then chance, options, names and transcripts by themselves."""

from __future__ import annotations

import dataclasses
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.bots.bot import turn_of
from game.catalogue import GAMES, game_named
from game.core import (
    TABLE,
    AnyGame,
    Chance,
    Event,
    Option,
    RuleError,
    Seat,
    UnknownGame,
    Value,
    filled_in,
    random_match,
    read_options,
    replay,
    seats_in_turn,
    secret_chance,
    split_options,
)
from game.match.transcript import Script, main, read_script, write_script
from physics.errors import InputError, ToppleError
from tests.game.fence.rules import GAME as FENCE
from tests.game.lanterns.lone import LONE
from tests.game.lanterns.rules import GAME as LANTERNS
from tests.game.lanterns.series import SERIES_GAME

GOLDEN = Path(__file__).parents[1] / "golden"
MATCHES = 24  # of each game
MAX_STATES = 150  # of each game that are looked at closely
EXAMPLES: dict[str, AnyGame] = {game.name: game for game in (LANTERNS, LONE, SERIES_GAME, FENCE)}
"""Games that are not shipped."""
RULES: dict[str, AnyGame] = {**{name: game_named(name) for name in GAMES}, **EXAMPLES}
every_game = pytest.mark.parametrize("game", RULES.values(), ids=list(RULES))


@dataclasses.dataclass(frozen=True)
class Step:
    """One move of a match: where it was made and what came of it."""

    seats: int
    seed: int  # of the match
    state: Any
    seat: Seat
    move: Any
    after: Any
    events: tuple[Event, ...]

    @property
    def everybody(self) -> list[Seat]:
        return [*range(self.seats), TABLE]


@dataclasses.dataclass(frozen=True)
class Match:
    seats: int
    options: dict[str, Value]
    seed: int
    final: Any
    moves: list[tuple[Seat, Any]]


def some_options(game: AnyGame, generator: random.Random) -> dict[str, Value]:
    """Each option as it usually is, or any other value of it."""
    found: dict[str, Value] = {}
    for option in game.options:
        if generator.random() < 0.5:
            found[option.name] = (
                generator.choice(option.words) if option.words else generator.randint(option.low, option.high)
            )
    return found


@cache
def matches_of(name: str) -> list[Match]:
    """Some matches by chance, with every number of seats, and with any options that go with it."""
    game, generator = RULES[name], random.Random(name)
    found: list[Match] = []
    while len(found) < MATCHES:
        number = len(found)
        options = some_options(game, generator) if number % 2 else {}
        allowed = game.seats_with(read_options(game, options))
        seats = allowed[number // 2 % len(allowed)]
        try:
            game.start(seats, options, number)
        except InputError:  # some options hang on one another, such as who begins
            continue
        found.append(Match(seats, options, number, *random_match(game, seats, options, number)))
    return found


@cache
def steps_of(name: str) -> list[Step]:
    """Every move of those matches."""
    game, found = RULES[name], []
    for match in matches_of(name):
        state = game.start(match.seats, match.options, match.seed)
        for seat, move in match.moves:
            after, events = game.apply(state, seat, move)
            found.append(Step(match.seats, match.seed, state, seat, move, after, events))
            state = after
    return found


def some_steps(game: AnyGame) -> list[Step]:
    return steps_of(game.name)[:: max(1, len(steps_of(game.name)) // MAX_STATES)]


def some_moves(game: AnyGame, generator: random.Random, count: int) -> list[Any]:
    """Moves of any phase and any match."""
    return [step.move for step in generator.sample(steps_of(game.name), count)]


# Every game


@every_game
def test_matches_by_chance_come_to_an_end(game: AnyGame) -> None:
    for match in matches_of(game.name):
        result = game.result(match.final)
        assert result is not None and match.moves
        assert len(result.scores) == match.seats
        assert list(result.winners) == sorted(set(result.winners) & set(range(match.seats)))
        assert game.to_act(match.final) == frozenset()
        assert all(not game.moves(match.final, seat) for seat in (*range(match.seats), TABLE))
        assert json.loads(json.dumps(game.view(match.final, None)))


@every_game
def test_there_is_a_result_at_the_end_only(game: AnyGame) -> None:
    for step in steps_of(game.name):
        assert game.result(step.state) is None
        assert game.to_act(step.state)


@every_game
def test_replay_reproduces_the_state(game: AnyGame) -> None:
    for match in matches_of(game.name):
        read_again = [(seat, game.read(game.write(move))) for seat, move in match.moves]
        assert replay(game, match.seats, match.options, match.seed, read_again) == match.final
        assert random_match(game, match.seats, match.options, match.seed) == (match.final, match.moves)


@every_game
def test_every_move_survives_its_text(game: AnyGame) -> None:
    for step in steps_of(game.name):
        text = game.write(step.move)
        assert text.isprintable() and text == text.strip()
        assert game.read(text) == step.move
        assert game.read(f"  {text.upper().replace(' ', '   ')} ") == step.move


@every_game
def test_offered_moves_are_accepted_and_always_the_same(game: AnyGame) -> None:
    for step in some_steps(game):
        for seat in game.to_act(step.state):
            offered = game.moves(step.state, seat)
            assert (offered or seat not in game.must_act(step.state)) and list(offered) == list(
                game.moves(step.state, seat)
            )
            for move in offered:
                game.check(step.state, seat, move)


@every_game
def test_moves_drawn_by_chance_are_legal_and_reach_what_is_not_listed(game: AnyGame) -> None:
    generator = random.Random(6)
    unlisted = False
    for step in some_steps(game):
        for seat in game.to_act(step.state):
            offered = game.moves(step.state, seat)
            drawn = [game.sample(step.state, seat, generator) for _ in range(3 if offered else 0)]
            for move in drawn:
                game.check(step.state, seat, move)
            if game.lists_all(step.state, seat):
                assert all(move in offered for move in drawn)
            else:
                unlisted |= any(move not in offered for move in drawn)
    has_more = any(
        not game.lists_all(step.state, seat) for step in some_steps(game) for seat in game.to_act(step.state)
    )
    assert unlisted == has_more


@every_game
def test_somebody_must_act_until_the_end_and_turns_belong_to_seats(game: AnyGame) -> None:
    for step in steps_of(game.name):
        must = game.must_act(step.state)
        assert must and must <= game.to_act(step.state)
        assert game.turn(step.state) in {*range(step.seats), None}
        assert seats_in_turn(game, step.state, must)[0] in must


@every_game
def test_no_move_changes_an_earlier_state(game: AnyGame) -> None:
    """Every listed move of some positions is applied; all states and views before stay as they were, to the letter.

    So they do whatever becomes of the views and events that were given away.
    """
    seen: list[tuple[Any, str, dict[Seat | None, str]]] = []
    for step in some_steps(game)[::10]:
        readers = (None, *step.everybody)
        seen.append((step.state, repr(step.state), {seat: repr(game.view(step.state, seat)) for seat in readers}))
        for seat in step.everybody:
            for move in game.moves(step.state, seat):
                after, events = game.apply(step.state, seat, move)
                for reader in readers:
                    scribble_over(game.view(after, reader))
                for event in events:
                    scribble_over(event.data)
        for reader in readers:
            scribble_over(game.view(step.state, reader))
        for state, words, views in seen:
            assert repr(state) == words
            assert {seat: repr(game.view(state, seat)) for seat in views} == views


def scribble_over(value: Any) -> None:
    """Spoils every list and dictionary in it, as careless readers might."""
    for item in list(value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()):
        scribble_over(item)
    if isinstance(value, list):
        value.append("scribbled")
    elif isinstance(value, dict):
        value["scribbled"] = True


@every_game
def test_only_those_who_are_to_act_have_moves(game: AnyGame) -> None:
    generator = random.Random(1)
    for step in some_steps(game):
        for seat in {*step.everybody, step.seats, -2} - game.to_act(step.state):
            assert not game.moves(step.state, seat)
            for move in some_moves(game, generator, 5):
                with pytest.raises(RuleError):
                    game.check(step.state, seat, move)
                with pytest.raises(RuleError):
                    game.apply(step.state, seat, move)


@every_game
def test_apply_refuses_what_check_refuses(game: AnyGame) -> None:
    generator = random.Random(2)
    refused = 0
    for step in some_steps(game):
        for move in some_moves(game, generator, 8):
            try:
                game.check(step.state, step.seat, move)
            except RuleError as error:
                refused += 1
                assert str(error)
                with pytest.raises(RuleError):
                    game.apply(step.state, step.seat, move)
            else:
                game.apply(step.state, step.seat, move)
    assert refused > 100  # moves of other phases and of other tables


@every_game
def test_after_the_end_everything_is_refused(game: AnyGame) -> None:
    for match in matches_of(game.name)[:5]:
        for seat, move in match.moves[:20]:
            with pytest.raises(RuleError, match="over"):
                game.check(match.final, seat, move)


@every_game
@pytest.mark.parametrize("text", ["", " ", "hello", "pass pass", "\0", "1", "{seat}", "vote", "call 1e999", "ÿ" * 5000])
def test_garbage_is_no_move(game: AnyGame, text: str) -> None:
    with pytest.raises(RuleError) as caught:
        game.read(text)
    assert len(str(caught.value)) < 1000


@every_game
def test_states_are_values(game: AnyGame) -> None:
    for step in some_steps(game):
        before = repr(step.state)
        assert game.apply(step.state, step.seat, step.move) == (step.after, step.events)
        assert repr(step.state) == before
        assert isinstance(hash(step.state), int) and isinstance(hash(step.move), int)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(step.state, dataclasses.fields(step.state)[0].name, None)


@every_game
def test_views_and_offers_show_nothing_that_is_hidden(game: AnyGame) -> None:
    generator = random.Random(3)
    for step in some_steps(game):
        for seat in [*step.everybody, None]:
            other = game.alternatives(step.state, seat, generator)
            assert game.view(other, seat) == game.view(step.state, seat)
            assert game.to_act(other) == game.to_act(step.state)
            if seat is not None:
                assert list(game.moves(other, seat)) == list(game.moves(step.state, seat))
        assert "seed" not in json.dumps(game.view(step.state, None))


@every_game
def test_a_bot_may_have_what_the_sampler_draws(game: AnyGame) -> None:
    """It is the same turn to that seat, can be played on, and depends on nothing that the seat does not know."""
    generator = random.Random(8)
    for number, step in enumerate(some_steps(game)):
        for seat in sorted(game.to_act(step.state) - {TABLE}):
            turn = turn_of(game, step.state, seat, number)
            assert turn.imagine is not None
            other = turn.imagine(random.Random(number))
            again = turn_of(game, other, seat, number)
            assert again.imagine is not None and again.imagine(random.Random(number)) == other
            assert (again.view, list(again.moves)) == (turn.view, list(turn.moves))
            assert (again.must, again.lists_all) == (turn.must, turn.lists_all)
            for move in some_moves(game, generator, 3):
                assert again.allowed(move) is turn.allowed(move)
    for step in some_steps(game)[::10]:
        seats = sorted(game.to_act(step.state) - {TABLE}) or [0]
        state = game.alternatives(step.state, generator.choice(seats), generator)
        for _ in range(50):
            moves = [(seat, move) for seat in sorted(game.to_act(state)) for move in game.moves(state, seat)]
            if not moves:
                break
            state, _events = game.apply(state, *generator.choice(moves))
        assert game.to_act(state) or game.result(state) is not None


@every_game
def test_the_secret_chance_alone_is_drawn_anew(game: AnyGame) -> None:
    """Another one, as far on as before: or a bot that tries its moves out would know what comes."""
    generator = random.Random(9)
    for step in some_steps(game):
        was, secret = chances_in(step.state), secret_chance(step.seed).seed
        for seat in (None, *range(step.seats)):
            found = chances_in(game.alternatives(step.state, seat, generator))
            assert {name: chance.count for name, chance in found.items()} == {n: c.count for n, c in was.items()}
            assert {name for name in was if found[name] != was[name]} == {n for n in was if was[n].seed == secret}


def chances_in(state: Any) -> dict[str, Chance]:
    """The chances of a state by their names."""
    values = {field.name: getattr(state, field.name) for field in dataclasses.fields(state)}
    return {name: value for name, value in values.items() if isinstance(value, Chance)}


@every_game
def test_a_spectator_knows_no_more_than_a_player(game: AnyGame) -> None:
    generator = random.Random(4)
    for step in some_steps(game):
        for seat in range(step.seats):
            other = game.alternatives(step.state, seat, generator)
            assert game.view(other, None) == game.view(step.state, None)


@every_game
def test_what_is_hidden_is_in_no_event_for_others_before_it_is_revealed(game: AnyGame) -> None:
    generator = random.Random(5)
    for step in some_steps(game):
        again = game.apply(game.alternatives(step.state, step.seat, generator), step.seat, step.move)[1]
        if not any(event.reveals for event in (*step.events, *again)):
            assert [e for e in again if e.known_to(None)] == [e for e in step.events if e.known_to(None)]


@every_game
def test_events_can_be_kept_and_told(game: AnyGame) -> None:
    for step in steps_of(game.name):
        assert step.events
        for event in step.events:
            assert json.loads(json.dumps(event.data)) == event.data
            assert filled_in(game.sentences[event.kind], event)
            assert event.to is None or event.to <= set(range(step.seats))
            assert event.known_to(None) is (event.to is None)


@every_game
def test_wrong_numbers_of_seats_are_refused(game: AnyGame) -> None:
    generator = random.Random(7)
    for options in ({}, *(some_options(game, generator) for _ in range(10))):
        allowed = game.seats_with(read_options(game, options))
        assert set(allowed) <= set(game.seats)
        few = f"with these options is {allowed[0]}, not"
        said = few if len(allowed) == 1 else f"is for {allowed[0]} to {allowed[-1]} players"
        for seats in (allowed[0] - 1, allowed[-1] + 1, -1, 1000):
            with pytest.raises(InputError, match=said):
                game.start(seats, options, 0)


@every_game
def test_options_have_defaults_and_checks(game: AnyGame) -> None:
    options = read_options(game, {})
    seats = game.seats_with(options)[0]
    assert game.start(seats, {}, 1) == game.start(seats, options, 1)
    for option in game.options:
        assert option.about and option.read(option.default) == option.default
        assert len(option.titles) in (0, len(option.words))
        with pytest.raises(InputError, match=option.name):
            game.start(seats, {option.name: "no such thing"}, 0)
    with pytest.raises(InputError, match="no option 'colour'"):
        game.start(seats, {"colour": "red"}, 0)


@every_game
def test_other_seeds_are_other_matches(game: AnyGame) -> None:
    seats = game.seats_with(read_options(game, {}))[0]
    assert game.start(seats, {}, 1) == game.start(seats, {}, 1)
    assert game.start(seats, {}, 1) != game.start(seats, {}, 2)


# Golden play-throughs


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_golden_play_through(path: Path) -> None:
    """After a wanted change: .venv/bin/python -m game.match.transcript tests/golden/*.txt"""
    text = path.read_text(encoding="utf-8")
    assert write_script(read_script(text)) == text


def test_every_game_has_golden_play_throughs() -> None:
    assert {path.name.partition("-")[0] for path in GOLDEN.glob("*.txt")} == set(GAMES)  # of those that are shipped


def test_the_command_rewrites_transcripts(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    path.write_text(
        "game evaluation\nseats 2\n0: STAND 7 at 26.5 0 yaw 0 upright last\n   old words\n", encoding="utf-8"
    )
    assert main([str(path)]) == 0
    assert path.read_text(encoding="utf-8").splitlines() == [
        "game evaluation",
        "seats 2",
        "seed 0",
        "",
        "0: stand 7 at 26.5 0 yaw 0 upright last",
        "   Seat 0 stands the tile 7 (upright); free air to its neighbours: 20.0 mm; row: 6, 7.",
        "",
        "end: waiting for 1",
    ]


@pytest.mark.parametrize(
    "text", ["", "game evaluation\nseats two", "game evaluation\nseats 2\nwhat is this", "seats 2"]
)
def test_broken_transcripts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        write_script(read_script(text))


# Chance, options, names


@given(st.integers(), st.integers(0, 1000), st.integers(1, 100))
def test_chance_is_a_value(seed: int, count: int, limit: int) -> None:
    chance = Chance(seed, count)
    number, after = chance.below(limit)
    assert 0 <= number < limit
    assert (number, after) == chance.below(limit) and after == chance.next() == Chance(seed, count + 1)
    mixed, after = chance.shuffled(range(limit))
    assert sorted(mixed) == list(range(limit)) and after == chance.next()


def test_chance_is_fair_and_differs_from_draw_to_draw() -> None:
    chance, seen = Chance(7), []
    for _ in range(6000):
        number, chance = chance.below(6)
        seen.append(number)
    assert all(900 < seen.count(number) < 1100 for number in range(6))
    assert Chance(1).shuffled(range(50)) != Chance(2).shuffled(range(50))


def test_options_as_they_are_typed() -> None:
    assert split_options(["rounds=3", " First = 1 "]) == {"rounds": "3", "first": "1"}
    for text in ("rounds", "=3", "rounds=", ""):
        with pytest.raises(InputError, match="name=value"):
            split_options([text])
    number = Option("rounds", 3, "…", low=1, high=20)
    assert [number.read(given) for given in (1, "20", " 7 ")] == [1, 20, 7]
    for wrong in ("0", "21", "1.5", "", "-", "٣" * 20, "9" * 5000, "three"):
        with pytest.raises(InputError, match="from 1 to 20"):
            number.read(wrong)
    word = Option("mode", "short", "…", words=("short", "long"))
    assert word.read("Long") == "long"
    with pytest.raises(InputError, match="short, long"):
        word.read("tall")


def test_unknown_games() -> None:
    assert game_named(" Evaluation ").name == "evaluation"
    with pytest.raises(UnknownGame, match="There is no game 'chess'; there is evaluation"):
        game_named("chess")
    assert issubclass(RuleError, ToppleError)


def test_scripts_keep_their_comments() -> None:
    script = Script("evaluation", 3, 5, ("rounds=2",), ((0, "accident 1"), (TABLE, "accident 0")), ("One", "two"))
    assert read_script(write_script(script)) == script
