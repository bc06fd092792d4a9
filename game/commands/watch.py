"""watch: a live table: what happens on it line by line, the camera's picture, and a match that follows it."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from game.commands.choosing import LIST, chosen_game, chosen_match, game_option, resume_option
from game.commands.options import json_option, number
from game.words import _, complain
from physics.errors import InputError, MissingError

if TYPE_CHECKING:
    from game.match.session import Session
    from game.table.camera import TableCamera
    from game.ui.camera.tiledrag import Dragged


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of watch."""
    parser.add_argument(
        "--source",
        default="0",
        metavar=_("SOURCE"),
        help=_("a camera's number, a video, a folder of pictures, an MJPEG address, or synthetic (0)"),
    )
    parser.add_argument(
        "--camera",
        type=Path,
        metavar=_("FILE"),
        help=_("the camera file (without one the kept calibration, or an estimate from the mat)"),
    )
    parser.add_argument(
        "--table", type=Path, metavar=_("FILE"), help=_("a table file, for other markers than the mat's")
    )
    parser.add_argument("--headless", action="store_true", help=_("no window with the camera's picture"))
    parser.add_argument(
        "--players",
        metavar=_("A,B,…"),
        help=_("play a match at this table; what people say is read line by line, such as 1: call"),
    )
    game_option(parser)
    resume_option(parser)
    parser.add_argument("--rounds", type=int, metavar="N", help=_("how many rounds are played (3)"))
    parser.add_argument(
        "--log", type=Path, metavar=_("FILE"), help=_("where to keep the match (default: with your other matches)")
    )
    parser.add_argument(
        "--seconds", type=number(0.1, 1e6), metavar="S", help=_("stop after so many seconds of pictures")
    )
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Tells what happens until the pictures end or somebody stops it; 0, or 1 when a match was not finished."""
    from vision.opencv import require_cv2

    require_cv2()
    from game.table.follow import SpokenCommands, TableMatch
    from game.table.hands import needed_hands
    from game.table.news import News
    from game.table.source import CameraTable
    from game.text.lines import LineInput
    from game.text.story import Story

    if options.resume == LIST:
        options.resume = chosen_match("./topple watch --resume", unfinished=True)
    for name in ("players", "game"):
        if options.resume is not None and getattr(options, name) is not None:
            raise InputError("--resume goes on with the match as it was begun; leave out --{option}.", option=name)
    in_game = options.players is not None or options.resume is not None
    hands = needed_hands(chosen_game(options))
    table = CameraTable(options.source, options.camera, options.table, hands=hands, in_game=in_game, tell=complain)
    try:
        with _match(options, table.camera) as session:
            story = None if session is None else Story(session.setup)
            news = News(as_json=options.json, story=story)
            # On Windows a line is waited for, which only a match is worth.
            stdin = sys.stdin if session is not None or sys.platform != "win32" else None
            said = SpokenCommands(LineInput(stdin), waits=not table.source.is_live)
            follow = TableMatch(table.camera, news, session, said)
            with _shown(table.camera, follow.drag, wanted=not options.headless) as show:
                follow.run(table.frames, options.seconds, show)
            return 0 if session is None or session.result is not None else 1
    finally:
        table.camera.close()
        table.frames.close()


@contextlib.contextmanager
def _match(options: argparse.Namespace, camera: TableCamera) -> Iterator[Session | None]:
    """The match that was asked for, judged by the camera."""
    from game.match.background import Tools
    from game.match.history import CAMERA, Setup, checked_setup, new_seed
    from game.match.players import strength_of
    from game.match.saved import begun
    from game.match.session import resume_match
    from game.workers.pool import match_workers

    if options.players is None and options.resume is None:
        yield None
        return
    with match_workers(None) as pool:
        tools = Tools(executor=pool, judge=camera)
        if options.resume is not None:
            session = resume_match(options.resume, tools)
        else:
            players = tuple(name.strip() for name in options.players.split(","))
            if any(strength_of(name) is not None for name in players):
                raise InputError("Bots play at a camera's table with ./topple play --source; here only people do.")
            rounds = {} if options.rounds is None else {"rounds": options.rounds}
            wanted = Setup(chosen_game(options), players, new_seed(), rounds, table=CAMERA)
            session = begun(checked_setup(wanted), options.log, tools)
        with session:
            yield session


@contextlib.contextmanager
def _shown(camera: TableCamera, dragged: Dragged, *, wanted: bool) -> Iterator[Callable[[], bool]]:
    """What shows the camera's picture after every one, and says whether to go on; where there is no display it is
    said, and nothing is shown."""
    if not wanted:
        yield lambda: True
        return
    from game.ui.camera.watch_window import watch_window

    with contextlib.ExitStack() as stack:
        try:
            show = stack.enter_context(watch_window(camera, dragged))
        except MissingError:
            print(_("There is no display to open a window on: what happens is only told here."), file=sys.stderr)
            yield lambda: True
            return
        yield show
