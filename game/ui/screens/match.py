"""The screen of a match: the table, the players around it, and whatever is asked of whom just now."""

from __future__ import annotations

from collections.abc import Callable

from game.text.names import listed
from game.ui.boxes import TileBox, Tint
from game.ui.controller import Controller
from game.ui.dress import paint_panel
from game.ui.hand import Hand
from game.ui.layout import DockPlaces, MatchPlaces, Rect, match_places
from game.ui.paint import Painter
from game.ui.playback import Player
from game.ui.screens import match_paint as looks
from game.ui.screens import votes
from game.ui.screens.base import Desk, Screen, Sounds
from game.ui.screens.building import Building
from game.ui.screens.coach import Coach
from game.ui.screens.falling import Falling
from game.ui.screens.sheets import Menu, Rules
from game.ui.shown import TROUBLE, Act, Happening
from game.ui.table3d import Mark
from game.ui.tableview import TableView, fall_boxes, gap_mark, push_mark
from game.ui.widgets import Action, Button, Widget
from game.words import _

TROUBLE_TIME = 6.0  # s that a refusal stays
LONGEST_FRAME = 0.1  # s: after a hitch the match goes on where it was


class Match(Screen):
    """See the module. `leave` leads back to the start, `ended` to what comes after the match."""

    def __init__(
        self,
        desk: Desk,
        controller: Controller,
        view: TableView,
        sounds: Sounds,
        *,
        guided: bool,
        leave: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        super().__init__(desk)
        self.controller, self.view, self._sounds = controller, view, sounds
        self.shown = controller.screen()
        self.ballot = votes.Ballot()
        self._building = Building(desk, controller, view, self.shown, self._places())
        self._falling = Falling(controller, view, self.shown)
        self._coach = Coach(on=guided)
        self._leave, self._ended = leave, ended
        self._trouble, self._trouble_left = "", 0.0
        self._room: Rect | None = None
        view.by_hand = False

    @property
    def hand(self) -> Hand:
        """What is held over the row."""
        return self._building.hand

    @property
    def player(self) -> Player | None:
        """Where the film of a fall is."""
        return self._falling.player

    # Time

    def update(self, seconds: float) -> None:
        """The match goes on."""
        seconds = min(seconds, LONGEST_FRAME)
        before = self.shown
        for happening in self.controller.update(seconds):
            self._heard(happening)
        self.shown = shown = self.controller.screen()
        self._tell_parts()
        self._trouble_left -= seconds
        if shown.act is not before.act or shown.asked != before.asked or shown.row != before.row:
            self._building.changed()
            if not self.view.by_hand and shown.act is not Act.FALLING:
                self.view.show(shown.row)
        self.view.update(seconds)
        sounds = None if self.desk.muted else self._sounds
        self.ballot.update(seconds, shown, sounds)
        if self.ballot.is_counted(shown):
            self.controller.go_on()
        self._falling.update(seconds, sounds)
        self._coach.update(shown, self.hand.proposal is not None)
        if shown.act is Act.OVER and self.desk.top is self:
            self._ended()

    def _tell_parts(self) -> None:
        """Every part of the screen is to know what is shown, and where."""
        places = self._places()
        self._building.shown = self._falling.shown = self.shown
        self._building.places = places
        if places.view != self._room:
            self.view.room = self._room = places.view
            if not self.view.by_hand:
                self.view.show(self.shown.row, 0.0)

    def _heard(self, happening: Happening) -> None:
        if happening.kind == TROUBLE:
            self._trouble, self._trouble_left = " ".join(happening.sentences), TROUBLE_TIME
        elif not self.desk.muted and {"stood", "moved"} & set(happening.events):
            self._sounds.place()

    # What is shown

    def scene_key(self) -> object:
        """Eye, tiles and marks."""
        self._tell_parts()
        return self.view.room, self.view.orbit, self._tiles(), self._marks(), self.desk.contrast

    def scene(self) -> None:
        """The table."""
        self.view.draw(self._tiles(), self._marks(), contrast=self.desk.contrast)

    def _tiles(self) -> list[TileBox]:
        tints = dict.fromkeys(self._weak_values(), Tint.WEAK)
        if self.player is not None and self.shown.playback is not None:
            return fall_boxes(self.shown.playback, self.player.t, tints)
        return self._building.tiles(tints)

    def _marks(self) -> list[Mark]:
        if self.player is not None:
            return []
        row = self.shown.row
        push = push_mark(row, self.shown.push_end)
        found = [*([] if push is None else [push]), *self._building.marks()]
        weak, by_value = self._weak_values(), {tile.value: tile for tile in row}
        if weak and set(weak) <= set(by_value):
            found.append(gap_mark(by_value[weak[0]], by_value[weak[1]], weak=True))
        return found

    def _weak_values(self) -> tuple[int, ...]:
        """The two tiles beside the weakest gap, where it is no secret."""
        shown = self.shown
        is_open = shown.act is Act.SCORED or (shown.has_hints and shown.act in (Act.CALL, Act.BUILD))
        if not is_open or shown.forecast is None or self.hand.proposal is not None:
            return ()
        at, values = shown.forecast.get("weakest_at"), shown.forecast["values"]
        return () if at is None else (values[at], values[at + 1])

    def paint(self, painter: Painter) -> None:
        """Everything flat but the buttons."""
        palette, sizes, places, shown = self.desk.palette, self.desk.sizes, self._places(), self.shown
        painter.rect(Rect(0, places.view.top, self.desk.width, self.desk.height - places.view.top), palette.table)
        painter.rect(places.dock, palette.table)
        gained = shown.score.gained if shown.score is not None and shown.act is Act.SCORED else ()
        revealed = shown.votes if self.ballot.is_open(shown) else ()
        looks.paint_cards(painter, palette, sizes, places, shown, revealed, gained)
        looks.paint_round(painter, palette, sizes, places, shown)
        begins = _("Round {round} begins; {name} starts.").format(round=shown.round, name=shown.names[shown.active])
        looks.paint_sentence(painter, palette, sizes, places, shown.lines or (begins,))
        self._paint_dock(painter)
        self._paint_over_table(painter, places)

    def _paint_over_table(self, painter: Painter, places: MatchPlaces) -> None:
        palette, sizes, shown, proposal = self.desk.palette, self.desk.sizes, self.shown, self.hand.proposal
        self._building.paint_numbers(painter)
        is_scored = shown.act is Act.SCORED
        if proposal is None and shown.forecast is not None and (is_scored or (shown.has_hints and not self.player)):
            fell = shown.score.fell if shown.score is not None and is_scored else None
            looks.paint_forecast(painter, palette, sizes, places.aside, shown.forecast, fell)
        if proposal is None or proposal.refusal is None:
            is_bad = self._trouble_left > 0
            words = self._trouble if is_bad else self._question()
            if words:
                looks.paint_notice(painter, palette, sizes, places.note, words, bad=is_bad)
        if shown.act is Act.COUNTDOWN:
            votes.paint_count(painter, palette, sizes, places.view, shown, self.ballot)
        elif (note := self._coach.note) is not None:
            paint_panel(painter, places.coach, palette, sizes)
            painter.words(note, self._coach_places()[0], sizes.body, palette.ink, wrap=True)

    def _paint_dock(self, painter: Painter) -> None:
        palette, sizes, shown, dock = self.desk.palette, self.desk.sizes, self.shown, self._dock()
        if shown.act is Act.BUILD:
            self._building.paint_dock(painter, dock)
        seat = shown.thinking if shown.thinking is not None else shown.asked
        if shown.act is Act.VOTE:
            votes.paint_ballot(painter, palette, sizes, dock, shown, self.ballot)
        elif seat is not None and seat not in shown.people and not shown.callers:
            room = dock.main if shown.act is Act.BUILD else dock.wide
            looks.paint_thinking(painter, palette, sizes, room, shown, seat)
        elif shown.act is Act.FALLING and shown.playback is None:
            painter.words(_("The row falls …"), dock.wide, sizes.large, palette.soft, align="center")
        elif shown.act is Act.SCORED and shown.score is not None:
            text = " ".join(shown.score.sentences[:2])  # what comes after the score is said below the table
            painter.words(text, dock.tray, sizes.body, palette.ink, wrap=True)

    # What can be pressed

    def widgets(self) -> list[Widget]:
        """What is asked now, and what can always be done."""
        places, dock, shown, sizes = self._places(), self._dock(), self.shown, self.desk.sizes
        found: list[Widget] = []
        match shown.act:
            case Act.BUILD if self._building.is_open:
                found += self._building.buttons(dock)
            case Act.CALL if shown.callers:
                found += self._call_buttons(dock)
            case Act.VOTE if shown.voter is not None:
                found += votes.ballot_buttons(dock, sizes, shown, self.ballot)
            case Act.ARMED if shown.asked in shown.people:
                push = dock.wide.centred(440 * sizes.unit, dock.wide.height)
                found.append(Button("push", push, _("Push the row"), "main", "Enter"))
            case Act.FALLING | Act.SCORED if self.player is not None or shown.act is Act.SCORED:
                found += self._falling.buttons(dock, sizes)
            case Act.WITNESS:
                fell, stood = dock.wide.columns(2, sizes.gap)
                found.append(Button("fell", fell, _("The whole row fell."), "good", sign="tick"))
                found.append(Button("stood", stood, _("The row did not fall."), "bad", sign="cross"))
        if shown.is_stuck:
            found.append(Button("retry", dock.main, _("Try again"), "main"))
        above = _("From the chair") if self.view.is_plan else _("From above")
        plan, whole, undo = places.tools
        found += [
            Button("plan", plan, above, "quiet", "V"),
            Button("whole", whole, _("Whole row"), "quiet", "H"),
            Button("undo", undo, _("Undo"), "quiet", "Z"),
            Button("rules", places.menu[0], "?", "quiet", "F1", tip=_("Rules")),
            Button("menu", places.menu[1], "☰", "quiet", "Esc", tip=_("Menu")),
        ]
        if self._coach.note is not None and shown.act is not Act.COUNTDOWN:
            found.append(Button("skip", self._coach_places()[1], _("No more tips"), "quiet"))
        return found

    def _call_buttons(self, dock: DockPlaces) -> list[Widget]:
        callers, names = self.shown.callers, self.shown.names
        rooms = dock.wide.shares([*(1.3 for _caller in callers), 1.0], self.desk.sizes.gap)
        is_one = len(callers) == 1
        found: list[Widget] = []
        for seat, room in zip(callers, rooms, strict=False):
            label = _("Domino!") if is_one else _("{name}: Domino!").format(name=names[seat])
            found.append(Button(f"call{seat}", room, label, key=str(seat + 1), seat=seat))
        label = _("I do not call") if is_one else _("Nobody calls")
        return [*found, Button("pass", rooms[-1], label, key=_("Space"))]

    # What people do

    def acted(self, action: Action) -> None:
        """A button was pressed."""
        name = action.name
        if self._building.acted(name) or self._falling.acted(action):
            return
        if name.startswith("call"):
            self.controller.call(int(name[4:]))
        elif name in votes.NAMES:
            self.ballot.acted(name, self.shown, self.controller)
        else:
            simple: dict[str, Callable[[], object]] = {
                "pass": self.controller.nobody_calls,
                "push": self.controller.push,
                "plan": lambda: self.view.toggle_plan(self.shown.row),
                "whole": lambda: self.view.key("h", self.shown.row),
                "undo": self.controller.undo,
                "rules": lambda: self.desk.over(Rules(self.desk)),
                "menu": self._menu,
                "skip": self._coach.stop,
                "retry": self.controller.retry,
                "fell": lambda: self.controller.found(True),
                "stood": lambda: self.controller.found(False),
            }
            simple.get(name, lambda: None)()

    def key(self, key: str) -> bool:
        """Keys for what is asked now, then for the eye."""
        if self._asked_key(key):
            return True
        if key == "escape":
            self._menu()
        elif key in ("z", "ctrl+z", "backspace"):
            self.controller.undo()
        else:
            return self.view.key(key, self.shown.row)
        return True

    def _asked_key(self, key: str) -> bool:
        shown = self.shown
        is_on = key in ("enter", "space")
        match shown.act:
            case Act.BUILD if self._building.is_open:
                return self._building.key(key)
            case Act.CALL if is_on and shown.callers:
                return self.controller.nobody_calls()
            case Act.CALL if key in ("1", "2", "3", "4", "5") and int(key) - 1 in shown.callers:
                return self.controller.call(int(key) - 1)
            case Act.VOTE if shown.voter is not None:
                return self.ballot.key(key, shown, self.controller)
            case Act.COUNTDOWN if is_on:
                self.ballot.hurry()
                return True
            case Act.ARMED if (is_on or key == "p") and shown.asked in shown.people:
                return self.controller.push()
            case Act.FALLING | Act.SCORED:
                return self._falling.key(key)
        return False

    def pressed(self, x: float, y: float, button: str) -> None:
        """For the tile in the hand, or the eye."""
        self._building.pressed(x, y, button)

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """For the tile in the hand, or the eye."""
        self._building.dragged(x, y, dx, dy, button)

    def released(self, x: float, y: float, button: str) -> None:
        """For the tile in the hand."""
        self._building.released(x, y, button)

    def hovered(self, x: float, y: float) -> None:
        """For the tile in the hand."""
        self._building.hovered(x, y)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Turns the tile in the hand, or zooms."""
        if not self._building.wheel(notches) and self._places().view.holds(x, y):
            self.view.zoom(notches)

    def closed(self) -> None:
        """The match is kept in its file."""
        self.controller.close()

    # Inside

    def tray(self) -> dict[int, Rect]:
        """The tiles in the tray by their values."""
        return self._building.tray(self._dock())

    def _menu(self) -> None:
        self.desk.over(Menu(self.desk, self._leave))

    def _question(self) -> str:
        """What is asked of whom."""
        shown = self.shown
        is_person = shown.asked is not None and shown.asked in shown.people
        name = shown.names[shown.asked or 0]
        if shown.act is Act.BUILD and is_person:
            asks = _("{name}, move a tile") if shown.is_lifting else _("{name}, stand a tile")
            return asks.format(name=name)
        if shown.act is Act.CALL and shown.callers:
            names = listed([shown.names[seat] for seat in shown.callers])
            return _("{name}, do you call “Domino!”?").format(name=names)
        if shown.act is Act.ARMED and is_person:
            return _("{name}, push the row").format(name=name)
        return ""

    def _places(self) -> MatchPlaces:
        return match_places(self.desk.width, self.desk.height, self.desk.sizes, len(self.shown.names))

    def _dock(self) -> DockPlaces:
        return looks.dock_of(self._places(), self.desk.sizes)

    def _coach_places(self) -> tuple[Rect, Rect]:
        sizes = self.desk.sizes
        inner = self._places().coach.inset(sizes.gap * 1.2, sizes.gap * 0.6)
        skip, words = inner.cut_right(150 * sizes.unit, sizes.gap)
        return words, skip.centred(skip.width, sizes.row * 0.8)
