"""Sheets over any screen: the rules, and the menu with the window's settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from game.pictures.theme import TEXT_SIZES, Palette, Sizes
from game.text.game_text import needed_text
from game.ui.match_window import window_of
from game.ui.screens.base import Desk, Screen
from game.ui.toolkit.layout import Rect, SheetPlaces, sheet_places
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.scroll import Scroll
from game.ui.toolkit.widget_paint import paint_panel
from game.ui.toolkit.widgets import Action, Button, Choice, Switch, Widget
from game.words import LANGUAGES, _

LANGUAGE_NAMES = {"en": "English", "uk": "Українська", "ru": "Русский"}
BESIDE = 2  # of what else can be done, side by side in the menu


@dataclass(frozen=True, slots=True)
class Item:
    """A paragraph of the rules, or a heading over some."""

    text: str
    is_heading: bool = False


class Rules(Screen):
    """The rules, and what mouse and keys do; it scrolls where the window is too small for all of it."""

    sheet = True

    def __init__(self, desk: Desk, game: str = "") -> None:
        """Of that game, or of the one that is played at the desk."""
        super().__init__(desk)
        game = game or desk.game
        self._text, self._controls = needed_text(game), window_of(game).controls
        self._scroll = Scroll()

    def paint(self, painter: Painter) -> None:
        """The sheet with its paragraphs."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        paint_sheet(painter, places.sheet, palette, sizes)
        painter.words(self._text.title(), places.heading, sizes.large, palette.accent, bold=True)
        items, heights = self.items(), self._heights()
        seen = self._seen()
        body = self._text_room()
        y = body.top
        for item, height in zip(items[seen.start : seen.stop], heights[seen.start : seen.stop], strict=True):
            y -= height
            room = Rect(body.x, y, body.width, height)
            ink = palette.accent if item.is_heading else palette.ink
            painter.words(item.text, room, sizes.body, ink, bold=item.is_heading, wrap=True, across="top")
            y -= self._gap
        paint_scroll(painter, palette, sizes, places.body, seen, len(items))

    def widgets(self) -> list[Widget]:
        """Back, and up and down where there is more."""
        places, gap = self._places(), self.desk.sizes.gap
        seen, count = self._seen(), len(self.items())
        if len(seen) == count:
            return [Button("close", places.buttons.cut_right(240 * self.desk.sizes.unit)[0], _("Back"), "main", "Esc")]
        up, down, close = places.buttons.columns(3, gap)
        return [
            Button("up", up, _("Up"), key="↑", enabled=seen.start > 0),
            Button("down", down, _("Down"), key="↓", enabled=seen.stop < count),
            Button("close", close, _("Back"), "main", "Esc"),
        ]

    def acted(self, action: Action) -> None:
        """Goes on, or back to where one came from."""
        if action.name == "close":
            self.desk.back()
        else:
            self._scroll.key("pagedown" if action.name == "down" else "pageup", len(self._seen()))

    def key(self, key: str) -> bool:
        """Back with Escape, F1, Enter and space; arrows, page keys, home and end scroll."""
        if key in ("escape", "f1", "enter", "space"):
            self.desk.back()
        else:
            self._scroll.key(key, len(self._seen()))
        return True

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Scrolls."""
        self._scroll.wheel(notches)

    def texts(self) -> set[str]:
        """The paragraphs that are seen now."""
        items, seen = self.items(), self._seen()
        return {item.text for item in items[seen.start : seen.stop]}

    @property
    def _gap(self) -> float:
        return self.desk.sizes.gap * 0.9

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 900, 720)

    def _text_room(self) -> Rect:
        """Beside it is the bar that shows how far one is."""
        return self._places().body.cut_right(self.desk.sizes.gap * 2.2)[1]

    def items(self) -> list[Item]:
        """All paragraphs, in the language in use."""
        hands = [*self._controls(), keys_in_words()]
        return [
            *(Item(text) for text in self._text.rules()),
            Item(_("Mouse and keys"), is_heading=True),
            *(Item(text) for text in hands),
        ]

    def _heights(self) -> list[float]:
        painter, size, width = self.desk.painter, self.desk.sizes.body, self._text_room().width
        return [painter.measured(each.text, size, bold=each.is_heading, wrap=width)[1] for each in self.items()]

    def _seen(self) -> range:
        return self._scroll.shown(self._heights(), self._text_room().height, self._gap)


def paint_sheet(painter: Painter, rect: Rect, palette: Palette, sizes: Sizes) -> None:
    """A panel that nothing shines through."""
    paint_panel(painter, rect, replace(palette, panel=(*palette.panel[:3], 255)), sizes)


def paint_scroll(painter: Painter, palette: Palette, sizes: Sizes, room: Rect, seen: range, count: int) -> None:
    """A bar at the right edge that shows which part of a list is seen; nothing when it is all of it."""
    if len(seen) >= count:
        return
    bar = room.cut_right(sizes.gap * 0.7)[0]
    painter.rect(bar, palette.raised, bar.width / 2)
    high = bar.height * len(seen) / count
    low = bar.top - bar.height * seen.start / count - high
    painter.rect(Rect(bar.x, low, bar.width, high), palette.accent, bar.width / 2)


def keys_in_words() -> str:
    """The keys that mean the same on every screen."""
    return _(
        "F1 rules · F2 language · F3 contrast · F4 and F5 text size · F6 sound · F11 full screen · Tab and arrows "
        "move between buttons, Enter presses them."
    )


@dataclass(frozen=True, slots=True)
class More:
    """Something else that can be done now."""

    label: Callable[[], str]  # in the language in use: it is chosen in the same menu
    do: Callable[[], None]
    tip: str = ""


class Menu(Screen):
    """Settings, and the way out."""

    sheet = True

    def __init__(self, desk: Desk, leave: Callable[[], None] | None = None, more: Sequence[More] = ()) -> None:
        super().__init__(desk)
        self._leave, self._more = leave, more

    def paint(self, painter: Painter) -> None:
        """The sheet and the names of the settings."""
        palette, sizes = self.desk.palette, self.desk.sizes
        places = self._places()
        paint_sheet(painter, places.sheet, palette, sizes)
        painter.words(_("Menu"), places.heading, sizes.large, palette.accent, bold=True)
        for room, label in zip(self._rows(), (_("Language"), _("Text size")), strict=False):
            painter.words(label, room.cut_left(room.width * 0.26)[0], sizes.body, palette.soft)
        painter.words(keys_in_words(), self._rows()[-1], sizes.small, palette.soft, wrap=True, across="top")

    def widgets(self) -> list[Widget]:
        """Language, letters, contrast, sound; back and out."""
        desk = self.desk
        rows, gap = self._rows(), desk.sizes.gap
        beside = [room.cut_left(room.width * 0.26, gap)[1] for room in rows]
        sizes = tuple(str(number) for number in range(len(TEXT_SIZES)))
        found: list[Widget] = [
            Choice("language", beside[0], LANGUAGES, tuple(LANGUAGE_NAMES[each] for each in LANGUAGES), desk.language),
            Choice(
                "letters", beside[1], sizes, tuple(f"{size * 100:.0f} %" for size in TEXT_SIZES), str(desk.text_size)
            ),
            Switch("contrast", rows[2], _("High contrast"), desk.contrast),
            Switch("sound", rows[3], _("Sound"), not desk.muted),
        ]
        for number, more in enumerate(self._more):
            line, column = divmod(number, BESIDE)
            room = rows[4 + line].columns(min(BESIDE, len(self._more)), gap)[column]
            found.append(Button(f"more{number}", room, more.label(), tip=more.tip))
        cells = self._places().buttons.columns(3, gap)
        found.append(Button("rules", cells[0], _("Rules"), key="F1"))
        if self._leave is not None:
            found.append(Button("leave", cells[1], _("Leave"), tip=_("The match is kept and can be continued.")))
        else:
            found.append(Button("quit", cells[1], _("Quit")))
        found.append(Button("close", cells[2], _("Back"), "main", "Esc"))
        return found

    def acted(self, action: Action) -> None:
        """Changes the setting at once."""
        desk = self.desk
        match action.name, action.value:
            case "language", str(language):
                desk.set_language(language)
            case "letters", str(size):
                desk.set_text_size(int(size))
            case "contrast", bool(contrast):
                desk.set_contrast(contrast)
            case "sound", bool(sound):
                desk.set_muted(not sound)
            case "rules", _value:
                desk.back()
                desk.over(Rules(desk))
            case "leave", _value if self._leave is not None:
                desk.back()
                self._leave()
            case "quit", _value:
                desk.quit()
            case "close", _value:
                desk.back()
            case str(name), _value if name.startswith("more"):
                desk.back()
                self._more[int(name[4:])].do()

    def key(self, key: str) -> bool:
        """Escape goes back."""
        if key == "escape":
            self.desk.back()
        return True

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 720, 500 + 52 * self._lines)

    @property
    def _lines(self) -> int:
        """Of what else can be done."""
        return -(-len(self._more) // BESIDE)

    def _rows(self) -> list[Rect]:
        body, sizes = self._places().body, self.desk.sizes
        count = 4 + self._lines
        upper, rest = body.cut_top(
            min(sizes.row * count + sizes.gap * (count - 1), body.height * 0.76), sizes.gap * 1.4
        )
        return [*upper.rows(count, sizes.gap), rest]
