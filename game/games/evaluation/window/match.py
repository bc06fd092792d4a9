"""The screen of a match: the table, the players around it, and whatever is asked of whom just now."""

from __future__ import annotations

from collections.abc import Callable

from game.film.boxes import TileBox, Tint, fall_boxes
from game.film.playback import Player
from game.games.evaluation.window import match_paint as looks
from game.games.evaluation.window import scored, votes
from game.games.evaluation.window.accident import Accident
from game.games.evaluation.window.asking import Called, call_buttons, push_buttons, question, real_tools
from game.games.evaluation.window.building import Building
from game.games.evaluation.window.coach import Coach, controls
from game.games.evaluation.window.controller import Controller
from game.games.evaluation.window.emblem import paint_emblem
from game.games.evaluation.window.falling import Falling
from game.games.evaluation.window.hand import Hand
from game.games.evaluation.window.model import Act
from game.games.evaluation.window.row_view import gap_mark, push_mark, row_boxes
from game.games.evaluation.window.witness import Witness, laid_boxes
from game.ui.camera import realtable
from game.ui.match_window import Around, MatchWindow
from game.ui.screens.base import LEFT, MAX_FRAME_TIME, Screen
from game.ui.screens.sheets import Menu, More, Rules
from game.ui.teller import TROUBLE, Happening
from game.ui.toolkit.layout import DockPlaces, MatchPlaces, Rect, match_places
from game.ui.toolkit.match_paint import paint_sentence
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Action, Button, Widget
from game.ui.view3d.table3d import Mark
from game.words import N_, _, plural

TROUBLE_TIME = 6.0  # s that a refusal stays


class Match(Screen):
    """See the module."""

    def __init__(self, controller: Controller, around: Around) -> None:
        super().__init__(around.desk)
        self.controller, self.view, self._sounds = controller, around.view, around.sounds
        self._around = around
        self.shown = controller.screen()
        self.ballot = votes.Ballot()
        self.witness = Witness()
        self._coach = Coach(on=around.guided)
        self._camera = realtable.Camera()
        self._building = Building(self.desk, controller, self.view, self.shown, self._places())
        self._falling = Falling(controller, self.view, self.shown)
        self._trouble, self._trouble_left = "", 0.0
        self._room: Rect | None = None
        self.view.by_hand = False

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
        seconds = min(seconds, MAX_FRAME_TIME)
        before = self.shown
        for happening in self.controller.update(seconds):
            self._heard(happening)
        self.shown = shown = self.controller.screen()
        self.witness.update(shown)
        self._tell_parts()
        self._trouble_left -= seconds
        if shown.act is not before.act or shown.asked != before.asked or shown.row != before.row:
            self._building.changed()
            if not self.view.by_hand and shown.act is not Act.FALLING:
                self.view.show(row_boxes(shown.row))
        self.view.update(seconds)
        sounds = None if self.desk.muted else self._sounds
        self.ballot.update(seconds, shown, sounds)
        if self.ballot.is_counted(shown):
            self.controller.go_on()
        self._falling.update(seconds, sounds)
        self._coach.update(shown, self.hand.proposal is not None)
        if shown.act is Act.OVER and self.desk.top is self:
            self._around.ended()

    def _tell_parts(self) -> None:
        """Every part of the screen is to know what is shown, and where."""
        places = self._places()
        self._building.shown = self._falling.shown = self.shown
        self._building.places = places
        if places.view != self._room:
            self.view.room = self._room = places.view
            if not self.view.by_hand:
                self.view.show(row_boxes(self.shown.row), 0.0)

    def _heard(self, happening: Happening) -> None:
        if happening.kind == TROUBLE:
            self._trouble, self._trouble_left = " ".join(happening.sentences), TROUBLE_TIME
        elif not self.desk.muted and {"stood", "moved"} & set(happening.events):
            self._sounds.place()

    # What is shown

    def scene_key(self) -> object:
        """Eye, tiles and marks."""
        self._tell_parts()
        view, camera = self.view, self._camera.key(self.shown.real)
        return view.room, view.orbit, view.is_moving, self._tiles(), self._marks(), self.desk.contrast, camera

    def scene(self) -> None:
        """The table, and beside it what a camera sees of the real one."""
        self.view.draw(self._tiles(), self._marks(), contrast=self.desk.contrast)
        self._camera.draw(self.shown.real, self._places().camera, self.desk.palette, self.desk.sizes)

    def _tiles(self) -> list[TileBox]:
        if self.witness.is_open:
            return self.witness.tiles()
        tints = dict.fromkeys(scored.weak_values(self.shown, is_holding=self.hand.proposal is not None), Tint.WEAK)
        if self.player is not None and self.shown.playback is not None:
            return list(fall_boxes(self.shown.playback, self.player.t, tints))
        if self._is_told:
            assert self.shown.score is not None
            return laid_boxes(self.shown.row, self.shown.push_end, set(self.shown.score.standing), tints)
        return self._building.tiles(tints)

    @property
    def _is_told(self) -> bool:
        """Whether the row is shown as people have told that it fell."""
        score = self.shown.score if self.shown.act is Act.SCORED and self.player is None else None
        return score is not None and (bool(score.fell) or bool(score.standing))

    def _marks(self) -> list[Mark]:
        if self.player is not None or self.witness.is_open:
            return []
        row = self.shown.row
        push = None if self._is_told else push_mark(row, self.shown.push_end)
        found = [*([] if push is None else [push]), *self._building.marks()]
        weak, by_value = (
            scored.weak_values(self.shown, is_holding=self.hand.proposal is not None),
            {tile.value: tile for tile in row},
        )
        if weak and set(weak) <= set(by_value):
            found.append(gap_mark(by_value[weak[0]], by_value[weak[1]], weak=True))
        return found

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
        paint_sentence(painter, palette, sizes, places, scored.told_so_far(shown) or (begins,))
        if self._coach.on:
            looks.paint_coach(painter, palette, sizes, places.coach, self._coach.note or "")
        self._paint_dock(painter)
        self._paint_over_table(painter, places)

    def _paint_over_table(self, painter: Painter, places: MatchPlaces) -> None:
        palette, sizes, shown, proposal = self.desk.palette, self.desk.sizes, self.shown, self.hand.proposal
        if self.player is None and shown.act is not Act.COUNTDOWN:
            looks.paint_values(painter, palette, sizes, self.view.crowns(self._tiles()), places.note)
        self._building.paint_numbers(painter)
        is_scored = shown.act is Act.SCORED
        is_open = is_scored or (shown.has_hints and not self.player)
        if proposal is None and shown.forecast is not None and is_open and not self.witness.is_open:
            score = shown.score if is_scored else None
            tiles = self.view.outlines(self._tiles())
            room = looks.clear_aside(places, sizes, scored.FORECAST_HEIGHT * sizes.unit, tiles) or places.aside
            scored.paint_forecast(painter, palette, sizes, room, shown.forecast, score)
        if proposal is None or proposal.refusal is None:
            is_bad = self._trouble_left > 0 or shown.is_stuck
            words = self._trouble if is_bad else question(shown, self.witness)
            if words:
                looks.paint_notice(painter, palette, sizes, places.note, words, bad=is_bad)
        self._camera.paint(painter, palette, sizes, places.camera, shown.real)
        if shown.act is Act.VOTE:
            room = votes.voters_room(places, sizes, len(shown.names))
            votes.paint_voters(painter, palette, sizes, room, shown)
        elif shown.act is Act.COUNTDOWN:
            votes.paint_count(painter, palette, sizes, places.view, shown, self.ballot)

    def _paint_dock(self, painter: Painter) -> None:
        palette, sizes, shown, dock = self.desk.palette, self.desk.sizes, self.shown, self._dock()
        if shown.real is not None and realtable.must_stop(shown.real):
            realtable.paint_rig(painter, palette, sizes, dock, shown.real)
            return
        if shown.is_stuck:
            return
        if self.witness.is_open:
            self.witness.paint_dock(painter, palette, sizes, dock)
            return
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
            scored.paint_score(painter, palette, sizes, dock.tray, shown)

    # What can be pressed

    def widgets(self) -> list[Widget]:
        """What is asked now, and what can always be done."""
        places, found = self._places(), self._asked_widgets(self._dock())
        above = _("From the chair") if self.view.is_plan else _("Top view")
        plan, whole, undo, *rest = places.tools
        more = zip(real_tools(self.shown, self.witness), rest, strict=True)
        found += [
            Button("plan", plan, above, "quiet", "V"),
            Button("whole", whole, _("Whole row"), "quiet", "H"),
            Button("undo", undo, _("Undo"), "quiet", "Z"),
            *(Button(name, room, words, "quiet", key) for (name, words, key), room in more),
            Button("rules", places.menu[0], "?", "quiet", "F1", tip=_("Rules")),
            Button("menu", places.menu[1], "☰", "quiet", "Esc", tip=_("Menu")),
        ]
        if self._coach.on:
            skip = looks.coach_rooms(places.coach, self.desk.sizes)[1]
            found.append(Button("skip", skip, _("No more tips"), "quiet"))
        return found

    def _asked_widgets(self, dock: DockPlaces) -> list[Widget]:
        shown, sizes = self.shown, self.desk.sizes
        if realtable.must_stop(shown.real):
            return [realtable.stop_button(dock, sizes)]
        if shown.is_stuck:
            return [Button("retry", dock.main, _("Try again"), "main")]
        if self.witness.is_open:
            return self.witness.buttons(dock, sizes)
        match shown.act:
            case Act.BUILD if self._building.is_open:
                return self._building.buttons(dock)
            case Act.CALL if shown.callers:
                return call_buttons(dock, sizes, shown)
            case Act.VOTE if shown.voter is not None:
                return votes.ballot_buttons(dock, sizes, shown, self.ballot)
            case Act.ARMED if shown.asked in shown.people:
                return push_buttons(dock, sizes, shown)
            case Act.FALLING | Act.SCORED if self.player is not None or shown.act is Act.SCORED:
                return self._falling.buttons(dock, sizes)
        return []

    # What people do

    def acted(self, action: Action) -> None:
        """A button was pressed."""
        name = action.name
        if self.witness.is_open and self.witness.acted(name, self.controller):
            return
        if self._building.acted(name) or self._falling.acted(action):
            return
        if isinstance(action.value, Called):
            self.controller.call(action.value.seat)
        elif name in votes.NAMES:
            self.ballot.acted(name, self.shown, self.controller)
        else:
            simple: dict[str, Callable[[], object]] = {
                "pass": self.controller.nobody_calls,
                "push": self.controller.push,
                "pushhand": self.controller.push_by_hand,
                "plan": lambda: self.view.toggle_plan(row_boxes(self.shown.row)),
                "whole": lambda: self.view.key("h", row_boxes(self.shown.row)),
                "undo": self.controller.undo,
                "rules": lambda: self.desk.over(Rules(self.desk)),
                "menu": self._menu,
                "skip": self._coach.stop,
                "retry": self.controller.retry,
                "slip": self._ask_who_slipped,
                "correct": self._correct,
                "camera": self._camera.toggle,
                "stoprig": self.controller.stop_rig,
            }
            simple.get(name, lambda: None)()  # nothing for a button of a part that has closed since

    def key(self, key: str) -> bool:
        """Keys for what is asked now, then for the eye."""
        if realtable.must_stop(self.shown.real) and key in realtable.STOP_KEYS:
            self.controller.stop_rig()
            return True
        if self.shown.is_stuck:
            if key in ("enter", "space"):
                self.controller.retry()
                return True
        elif self.witness.key(key, self.controller) if self.witness.is_open else self._asked_key(key):
            return True
        tool = next((name for name, _words, its in real_tools(self.shown, self.witness) if its.lower() == key), None)
        if tool is not None:
            self.acted(Action(tool))
        elif key == "escape":
            self._menu()
        elif key in ("z", "ctrl+z", "backspace"):
            self.controller.undo()
        else:
            return self.view.key(key, row_boxes(self.shown.row))
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
            case Act.VOTE:
                return self.ballot.key(key, shown, self.controller)
            case Act.COUNTDOWN if is_on:
                self.ballot.hurry()
                return True
            case Act.ARMED if (is_on or key == "p") and shown.asked in shown.people:
                return self.controller.push()
            case Act.ARMED if key == "b" and shown.rig is not None:
                return self.controller.push_by_hand()
            case Act.FALLING | Act.SCORED:
                return self._falling.key(key)
        return False

    def pressed(self, x: float, y: float, button: str) -> None:
        """For a tile, or the eye."""
        if button == LEFT and self._camera.press(self.shown.real, self._places().camera, self.desk.sizes, x, y):
            return
        if self.witness.is_open and button == LEFT:
            self.witness.pressed(self._told_tile(x, y))
        self._building.pressed(x, y, button)

    def dragged(self, x: float, y: float, dx: float, dy: float, button: str) -> None:
        """For the tile in the hand, or the eye."""
        if self._camera.drag(self.shown.real, self._places().camera, self.desk.sizes, x, y):
            return
        self._building.dragged(x, y, dx, dy, button)

    def released(self, x: float, y: float, button: str) -> None:
        """For the tile in the hand."""
        dragged = self._camera.release()
        if dragged is not None:
            self.controller.drag_tile(*dragged)
            return
        self._building.released(x, y, button)

    def hovered(self, x: float, y: float) -> None:
        """For the tile in the hand, or one that may be tapped."""
        if self.witness.is_open:
            self.witness.over = self._told_tile(x, y)
        self._building.hovered(x, y)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Turns the tile in the hand, or zooms."""
        if not self._building.wheel(notches) and self._places().view.holds(x, y):
            self.view.zoom(notches)

    def closed(self) -> None:
        """The match is kept in its file."""
        self._around.closed()

    # Inside

    def tray(self) -> dict[int, Rect]:
        """The tiles in the tray by their values."""
        return self._building.tray(self._dock())

    def _told_tile(self, x: float, y: float) -> int | None:
        """The tile that somebody who tells what fell points at, in the dock or on the table."""
        if self._places().view.holds(x, y):
            return self.view.tile_at(x, y, self.witness.tiles())
        return self.witness.under(x, y, self._dock(), self.desk.sizes)

    def _menu(self) -> None:
        more: list[More] = []
        if self.shown.finding is not None and not self.witness.is_open:
            more.append(More(lambda: _("Correct what fell"), self._correct))
        if self.shown.can_slip:
            more.append(More(lambda: _("Report an accident"), self._ask_who_slipped))
        self.desk.over(Menu(self.desk, self._around.leave, more))

    def _ask_who_slipped(self) -> None:
        self.desk.over(Accident(self.desk, self.shown.names, self.controller.accident))

    def _correct(self) -> None:
        if self.shown.finding is not None:
            self.hand.drop()
            self.witness.correct(self.shown.finding)
            self.view.show(row_boxes(self.shown.finding.row))

    def _places(self) -> MatchPlaces:
        desk = self.desk
        return match_places(
            desk.width,
            desk.height,
            desk.sizes,
            len(self.shown.names),
            tools=3 + len(real_tools(self.shown, self.witness)),
            coached=self._coach.on,
            camera=self._camera.sight(self.shown.real) is not None,
        )

    def _dock(self) -> DockPlaces:
        return looks.dock_of(self._places(), self.desk.sizes)


def in_chips(score: float) -> str:
    """A score in words."""
    return plural("{count} chip", "{count} chips", int(score))


WINDOW = MatchWindow(Controller, Match, in_chips, N_("chips"), controls, paint_emblem, has_guide=True)
