"""What is chosen before a match of any game: who sits where, the game's options, and how its tiles stand and fall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from game.catalogue import GameKit, kit_of
from game.core import Option, Value, read_options
from game.match.history import SIMULATED
from game.match.players import check_names
from game.text.names import shown_names
from game.ui.saved import usual_game
from game.ui.toolkit.layout import SEATS
from game.words import _
from physics.errors import InputError
from physics.fields import shown

PERSON, EMPTY = "person", "empty"
KINDS = (PERSON, "weak", "normal", "strong", EMPTY)
ADDED = "normal"  # the bots that take the seats which a game cannot leave empty


@dataclass(frozen=True, slots=True)
class SeatSettings:
    """Who is to sit there."""

    kind: str  # person, empty, or the strength of a bot
    name: str = ""  # of a person; empty: nobody has typed one


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """What is chosen before a match."""

    seats: tuple[SeatSettings, ...]
    game: str = field(default_factory=usual_game)
    options: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)  # by game: another may be chosen again
    table: str = SIMULATED
    hints: bool = False
    clumsy: bool = False
    guided: bool = True  # a newcomer is led through the first round
    colours: tuple[int, ...] = tuple(range(SEATS))  # by seat, of the empty ones too
    rig: bool | None = None  # whether the rig pushes; None: there is none

    # The game

    @property
    def kit(self) -> GameKit:
        """What the game brings."""
        return kit_of(self.game)

    @property
    def has_tiles(self) -> bool:
        """Whether the game is played with standing tiles: then there is a table to choose, and hints."""
        return self.kit.tabletop is not None

    @property
    def offered(self) -> tuple[Option, ...]:
        """The options of the game that people are asked for."""
        return tuple(option for option in self.kit.rules.options if not option.is_rare)

    @property
    def chosen(self) -> dict[str, Value]:
        """All options of the game."""
        return read_options(self.kit.rules, self.options.get(self.game, {}))

    def with_option(self, name: str, value: Value) -> MatchSettings:
        """The same with another value of one of the game's options."""
        own = {**self.options.get(self.game, {}), name: value}
        return replace(self, options={**self.options, self.game: own})

    @property
    def allowed(self) -> range:
        """How many may play the game with its options."""
        return self.kit.rules.seats_with(self.chosen)

    # Who plays

    @property
    def taken(self) -> tuple[int, ...]:
        """The seats somebody sits at: their order is that of the match."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.kind != EMPTY)

    def typed(self) -> tuple[str, ...]:
        """The players as they are remembered: empty where nobody has typed a name."""
        return tuple(self._typed(self.seats[number]) for number in self.taken)

    def players(self) -> tuple[str, ...]:
        """The players as a match names them, in the language in use."""
        return tuple(self._typed(self.seats[number]) or self.usual_name(number) for number in self.taken)

    def taken_colours(self) -> tuple[int, ...]:
        """The colours of the players."""
        return tuple(self.colours[number] for number in self.taken)

    def usual_name(self, seat: int) -> str:
        """What a person at that seat is called when nobody has typed a name."""
        if sum(each.kind == PERSON for each in self.seats) < 2:
            return _("Player")
        return _("Player {number}").format(number=self.taken.index(seat) + 1)

    @staticmethod
    def _typed(seat: SeatSettings) -> str:
        return seat.name.strip() if seat.kind == PERSON else f"bot:{seat.kind}"


def check_count(settings: MatchSettings) -> None:
    """InputError, as a sentence for people, when the game with these options is not for so many players."""
    allowed, count = settings.allowed, len(settings.taken)
    if count in allowed:
        return
    if len(allowed) == 1:
        raise InputError(
            "The number of players for these options is {allowed}; chosen so far: {count}.",
            allowed=allowed[0],
            count=count,
        )
    raise InputError(
        "A match is for {low} to {high} players; chosen so far: {count}.", low=allowed[0], high=allowed[-1], count=count
    )


def check_settings(settings: MatchSettings) -> None:
    """InputError, as a sentence for people, when there are too few players or a name cannot be."""
    check_count(settings)
    for seat in settings.seats:
        if seat.kind == PERSON and seat.name.strip().lower().startswith("bot:"):
            raise InputError("The name {name} is for bots; a person needs another one.", name=shown(seat.name.strip()))
    check_names(settings.players())


# As many players as the game is for


@dataclass(frozen=True, slots=True)
class Fitted:
    """Settings with as many players as their game is for, and what had to be changed for that."""

    settings: MatchSettings
    left_out: tuple[str, ...] = ()  # players, as a match names them
    added: int = 0  # bots

    def words(self) -> str:
        """What was changed, in sentences; nothing when nothing was."""
        if not (self.left_out or self.added):
            return ""
        allowed = self.settings.allowed
        count = f"{allowed[0]}–{allowed[-1]}" if len(allowed) > 1 else str(allowed[0])
        said = [_("Number of players: {count}.").format(count=count)]
        if self.left_out:
            said.append(_("Left out: {names}.").format(names=", ".join(shown_names(self.left_out))))
        if self.added:
            said.append(_("Bots added: {count}.").format(count=self.added))
        return " ".join(said)


def fitted(settings: MatchSettings) -> Fitted:
    """The settings for the seats there are: whoever is last is left out, and bots take what must not be empty.

    Somebody who is left out keeps the name for when the seat is taken again.
    """
    allowed, players = settings.allowed, settings.players()
    count = len(players)
    wanted = min(allowed, key=lambda number: abs(number - count))
    left_out = players[wanted:]
    seats = list(settings.seats)
    for number in settings.taken[wanted:]:
        seats[number] = SeatSettings(EMPTY, seats[number].name)
    order = list(range(len(seats)))
    if any(seat.kind != EMPTY for seat in seats[allowed[-1] :]):  # they move up to the seats that are left
        order.sort(key=lambda number: seats[number].kind == EMPTY)
    seats = [seats[number] for number in order]
    free = [number for number, seat in enumerate(seats) if seat.kind == EMPTY][: max(0, wanted - count)]
    for number in free:
        seats[number] = SeatSettings(ADDED, seats[number].name)
    colours = tuple(settings.colours[number] for number in order)
    return Fitted(replace(settings, seats=tuple(seats), colours=colours), left_out, len(free))
