"""The command line: which commands there are, and how everything that goes wrong is said."""

from __future__ import annotations

import _thread
import argparse
import contextlib
import io
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from game import words
from game.commands import HELPS, load
from game.outgoing import harmless_output
from game.words import _, complain
from physics.errors import ToppleError
from physics.harmless import harmless

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

STOPPED = 130  # what shells expect after Ctrl-C
AGAIN = 0.05  # s after which a Ctrl-C that Python lost is pressed again


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command in one sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            2,
            _("{program}: {message} (see {program} --help).").format(program=self.prog, message=harmless(message))
            + "\n",
        )


def parser(called: str) -> argparse.ArgumentParser:
    """All commands, and the options of the one that is called."""
    top = _Parser(prog="topple", description=_("Will this line of tiles fall?"))
    commands = top.add_subparsers(dest="command", metavar=_("COMMAND"), required=True, parser_class=_Parser)
    for name, text in HELPS.items():
        sub = commands.add_parser(name, help=_(text), description=_(text))
        sub.add_argument("--lang", choices=words.LANGUAGES, help=_("language of what is printed"))
        if name == called:
            load(name).add_options(sub)
    top.add_argument("--version", action=_Version, nargs=0, help=_("show program's version number and exit"))
    return top


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes a tenth of a start."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        from importlib import metadata

        print(f"topple {metadata.version('topple')}")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command: 0 ok, 1 no or failed, 2 bad use, 130 stopped by Ctrl-C."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console without bars or Cyrillic shall still say the rest
    words.use(_language(given))
    with harmless_output():
        return _done(given)


def _done(given: list[str]) -> int:
    try:
        with _every_ctrl_c():
            options = parser(given[0] if given else "").parse_args(given or ["--help"])
            code = load(options.command).run(options)
            sys.stdout.flush()
            return code
    except ToppleError as error:
        complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        print(_("Stopped."), file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        # Whoever read our output has gone; say nothing and keep Python from saying it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


@contextlib.contextmanager
def _every_ctrl_c() -> Iterator[None]:
    """Makes Ctrl-C count whenever it comes. Called from the main thread.

    One that comes while garbage is collected is raised in the first finalizer that runs, and nothing can be raised out
    of those: Python would write a traceback and go on. It is pressed again, once that is over.
    """
    here, before = _thread.get_ident(), sys.unraisablehook
    is_over = False

    def press() -> None:
        time.sleep(AGAIN)
        if is_over:
            return
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            signal.pthread_kill(here, signal.SIGINT)  # which also ends a wait

    def overlooked(what: UnraisableHookArgs) -> None:
        if isinstance(what.exc_value, KeyboardInterrupt):
            _thread.start_new_thread(press, ())
        else:
            before(what)

    sys.unraisablehook = overlooked
    try:
        yield
    finally:
        is_over = True
        sys.unraisablehook = before


def _language(arguments: Sequence[str]) -> str:
    """The language asked for, before the arguments are read: their help is in it, too."""
    for index, argument in enumerate(arguments):
        name, _equals, value = argument.partition("=")
        wish = value or "".join(arguments[index + 1 : index + 2])
        if name == "--lang" and wish in words.LANGUAGES:
            return wish
    return words.wanted_language()


if __name__ == "__main__":
    raise SystemExit(main())
