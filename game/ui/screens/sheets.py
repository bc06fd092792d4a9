"""Sheets over any screen: the rules, and the menu with the window's settings."""

from __future__ import annotations

from collections.abc import Callable

from game.text.face import needed_face
from game.ui.dress import paint_panel
from game.ui.layout import Rect, SheetPlaces, sheet_places
from game.ui.look import TEXT_SIZES
from game.ui.paint import Painter
from game.ui.screens.base import Desk, Screen
from game.ui.widgets import Action, Button, Choice, Switch, Widget
from game.words import LANGUAGES, _

LANGUAGE_NAMES = {"en": "English", "uk": "Українська", "ru": "Русский"}


class Rules(Screen):
    """The rules in short, a page at a time where they are too long for one."""

    sheet = True

    def __init__(self, desk: Desk, game: str = "evaluation") -> None:
        super().__init__(desk)
        self._face = needed_face(game)
        self._page = 0

    def paint(self, painter: Painter) -> None:
        """The sheet with its paragraphs."""
        palette, sizes = self.desk.palette, self.desk.sizes
        places = self._places()
        paint_panel(painter, places.sheet, palette, sizes)
        painter.words(self._face.title(), places.heading, sizes.large, palette.accent, bold=True)
        y = places.body.top
        pages = self._pages()
        for paragraph, height in pages[min(self._page, len(pages) - 1)]:
            y -= height
            room = Rect(places.body.x, y, places.body.width, height)
            painter.words(paragraph, room, sizes.body, palette.ink, wrap=True, across="top")
            y -= sizes.gap * 0.9

    def widgets(self) -> list[Widget]:
        """Back, and on where there is more."""
        places, gap = self._places(), self.desk.sizes.gap
        pages = len(self._pages())
        if pages == 1:
            return [Button("close", places.buttons.cut_right(240 * self.desk.sizes.unit)[0], _("Back"), "main", "Esc")]
        less, more, close = places.buttons.columns(3, gap)
        return [
            Button("less", less, _("Page before"), enabled=self._page > 0),
            Button("more", more, _("Next page"), enabled=self._page < pages - 1),
            Button("close", close, _("Back"), "main", "Esc"),
        ]

    def acted(self, action: Action) -> None:
        """Turns the page or goes back."""
        if action.name == "close":
            self.desk.back()
        else:
            self._page = max(0, self._page + (1 if action.name == "more" else -1))

    def key(self, key: str) -> bool:
        """Back with Escape, F1, Enter and space; arrows turn the page."""
        if key in ("escape", "f1", "enter", "space"):
            self.desk.back()
        elif key in ("left", "right", "up", "down", "pageup", "pagedown"):
            step = 1 if key in ("right", "down", "pagedown") else -1
            self._page = min(len(self._pages()) - 1, max(0, self._page + step))
        return True

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 860, 620)

    def _pages(self) -> list[list[tuple[str, float]]]:
        sizes, body = self.desk.sizes, self._places().body
        pages: list[list[tuple[str, float]]] = [[]]
        used = 0.0
        for paragraph in self._face.rules():
            height = self.desk.painter.measured(paragraph, sizes.body, wrap=body.width)[1]
            if pages[-1] and used + height > body.height:
                pages.append([])
                used = 0.0
            pages[-1].append((paragraph, height))
            used += height + sizes.gap * 0.9
        return pages


class Menu(Screen):
    """Settings, and the way out."""

    sheet = True

    def __init__(self, desk: Desk, leave: Callable[[], None] | None = None) -> None:
        super().__init__(desk)
        self._leave = leave

    def paint(self, painter: Painter) -> None:
        """The sheet and the names of the settings."""
        palette, sizes = self.desk.palette, self.desk.sizes
        places = self._places()
        paint_panel(painter, places.sheet, palette, sizes)
        painter.words(_("Menu"), places.heading, sizes.large, palette.accent, bold=True)
        for room, label in zip(self._rows(), (_("Language"), _("Letters")), strict=False):
            painter.words(label, room.cut_left(room.width * 0.26)[0], sizes.body, palette.soft)
        painter.words(self._keys(), self._rows()[4], sizes.small, palette.soft, wrap=True, across="top")

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

    def key(self, key: str) -> bool:
        """Escape goes back."""
        if key == "escape":
            self.desk.back()
        return True

    def _places(self) -> SheetPlaces:
        return sheet_places(self.desk.width, self.desk.height, self.desk.sizes, 720, 500)

    def _rows(self) -> list[Rect]:
        body, sizes = self._places().body, self.desk.sizes
        upper, rest = body.cut_top(min(sizes.row * 4 + sizes.gap * 3, body.height * 0.7), sizes.gap * 1.4)
        return [*upper.rows(4, sizes.gap), rest]

    def _keys(self) -> str:
        return _(
            "F1 rules · F2 language · F3 contrast · F4 and F5 letters · F6 sound · F11 full screen · Tab and arrows "
            "move between buttons, Enter presses them."
        )
