"""Worker processes for many runs, that end when their work does and never outlive the program."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import connection

from physics.errors import InputError

MOST_WORKERS = 256


def default_workers() -> int:
    """As many as this process may use cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def worker_pool(workers: int | None) -> Iterator[Executor | None]:
    """An executor with that many processes (None: one per core); None for a single worker: this process does it.

    InputError when the number makes no sense.
    """
    count = default_workers() if workers is None else workers
    if not 1 <= count <= MOST_WORKERS:
        raise InputError(
            "The number of workers is {value}, but must be a whole number from 1 to {high}.",
            value=count,
            high=MOST_WORKERS,
        )
    if count == 1:
        yield None
        return
    # Forking starts in milliseconds; elsewhere Python knows only how to start afresh.
    method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    pool = ProcessPoolExecutor(count, multiprocessing.get_context(method), initializer=_begin_work)
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_work() -> None:
    """Leaves Ctrl-C to the main process, and ends with it even when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
