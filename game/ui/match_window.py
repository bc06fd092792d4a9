"""What a game's own window is made of, and the plain one of games that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from game.catalogue import kit_of
from game.pictures.theme import Palette, Sizes
from game.ui.match_control import MatchControl
from game.ui.screens.base import Desk, Screen, Sounds
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter
from game.ui.view3d.tableview import TableView
from game.words import N_, _, number, plural

Control = TypeVar("Control", bound=MatchControl)


@dataclass(frozen=True, slots=True)
class Around:
    """What the screen of a match is given beside its match."""

    desk: Desk
    view: TableView
    sounds: Sounds
    guided: bool  # whether newcomers are told what to do
    leave: Callable[[], None]  # back to the start
    ended: Callable[[], None]  # on to what comes after the match
    closed: Callable[[], None]  # the screen is not shown any more: the match is to be closed


def in_points(score: float) -> str:
    """A score in words."""
    if score == int(score):
        return plural("{count} point", "{count} points", int(score))
    return _("{score} points").format(score=number(score))


@dataclass(frozen=True, slots=True)
class MatchWindow(Generic[Control]):
    """How a game is played in a window."""

    control: type[Control]  # joins people and bots with the session
    screen: Callable[[Control, Around], Screen]  # of a match; InputError when people cannot play it there
    in_words: Callable[[float], str] = in_points  # a score
    heading: str = N_("points")  # over a column of scores, in English
    controls: Callable[[], Sequence[str]] = tuple  # what mouse and keys do at that screen, a paragraph each
    emblem: Callable[[Painter, Palette, Sizes, Rect], None] | None = None  # paints what stands for it before a match
    has_guide: bool = False  # whether the screen can lead newcomers through the first round


def window_of(game: str) -> MatchWindow[Any]:
    """The window of that game, imported when it is first asked for; the plain one where it has none of its own."""
    own = kit_of(game).window
    if own is not None:
        return own()
    from game.ui.screens.plain_match import PLAIN

    return PLAIN
