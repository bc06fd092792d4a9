"""Lanterns: players bid for the order in secret, then each lights a lantern from a hidden hand.

A lantern that is brighter than the one before scores one point; one as bright as the moon, which is drawn openly every
round, scores two, and who holds such a one must light it: so all learn from every other lantern that its player held
none. Whoever holds the same value may echo it out of turn, in teams only the partner, for one point. With fewer than
three points at the end nobody wins.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from game.core import (
    Chance,
    Event,
    Option,
    Result,
    RuleError,
    Seat,
    Value,
    another_chance,
    check_seats,
    check_turn,
    read_options,
    read_version,
    secret_chance,
)

VALUES, COPIES, HAND = 9, 4, 3
MAX_BID = 999
LISTED_BIDS = 5
NEEDED = 3  # points without which nobody wins


@dataclass(frozen=True, slots=True)
class Bid:
    """A secret number; the highest is the first to light."""

    amount: int


@dataclass(frozen=True, slots=True)
class Light:
    """A lantern of that value from the hand."""

    value: int


@dataclass(frozen=True, slots=True)
class Echo:
    """The same value as the lantern just lit, out of turn."""


Move = Bid | Light | Echo
Limits = tuple[tuple[int, int], ...]
"""Values, and how many of each a hand can hold at most, as far as all have learnt that."""


@dataclass(frozen=True, slots=True)
class State:
    """A match at one moment."""

    open_chance: Chance  # what all see: the moon, and which bids are listed
    hidden_chance: Chance  # what nobody sees: the deck's order
    teams: bool
    rounds: int
    round: int
    moon: int
    hands: tuple[tuple[int, ...], ...]  # by seat, sorted
    deck: tuple[int, ...]
    points: tuple[int, ...]
    bids: tuple[int | None, ...]  # by seat
    order: tuple[Seat, ...] = ()  # who is still to light in this round
    lit: tuple[tuple[Seat, int], ...] = ()  # of this round
    can_echo: bool = False  # whether the last lantern may still be echoed
    limits: tuple[Limits, ...] = ()  # by seat
    won: tuple[int, ...] = ()  # games of a series, by seat
    over: bool = False

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.hands))


class Lanterns:
    """The rules; see `game.core.Game` for what each method promises."""

    name = "lanterns"
    seats = range(2, 5)
    options: tuple[Option, ...] = (
        Option("mode", "alone", "everyone alone, or two teams of two", words=("alone", "teams")),
        Option("rounds", 2, "how many rounds are played", low=1, high=4),
    )
    versions = range(1, 2)
    sentences: Mapping[str, str] = {
        "moon": "Round {round}: the moon shows {value}.",
        "bid": "Seat {seat} has bid.",
        "own_bid": "Your bid, seat {seat}: {amount}.",
        "bids": "The bids: {amounts}. The order: {order}.",
        "lit": "Seat {seat} lights {value} for {points}.",
        "drawn": "You draw {value}, seat {seat}.",
        "echoed": "Seat {seat} echoes {value}.",
        "over": "The match is over. Points: {points}. Winners: {winners}.",
    }

    def seats_with(self, options: Mapping[str, Value]) -> range:
        """Four in teams, two or three alone."""
        return range(4, 5) if options["mode"] == "teams" else range(2, 4)

    def start(self, seats: int, options: Mapping[str, Value], seed: int, version: int | None = None) -> State:
        """The hands are dealt and everybody is to bid."""
        read_version(self, version)
        chosen = read_options(self, options)
        check_seats(self, seats, chosen)
        is_teams, rounds = chosen.get("mode") == "teams", int(chosen["rounds"])
        return begun(Chance(seed), secret_chance(seed), seats, rounds, teams=is_teams)

    def to_act(self, state: State) -> frozenset[Seat]:
        """All who have not bid; then who lights, and those who may echo."""
        if state.over:
            return frozenset()
        if None in state.bids:
            return frozenset(seat for seat in state.seats if state.bids[seat] is None)
        return self.must_act(state) | frozenset(self._echoers(state))

    def must_act(self, state: State) -> frozenset[Seat]:
        """Whoever has not bid, or is to light."""
        if state.over or None in state.bids:
            return self.to_act(state)
        return frozenset(state.order[:1])

    def turn(self, state: State) -> Seat | None:
        """Who is to light; nobody while all bid."""
        return state.order[0] if state.order else None

    def _echoers(self, state: State) -> list[Seat]:
        """Who may speak out of turn: any other in the game for himself, the partner in teams; whatever the hand is."""
        if not state.can_echo:
            return []
        lighter = state.lit[-1][0]
        others = [seat for seat in state.seats if seat not in (lighter, *state.order[:1])]
        return [seat for seat in others if seat % 2 == lighter % 2] if state.teams else others

    def moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Some bids; every lantern in the hand."""
        if seat not in self.to_act(state):
            return ()
        if None in state.bids:
            generator = state.open_chance.generator()
            return tuple(Bid(amount) for amount in sorted(generator.sample(range(MAX_BID + 1), LISTED_BIDS)))
        if seat not in self.must_act(state):
            return (Echo(),) if state.lit[-1][1] in state.hands[seat] else ()
        hand = set(state.hands[seat])
        return tuple(Light(value) for value in sorted(hand & {state.moon} or hand))

    def lists_all(self, state: State, seat: Seat) -> bool:
        """Bids are too many."""
        return None not in state.bids

    def sample(self, state: State, seat: Seat, generator: random.Random) -> Move:
        """Any bid, or one of the listed moves."""
        if None in state.bids:
            return Bid(generator.randint(0, MAX_BID))
        return generator.choice(self.moves(state, seat))

    def check(self, state: State, seat: Seat, move: Move) -> None:
        """RuleError with the condition that the move breaks."""
        check_turn(self.to_act(state), seat)
        is_bidding = None in state.bids
        if isinstance(move, Bid) is not is_bidding:
            raise RuleError("Now is the time to bid." if is_bidding else "The bids are made.")
        if isinstance(move, Bid) and not 0 <= move.amount <= MAX_BID:
            raise RuleError("The bid is {bid}; allowed is 0 to {most}.", bid=move.amount, most=MAX_BID)
        if isinstance(move, Light):
            if seat not in self.must_act(state):
                raise RuleError("Seat {seat} is not to light now.", seat=seat)
            if move.value not in state.hands[seat]:
                raise RuleError("Seat {seat} holds no {value}.", seat=seat, value=move.value)
            if move.value != state.moon and state.moon in state.hands[seat]:
                raise RuleError("Seat {seat} holds the moon's {value} and must light it.", seat=seat, value=state.moon)
        if isinstance(move, Echo):
            if seat not in self._echoers(state):
                raise RuleError("Seat {seat} has nothing to echo.", seat=seat)
            if state.lit[-1][1] not in state.hands[seat]:
                raise RuleError("Seat {seat} holds no {value}.", seat=seat, value=state.lit[-1][1])

    def apply(self, state: State, seat: Seat, move: Move) -> tuple[State, tuple[Event, ...]]:
        """The state after the move and what happened."""
        self.check(state, seat, move)
        match move:
            case Bid(amount):
                return _bid(state, seat, amount)
            case Light(value):
                return _light(state, seat, value)
            case Echo():
                value = state.lit[-1][1]
                hands = _replaced(state.hands, seat, _less(state.hands[seat], value))
                limits = _replaced(state.limits, seat, _with_less(state.limits[seat], value))
                points = _replaced(state.points, seat, state.points[seat] + 1)
                event = Event("echoed", {"seat": seat, "value": value})
                return _ended(replace(state, hands=hands, limits=limits, points=points, can_echo=False), (event,))

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Everything but the deck, the others' hands and the bids that are not open."""
        result = self.result(state)
        return {
            "game": self.name,
            "round": state.round,
            "rounds": state.rounds,
            "teams": state.teams,
            "moon": state.moon,
            "deck": len(state.deck),
            "points": list(state.points),
            "has_bid": [other for other in state.seats if state.bids[other] is not None],
            "own_bid": None if seat is None or seat not in state.seats else state.bids[seat],
            "order": list(state.order),
            "lit": [list(each) for each in state.lit],
            "to_act": sorted(self.to_act(state)),
            "hand_sizes": [len(hand) for hand in state.hands],
            "hand": list(state.hands[seat]) if seat is not None and seat in state.seats else None,
            "winners": None if result is None else list(result.winners),
        }

    def result(self, state: State) -> Result | None:
        """Points, and the winners: one, several, a team, or nobody."""
        if not state.over:
            return None
        sums = [sum(state.points[seat % 2 :: 2]) if state.teams else state.points[seat] for seat in state.seats]
        most = max(sums)
        winners = tuple(seat for seat in state.seats if sums[seat] == most and most >= NEEDED)
        return Result(state.points, winners)

    def write(self, move: Move) -> str:
        """The move as one line."""
        match move:
            case Bid(amount):
                return f"bid {amount}"
            case Light(value):
                return f"light {value}"
            case Echo():
                return "echo"

    def read(self, text: str) -> Move:
        """The move that is meant; RuleError when the text is none."""
        match text.lower().split():
            case ["bid", number] if number.isascii() and number.isdecimal() and len(number) < 6:
                return Bid(int(number))
            case ["light", number] if number.isascii() and number.isdecimal() and len(number) < 6:
                return Light(int(number))
            case ["echo"]:
                return Echo()
        raise RuleError("{text} is not a move; moves are bid 10, light 3 and echo.", text=repr(text[:40]))

    def alternatives(self, state: State, seat: Seat | None, generator: random.Random) -> State:
        """The unseen lanterns dealt anew within the limits, other bids of the others, another order of the deck."""
        own = () if seat is None or seat not in state.seats else (seat,)
        unseen = [value for other in state.seats if other not in own for value in state.hands[other]]
        unseen = sorted([*unseen, *state.deck])  # in an order that tells nothing of where each of them is
        generator.shuffle(unseen)
        hands = [state.hands[other] if other in own else _dealt(unseen, state, other) for other in state.seats]
        bids = state.bids
        if None in bids:
            bids = tuple(
                bid if bid is None or other in own else generator.randint(0, MAX_BID) for other, bid in enumerate(bids)
            )
        hidden = another_chance(state.hidden_chance, generator)
        return replace(state, hands=tuple(hands), deck=tuple(unseen), bids=bids, hidden_chance=hidden)


Step = tuple[State, tuple[Event, ...]]


def begun(public: Chance, secret: Chance, seats: int, rounds: int, *, teams: bool) -> State:
    """The hands dealt by that secret chance, the moon by the public one."""
    deck, hidden = secret.shuffled(tuple(range(1, VALUES + 1)) * COPIES)
    moon, chance = public.below(VALUES)
    return State(
        open_chance=chance,
        hidden_chance=hidden,
        teams=teams,
        rounds=rounds,
        round=1,
        moon=moon + 1,
        hands=tuple(tuple(sorted(deck[seat * HAND : (seat + 1) * HAND])) for seat in range(seats)),
        deck=deck[seats * HAND :],
        points=(0,) * seats,
        bids=(None,) * seats,
        limits=((),) * seats,
        won=(0,) * seats,
    )


def _bid(state: State, seat: Seat, amount: int) -> Step:
    bids = _replaced(state.bids, seat, amount)
    events: tuple[Event, ...] = (
        Event("bid", {"seat": seat}),
        Event("own_bid", {"seat": seat, "amount": amount}, to=frozenset({seat})),
    )
    state = replace(state, bids=bids)
    if None in bids:
        return state, events
    order = tuple(sorted(state.seats, key=lambda each: (-(bids[each] or 0), each)))
    shown = Event("bids", {"amounts": list(bids), "order": list(order)}, reveals=True)
    return replace(state, order=order, lit=(), can_echo=False), (*events, shown)


def _light(state: State, seat: Seat, value: int) -> Step:
    before = state.lit[-1][1] if state.lit else 0
    points = 2 if value == state.moon else int(value > before)
    hand = _less(state.hands[seat], value)
    known = _with_less(state.limits[seat], value)
    if value != state.moon:
        known = (*((other, most) for other, most in known if other != state.moon), (state.moon, 0))
    events: tuple[Event, ...] = (Event("lit", {"seat": seat, "value": value, "points": points}),)
    deck = state.deck
    if deck:
        hand, deck = tuple(sorted((*hand, deck[0]))), deck[1:]
        known = tuple((other, most + 1) for other, most in known)
        drawn = Event("drawn", {"seat": seat, "value": state.deck[0]}, to=frozenset({seat}), reveals=True)
        events = (*events, drawn)
    state = replace(
        state,
        hands=_replaced(state.hands, seat, hand),
        limits=_replaced(state.limits, seat, known),
        deck=deck,
        points=_replaced(state.points, seat, state.points[seat] + points),
        order=state.order[1:],
        lit=(*state.lit, (seat, value)),
        can_echo=len(state.order) > 1,
    )
    return _ended(state, events)


def _ended(state: State, events: tuple[Event, ...]) -> Step:
    """The next round, or the end, once everybody has lit a lantern."""
    if state.order:
        return state, events
    if state.round == state.rounds:
        over = replace(state, over=True, can_echo=False)
        result = GAME.result(over)
        assert result is not None
        told = Event("over", {"points": list(result.scores), "winners": list(result.winners)})
        return over, (*events, told)
    moon, chance = state.open_chance.below(VALUES)
    bids: tuple[int | None, ...] = (None,) * len(state.hands)
    following = replace(
        state, open_chance=chance, round=state.round + 1, moon=moon + 1, bids=bids, lit=(), can_echo=False
    )
    return following, (*events, Event("moon", {"round": following.round, "value": following.moon}))


def _with_less(limits: Limits, value: int) -> Limits:
    """What a hand can hold once a lantern of that value has left it."""
    return tuple((other, most - (other == value)) for other, most in limits)


def _dealt(unseen: list[int], state: State, seat: Seat) -> tuple[int, ...]:
    """A hand for that seat, taken off those lanterns from their beginning as far as it can hold them."""
    hand: list[int] = []
    limits = dict(state.limits[seat])
    for value in tuple(unseen):
        if len(hand) < len(state.hands[seat]) and hand.count(value) < limits.get(value, COPIES):
            hand.append(value)
            unseen.remove(value)
    return tuple(sorted(hand))


def _replaced(items: tuple[Any, ...], place: int, item: Any) -> tuple[Any, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _less(hand: tuple[int, ...], value: int) -> tuple[int, ...]:
    at = hand.index(value)
    return (*hand[:at], *hand[at + 1 :])


GAME = Lanterns()
