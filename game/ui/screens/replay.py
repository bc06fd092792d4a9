"""A log in the window: the table, what happened in words, and a time line to go along."""

from __future__ import annotations

from collections.abc import Callable

from game.ui.film import Film
from game.ui.layout import DockPlaces, MatchPlaces, Rect, dock_places, match_places
from game.ui.look import SIGNS
from game.ui.paint import Painter
from game.ui.screens.base import LEFT, Desk, Screen, Sounds
from game.ui.screens.match_paint import paint_chips, paint_sentence
from game.ui.screens.sheets import Menu
from game.ui.tableview import TableView
from game.ui.widgets import Action, Button, Slider, Widget
from game.words import _

SPEEDS = (0.25, 0.5, 1.0, 2.0)


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
        self._view, self._sounds, self._leave, self._can_leave = view, sounds, leave, can_leave
        self._room: Rect | None = None
        self._shot = -1
        view.by_hand = False

    def update(self, seconds: float) -> None:
        """The film goes on."""
        seconds = min(seconds, 0.1)
        before = self.t
        if self.is_playing:
            self.t = min(self.film.lasts, self.t + seconds * self.speed)
            self.is_playing = self.t < self.film.lasts
        self._follow(before)
        self._view.update(seconds)

    def _follow(self, before: float) -> None:
        room = self._places().view
        index = self.film.index(self.t)
        shot = self.film.shots[index]
        if room != self._room or index != self._shot:
            is_first = self._room is None or room != self._room
            self._view.room = self._room = room
            self._shot = index
            if not self._view.by_hand:
                self._view.show_boxes(shot.boxes, 0.0 if is_first else 0.5)
        if shot.playback is not None and self.t > before and not self.desk.muted:
            start = shot.playback.start - shot.begins
            for strike in shot.playback.struck_between(before + start, self.t + start):
                self._sounds.strike(strike, shot.boxes[strike.tile].size[2])

    def scene_key(self) -> object:
        """Eye and tiles."""
        return self.view_key(), self.film.boxes(self.t), self.desk.contrast

    def view_key(self) -> object:
        """Where the eye is."""
        return self._view.room, self._view.orbit

    def scene(self) -> None:
        """The table at that moment."""
        self._view.draw(self.film.boxes(self.t), (), contrast=self.desk.contrast)

    def paint(self, painter: Painter) -> None:
        """Players with their chips, and the sentences."""
        palette, sizes, places = self.desk.palette, self.desk.sizes, self._places()
        shot = self.film.shots[self.film.index(self.t)]
        painter.rect(Rect(0, places.view.top, self.desk.width, self.desk.height - places.view.top), palette.table)
        painter.rect(places.dock, palette.table)
        if not self.film.names:
            painter.words(self.film.title, places.cards[0], sizes.large, palette.ink, bold=True)
        for seat, name in enumerate(self.film.names):
            rect = places.cards[seat]
            painter.rect(rect, palette.panel, sizes.radius, palette.line, 1)
            room = rect.inset(sizes.gap * 0.6, sizes.gap * 0.3)
            spot, room = room.cut_left(room.height * 0.62, sizes.gap * 0.5)
            painter.sign(SIGNS[seat], *spot.middle, spot.width * 0.44, palette.players[seat])
            upper, lower = room.rows(2)
            painter.words(name, upper, sizes.body, palette.ink)
            paint_chips(painter, palette, sizes, lower, shot.chips[seat])
        if shot.round:
            words = _("Round {round}").format(round=shot.round)
            painter.words(words, places.round, sizes.small, palette.soft, align="center")
        paint_sentence(painter, palette, sizes, places, self._lines())
        clock = f"{self.t:.1f} / {self.film.lasts:.1f} s"
        upper = self._dock().tray.rows(2)[0]
        painter.words(clock, upper, sizes.body, palette.soft)
        painter.words(f"×{self.speed:g}", upper, sizes.body, palette.soft, align="right")

    def _lines(self) -> tuple[str, ...]:
        index = self.film.index(self.t)
        found: list[str] = []
        for shot in reversed(self.film.shots[: index + 1]):
            found[:0] = shot.words
            if len(found) > 1:
                break
        return tuple(found)

    def widgets(self) -> list[Widget]:
        """The time line and its buttons."""
        places, dock = self._places(), self._dock()
        track = dock.tray.rows(2)[1]
        track = track.centred(track.width, min(track.height, self.desk.sizes.row * 0.8))
        stop = _("Stop") if self.is_playing else _("Go")
        back, on, slow, fast = dock.keys
        parts = dock.main.columns(2, self.desk.sizes.gap)
        plan, whole, _undo = places.tools
        above = _("From the chair") if self._view.is_plan else _("From above")
        found: list[Widget] = [
            Slider("film", track, self.t, 0.0, self.film.lasts, 0.05, self.film.falls),
            Button("back", back, "◀", key=",", tip=_("The step before")),
            Button("on", on, "▶", key=".", tip=_("The next step")),
            Button("slow", slow, "−", key="-", tip=_("Slower")),
            Button("fast", fast, "+", key="+", tip=_("Faster")),
            Button("play", parts[0], stop, "main", _("Space")),
            Button("leave", parts[1], _("Back") if self._can_leave else _("Close"), key="Esc"),
            Button("plan", plan, above, "quiet", "V"),
            Button("whole", whole, _("Whole row"), "quiet", "H"),
            Button("menu", places.menu[1], "☰", "quiet", "F10", tip=_("Menu")),
        ]
        return found

    def acted(self, action: Action) -> None:
        """Goes along the time line."""
        match action.name:
            case "film" if isinstance(action.value, float):
                self.t, self.is_playing = action.value, False
            case "back":
                self._step(-1)
            case "on":
                self._step(1)
            case "slow":
                self._pace(-1)
            case "fast":
                self._pace(1)
            case "play":
                self._toggle()
            case "leave":
                self._leave()
            case "plan":
                self._view.toggle_plan_boxes(self.film.boxes(self.t))
            case "whole":
                self._view.by_hand = False
                self._view.show_boxes(self.film.boxes(self.t))
            case "menu":
                self.desk.over(Menu(self.desk))

    def key(self, key: str) -> bool:
        """The same by keys; arrows go along in small steps."""
        names = {",": "back", ".": "on", "-": "slow", "+": "fast", "shift++": "fast", "space": "play", "enter": "play",
                 "escape": "leave", "v": "plan", "h": "whole"}  # fmt: skip
        if key in names:
            self.acted(Action(names[key]))
        elif key in ("left", "right"):
            self.t = min(self.film.lasts, max(0.0, self.t + (0.05 if key == "right" else -0.05)))
            self.is_playing = False
        elif key in ("home", "end"):
            self.t, self.is_playing = (0.0 if key == "home" else self.film.lasts), False
        else:
            return self._view.key(key, ())
        return True

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """Turns the eye."""
        self._view.drag(dx, dy, pan=button != LEFT)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Zooms."""
        self._view.zoom(notches)

    def _toggle(self) -> None:
        if not self.is_playing and self.t >= self.film.lasts:
            self.t = 0.0
        self.is_playing = not self.is_playing

    def _step(self, by: int) -> None:
        index = min(len(self.film.shots) - 1, max(0, self.film.index(self.t) + by))
        self.t, self.is_playing = self.film.shots[index].begins, False

    def _pace(self, by: int) -> None:
        index = min(len(SPEEDS) - 1, max(0, SPEEDS.index(self.speed) + by))
        self.speed = SPEEDS[index]

    def _places(self) -> MatchPlaces:
        return match_places(self.desk.width, self.desk.height, self.desk.sizes, max(1, len(self.film.names)))

    def _dock(self) -> DockPlaces:
        return dock_places(self._places().dock, self.desk.sizes)
