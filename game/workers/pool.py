"""Worker processes for many runs. One that is killed costs time, never a run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import connection
from typing import Any, ParamSpec, TypeVar

from physics.errors import EngineError, InputError, MissingError

MAX_WORKERS = 256
NICENESS = 10  # of yielding workers: what they are asked for may take a moment, a frame may not
MIN_FOR_A_MATCH = 2  # one for forecasts, one that is free for the judge
MAX_LOSSES = 3  # workers that may die of the same call before it is given up; Dask's own number as well

P = ParamSpec("P")
T = TypeVar("T")


def default_workers() -> int:
    """As many as this process may use cores."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def worker_pool(workers: int | None, cluster: str | None = None) -> Iterator[Executor | None]:
    """An executor with that many processes (None: one per core), or the cluster at an address.

    None for a single worker: this process does it. InputError when the number or the address makes no sense, when
    both are given, or when no cluster answers there; MissingError when what is needed for one is not installed.
    """
    if cluster is not None:
        if workers is not None:
            raise InputError("A cluster has its own workers: leave out --workers or --cluster.")
        from game.workers.cluster import cluster_pool

        with cluster_pool(cluster) as distant:
            yield distant
        return
    count = default_workers() if workers is None else workers
    if not 1 <= count <= MAX_WORKERS:
        raise InputError(
            "The number of workers is {value}, but must be a whole number from 1 to {high}.",
            value=count,
            high=MAX_WORKERS,
        )
    if count == 1:
        yield None
        return
    pool = LocalPool(count)
    try:
        yield pool
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(eq=False, slots=True)
class _Call:
    """A call to be made in some worker, and how many of them died of it."""

    work: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    losses: int = 0


@contextlib.contextmanager
def match_workers(wanted: int | None, *, at_once: bool = False) -> Iterator[LocalPool]:
    """Processes for the judge, the forecasts and the bots; ended at once, since what is missing can be made later.

    They make way for whoever draws the match. Started at once, rather than when there is something to do, they are
    ready for it.
    """
    pool = LocalPool(max(MIN_FOR_A_MATCH, default_workers() if wanted is None else wanted), yielding=True)
    try:
        for _ in range(pool.workers if at_once else 0):
            pool.submit(_warm_up)
        yield pool
    finally:
        pool.stop()
        pool.shutdown(cancel_futures=True)


class LocalPool(Executor):
    """Worker processes any of which may be killed: new ones then do again what was lost.

    Python's own pool gives up with the first process it loses. It is therefore handed no more calls than keep its
    processes busy, and replaced when it breaks; the calls stay here until they are done. Yielding processes work only
    with what time others leave.
    """

    def __init__(self, workers: int, *, yielding: bool = False) -> None:
        self.workers = workers
        self._begin_work = partial(_begin_work, yielding)
        self._lock = threading.Condition()
        self._queue: deque[_Call] = deque()
        self._out = 0  # calls handed to Python's pool
        self._closed = False
        self._stopped = False
        # Forking starts in milliseconds; elsewhere, and beside threads, Python knows only how to start afresh.
        method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
        self._pools = [self._new_pool(method)]  # the last one is in use

    def _new_pool(self, method: str) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context(method), initializer=self._begin_work)

    @property
    def is_busy(self) -> bool:
        """Whether any call is under way or waits for a process."""
        with self._lock:
            return bool(self._queue or self._out)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of the call; EngineError from it when too many workers died of it."""
        call = _Call(partial(fn, *args, **kwargs))
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._queue.append(call)
            self._hand_out()
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes when all is done; without waiting, what has not begun is cancelled as well."""
        with self._lock:
            self._closed = True
            if cancel_futures or not wait:
                self._cancel_queue()
            if wait:
                self._lock.wait_for(lambda: self._stopped or not (self._queue or self._out))
            pools = list(self._pools)
        for pool in pools:
            pool.shutdown(wait)

    def stop(self) -> None:
        """Ends the processes at once, whatever they are at."""
        with self._lock:
            self._closed = self._stopped = True
            self._cancel_queue()
            for process in multiprocessing.active_children():
                process.terminate()

    def _cancel_queue(self) -> None:
        # A call that was lost once counts as begun.
        self._queue = deque(call for call in self._queue if not call.future.cancel())

    def _hand_out(self) -> None:
        """Keeps every process busy and one call ready for the first that is free. Only with the lock held."""
        while self._queue and self._out <= self.workers and not self._stopped:
            call = self._queue.popleft()
            if not call.future.running() and not call.future.set_running_or_notify_cancel():
                continue
            pool = self._pools[-1]
            try:
                with _ctrl_c_held():  # a process that has just begun would answer it with a traceback
                    handed = pool.submit(call.work)
            except BrokenProcessPool:  # and it has not yet given back what it had
                self._queue.appendleft(call)
                self._pools.append(self._new_pool("spawn"))
            except Exception as error:  # no process could be started; nobody else would ever hear of it
                call.future.set_exception(error)
            else:
                self._out += 1
                handed.add_done_callback(partial(self._take_back, call, pool))

    def _take_back(self, call: _Call, pool: ProcessPoolExecutor, handed: Future[Any]) -> None:
        error = handed.exception()
        if not isinstance(error, BrokenProcessPool):
            if error is None:
                call.future.set_result(handed.result())
            else:
                call.future.set_exception(error)
        with self._lock:
            self._out -= 1
            if isinstance(error, BrokenProcessPool):
                self._lose(call, pool)
            self._hand_out()
            self._lock.notify_all()

    def _lose(self, call: _Call, pool: ProcessPoolExecutor) -> None:
        call.losses += 1
        if pool is self._pools[-1] and not self._stopped:
            self._pools.append(self._new_pool("spawn"))
        if self._stopped or call.losses > MAX_LOSSES:
            call.future.set_exception(lost_too_often())
        else:
            self._queue.appendleft(call)


def lost_too_often() -> EngineError:
    """What is said when the same runs cost one worker after another."""
    return EngineError(
        "{count} workers in a row were ended from outside in the middle of the same runs; is there enough memory?",
        count=MAX_LOSSES + 1,
    )


@contextlib.contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Keeps Ctrl-C waiting in this thread, and in processes begun here until they are deaf to it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_work(yielding: bool) -> None:
    """Leaves Ctrl-C to the main process, and ends with it even when that is killed."""
    if yielding and hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _warm_up() -> None:
    """Loads what runs need; what is not there is told by whoever asks for a run."""
    from physics.engine import engine

    with contextlib.suppress(MissingError):
        engine("bullet")


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
