"""The command line: which commands there are, and how everything that goes wrong is said."""

from __future__ import annotations

import signal

if __name__ == "__main__" and hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until main can say a word about it

import _thread
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from game import words
from game.arguments import called, language, parser
from game.commands import STOPPED, load
from game.config_place import config_path, is_there
from game.diagnostics import recorded
from game.text import streams
from game.text.outgoing import harmless_output
from game.words import _, complain
from physics.errors import ToppleError

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

    from game.config import Config

AGAIN = 0.05  # s after which a Ctrl-C that Python lost is pressed again


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command: 0 ok, 1 no or failed, 2 bad use, 130 stopped by Ctrl-C."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    lost = streams.losses()  # by a command before this one, in the same process
    try:
        with _every_ctrl_c(is_whole_process=arguments is None):
            if arguments is None:
                streams.take_over()
            for stream in (sys.stdout, sys.stderr):
                streams.say_the_nearest(stream)
            words.use(language(given) or words.wanted_language())
            try:
                with harmless_output():
                    return recorded(given, lambda: _run(given), (BrokenPipeError, streams.Unwritable))
            finally:
                sys.stdout.flush()  # what cannot be written must be said now: at exit nobody can
                if streams.losses() > lost:
                    print(_("Letters that this console cannot show were printed as ?."), file=sys.stderr)
    except streams.Unwritable as error:
        complain(error.reason)
        return error.reason.exit_code
    except BrokenPipeError:
        return 1  # whoever read our output has gone: nothing is left to say
    except BaseException as error:
        if not _is_of_ctrl_c(error):
            raise
        print(_("Stopped."), file=sys.stderr)
        return STOPPED


def _run(given: Sequence[str]) -> int:
    """Reads the arguments and runs the command; what was wrong is said."""
    try:
        try:
            config = _config(given)
        finally:
            _use_a_language_the_console_shows()
        options = parser(called(given), config, given).parse_args(given or ["--help"])
        return load(options.command).run(options)
    except ToppleError as error:
        complain(error)
        return error.exit_code


def _use_a_language_the_console_shows() -> None:
    """Speaks English, and says so, where the console lacks the letters of the language in use."""
    if not streams.can_show(words.ALPHABETS[words.language_in_use()]):
        words.use("en")
        print(_("This console cannot show the letters of your language, so everything is in English."), file=sys.stderr)


def _config(given: Sequence[str]) -> Config | None:
    """The person's own defaults, if any; their language is spoken from now on. SceneError when they are wrong."""
    path = config_path()
    if path is None or not is_there(path):
        return None
    from game.config import read_config

    try:
        config = read_config(path)
        wanted = config.language()
    except ToppleError:
        if called(given) == "doctor":  # which says so itself
            return None
        raise
    if wanted is not None and language(given) is None and not os.environ.get("TOPPLE_LANG"):
        words.use(wanted)
    return config


@contextlib.contextmanager
def _every_ctrl_c(*, is_whole_process: bool) -> Iterator[None]:
    """Makes Ctrl-C count whenever it comes. Called from the main thread.

    The launcher held it back while Python started and our modules were imported. Once our work is over nothing can be
    said about it any more: from then on it ends the process without a word.

    One that comes while garbage is collected is raised in the first finalizer that runs, and nothing can be raised out
    of those: Python would write a traceback and go on. It is pressed again, once that is over.
    """
    here, before = _thread.get_ident(), sys.unraisablehook
    is_over = False

    def press_again() -> None:
        time.sleep(AGAIN)
        if is_over:
            return
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            signal.pthread_kill(here, signal.SIGINT)  # which also ends a wait

    def on_unraisable(what: UnraisableHookArgs) -> None:
        if isinstance(what.exc_value, KeyboardInterrupt):
            _thread.start_new_thread(press_again, ())
        else:
            before(what)

    sys.unraisablehook = on_unraisable
    is_heard = is_whole_process and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_heard:
            signal.signal(signal.SIGINT, _stop)
        if is_whole_process and hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        yield
    finally:
        is_over = True
        sys.unraisablehook = before
        if is_heard:
            signal.signal(signal.SIGINT, _leave)


class _Pressed(KeyboardInterrupt):
    """Ctrl-C. Python, where one came while it ran a text as code, would end by the signal though we handled it: so it
    takes only for what is a KeyboardInterrupt to the letter.
    """


def _is_of_ctrl_c(error: BaseException | None) -> bool:
    """Whether it is Ctrl-C, or what Python made of one: in the middle of a class it becomes a RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _stop(*_signal: object) -> NoReturn:
    raise _Pressed


def _leave(*_signal: object) -> NoReturn:
    os._exit(STOPPED)


if __name__ == "__main__":
    raise SystemExit(main())
