"""Runs on a Dask cluster, behind an executor like any other. The only file that imports distributed."""

from __future__ import annotations

import contextlib
import logging
import pickle
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from functools import partial
from importlib import metadata
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from game.workers.pool import lost_too_often
from physics.errors import InputError, MissingError, ToppleError

CONNECT_TIME = 5.0  # s to reach a cluster, and to find a worker in it
CLOSE_TIME = 2.0  # s to take leave of a cluster
LOOK_EVERY = 0.5  # s between two looks whether the cluster is still there
LOOKS_WITHOUT_WORKERS = 60  # in a row, before no worker is expected to come back
LONGEST_GREETING = 2**20  # bytes; that of a scheduler has a few hundred
COMPARED = ("topple", "numpy", "pybullet", "mujoco-core")  # packages that decide what a run comes to

P = ParamSpec("P")
T = TypeVar("T")


@contextlib.contextmanager
def cluster_pool(address: str) -> Iterator[Executor]:
    """The cluster at that address; whatever it was still to do is cancelled at the end."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or address != f"tcp://{parts.netloc}":
        raise InputError(
            "{address} is not the address of a cluster; one looks like {example}.",
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
            "No cluster answers at {address}: a Dask scheduler must run there, started with `dask scheduler`.",
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
    every case; a thread looks after that. Another one cancels.
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
        self._unwanted: SimpleQueue[Future[Any] | None] = SimpleQueue()
        self._canceller = threading.Thread(target=self._cancel, daemon=True)
        self._canceller.start()
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
        future.add_done_callback(lambda done: self._unwanted.put(distant) if done.cancelled() else None)
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
        self._unwanted.put(None)
        self._canceller.join(CLOSE_TIME)

    def _take_back(self, future: Future[Any], distant: Future[Any]) -> None:
        with contextlib.suppress(InvalidStateError):  # cancelled, or the watch was faster
            if distant.cancelled():  # by Dask: that is how it tells of a lost connection
                future.set_exception(_gone(self._address))
                return
            error = distant.exception()
            if error is None:
                future.set_result(distant.result())
            elif isinstance(error, self._killed):
                future.set_exception(lost_too_often())
            elif isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
                # A worker that came later than our look at them all; the cause, when it is the scheduler.
                future.set_exception(
                    InputError("The scheduler or a worker of the cluster has no topple: install it there.")
                )
            else:
                future.set_exception(error)

    def _cancel(self) -> None:
        """Tells the cluster what was cancelled, which takes a moment each time that nobody shall wait for."""
        while (distant := self._unwanted.get()) is not None:
            if not self._closed.is_set():  # else all of it ends with the client
                distant.cancel()

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
