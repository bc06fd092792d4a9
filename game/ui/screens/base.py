"""What every screen is, and what all of them share: the desk they lie on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from game.pictures.theme import CONTRAST, TEXT_SIZES, WARM, Palette, Sizes, seated, sizes_for
from game.sound.strikes import Strike
from game.ui.saved import usual_game
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Action, Focus, Widget
from game.words import LANGUAGES, use

LEFT, MIDDLE, RIGHT = "left", "middle", "right"
MAX_FRAME_TIME = 0.1  # s: after a hitch a match or a replay goes on where it was


class Sounds(Protocol):
    """What is heard. Each call begins a sound and returns at once."""

    def place(self) -> None:
        """A tile is set down."""

    def strikes(self, heard: Sequence[tuple[float, Strike]]) -> None:
        """Tiles are struck or land, each so many seconds from now."""

    def tick(self) -> None:
        """A word of the countdown."""

    def flip(self) -> None:
        """The tokens turn over."""


@dataclass(slots=True)
class Desk:
    """How the window is set now, and the way from screen to screen."""

    painter: Painter
    language: str = "en"
    text_size: int = 0  # an index
    contrast: bool = False
    muted: bool = False
    colours: tuple[int, ...] = ()  # of the players of the present match, by seat
    game: str = field(default_factory=usual_game)  # that is played or chosen: whose rules are shown
    width: float = 1280.0
    height: float = 800.0
    stack: list[Screen] = field(default_factory=list)  # the last one is on top and has the keyboard
    changed: Callable[[], None] = lambda: None  # the settings are others now
    quit: Callable[[], None] = lambda: None

    @property
    def palette(self) -> Palette:
        """The colours, those of the players as they were chosen."""
        return seated(CONTRAST if self.contrast else WARM, self.colours)

    @property
    def sizes(self) -> Sizes:
        """The lengths."""
        return sizes_for(self.width, self.height, TEXT_SIZES[self.text_size])

    @property
    def top(self) -> Screen:
        """The screen that has the keyboard."""
        return self.stack[-1]

    def show(self, screen: Screen) -> None:
        """That screen alone from now on."""
        for old in reversed(self.stack):
            old.closed()
        self.stack[:] = [screen]

    def over(self, screen: Screen) -> None:
        """That screen over the present one."""
        self.stack.append(screen)

    def back(self) -> None:
        """Away with the upper screen."""
        if len(self.stack) > 1:
            self.stack.pop().closed()

    def set_language(self, language: str) -> None:
        """Speaks that language at once."""
        self.language = language
        use(language)
        self.changed()

    def next_language(self) -> None:
        """The next of the languages."""
        self.set_language(LANGUAGES[(LANGUAGES.index(self.language) + 1) % len(LANGUAGES)])

    def set_text_size(self, size: int) -> None:
        """Larger or smaller letters, within what there is."""
        self.text_size = min(len(TEXT_SIZES) - 1, max(0, size))
        self.changed()

    def set_contrast(self, contrast: bool) -> None:
        """Strong contrast, or warm colours."""
        self.contrast = contrast
        self.changed()

    def set_muted(self, muted: bool) -> None:
        """Without a sound, or with."""
        self.muted = muted
        self.changed()


class Screen:
    """One screen. Does nothing by itself; the window asks it for its widgets and tells it what people do."""

    sheet = False  # whether it lies over another one, which stays visible

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.focus = Focus()

    def update(self, seconds: float) -> None:
        """So much time has gone by."""

    def scene_key(self) -> object:
        """What `scene` would draw, to compare."""
        return None

    def scene(self) -> None:
        """Draws what lies under everything flat."""

    def paint(self, painter: Painter) -> None:
        """Paints what lies under the widgets."""

    def paint_over(self, painter: Painter) -> None:
        """Paints what lies over the widgets."""

    def widgets(self) -> list[Widget]:
        """What can be pressed now."""
        return []

    def acted(self, action: Action) -> None:
        """Somebody has used a widget."""

    def key(self, key: str) -> bool:
        """A key that no widget wanted, by its name, with shift+ or ctrl+ before it; whether it meant something."""
        return False

    def menu(self) -> Screen | None:
        """Its own menu in place of the usual one, where it has more to offer."""
        return None

    def pressed(self, x: float, y: float, button: str) -> None:
        """The mouse was pressed where no widget is."""

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """The mouse was moved while pressed, and not on a widget."""

    def released(self, x: float, y: float, button: str) -> None:
        """The mouse was let go after such a press."""

    def hovered(self, x: float, y: float) -> None:
        """The mouse is there."""

    def wheel(self, x: float, y: float, notches: float) -> None:
        """The wheel was turned, away from the person above 0."""

    def closed(self) -> None:
        """It is not shown any more."""
