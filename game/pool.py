"""Workers for many runs: processes here, or a Dask cluster. One that is killed costs time, never a run."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import pickle
import signal
import socket
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from importlib import metadata
from multiprocessing import connection
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from physics.errors import EngineError, InputError, MissingError, ToppleError

MOST_WORKERS = 256
MOST_LOSSES = 3  # workers that may die of the same call before it is given up; Dask's own number as well
CONNECT_TIME = 5.0  # s to reach a cluster, and to find a worker in it
CLOSE_TIME = 2.0  # s to take leave of a cluster
LOOK_EVERY = 0.5  # s between two looks whether the cluster is still there
LOOKS_WITHOUT_WORKERS = 60  # in a row, before no worker is expected to come back
LONGEST_GREETING = 2**20  # bytes; that of a scheduler has a few hundred
COMPARED = ("topple", "numpy", "pybullet", "mujoco-core")  # packages that decide what a run comes to

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
            raise InputError("The workers of a cluster are its own: leave out --workers or --cluster.")
        with _cluster_pool(cluster) as distant:
            yield distant
        return
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


class LocalPool(Executor):
    """Worker processes any of which may be killed: new ones then do again what was lost.

    Python's own pool gives up with the first process it loses. It is therefore handed no more calls than keep its
    processes busy, and replaced when it breaks; the calls stay here until they are done.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._lock = threading.Condition()
        self._queue: deque[_Call] = deque()
        self._out = 0  # calls handed to Python's pool
        self._closed = False
        self._stopped = False
        # Forking starts in milliseconds; elsewhere, and beside threads, Python knows only how to start afresh.
        method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
        self._pools = [self._new_pool(method)]  # the last one is in use

    def _new_pool(self, method: str) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context(method), initializer=_begin_work)

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
        if self._stopped or call.losses > MOST_LOSSES:
            call.future.set_exception(_lost_too_often())
        else:
            self._queue.appendleft(call)


def _lost_too_often() -> EngineError:
    return EngineError(
        "{count} workers in a row were ended from outside in the middle of the same runs; is there enough memory?",
        count=MOST_LOSSES + 1,
    )


def _begin_work() -> None:
    """Leaves Ctrl-C to the main process, and ends with it even when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


@contextlib.contextmanager
def _cluster_pool(address: str) -> Iterator[Executor]:
    """The cluster at that address; whatever it was still to do is cancelled at the end."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or address != f"tcp://{parts.netloc}":
        raise InputError(
            "{address} is no address of a cluster; it looks like {example}.",
            address=repr(address),
            example="tcp://host:8786",
        )
    # Dask tells of every lost connection in lines and tracebacks of its own; what matters is said in a sentence.
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        client, killed = _connect(address, host, port)
        pool = None
        try:
            _check_workers(address, client)
            pool = ClusterPool(address, client, killed)
            yield pool
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
            with contextlib.suppress(TimeoutError):
                client.close(timeout=CLOSE_TIME)
    finally:
        logging.disable(before)


def _connect(address: str, host: str, port: int) -> tuple[Any, type[Exception]]:
    """Dask's client of the cluster, and what it raises when too many workers died of a call."""
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise MissingError(
            "A cluster needs {package}, which is not installed (extra {extra}).", package="distributed", extra="cluster"
        ) from None
    try:
        _hear_greeting(host, port)
        with warnings.catch_warnings():
            # Packages of Dask's own; those that decide the answer are compared later.
            warnings.simplefilter("ignore", VersionMismatchWarning)
            client: Any = Client(address, timeout=CONNECT_TIME, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception:  # whatever may listen there instead of a scheduler can answer anything
        raise InputError(
            "No cluster answers at {address}: there must be a scheduler of Dask, started with `dask scheduler`.",
            address=address,
        ) from None
    return client, KilledWorker


def _hear_greeting(host: str, port: int) -> None:
    """OSError or ValueError when nobody is there, or somebody who is no scheduler: Dask would wait for such forever.

    A scheduler speaks first, and begins with the length of what it has to say.
    """
    with socket.create_connection((host, port), CONNECT_TIME) as line:
        line.settimeout(CONNECT_TIME)
        length = line.recv(8, socket.MSG_WAITALL)
    if not 0 < int.from_bytes(length, "little") < LONGEST_GREETING:
        raise ValueError(length)


def _check_workers(address: str, client: Any) -> None:
    """InputError when there are no workers, or some that would give other answers."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIME)
        # Functions of the standard library, for these workers may not even have topple.
        found = {package: client.run(metadata.version, package, on_error="return") for package in COMPARED}
    except TimeoutError:
        raise _without_workers(address) from None
    except OSError:
        raise _gone(address) from None
    here = _versions()
    for worker in found["topple"]:
        there = {package: versions[worker] for package, versions in found.items() if isinstance(versions[worker], str)}
        _compare(worker, here, there)


def _versions() -> dict[str, str]:
    """The versions of what decides the answer, as far as it is installed here."""
    found = {}
    for package in COMPARED:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _compare(worker: str, expected: dict[str, str], there: dict[str, str]) -> None:
    """InputError when a worker has no topple, or another version of anything than the one who asks."""
    if "topple" not in there:
        raise InputError("The worker {worker} of the cluster has no topple: install it there.", worker=worker)
    for package, version in there.items():
        if expected.get(package, version) != version:
            raise InputError(
                "The worker {worker} of the cluster has {package} {there}, but must have {expected}, as here.",
                worker=worker,
                package=package,
                there=version,
                expected=expected[package],
            )


def _gone(address: str) -> InputError:
    return InputError("The cluster at {address} has gone away in the middle of the work.", address=address)


def _without_workers(address: str) -> InputError:
    return InputError(
        "The cluster at {address} has no workers: start some with `dask worker {address}`.", address=address
    )


class ClusterPool(Executor):
    """The workers of a cluster, with all that can go wrong with it said in sentences.

    Dask does again what a killed worker was at. What it does not: end the futures of a cluster that has gone, in
    every case; a thread looks after that.
    """

    def __init__(self, address: str, client: Any, killed: type[Exception]) -> None:
        self.workers = max(1, len(client.scheduler_info()["workers"]))
        self._address = address
        self._client = client
        self._killed = killed
        self._executor: Executor = client.get_executor(pure=False)
        self._versions = _versions()
        self._lock = threading.Lock()
        self._waiting: set[Future[Any]] = set()
        self._trouble: InputError | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of the call; InputError from here or from it when the cluster is not up to it."""
        if self._closed.is_set():
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[T] = Future()
        with self._lock:
            if self._trouble is not None:
                raise self._trouble
            self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        # Pickled here, so that a worker can look at the versions before it looks at our classes.
        work = pickle.dumps(partial(fn, *args, **kwargs))
        try:
            distant = self._executor.submit(_at_worker, self._versions, work)
        except Exception:  # the client closes itself when its scheduler is gone, and then raises this and that
            future.cancel()
            raise _gone(self._address) from None
        future.add_done_callback(lambda done: distant.cancel() if done.cancelled() else None)
        distant.add_done_callback(partial(self._take_back, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Waits for what is under way, unless it is to be cancelled."""
        waiting = list(self._waiting)
        for future in waiting:
            if cancel_futures or not wait:
                future.cancel()
            else:
                future.exception()
        self._closed.set()

    def _take_back(self, future: Future[Any], distant: Future[Any]) -> None:
        with contextlib.suppress(InvalidStateError):  # cancelled, or the watch was faster
            if distant.cancelled():  # by Dask: that is how it tells of a lost connection
                future.set_exception(_gone(self._address))
                return
            error = distant.exception()
            if error is None:
                future.set_result(distant.result())
            elif isinstance(error, self._killed):
                future.set_exception(_lost_too_often())
            elif isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
                # A worker that came later than our look at them all; the cause, when it is the scheduler.
                future.set_exception(
                    InputError("The scheduler or a worker of the cluster has no topple: install it there.")
                )
            else:
                future.set_exception(error)

    def _watch(self) -> None:
        lonely = 0
        while not self._closed.wait(LOOK_EVERY):
            try:
                alone = self._client.status == "running" and not self._client.scheduler_info(0)["n_workers"]
            except Exception:  # the client was closed in between, by itself or by us
                continue
            lonely = lonely + 1 if alone else 0
            if self._client.status != "running":
                self._fail(_gone(self._address))
            elif lonely > LOOKS_WITHOUT_WORKERS:
                self._fail(_without_workers(self._address))

    def _fail(self, trouble: InputError) -> None:
        with self._lock:
            self._trouble = trouble
            waiting = list(self._waiting)
        for future in waiting:
            with contextlib.suppress(InvalidStateError):
                future.set_exception(trouble)


_one_at_a_time = threading.Lock()


def _at_worker(expected: dict[str, str], work: bytes) -> object:
    """What a worker of a cluster does: the call, if it is sure to come to what it would come to elsewhere.

    A worker may have several threads, but an engine knows only one world per process.
    """
    worker = socket.gethostname()
    _compare(worker, expected, _versions())
    try:
        with _one_at_a_time:
            return pickle.loads(work)()
    except MissingError as error:
        reason: ToppleError = error
        raise InputError("The worker {worker} of the cluster: {reason}", worker=worker, reason=reason) from None
