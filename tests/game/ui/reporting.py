"""The real window, which says on its standard output, a line of JSON at a time, what it shows: for test_window*.py.

    reporting.py OPTIONS               the window itself, OPTIONS a JSON object: folder, language, seed …
    reporting.py command play …        a command of topple whose window reports

Places are pixels from the upper left corner, as X counts them.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from game import cli
from game.games.evaluation.moves import End
from game.games.evaluation.window.match import Match
from game.match.history import Setup, checked_setup
from game.pictures.theme import Colour
from game.ui import app, window
from game.ui.replay.replay import Replay
from game.ui.run import Wanted
from game.ui.screens.plain_match import PlainMatch
from game.ui.toolkit.layout import Rect
from game.ui.toolkit.paint import Painter
from game.ui.toolkit.widgets import Button, Choice, Field, Stepper, Switch, Widget
from game.ui.view3d.tableview import TableView
from game.ui.window import GameWindow
from game.workers.pool import match_workers

REACH = 0.028  # m from the middle of the row's last tile to where a hand leads the next one


@dataclass
class SpokenCommands:
    """The words of one frame."""

    shown: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)  # that had no room


class ListeningPainter(Painter):
    """Paints, and remembers which words."""

    said = SpokenCommands()

    def begin(self) -> None:
        super().begin()
        self.said = SpokenCommands()

    def words(
        self,
        text: str,
        rect: Rect,
        size: float,
        colour: Colour,
        *,
        bold: bool = False,
        align: str = "left",
        across: str = "center",
        wrap: bool = False,
    ) -> None:
        if text:
            self.said.shown.append(text)
            if self.fitted(text, rect, size, bold=bold, wrap=wrap)[0] != text:
                self.said.cut.append(text)
        super().words(text, rect, size, colour, bold=bold, align=align, across=across, wrap=wrap)

    def even(self, text: str, x: float, top: float, size: float, colour: Colour) -> None:
        self.said.shown.append(text)
        super().even(text, x, top, size, colour)


class ReportingWindow(GameWindow):
    """Says what it shows whenever that changes."""

    told = ""

    def __init__(self, size: tuple[int, int] = (960, 640), *, fullscreen: bool = False) -> None:
        super().__init__(size, fullscreen=fullscreen)
        self.desk.painter = self.painter = ListeningPainter(self)

    def on_draw(self) -> None:
        super().on_draw()
        if not self.desk.stack:
            return
        text = json.dumps(self.seen(), sort_keys=True)
        if text != self.told:
            self.told = text
            print(text, flush=True)

    def seen(self) -> dict[str, Any]:
        desk = self.desk
        top, bottom = desk.top, desk.stack[0]
        widgets = top.focus.widgets
        found: dict[str, Any] = {
            "screen": type(top).__name__,
            "language": desk.language,
            "contrast": desk.contrast,
            "letters": desk.text_size,
            "fullscreen": self.fullscreen,
            "size": [self.width, self.height],
            "focus": top.focus.at,
            "widgets": {each.name: self.spot(*each.rect.middle) for each in widgets if each.enabled},
            "rects": {each.name: self.corners(each.rect) for each in widgets},
            "labels": {each.name: label_of(each) for each in widgets},
            "fewer": {each.name: self.spot(*each.less().middle) for each in widgets if isinstance(each, Stepper)},
            "cells": {each.name: self.cells(each) for each in widgets if isinstance(each, Choice)},
            "values": {each.name: each.value for each in widgets if isinstance(each, Stepper | Choice)},
            "texts": self.painter.said.shown,
            "cut": self.painter.said.cut,
        }
        if isinstance(bottom, Match):
            found |= self.match(bottom)
        if isinstance(bottom, PlainMatch):
            found |= self.plain(bottom)
        if isinstance(top, Replay):
            found |= {"playing": top.is_playing, "t": round(top.t, 2), "lasts": round(top.film.lasts, 2)}
        return found

    def plain(self, match: PlainMatch) -> dict[str, Any]:
        asked, history = match.floor.asked(), match.control.session.history
        return {
            "asked": asked.seat if asked is not None and asked.is_asked else None,
            "covered": match.floor.is_covered,
            "moves": [made.number for made in history.moves],
            "log": str(match.control.session.path),
        }

    def match(self, match: Match) -> dict[str, Any]:
        shown, hand, history = match.shown, match.hand, match.controller.session.history
        found = {
            "act": shown.act.value,
            "asked": shown.asked,
            "people": list(shown.people),
            "names": list(shown.names),
            "voter": shown.voter,
            "voted": list(shown.voted),
            "ready": match.ballot.is_ready,
            "callers": list(shown.callers),
            "chips": list(shown.chips),
            "row": [tile.value for tile in shown.row],
            "supply": list(shown.supply),
            "held": hand.value,
            "legal": hand.move is not None,
            "moves": len(history.moves),
            "owed": len(set(history.outcomes) - set(history.forecasts)),  # forecasts of rows that were pushed
            "tray": {str(value): self.spot(*rect.middle) for value, rect in match.tray().items()},
            "film": None if match.player is None else round(match.player.t, 3),
            **self.table(match, match.view),
        }
        if hand.proposal is not None:
            spot = hand.proposal.stand.spot
            found["ghost"] = {
                "spot": spot.value if isinstance(spot, End) else list(spot),
                "stance": hand.proposal.aim.stance.value,
                "turn": round(hand.proposal.turn, 6),
                "gaps": [round(gap, 6) for gap in hand.proposal.gaps],
                "free": hand.free,
            }
        return found

    def table(self, match: Match, view: TableView) -> dict[str, Any]:
        """Places on the table, and the eye over it."""
        row = match.shown.row
        eye = view.orbit
        return {
            "end": self.place(view, row[-1].x + REACH, row[-1].y),
            "between": [self.place(view, (one.x + other.x) / 2, (one.y + other.y) / 2) for one, other in pairwise(row)],
            "tiles": {str(tile.value): self.place(view, tile.x, tile.y, 0.01) for tile in row},
            "eye": [round(eye.distance, 4), round(eye.azimuth, 4), round(eye.elevation, 4)],
            "still": view._glide is None,
        }

    def place(self, view: TableView, x: float, y: float, z: float = 0.0) -> list[int] | None:
        seen = view.seen((x, y, z))
        return None if seen is None else self.spot(*seen)

    def cells(self, widget: Choice) -> dict[str, list[int]]:
        return {value: self.spot(*cell.middle) for value, cell in zip(widget.values, widget.cells(), strict=True)}

    def spot(self, x: float, y: float) -> list[int]:
        return [round(x), round(self.height - y)]

    def corners(self, rect: Rect) -> list[float]:
        return [round(each, 2) for each in (rect.x, self.height - rect.top, rect.right, self.height - rect.y)]


def label_of(widget: Widget) -> str:
    match widget:
        case Button() | Switch() | Stepper():
            return widget.label
        case Choice():
            return " ".join(widget.labels)
        case Field():
            return widget.text
    return ""


def main() -> int:
    if "WITH_LANTERNS" in os.environ:
        import tests.game.lanterns.play  # noqa: F401  puts that game among the others
    if sys.argv[1] == "command":
        window.GameWindow = ReportingWindow  # type: ignore[misc]
        return cli.main(sys.argv[2:])
    options = json.loads(sys.argv[1])
    size = options.pop("size", (960, 640))
    if "setup" in options:
        options["setup"] = checked_setup(Setup(**options["setup"]))
    paths = {name: Path(options[name]) for name in ("folder", "resume") if name in options}
    wanted = Wanted(**{**options, **paths})
    shown = ReportingWindow((size[0], size[1]))
    with match_workers(2) as pool:
        try:
            app.App(shown, pool, wanted, bot_time=0.0).open()
            shown.run()
        finally:
            for screen in reversed(shown.desk.stack):
                screen.closed()
    return 0


if __name__ == "__main__":
    sys.exit(main())
