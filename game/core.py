"""What every game is: a state, the seats that may act, their moves, and what each seat may know.

Rules are pure. A game never looks at a clock, a camera or a simulation: what happened on the table comes in as a move
of the seat TABLE. A match is therefore its name, options, seed and moves, and nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from physics.errors import InputError
from physics.fields import shown

Seat = int
TABLE: Seat = -1
"""The seat of the table itself: its moves say what was seen, such as which tiles fell."""

Value = int | str
Item = TypeVar("Item")
State = TypeVar("State")
Move = TypeVar("Move")


class RuleError(InputError):
    """A move that the rules refuse, or a text that is no move."""


class UnknownGame(InputError):
    """A game that is not there."""


@dataclass(frozen=True, slots=True)
class Chance:
    """Chance as a value: the same seed and count always draw the same, and a draw gives the next value back.

    A state has two where what is offered openly and what is drawn from a hidden deck both hang on chance: a public
    one, and a secret one (`secret_chance`) that `alternatives` replaces.
    """

    seed: int
    count: int = 0

    def generator(self) -> random.Random:
        """The numbers of this very moment, from their beginning."""
        return random.Random(f"{self.seed}:{self.count}")

    def next(self) -> Chance:
        """Chance after one draw."""
        return Chance(self.seed, self.count + 1)

    def below(self, limit: int) -> tuple[int, Chance]:
        """A whole number from 0 up to but without the limit, and chance afterwards."""
        return self.generator().randrange(limit), self.next()

    def shuffled(self, items: Iterable[Item]) -> tuple[tuple[Item, ...], Chance]:
        """The items in another order, and chance afterwards."""
        mixed = list(items)
        self.generator().shuffle(mixed)
        return tuple(mixed), self.next()


def secret_chance(seed: int) -> Chance:
    """Chance for what is hidden, which draws nothing like `Chance(seed)`."""
    return Chance(random.Random(f"{seed}:secret").getrandbits(128))


def another_chance(chance: Chance, generator: random.Random) -> Chance:
    """A secret chance as far on as that one that draws something else: what `alternatives` puts in its place."""
    return Chance(generator.getrandbits(128), chance.count)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for those who may know it."""

    kind: str
    data: Mapping[str, object]  # JSON-able; mm and degrees
    to: frozenset[Seat] | None = None  # the seats that learn it; None: everybody, spectators too
    reveals: bool = False  # shows what cannot be unlearnt: nothing before it may be taken back

    def known_to(self, seat: Seat | None) -> bool:
        """Whether that seat learns it (None: a spectator)."""
        return self.to is None or seat in self.to


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended."""

    scores: tuple[float, ...]  # by seat
    winners: tuple[Seat, ...]  # in order; none, several who share the victory, or a team


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that players may choose before a match: a whole number in a range, or one of some words."""

    name: str
    default: Value
    about: str
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()
    title: str = ""  # what people call it; empty: its name
    titles: tuple[str, ...] = ()  # what people call its words; empty: the words themselves
    is_rare: bool = False  # for who asks for it by name: no window offers it

    def read(self, given: Value) -> Value:
        """The value that is meant; InputError when it is none of the allowed."""
        text = str(given).strip().lower()
        if self.words:
            if text in self.words:
                return text
            raise InputError(
                "The option {option} is {value}; allowed is one of {words}.",
                option=self.name,
                value=shown(given),
                words=", ".join(self.words),
            )
        if len(text) < 10 and text.removeprefix("-").isdecimal() and self.low <= int(text) <= self.high:
            return int(text)
        raise InputError(
            "The option {option} is {value}; allowed is a whole number from {low} to {high}.",
            option=self.name,
            value=shown(given),
            low=self.low,
            high=self.high,
        )


class Game(Protocol[State, Move]):
    """The rules of one game. States and moves are values: frozen, comparable, hashable.

    One match has one state and one log, however much is played in it:
    - A series of games, such as a tournament to three won ones, is a match whose state holds the game under way, what
      each seat has won, and the chances, drawn on from game to game. The move that ends a game also deals the next one
      and says so in an event; `result` is None until the series is decided.
    - A choice of many parts is several moves of the same seat, each checked and undone by itself, with a move that ends
      them where they may go on.
    - Where all act at once, `to_act` and `must_act` hold everybody who has not said to be ready; being ready is a move.
    - What is drawn openly from a hidden deck is an event that `reveals`.
    """

    @property
    def name(self) -> str:
        """The name it is chosen by."""

    @property
    def seats(self) -> range:
        """How many may play."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What may be chosen before a match."""

    @property
    def versions(self) -> range:
        """The versions of its rules that are known, the newest last."""

    @property
    def sentences(self) -> Mapping[str, str]:
        """What to say of an event of each kind: a sentence with gaps for the event's data."""

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """How many may play with these options, which `read_options` has completed: a part of `seats`."""

    def start(self, seats: int, options: Mapping[str, Value], seed: int, version: int | None = None) -> State:
        """The state before the first move, by that version of the rules (None: the newest).

        InputError when the number of seats, an option or the version is wrong.
        """

    def to_act(self, state: State) -> frozenset[Seat]:
        """The seats that may or must act now, TABLE among them; empty when the match is over."""

    def must_act(self, state: State) -> frozenset[Seat]:
        """Those of `to_act` the game waits for; the others may speak now, or let it be.

        Who merely may speak can turn out to have no move: to leave that seat out would tell what it holds.
        """

    def turn(self, state: State) -> Seat | None:
        """Whose turn it is, which is asked first where several may act; None when it is nobody's."""

    def moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Moves that seat may choose from, the same for the same state; empty when it is not to act.

        Where there are too many to list this is a fair seeded choice of them, as `lists_all` says. `check` accepts
        more: any legal placement, and what may be declared at any time, such as an accident.
        """

    def lists_all(self, state: State, seat: Seat) -> bool:
        """Whether `moves` has every move of that seat: only then one listed move is the only one there is."""

    def sample(self, state: State, seat: Seat, generator: random.Random) -> Move:
        """A legal move of a seat that is to act, drawn by chance, of those too that `moves` does not list."""

    def check(self, state: State, seat: Seat, move: Move) -> None:
        """RuleError with the condition that move breaks, the value and the limit; nothing when it is legal."""

    def apply(self, state: State, seat: Seat, move: Move) -> tuple[State, tuple[Event, ...]]:
        """The state after the move and what happened; RuleError for what `check` refuses."""

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """What that seat may know, JSON-able (None: what a spectator may know)."""

    def result(self, state: State) -> Result | None:
        """How it ended; None while it goes on."""

    def write(self, move: Move) -> str:
        """The move as a line of text, which `read` turns back into the same move."""

    def read(self, text: str) -> Move:
        """The move that is meant; RuleError when the text is none."""

    def alternatives(self, state: State, seat: Seat | None, generator: random.Random) -> State:
        """A state that looks the same to that seat, all that is hidden from it drawn anew, the secret chance too.

        What that seat has learnt from public events stays true in it, so a state keeps what was learnt. It is drawn
        from nothing but what that seat knows: for the same generator it is the same one, whichever of these states is
        given. So bots may have it.
        """


AnyGame = Game[Any, Any]


def read_options(game: AnyGame, given: Mapping[str, Value]) -> dict[str, Value]:
    """All options of the game, the given ones read and the others as they are by default; InputError when wrong."""
    for name in given:
        if name not in {option.name for option in game.options}:
            raise InputError(
                "The game {game} has no option {option}; it has {options}.",
                game=game.name,
                option=shown(name),
                options=", ".join(option.name for option in game.options),
            )
    return {option.name: option.read(given.get(option.name, option.default)) for option in game.options}


def read_version(game: AnyGame, given: int | None) -> int:
    """The version of the game's rules, the newest when none is given; InputError when it is not known."""
    version = game.versions[-1] if given is None else given
    if version not in game.versions:
        raise InputError(
            "The version of the rules is {value}; this program knows {low} to {high}.",
            value=shown(version),
            low=game.versions[0],
            high=game.versions[-1],
        )
    return version


def split_options(texts: Iterable[str]) -> dict[str, str]:
    """Options written as name=value; InputError for a text without a name or a value."""
    found = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name and sign and value):
            raise InputError("The option {text} must be written as name=value.", text=shown(text))
        found[name.lower()] = value
    return found


def check_seats(game: AnyGame, seats: int, options: Mapping[str, Value]) -> None:
    """InputError when the game with these options, which `read_options` has completed, is not for that many."""
    allowed = game.seats_with(options)
    if seats in allowed:
        return
    if len(allowed) == 1:
        raise InputError(
            "The number of players of {game} with these options is {allowed}, not {seats}.",
            game=game.name,
            allowed=allowed[0],
            seats=seats,
        )
    raise InputError(
        "The game {game} is for {low} to {high} players, not for {seats}.",
        game=game.name,
        low=allowed[0],
        high=allowed[-1],
        seats=seats,
    )


def seats_in_turn(game: AnyGame, state: Any, waiting: Iterable[Seat]) -> list[Seat]:
    """Those seats as they are asked: whose turn it is, then clockwise from there, the table last."""
    turn = game.turn(state)
    first = 0 if turn is None else turn
    return sorted(waiting, key=lambda seat: (seat == TABLE, seat < first, seat))


def check_turn(waiting: frozenset[Seat], seat: Seat) -> None:
    """RuleError when the game does not wait for that seat."""
    if seat in waiting:
        return
    if not waiting:
        raise RuleError("The match is over.")
    if waiting == {TABLE}:
        raise RuleError("Seat {seat} cannot act now: the game waits for what happens on the table.", seat=seat)
    others = ", ".join(str(other) for other in sorted(waiting - {TABLE}))
    if seat == TABLE:
        raise RuleError("There is nothing to see on the table now: the game waits for seat {seats}.", seats=others)
    raise RuleError("Seat {seat} cannot act now: the game waits for seat {seats}.", seat=seat, seats=others)


def replay(
    game: Game[State, Move],
    seats: int,
    options: Mapping[str, Value],
    seed: int,
    moves: Iterable[tuple[Seat, Move]],
) -> State:
    """The state after those moves; InputError for a wrong start, RuleError for the first move that is refused."""
    state = game.start(seats, options, seed)
    for seat, move in moves:
        state, _events = game.apply(state, seat, move)
    return state


def random_match(
    game: Game[State, Move], seats: int, options: Mapping[str, Value], seed: int, max_moves: int = 100_000
) -> tuple[State, list[tuple[Seat, Move]]]:
    """A match in which every seat and the table move by chance, to its end or to that many moves; with its moves."""
    generator = random.Random(f"{seed}:players")
    state = game.start(seats, options, seed)
    moves: list[tuple[Seat, Move]] = []
    while (waiting := game.to_act(state)) and len(moves) < max_moves:
        seat = generator.choice(sorted(waiting))
        choices = game.moves(state, seat)
        if not choices:  # of a seat that merely might have spoken
            continue
        move = generator.choice(choices)
        state, _events = game.apply(state, seat, move)
        moves.append((seat, move))
    return state, moves


def filled_in(sentence: str, event: Event) -> str:
    """The sentence with the event's data filled in; lists as people write them."""
    return sentence.format(**{name: _plain(value) for name, value in event.data.items()})


def _plain(value: object) -> object:
    return (", ".join(map(str, value)) or "–") if isinstance(value, list | tuple) else value
