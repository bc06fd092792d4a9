"""Moves as people type them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import pytest

from game import words
from game.core import RuleError
from game.games.evaluation.moves import Accident, Call, End, FallReport, Move, Pass, Push, Stand, Vote
from game.games.evaluation.placements import free_air
from game.games.evaluation.rules import GAME
from game.games.evaluation.state import State
from game.games.evaluation.text.moves import PLACES, VERBS, fitting_verbs, read_move
from game.games.evaluation.text.vocabulary import WORDS, meaning_of, spellings, spelt
from game.match.players import check_names
from game.text.names import listed, seat_named, shown_names
from game.text.vocabulary import GENERAL
from physics.errors import InputError
from physics.tiles import Stance

NAMES = ("Ann", "Bob", "Strong bot")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    words.use("en")
    yield
    words.use("en")


def row(*moves: str) -> State:
    """A state in which these tiles were stood, nobody calling."""
    state = GAME.start(3, {}, 1)
    for text in moves:
        state, _events = GAME.apply(state, state.active, read(text, state))
        while state.phase.value == "call":
            state, _events = GAME.apply(state, min(GAME.to_act(state)), Pass())
    return state


def read(text: str, state: State) -> Move:
    return read_move(text, state.row, state.movable, NAMES, fitting_verbs(state.phase.value, not state.supply))


def stand(text: str, state: State | None = None) -> Stand:
    found = read(text, state or row())
    assert isinstance(found, Stand)
    return found


def test_a_placement_with_everything_said() -> None:
    found = stand("stand 8 right gap 20 turn 10 upright")
    assert (found.placement.value, found.spot, found.placement.stance) == (8, End.LAST, Stance.UPRIGHT)
    assert found.placement.yaw == pytest.approx(math.radians(10))
    assert found == stand("STAND 8, turn +10°, gap 20mm; at the right end") == stand("st 8 t 10 g 20,0 r")


def test_what_is_left_out_is_as_usual() -> None:
    assert stand("stand 8") == stand("put tile 8 upright at the right end gap 20 turn 0")
    left = stand("stand 5 left side gap 7.5")
    assert (left.spot, left.placement.stance) == (End.FIRST, Stance.SIDE)
    # 6 mm and 5.5 mm thick
    assert left.placement.x == pytest.approx(-(3 + 7.5 + 2.75) / 1e3)


def test_between_two_tiles() -> None:
    state = row("stand 8 gap 15")
    first = stand("insert 5 between 6 8 gap 4", state)
    assert first.spot == (6, 8) and first == stand("stand 5 between 6 and 8 gap 4", state)
    assert stand("insert 5 between 8 6 gap 5.5", state).placement.x == pytest.approx(first.placement.x)
    middle = stand("ins 5 betw 8 6", state)
    assert middle.placement.x == pytest.approx((3 + 7.5) / 1e3)


def test_turns_bend_either_end_away() -> None:
    assert stand("stand 8 right turn 20").placement.y > 0 < stand("stand 8 left turn 20").placement.y
    assert stand("stand 8 right turn -20").placement.y < 0 > stand("stand 8 left turn −20").placement.y


def test_an_inner_tile_is_moved_when_the_supply_is_empty() -> None:
    state = row(*(f"stand {value} gap 15" for value in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11)))
    moved = stand("move 9 left gap 20", state)
    assert moved.lifted and moved.spot is End.FIRST
    GAME.check(state, state.active, moved)
    with pytest.raises(RuleError, match="inner tile must be moved"):
        GAME.check(state, state.active, stand("stand 9", state))


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("call", Call()),
        ("Domino!", Call()),
        ("pass", Pass()),
        ("vote success", Vote(True)),
        ("vote f", Vote(False)),
        ("failure", Vote(False)),
        ("push", Push()),
        ("fell", FallReport(True)),
        ("stood", FallReport(False)),
        ("stood 4 and 9", FallReport(False, (4, 9))),
        ("accident Bob", Accident(1)),
        ("accident strong", Accident(2)),
        ("accident 0", Accident(0)),
    ],
)
def test_other_moves(text: str, move: object) -> None:
    assert read(text, row()) == move


def test_the_form_of_the_log_is_understood() -> None:
    text = "stand 8 at 29.75 0 yaw 0 upright last"
    assert GAME.write(stand(text)) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is not a move; help lists what can be said."),
        ("dance 8", "'dance 8' is not a move"),
        ("push harder", "'push harder' is not a move"),
        ("stand", "Which tile? Write its value after 'stand'."),
        ("stand 8 9", "It is not clear what the number '9' is; write gap or turn before it."),
        ("stand 8 gap", "A number is missing after 'gap'."),
        ("stand 8 gap left", "A number is missing after 'gap'."),
        ("stand 8 gap 1e9", "'1e9' is not understood in a placement"),
        ("stand 8.5", "'8.5' is not the value of a tile; values are whole numbers."),
        ("stand 8 upsidedown", "'upsidedown' is not understood in a placement; words for it are left, right, upright"),
        ("insert 5 gap 4", "Between which tiles? Write between and the values of two neighbours."),
        ("insert 5 between 6", "A number is missing after 'between'."),
        ("insert 5 between 6 9", "The tiles 6 and 9 are not neighbours; the row is 6."),
        ("stand 5 left between 6 8", "A tile stands either at an end or between two others, not both."),
        ("accident Zed", "There is no player 'zed'; the players are Ann, Bob, Strong bot."),
        ("accident", "There is no player ''; the players are"),
        ("stand ² gap 3", "is not understood in a placement"),
    ],
)
def test_what_is_not_understood(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read(text, row())
    assert sentence.lower() in str(error.value).lower()


def test_the_gap_is_the_free_air_and_the_turn_has_its_limit() -> None:
    state = row()
    near = stand("stand 8 right gap 9.5 turn 40", state)
    GAME.check(state, 0, near)
    assert free_air(state.row[0], near.placement) * 1e3 == pytest.approx(9.5, abs=1e-6)
    GAME.check(state, 0, stand("stand 8 right turn -45", state))
    with pytest.raises(
        RuleError,
        match=r"by at most 45° from its neighbour\. A tile that is set freely has another limit: 60° from the line",
    ):
        stand("stand 8 right turn 46", state)
    bent = row("stand 11 right gap 38 turn 40 side")
    for said, neighbour in (("between 6 11", 0), ("between 11 6", 1)):
        tile = stand(f"insert 5 {said} gap 6.5", bent).placement
        assert free_air(bent.row[neighbour], tile) * 1e3 == pytest.approx(6.5, abs=1e-6)


def test_a_tile_that_is_not_there_is_refused_by_the_rules() -> None:
    state = row()
    for value in (6, 0, 12, 999999):
        with pytest.raises(RuleError, match=f"The tile {value} is not in the supply"):
            GAME.check(state, 0, stand(f"stand {value}", state))


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_no_word_means_two_things(language: str) -> None:
    words.use(language)
    phases = [
        fitting_verbs(phase, empty) for phase in ("build", "call", "vote", "push", "fall") for empty in (False, True)
    ]
    for among in (PLACES, GENERAL, *((*phase, *GENERAL) for phase in phases)):
        for one, other in combinations(among, 2):
            assert not set(spellings(one)) & set(spellings(other))
    for meaning in WORDS:
        among = next((group for group in (PLACES, GENERAL, VERBS) if meaning in group), (meaning,))
        assert meaning_of(spelt(meaning), among) == meaning
        assert meaning_of(spelt(meaning).upper(), among) == meaning


def test_beginnings_of_words() -> None:
    assert meaning_of("sid", PLACES) == "side"
    assert meaning_of("x", PLACES) is meaning_of("", PLACES) is None
    assert meaning_of("p", ("call", "pass")) == "pass"
    assert meaning_of("s", ("save", "stand")) is None  # either


def test_names() -> None:
    assert shown_names(("Ann", "bot:weak", "BOT:Strong", "bot:weak")) == (
        "Ann", "Weak bot 1", "Strong bot", "Weak bot 2",
    )  # fmt: skip
    assert [listed(each) for each in ((), ("a",), ("a", "b"), ("a", "b", "c"))] == ["", "a", "a and b", "a, b and c"]
    assert seat_named("2", ("2", "1", "0")) == 0  # names before numbers
    check_names(("Ann", "bot:weak", "bot:weak"))
    with pytest.raises(InputError, match="given to two players"):
        check_names(("Ann", "ANN"))
