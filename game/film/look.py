"""How moments of a match look in replays and films: as the game itself has it, or else in the words for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from game.catalogue import kit_of
from game.film.boxes import TileBox
from game.text.game_text import GameText, text_of
from game.text.names import shown_names

WIDTH = 72  # columns of what all may see, where it is shown in characters

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """A moment as it looks, in whatever language."""

    boxes: tuple[TileBox, ...] = ()  # the tiles on the table; none: what all may see is shown in words
    scores: tuple[int, ...] = ()  # by seat; none: they are among the words
    gained: tuple[int, ...] = ()  # by seat, where somebody has just scored
    round: int = 0  # from 1; 0: the match has no rounds that are worth a mark on the time line


@dataclass(frozen=True, slots=True)
class Public:
    """What all may see of a moment, in the language in use."""

    standing: str = ""  # how far the match is and what the score is
    lines: tuple[str, ...] = ()  # the rest, drawn in characters of one width
    words: str = ""  # the same in sentences, where the lines have no room


class GameFilm(Protocol):
    """What a game brings for replays and films; views and events are the game's own, as spectators know them."""

    def picture(self, view: Data, events: Sequence[Data], lying: tuple[TileBox, ...]) -> Picture:
        """How it looks after these events. `lying`: the tiles of a fall that has just been seen; none without one."""

    def heading(self, view: Data) -> str:
        """Which part of the match it is, such as the round, in a few words."""

    def score(self, points: int) -> str:
        """So many points in words."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one match looks; words are in the language in use."""

    names: tuple[str, ...]  # of the players, as the match has them
    own: GameFilm | None  # None: the game brings none
    text: GameText | None

    def picture(self, view: Data, events: Sequence[Data], lying: tuple[TileBox, ...]) -> Picture:
        """See GameFilm."""
        return Picture() if self.own is None else self.own.picture(view, events, lying)

    def heading(self, view: Data) -> str:
        """See GameFilm."""
        return "" if self.own is None else self.own.heading(view)

    def score(self, points: int) -> str:
        """See GameFilm."""
        return str(points) if self.own is None else self.own.score(points)

    def public(self, view: Data) -> Public:
        """What all may see; empty where the game has no words for it."""
        if self.text is None:
            return Public()
        standing = self.text.standing(view, shown_names(self.names))
        return Public(standing, tuple(self.text.public(view, WIDTH, blocks=True)), self.text.public_words(view))


def look_of(game: str, names: tuple[str, ...]) -> Look:
    """How a match of that game between these players looks."""
    film = kit_of(game).film
    return Look(names, None if film is None else film(), text_of(game))
