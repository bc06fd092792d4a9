"""The real window, which says on its standard output, a line of JSON at a time, what it shows: for test_window.py.

Places are pixels from the upper left corner, as X counts them.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

from game.pool import LocalPool
from game.ui.app import App
from game.ui.run import Wanted
from game.ui.screens.match import Match
from game.ui.widgets import Choice, Stepper
from game.ui.window import GameWindow


class ReportingWindow(GameWindow):
    """Says what it shows whenever that changes."""

    said = ""

    def on_draw(self) -> None:
        super().on_draw()
        if not self.desk.stack:
            return
        text = json.dumps(self.seen(), sort_keys=True)
        if text != self.said:
            self.said = text
            print(text, flush=True)

    def seen(self) -> dict[str, Any]:
        top, bottom = self.desk.top, self.desk.stack[0]
        found: dict[str, Any] = {
            "screen": type(top).__name__,
            "language": self.desk.language,
            "size": [self.width, self.height],
            "focus": top.focus.at,
            "widgets": {widget.name: self.spot(*widget.rect.middle) for widget in top.focus.widgets if widget.enabled},
            "fewer": {
                each.name: self.spot(*each.less().middle) for each in top.focus.widgets if isinstance(each, Stepper)
            },
            "values": {each.name: each.value for each in top.focus.widgets if isinstance(each, Stepper | Choice)},
        }
        if isinstance(bottom, Match):
            shown = bottom.shown
            found |= {
                "act": shown.act.value,
                "asked": shown.asked,
                "people": list(shown.people),
                "voter": shown.voter,
                "ready": bottom.ballot.is_ready,
                "callers": list(shown.callers),
                "row": [tile.value for tile in shown.row],
                "supply": list(shown.supply),
                "held": bottom.hand.value,
                "legal": bottom.hand.move is not None,
                "moves": len(bottom.controller.session.course.made),
                "tray": {str(value): self.spot(*rect.middle) for value, rect in bottom.tray().items()},
                "end": self.end_of(bottom),
            }
        return found

    def spot(self, x: float, y: float) -> list[int]:
        return [round(x), round(self.height - y)]

    def end_of(self, match: Match) -> list[int] | None:
        """A place on the table a little to the right of the row's last tile."""
        last = match.shown.row[-1]
        seen = match.view.seen((last.x + 0.028, last.y, 0.0))
        return None if seen is None else self.spot(*seen)


def main() -> None:
    folder, language = Path(sys.argv[1]), sys.argv[2]
    window = ReportingWindow((960, 640))
    pool = LocalPool(2)
    signal.signal(signal.SIGTERM, lambda *_args: sys.exit(0))
    try:
        App(window, pool, Wanted(folder=folder, language=language, seed=5), bot_time=0.05).open()
        window.run()
    finally:
        for screen in reversed(window.desk.stack):
            screen.closed()
        pool.stop()
        pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    main()
