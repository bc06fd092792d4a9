"""What a game says of itself in words: for the terminal, for plain windows, and for whoever tells of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from game.catalogue import game_named, kit_of
from game.core import AnyGame, Event, Seat, filled_in
from game.words import _
from physics.errors import InputError

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody is asked."""

    text: str
    examples: tuple[tuple[str, str], ...] = ()  # what can be answered, and what that means
    notes: str = ""  # more about the answers, for who asks for help
    is_secret: bool = False  # whether the answer is for nobody else's eyes


class GameText(Protocol):
    """What the program asks of a game for people who read; views are the game's own, moves are its values."""

    def title(self) -> str:
        """The game's name for people."""

    def event(self, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
        """What to say of an event, perhaps nothing; the view is what is known after it.

        LookupError when it is no such event.
        """

    def public(self, view: Data, width: int, *, blocks: bool) -> list[str]:
        """What all may see, in characters, at most so many columns wide; with block elements if there are any."""

    def public_words(self, view: Data) -> str:
        """The same in sentences, for those who hear them."""

    def private(self, view: Data, seat: Seat) -> list[str]:
        """What only that seat may see, such as its hand; nothing where nothing is hidden. The view is that seat's."""

    def standing(self, view: Data, names: Sequence[str]) -> str:
        """How far the match is and what the score is, in a sentence."""

    def question(self, view: Data, seat: Seat, names: Sequence[str]) -> Question:
        """What that seat is asked now, or may say out of turn."""

    def parse(self, text: str, view: Data, names: Sequence[str]) -> Any:
        """The move that is meant, by whoever sees that view; InputError when the text is none."""

    def fits(self, text: str, view: Data) -> bool:
        """Whether the text begins like a move of this moment, rather than like one of the common commands."""

    def rules(self) -> list[str]:
        """The rules in short, a paragraph each."""


@runtime_checkable
class SpeltMoves(Protocol):
    """What a game's text may have besides: moves in the language in use, for the buttons of a plain window."""

    def spelt(self, move: Any, view: Data, names: Sequence[str]) -> str:
        """The move in words, for whoever sees that view."""


def spelt_move(game: AnyGame, text: GameText, move: Any, view: Data, names: Sequence[str]) -> str:
    """The move in the text's own words, or else as a log writes it."""
    return text.spelt(move, view, names) if isinstance(text, SpeltMoves) else game.write(move)


def text_of(game: str) -> GameText | None:
    """What that game says of itself, imported when first asked for; None when it says nothing."""
    text = kit_of(game).text
    return None if text is None else text()


def needed_text(game: str) -> GameText:
    """The same; InputError when people cannot play the game."""
    text = text_of(game)
    if text is None:
        raise InputError("The game {game} cannot be played by people in a terminal, only by bots.", game=game)
    return text


def secrecy(text: GameText, names: Sequence[str]) -> Callable[[Data, Seat], bool]:
    """Whether what that seat is asked, as it sees that view, is for nobody else's eyes."""
    return lambda view, seat: text.question(view, seat, names).is_secret


def title_of(game: str) -> str:
    """The game's name for people."""
    text = text_of(game)
    return game if text is None else text.title()


def sentence_of(game: str, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
    """What to say of an event: as the game's own words do, or as its rules do."""
    text = text_of(game)
    if text is not None:
        return text.event(kind, data, view, names)
    return filled_in(_(game_named(game).sentences[kind]), Event(kind, data))
