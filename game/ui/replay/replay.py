"""A log in the window: the table, what happened in words, and a time line to go along.

Of a game without tiles on the table, or without a film of its own, what all may see is written in the table's place.
"""

from __future__ import annotations

from collections.abc import Callable

from game.film.boxes import TileBox
from game.film.film import Film, Shot, Telling, stepped
from game.film.look import Public
from game.pictures.theme import SIGNS
from game.ui.replay.speeds import SPEED, SPEED_KEYS, other_speed, speed_buttons
from game.ui.screens.base import LEFT, MAX_FRAME_TIME, Desk, Screen, Sounds
from game.ui.screens.sheets import Menu
from game.ui.toolkit.layout import DockPlaces, MatchPlaces, Rect, dock_places, match_places
from game.ui.toolkit.match_paint import paint_points, paint_public, paint_sentence
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Action, Button, Slider, Widget
from game.ui.view3d.tableview import TableView
from game.words import _, figures, language_in_use

NUDGE = 0.05  # s of an arrow key
NAMES = {
    ",": "back",
    ".": "on",
    "[": "round_back",
    "]": "round_on",
    "space": "play",
    "enter": "play",
    "escape": "leave",
    "v": "plan",
    "h": "whole",
}
EYE_KEYS = ("v", "h")  # mean nothing where no tiles are shown


class Replay(Screen):
    """See the module; `leave` leads back to where it was opened."""

    def __init__(
        self,
        desk: Desk,
        film: Film,
        view: TableView,
        sounds: Sounds,
        leave: Callable[[], None],
        *,
        can_leave: bool = True,
    ) -> None:
        super().__init__(desk)
        self.film, self.t, self.is_playing, self.speed = film, 0.0, True, 1.0
        self._moments, self._rounds = film.moments, film.rounds
        self._telling, self._language = film.tell(), language_in_use()
        self._view, self._sounds, self._leave, self._can_leave = view, sounds, leave, can_leave
        self._room: Rect | None = None
        self._shot = -1
        self._written: tuple[tuple[float, str], Public] | None = None
        self._shown: tuple[float, tuple[TileBox, ...]] | None = None  # the tiles at the moment that was shown last
        view.by_hand = False

    # Time

    def update(self, seconds: float) -> None:
        """The film goes on."""
        seconds = min(seconds, MAX_FRAME_TIME)
        before = self.t
        if self.is_playing:
            self.t = self.film.later(self.t, seconds * self.speed)
            self.is_playing = self.t < self.film.lasts
        self._look(seconds)
        if self.t > before and not self.desk.muted:
            self._sound(before)
        self._view.update(seconds)

    def _look(self, seconds: float) -> None:
        """The eye is led to every new row, and goes with every wave."""
        room = self._places().view
        index = self.film.index(self.t)
        shot = self.film.shots[index]
        if room != self._room or index != self._shot:
            is_first = self._room is None or room != self._room
            self._view.room = self._room = room
            self._shot = index
            if not self._view.by_hand:
                self._view.show(shot.boxes, 0.0 if is_first else 0.5)
        if shot.playback is not None:
            self._view.follow(shot.playback, shot.moment(self.t), seconds)

    def _sound(self, before: float) -> None:
        self._sounds.strikes([(delay / self.speed, strike) for delay, strike in self.film.heard(before, self.t)])
        if self.film.is_placed(before, self.t):
            self._sounds.place()

    def telling(self) -> Telling:
        """What is said, in the language in use."""
        if self._language != language_in_use():
            self._telling, self._language = self.film.tell(), language_in_use()
        return self._telling

    # What is shown

    def scene_key(self) -> object:
        """Eye and tiles."""
        return self._view.room, self._view.orbit, self._view.is_moving, self._boxes(), self.desk.contrast

    def scene(self) -> None:
        """The table at that moment."""
        boxes = self._boxes()
        if boxes:
            self._view.draw(boxes, (), contrast=self.desk.contrast)

    def _boxes(self) -> tuple[TileBox, ...]:
        """The tiles at that moment, made once for all that ask for them."""
        if self._shown is None or self._shown[0] != self.t:
            self._shown = self.t, self.film.boxes(self.t)
        return self._shown[1]

    def paint(self, painter: Painter) -> None:
        """Players with what they have, and the sentences."""
        palette, sizes, places, telling = self.desk.palette, self.desk.sizes, self._places(), self.telling()
        shot = self.film.shots[self.film.index(self.t)]
        painter.rect(Rect(0, places.view.top, self.desk.width, self.desk.height - places.view.top), palette.table)
        painter.rect(places.dock, palette.table)
        if not telling.names:
            painter.words(telling.title, places.cards[0], sizes.large, palette.ink, bold=True)
        for seat, name in enumerate(telling.names):
            rect = places.cards[seat]
            painter.rect(rect, palette.panel, sizes.radius, palette.line, 1)
            room = rect.inset(sizes.gap * 0.6, sizes.gap * 0.3)
            spot, room = room.cut_left(room.height * 0.62, sizes.gap * 0.5)
            painter.sign(SIGNS[seat], *spot.middle, spot.width * 0.44, palette.players[seat])
            self._paint_player(painter, room, seat, name, shot)
        heading = "" if self.film.look is None else self.film.look.heading(shot.view)
        painter.words(heading, places.round, sizes.small, palette.soft, align="center")
        if not shot.boxes:
            public = self._public(shot)
            paint_public(painter, palette, sizes, places.view, public.standing, public.lines, public.words)
        paint_sentence(painter, palette, sizes, places, telling.lines(self.t))
        clock, _speeds = self._upper()
        words = _("{now} of {whole} s").format(now=figures(f"{self.t:.1f}"), whole=figures(f"{self.film.lasts:.1f}"))
        painter.words(words, clock, sizes.body, palette.soft)

    def _paint_player(self, painter: Painter, room: Rect, seat: int, name: str, shot: Shot) -> None:
        """Who it is and, where the game says so apart from its words, how much that player has."""
        palette, sizes, picture, look = self.desk.palette, self.desk.sizes, shot.picture, self.film.look
        if look is None or seat >= len(picture.scores):
            painter.words(name, room, sizes.body, palette.ink)
            return
        upper, lower = room.rows(2)
        painter.words(name, upper, sizes.body, palette.ink)
        points, gained = picture.scores[seat], picture.gained[seat] if seat < len(picture.gained) else 0
        paint_points(painter, palette, sizes, lower, look.score(points), points, gained)

    def _public(self, shot: Shot) -> Public:
        """What is shown in place of tiles, in the language in use; made once for all frames that show it."""
        key = shot.begins, language_in_use()
        if self._written is None or self._written[0] != key:
            look = self.film.look
            self._written = key, Public() if look is None else look.public(shot.view)
        return self._written[1]

    def paint_over(self, painter: Painter) -> None:
        """Beside the time line: who scored, where rounds begin, and under it where a fall is slow."""
        palette, sizes, line = self.desk.palette, self.desk.sizes, self._line()
        track, half = line.track(), sizes.small * 0.46
        for begins, ends in self.film.slow:
            first, last = (track.x + track.width * t / self.film.lasts for t in (begins, ends))
            room = Rect(first, track.y - 5 * sizes.unit, max(3 * sizes.unit, last - first), 3 * sizes.unit)
            painter.rect(room, palette.accent, room.height / 2)
        for t, gained in self.film.scores:
            seats = [seat for seat, gain in enumerate(gained) if gain]
            middle = track.x + track.width * t / self.film.lasts
            first = min(middle - half * 1.1 * (len(seats) - 1), track.right - half * 2.2 * (len(seats) - 1))
            for number, seat in enumerate(seats):
                x, y = first + number * half * 2.2, line.rect.top + half * 0.7
                painter.sign(SIGNS[seat], x, y, half, palette.players[seat], palette.table, 1)
        for t, number in self._rounds if len(self._rounds) > 1 else ():
            x = track.x + track.width * t / self.film.lasts
            room = Rect(x - sizes.gap, line.rect.y - sizes.small, sizes.gap * 2, sizes.small * 1.5)
            painter.words(str(number), room, sizes.small, palette.soft, align="center")

    def _line(self) -> Slider:
        track = self._dock().tray.rows(2)[1]
        track = track.centred(track.width, min(track.height, self.desk.sizes.row * 0.7))
        return Slider("film", track, self.t, 0.0, self.film.lasts, NUDGE, self.film.pushes)

    def _upper(self) -> tuple[Rect, Rect]:
        """Over the time line: the clock, and the choice of speeds."""
        sizes = self.desk.sizes
        upper = self._dock().tray.rows(2)[0]
        upper = upper.cut_top(min(upper.height, sizes.row * 0.85))[0]
        speeds, clock = upper.cut_right(min(230 * sizes.unit, upper.width * 0.5), sizes.gap)
        return clock, speeds

    def widgets(self) -> list[Widget]:
        """The time line and its buttons."""
        places, dock = self._places(), self._dock()
        stop = _("Stop") if self.is_playing else _("Go")
        main = dock.main.columns(2, self.desk.sizes.gap)
        plan, whole, _undo = places.tools
        above = _("From the chair") if self._view.is_plan else _("Top view")
        eye = (Button("plan", plan, above, "quiet", "V"), Button("whole", whole, _("Whole row"), "quiet", "H"))
        return [
            self._line(),
            *speed_buttons(self._upper()[1], self.speed, self.desk.sizes.gap * 0.3),
            *self._step_buttons(dock),
            Button("play", main[0], stop, "main", _("Space")),
            Button("leave", main[1], _("Back") if self._can_leave else _("Close"), key="Esc"),
            *(eye if self._has_tiles() else ()),
            Button("menu", places.menu[1], "☰", "quiet", "F10", tip=_("Menu")),
        ]

    def _step_buttons(self, dock: DockPlaces) -> list[Widget]:
        first, last = dock.keys[0], dock.keys[-1]
        room = Rect(first.x, first.y, last.right - first.x, first.height)
        has_rounds = len(self._rounds) > 1
        places = room.columns(4 if has_rounds else 2, self.desk.sizes.gap * 0.6)
        back, on = places[len(places) // 2 - 1 : len(places) // 2 + 1]
        found = [
            Button("back", back, "◀", tip=_("The moment before")),
            Button("on", on, "▶", tip=_("The next moment")),
        ]
        if has_rounds:
            found.insert(0, Button("round_back", places[0], "◀◀", key="[", tip=_("The round before")))
            found.append(Button("round_on", places[-1], "▶▶", key="]", tip=_("The next round")))
        return [*found]

    # What people do

    def acted(self, action: Action) -> None:
        """Goes along the time line."""
        rounds = tuple(t for t, _number in self._rounds) or (0.0,)
        match action.name:
            case "film" if isinstance(action.value, float):
                self._go(action.value)
            case "back":
                self._go(stepped(self._moments, self.t, -1))
            case "on":
                self._go(stepped(self._moments, self.t, 1))
            case "round_back":
                self._go(stepped(rounds, self.t, -1))
            case "round_on":
                self._go(stepped((*rounds, self.film.lasts), self.t, 1))
            case name if name.startswith(SPEED):
                self.speed = float(name.removeprefix(SPEED))
            case "play":
                self._toggle()
            case "leave":
                self._leave()
            case "plan":
                self._view.toggle_plan(self.film.boxes(self.t))
            case "whole":
                self._view.by_hand = False
                self._view.show(self.film.boxes(self.t))
            case "menu":
                self.desk.over(Menu(self.desk))

    def key(self, key: str) -> bool:
        """The same by keys; arrows go along in small steps."""
        if key in NAMES and (self._has_tiles() or key not in EYE_KEYS):
            self.acted(Action(NAMES[key]))
        elif key in SPEED_KEYS:
            self.speed = other_speed(self.speed, SPEED_KEYS[key])
        elif key in ("left", "right"):
            self._go(self.t + (NUDGE if key == "right" else -NUDGE))
        elif key in ("home", "end"):
            self._go(0.0 if key == "home" else self.film.lasts)
        else:
            return self._has_tiles() and self._view.key(key, ())
        return True

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """Turns the eye."""
        self._view.drag(dx, dy, pan=button != LEFT)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Zooms."""
        self._view.zoom(notches)

    def _has_tiles(self) -> bool:
        """Whether tiles are shown now, and an eye over them."""
        return bool(self.film.shots[self.film.index(self.t)].boxes)

    def _go(self, t: float) -> None:
        """To that time, and stops there."""
        self.t, self.is_playing = min(self.film.lasts, max(0.0, t)), False

    def _toggle(self) -> None:
        if not self.is_playing and self.t >= self.film.lasts:
            self.t = 0.0
        self.is_playing = not self.is_playing

    def _places(self) -> MatchPlaces:
        return match_places(self.desk.width, self.desk.height, self.desk.sizes, max(1, len(self.film.names)))

    def _dock(self) -> DockPlaces:
        return dock_places(self._places().dock, self.desk.sizes)
