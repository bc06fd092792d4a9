"""play: a match in a window or in a terminal, among people and bots, or of bots by themselves."""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from game.bots.seats import Bots, self_play, summary
from game.catalogue import game_named
from game.commands import STOPPED
from game.commands.choosing import LIST, chosen_game, chosen_match, game_option, resume_option
from game.commands.options import engine_option, json_option, whole, workers_option
from game.core import AnyGame, Value, read_options, split_options
from game.match.background import Tools
from game.match.history import CAMERA, HAND, MAX_SEED, SIMULATED, Setup, checked_setup, new_seed, short_seed
from game.match.players import STRENGTHS, strength_of
from game.match.saved import begun, free_file
from game.match.session import Session, resume_match
from game.match.turns import rematch
from game.text.game_text import needed_text
from game.text.lines import LineInput
from game.text.player import Leave, TextMatch
from game.text.terminal import Terminal
from game.text.vocabulary import meaning_of, spelt
from game.words import _, complain, named, say
from game.workers.pool import match_workers
from physics.errors import InputError, ToppleError
from physics.harmless import harmless

if TYPE_CHECKING:
    from game.table.camera import TableCamera
    from game.table.rig import PushRig

SETUP_OPTIONS = ("game", "players", "seed", "option", "table", "hints", "clumsy", "engine", "log")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of play."""
    bots = ", ".join(f"bot:{name}" for name in STRENGTHS)
    parser.add_argument("--text", action="store_true", help=_("play in the terminal instead of a window"))
    game_option(parser)
    parser.add_argument(
        "--players",
        metavar=_("A,B,…"),
        help=_("who plays, by seat: names, and bots as {bots} (you against bot:normal)").format(bots=bots),
    )
    parser.add_argument(
        "--seed",
        type=whole(0, MAX_SEED),
        metavar="N",
        help=_("same seed, same moves of the bots (default: a new seed)"),
    )
    parser.add_argument(
        "--option", action="append", metavar=_("NAME=VALUE"), help=_("an option of the game, such as rounds=1")
    )
    parser.add_argument(
        "--table",
        choices=(SIMULATED, HAND),
        help=_("who says what fell: a simulation, or you beside a table of your own (simulated)"),
    )
    parser.add_argument(
        "--rig",
        metavar=_("PORT"),
        help=_("a rig pushes at your table: auto, its serial port, or emulated, a rig in software"),
    )
    parser.add_argument(
        "--source",
        metavar=_("SOURCE"),
        help=_("a camera watches your table: its number, a video, an MJPEG address, or synthetic"),
    )
    parser.add_argument("--camera", type=Path, metavar=_("FILE"), help=_("the camera file, for the lens of --source"))
    parser.add_argument(
        "--markers", type=Path, metavar=_("FILE"), help=_("a table file for --source, for other markers than the mat's")
    )
    parser.add_argument("--hints", action="store_true", help=_("players may ask how likely the row is to fall"))
    parser.add_argument("--clumsy", action="store_true", help=_("a tile set down on another one can be an accident"))
    resume_option(parser)
    parser.add_argument(
        "--log",
        "--out",
        type=Path,
        metavar=_("FILE"),
        help=_("where to keep the match (default: with your other matches)"),
    )
    parser.add_argument(
        "--plain",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=_("sentences only, for screen readers (default in a pipe and on simple terminals)"),
    )
    json_option(parser)
    engine_option(parser, both=False)
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Plays a match; 0 when it ended or was left, 130 when it was stopped."""
    if not (options.text or options.json or options.plain is not None):
        return _in_window(options)
    _choose_match(options)
    setup = _checked(options)  # before anything is opened
    if setup is None:
        _check_watches(options)
    with match_workers(options.workers) as pool, _push_rig(options.rig) as rig, _table_camera(options) as camera:
        lines = None if camera is None else LineInput(sys.stdin)
        terminal = Terminal(sys.stderr if options.json else None, plain=options.plain, lines=lines)
        tools = Tools(executor=pool, judge=camera)
        session = resume_match(options.resume, tools) if setup is None else _begun(setup, options, tools)
        while True:
            with session:
                bots = Bots(session.setup, pool)
                code = _play(session, bots, terminal, camera, rig, as_json=options.json)
            if code is not None:
                return code
            path = None if options.log is None else free_file(options.log)
            session = begun(rematch(session.setup), path, tools)


@contextlib.contextmanager
def _table_camera(options: argparse.Namespace) -> Iterator[TableCamera | None]:
    """The camera that was asked for, at work; InputError when it gives no picture."""
    if options.source is None:
        if options.camera is not None or options.markers is not None:
            raise InputError("--camera and --markers go with --source, which is missing.")
        yield None
        return
    from game.table.hands import needed_hands
    from game.table.source import CameraTable

    hands = needed_hands(chosen_game(options))
    table = CameraTable(options.source, options.camera, options.markers, hands=hands, in_game=True, tell=complain)
    camera = table.begin()
    try:
        yield camera
    finally:
        camera.close()


@contextlib.contextmanager
def _push_rig(name: str | None) -> Iterator[PushRig | None]:
    """The rig that was asked for, found and at rest; PortError or RigError when there is none."""
    if name is None:
        yield None
        return
    from game.table.rig import push_rig

    rig = push_rig(name)
    try:
        rig.find()
        yield rig
    finally:
        rig.close()


@contextlib.contextmanager
def _rig_to_choose(name: str | None) -> Iterator[PushRig | None]:
    """The rig that was asked for or, where one may be plugged in, that one, untouched until it is chosen."""
    from game.table.rig import AUTO, is_rig_near, push_rig

    if name is not None or not is_rig_near():
        with _push_rig(name) as rig:
            yield rig
        return
    with contextlib.closing(push_rig(AUTO)) as rig:
        yield rig


def _in_window(options: argparse.Namespace) -> int:
    """Plays in the window; MissingError where there is no display."""
    from game.ui import run as window
    from game.ui.watches import Watches

    language = options.lang or ""
    _choose_match(options)
    is_chosen = options.resume is not None or any(getattr(options, name) for name in SETUP_OPTIONS)
    setup = _checked(options) if is_chosen else None
    wanted = window.Wanted(setup=setup, path=options.log, resume=options.resume, language=language)
    with _rig_to_choose(options.rig) as rig, _table_camera(options) as camera:
        watches = Watches(table=camera, rig=rig, hands=camera)
        wanted = replace(wanted, watches=watches, uses_rig=options.rig is not None)
        return window.play(wanted, options.workers)


def _play(
    session: Session,
    bots: Bots,
    terminal: Terminal,
    camera: TableCamera | None,
    rig: PushRig | None,
    *,
    as_json: bool,
) -> int | None:
    """One match, and what the command returns after it; None when the players want another."""
    people = [seat for seat in range(len(session.setup.names)) if seat not in bots]
    try:
        if not people and as_json:
            print(json.dumps(self_play(session, bots)))
            return 0
        is_over = session.result is not None
        if is_over:
            command = f"./topple replay {shlex.quote(str(session.path))} --text"
            terminal.say(
                _("The match in {file} is already over; to see it again: {command}").format(
                    file=named(session.path), command=harmless(command)
                )
            )
        else:
            TextMatch(session, terminal, bots, camera, rig=rig).play()
            session.finish(pushed_only=True)
        if as_json:
            print(json.dumps(summary(session)))
            return 0
        if is_over:
            return 0
        terminal.say(
            _("The match is kept in {file}; its seed is {seed}.").format(
                file=named(session.path), seed=short_seed(session.setup.seed)
            )
        )
        return None if people and _wants_another(terminal) else 0
    except ToppleError as error:
        print(f"{say(error)} {_kept(session)}", file=sys.stderr)
        return error.exit_code
    except Leave:
        print(_kept(session), file=sys.stderr if as_json else sys.stdout)
        return 0
    except EOFError:
        print(_("The input ended before the match did.") + " " + _kept(session), file=sys.stderr)
        return 0
    except KeyboardInterrupt:
        print("\n" + _("Stopped.") + " " + _kept(session), file=sys.stderr)
        return STOPPED


def _wants_another(terminal: Terminal) -> bool:
    question = _("Another match? ({again} or {quit})").format(again=spelt("again"), quit=spelt("quit"))
    with contextlib.suppress(EOFError, KeyboardInterrupt):  # the match is over: nothing is left undone
        while True:
            answer = meaning_of(terminal.ask(question).strip(), ("again", "quit"))
            if answer is not None:
                return answer == "again"
    return False


def _kept(session: Session) -> str:
    command = f"./topple play --text --resume {shlex.quote(str(session.path))}"
    return _("The match is kept in {file}; go on with: {command}").format(
        file=named(session.path), command=harmless(command)
    )


# How a match begins


def _choose_match(options: argparse.Namespace) -> None:
    """Asks which match is to go on where --resume names none; InputError as `chosen_match`."""
    if options.resume == LIST:
        text = "" if options.text is False and not options.json and options.plain is None else " --text"
        options.resume = chosen_match(f"./topple play{text} --resume", unfinished=True)


def _begun(setup: Setup, options: argparse.Namespace, tools: Tools) -> Session:
    """The match in its file; where none is named, what bots play for a program is kept here, not among people's."""
    is_of_bots = all(strength_of(name) is not None for name in setup.names)
    return begun(setup, options.log, tools, Path() if options.json and is_of_bots else None)


def _checked(options: argparse.Namespace) -> Setup | None:
    """The match that is to begin; None for one that goes on. InputError when it cannot be."""
    _check_game(options)
    if options.resume is None:
        return _setup(options)
    for name in SETUP_OPTIONS:
        if getattr(options, name):
            raise InputError("--resume goes on with the match as it was begun; leave out --{option}.", option=name)
    return None


def _check_game(options: argparse.Namespace) -> None:
    """InputError when camera or rig are of no use in the game."""
    if options.rig is None and options.source is None:
        return
    from game.table.hands import check_rig, needed_hands

    if options.rig is not None:
        check_rig(chosen_game(options))
    if options.source is not None:
        needed_hands(chosen_game(options))


def _check_watches(options: argparse.Namespace) -> None:
    """InputError when camera or rig are of no use at the table of the match that goes on."""
    if options.rig is None and options.source is None:
        return
    from game.ui.watches import table_in

    table = table_in(options.resume)
    if options.rig is not None and table == SIMULATED:
        raise InputError("--rig is for a table of your own; this match is played at the simulated one.")
    if options.source is not None and table != CAMERA:
        raise InputError("--source is for a match that a camera watches; this one was begun without one.")


def _setup(options: argparse.Namespace) -> Setup:
    """What was asked for; InputError with the first thing in it that is wrong."""
    game, chosen = game_named(chosen_game(options)), split_options(options.option or ())
    wanted = _usual_players(game, chosen) if options.players is None else options.players.split(",")
    players = tuple(_player(name) for name in wanted)
    if options.rig is not None and options.table == SIMULATED:
        raise InputError("A rig pushes real tiles: leave out --table simulated, or --rig.")
    if options.source is not None and options.table is not None:
        raise InputError("--source already says which table it is; leave out --table.")
    setup = checked_setup(
        Setup(
            game=game.name,
            names=players,
            seed=new_seed() if options.seed is None else options.seed,
            options=chosen,
            table=options.table
            or (CAMERA if options.source is not None else SIMULATED if options.rig is None else HAND),
            hints=options.hints,
            clumsy=options.clumsy,
            engine=options.engine or "",
        )
    )
    setup.rules.start(len(players), setup.options, setup.seed)  # refuses what only the number of players makes wrong
    if any(strength_of(player) is None for player in players):
        needed_text(setup.game)
    elif setup.table == HAND:
        raise InputError("Bots alone cannot say what fell at a table of yours; name a person among the players.")
    return setup


def _usual_players(game: AnyGame, chosen: Mapping[str, Value]) -> list[str]:
    """A person and as many bots as these options need, one where that is enough; InputError for wrong options."""
    allowed = game.seats_with(read_options(game, chosen))
    count = 2 if 2 in allowed else allowed[0]
    return [_("Player"), *["bot:normal"] * (count - 1)]


def _player(name: str) -> str:
    """The player as the log names it."""
    strength = strength_of(name)
    return name.strip() if strength is None else f"bot:{strength}"
