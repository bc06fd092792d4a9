"""How each game shows itself in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from game.catalogue import game_named, kit_of
from game.core import Event, Seat, told
from game.words import _
from physics.errors import InputError

Data = Mapping[str, Any]


class Face(Protocol):
    """What the player in a terminal and the teller of logs ask of a game; views and states are the game's own."""

    def title(self) -> str:
        """The game's name for people."""

    def sentence(self, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
        """What to say of an event, perhaps nothing; the view is what is known after it.

        LookupError when it is no such event.
        """

    def picture(self, view: Data, width: int, *, blocks: bool) -> list[str]:
        """The table in characters, at most so many columns wide; with block elements if the terminal has them."""

    def words(self, view: Data) -> str:
        """The table in sentences, for those who hear them."""

    def standing(self, view: Data, names: Sequence[str]) -> str:
        """The round and the score, in a sentence."""

    def question(self, view: Data, seat: Seat, name: str) -> str:
        """What that seat is asked now."""

    def is_secret(self, view: Data) -> bool:
        """Whether the answer is for nobody else's eyes."""

    def examples(self, view: Data) -> list[tuple[str, str]]:
        """What can be answered, and what it means."""

    def read(self, text: str, state: Any, names: Sequence[str]) -> Any:
        """The move that is meant; InputError when the text is none."""

    def fits(self, text: str, view: Data) -> bool:
        """Whether the text begins like a move of this moment, rather than like one of the common commands."""

    def rules(self) -> list[str]:
        """The rules in short, a paragraph each."""


def face_of(game: str) -> Face | None:
    """How that game is told and played in words; None when it brings no words of its own."""
    text = kit_of(game).text
    return None if text is None else text()


def needed_face(game: str) -> Face:
    """The face of that game; InputError when people cannot play it in a terminal."""
    face = face_of(game)
    if face is None:
        raise InputError("The game {game} cannot be played by people in a terminal, only by bots.", game=game)
    return face


def title_of(game: str) -> str:
    """The game's name for people."""
    face = face_of(game)
    return game if face is None else face.title()


def sentence_of(game: str, kind: str, data: Data, view: Data, names: Sequence[str]) -> str:
    """What to say of an event: as the game's face says it, or as its rules do."""
    face = face_of(game)
    if face is not None:
        return face.sentence(kind, data, view, names)
    return told(_(game_named(game).sentences[kind]), Event(kind, data))
