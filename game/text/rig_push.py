"""A push by a rig in a terminal: asked for in words, counted down line by line, stopped with Ctrl-C."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from game.match.ports import RigStage, RigWatch
from game.match.rig_control import begin_push, follow, push_by_hand
from game.match.session import Session
from game.text.game_text import Question
from game.text.terminal import Terminal
from game.text.vocabulary import spelt
from game.words import _

LOOK = 0.05  # s between two looks at the rig


class RigPush:
    """The rig of one match in one terminal; `tell` looks on and says what has happened since."""

    def __init__(self, session: Session, terminal: Terminal, rig: RigWatch, tell: Callable[[], None]) -> None:
        self._session, self._terminal, self._rig, self._tell = session, terminal, rig, tell

    def look(self) -> None:
        """Takes in what the rig is at."""
        follow(self._session, self._rig)

    def question(self, name: str) -> Question:
        """What is asked when the push is due."""
        asks = _("{name}, let the rig push the row ({push}), or push it by hand and say so ({hand})")
        examples = (
            (spelt("push"), _("the rig pushes after a countdown; Ctrl-C stops it")),
            (spelt("hand"), _("you have pushed the row yourself")),
        )
        return Question(asks.format(name=name, push=spelt("push"), hand=spelt("hand")), examples)

    def push(self) -> None:
        """Counts down and lets the rig push; comes back when it has, or when it will not. ToppleError if it cannot."""
        begin_push(self._session, self._rig)
        said: Any = None
        try:
            while (state := follow(self._session, self._rig)).can_stop:
                self._tell()
                left = math.ceil(state.left)
                if state.stage is RigStage.COUNTING and left and left != said:
                    said = left
                    self._terminal.say(_("{seconds} … (Ctrl-C stops)").format(seconds=left))
                time.sleep(LOOK)
        except KeyboardInterrupt:
            self._rig.stop()
            self.look()

    def push_by_hand(self) -> None:
        """The row was pushed by a hand."""
        push_by_hand(self._session, self._rig)
