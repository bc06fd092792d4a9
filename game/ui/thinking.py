"""A bot that thinks beside the frames of a window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

from game.bots.bot import ProgressCallback
from game.core import Seat


class _Stopped(Exception):
    """Nobody waits for the thought any more."""


class Thought:
    """One choice of one bot, found in a thread of its own. A daemon: the program never waits for it to end."""

    def __init__(self, seat: Seat, about: object, choose: Callable[[ProgressCallback], Any]) -> None:
        self.seat = seat
        self.about = about  # what the match was when it was asked for; compare it before the choice is used
        self.share = 0.0  # of the runs that are done
        self._stopped = False
        self._choose = choose
        self._found: Future[Any] = Future()
        threading.Thread(target=self._think, name=f"bot {seat}", daemon=True).start()

    @property
    def is_done(self) -> bool:
        """Whether there is a choice, or the reason why there is none."""
        return self._found.done()

    def move(self) -> Any:
        """The choice, once it is done; EngineError when a simulation broke down."""
        return self._found.result(timeout=0)

    def stop(self) -> None:
        """Ends it at its next run; does not wait for that."""
        self._stopped = True

    def _think(self) -> None:
        try:
            self._found.set_result(self._choose(self._thinking))
        except (_Stopped, CancelledError):
            self._found.cancel()
        except BaseException as error:  # told where the choice is asked for
            self._found.set_exception(error)

    def _thinking(self, share: float) -> None:
        if self._stopped:
            raise _Stopped
        self.share = share
