"""Workers that die and clusters that go away, with real processes: the same answer, or one sentence."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

import game.workers.cluster
import physics.hint
from game.workers.pool import NICENESS, LocalPool, match_workers, worker_pool
from physics.errors import EngineError, InputError, MissingError
from physics.hint import suggest
from physics.line import straight
from physics.outcome import Prediction
from physics.predict import Precision, predict
from physics.scene import Noise, Scene
from physics.tiles import load_set

COMMAND = [sys.executable, "-P", "-m", "game.cli"]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en"}
DOUBTFUL = Scene(straight(load_set("evaluation"), [3, 6], 0.01345))
DOUBTFUL_FILE = 'set = "evaluation"\n[[tile]]\nvalue = 3\nx = 0\ny = 0\n[[tile]]\nvalue = 6\nx = 18.7\ny = 0\n'
ADDRESS = "tcp://127.0.0.1:8786"
ROUGHLY = Precision(width=0.1)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def timeless(prediction: Prediction) -> Prediction:
    return replace(prediction, seconds=0.0)


@pytest.fixture
def line(tmp_path: Path) -> Path:
    path = tmp_path / "line.toml"
    path.write_text(DOUBTFUL_FILE)
    return path


def forecast(line: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "predict", str(line), "--json", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=ENGLISH,
        timeout=120,
        check=False,
    )


@contextlib.contextmanager
def started(line: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*COMMAND, "predict", str(line), "--json", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENGLISH,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def endless(line: Path, cluster: Cluster) -> Iterator[subprocess.Popen[str]]:
    """A forecast on the cluster that has told of its first runs, and would take minutes."""
    with started(line, "--cluster", cluster.address, "--width", 0.005) as process:
        assert process.stderr is not None
        assert "so far" in process.stderr.readline()
        yield process


def answer_of(text: str) -> dict[str, Any]:
    return {**json.loads(text), "seconds": None}


# Processes here


def kill_a_child() -> None:
    victim = multiprocessing.active_children()[0]
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)


def test_a_killed_worker_changes_nothing() -> None:
    undisturbed = predict(DOUBTFUL, Noise(), seed=3, precision=ROUGHLY)
    killed: list[int] = []

    def kill_twice(runs: int, sampling: tuple[float, float]) -> None:
        if len(killed) < 2:
            kill_a_child()
            killed.append(runs)

    with worker_pool(2) as pool:
        disturbed = predict(DOUBTFUL, Noise(), seed=3, precision=ROUGHLY, executor=pool, progress=kill_twice)
    assert len(killed) == 2 and killed[-1] < undisturbed.samples
    assert timeless(disturbed) == timeless(undisturbed)
    assert not multiprocessing.active_children()


def test_a_worker_killed_during_the_hint_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(physics.hint, "SHIFTS", (2e-3,))
    monkeypatch.setattr(physics.hint, "THOROUGH", (8, 16))
    prediction = predict(DOUBTFUL, Noise(), seed=3, precision=ROUGHLY)
    with worker_pool(2) as pool:
        disturbed = suggest(
            DOUBTFUL,
            Noise(),
            prediction,
            executor=pool,
            progress=lambda done, total: kill_a_child() if done == 8 else None,
        )
    assert disturbed is not None and disturbed == suggest(DOUBTFUL, Noise(), prediction)


def test_the_command_survives_a_killed_worker(line: Path) -> None:
    with started(line, "--workers", 2, "--width", 0.1) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(lambda: len(children.read_text().split()) == 2)
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        out, error = process.communicate(timeout=120)
    assert process.returncode == 0 and "Traceback" not in error
    assert answer_of(out) == answer_of(forecast(line, "--workers", 1, "--width", 0.1).stdout)


def test_a_call_that_kills_its_workers_is_given_up_and_others_are_not() -> None:
    with worker_pool(2) as pool:
        assert pool is not None
        with pytest.raises(EngineError, match="4 workers in a row were ended from outside"):
            pool.submit(os._exit, 1).result(timeout=60)
        assert pool.submit(pow, 2, 5).result(timeout=60) == 32


def test_errors_of_the_work_itself_come_back_as_they_are() -> None:
    with worker_pool(2) as pool:
        assert pool is not None
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result(timeout=60)


def test_workers_of_a_match_make_way_and_others_do_not() -> None:
    here = os.nice(0)
    with match_workers(2, at_once=True) as pool:
        assert pool.submit(os.nice, 0).result(timeout=60) == min(19, here + NICENESS)
    with worker_pool(2) as plain:
        assert plain is not None
        assert plain.submit(os.nice, 0).result(timeout=60) == here


def test_what_waits_can_be_cancelled_and_all_else_is_waited_for() -> None:
    pool = LocalPool(2)
    busy = [pool.submit(time.sleep, 0.2) for _ in range(3)]
    waiting: list[Future[int]] = [pool.submit(pow, 2, power) for power in range(3)]
    assert waiting[1].cancel()
    pool.shutdown()
    assert all(future.done() for future in busy)
    assert [future.cancelled() for future in waiting] == [False, True, False]
    assert waiting[2].result() == 4
    with pytest.raises(RuntimeError):
        pool.submit(pow, 2, 2)
    assert not multiprocessing.active_children()


# A cluster


class Cluster:
    """A scheduler of Dask in a process of its own, and its workers in theirs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def open(self) -> None:
        self.folder.mkdir(exist_ok=True)
        file = self.folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", file)
        wait_until(file.exists)
        self.address = str(json.loads(file.read_text())["address"])

    def _start(self, *arguments: object, extra_path: Path | None = None) -> subprocess.Popen[bytes]:
        own = self.folder / str(len(self.processes))
        own.mkdir()
        paths = {} if extra_path is None else {"PYTHONPATH": str(extra_path)}
        with (own / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *map(str, arguments), "--host", "127.0.0.1", "--no-dashboard"],
                stdout=log,
                stderr=log,
                cwd=own,
                env={**os.environ, **paths},
            )
        self.processes.append(process)
        return process

    def worker(self, extra_path: Path | None = None) -> subprocess.Popen[bytes]:
        """A worker that the scheduler knows."""
        log = self.folder / str(len(self.processes)) / "log"
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", log.parent)
        process = self._start("worker", self.address, *options, extra_path=extra_path)
        wait_until(lambda: b"Registered to" in log.read_bytes())
        return process

    def end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait(timeout=30)


@contextlib.contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        cluster.open()
        yield cluster
    finally:
        for process in cluster.processes:
            cluster.end(process)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One that the tests leave with at least one good worker."""
    with cluster_in(tmp_path_factory.mktemp("cluster")) as there:
        there.worker()
        yield there


def tasks_of(client: Any) -> int:
    return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.fixture
def onlooker(cluster: Cluster) -> Iterator[Any]:
    """Somebody else who can ask the scheduler what it has to do."""
    client: Any = Client(cluster.address, set_as_default=False)  # type: ignore[no-untyped-call]
    with client:
        yield client


@pytest.mark.slow
def test_a_cluster_gives_the_same_answer_even_when_a_worker_is_killed(
    cluster: Cluster, onlooker: Any, line: Path
) -> None:
    second = cluster.worker()
    here = forecast(line, "--workers", 1, "--width", 0.1)
    there = forecast(line, "--cluster", cluster.address, "--width", 0.1)
    assert there.returncode == 0 and answer_of(there.stdout) == answer_of(here.stdout)
    wait_until(lambda: tasks_of(onlooker) == 0)
    with started(line, "--cluster", cluster.address, "--width", 0.1) as process:
        wait_until(lambda: tasks_of(onlooker) > 0)
        cluster.end(second)
        out, error = process.communicate(timeout=120)
    assert process.returncode == 0 and "Traceback" not in error and "distributed" not in error
    assert answer_of(out) == answer_of(here.stdout)


@pytest.mark.slow
def test_ctrl_c_leaves_a_cluster_nothing_to_do(cluster: Cluster, onlooker: Any, line: Path) -> None:
    with endless(line, cluster) as process:
        assert tasks_of(onlooker) > 0
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
    assert process.returncode == 130 and out == ""
    assert error.splitlines()[-1] == "Stopped." and "Traceback" not in error
    wait_until(lambda: tasks_of(onlooker) == 0)


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_one_sentence(tmp_path: Path, line: Path) -> None:
    with cluster_in(tmp_path / "cluster") as cluster:
        cluster.worker()
        with endless(line, cluster) as process:
            cluster.end(cluster.scheduler)
            out, error = process.communicate(timeout=120)
    assert process.returncode == 2 and out == ""
    assert error.splitlines()[-1] == f"The cluster at {cluster.address} has gone away in the middle of the work."
    assert "Traceback" not in error and "distributed" not in error


@pytest.mark.slow
def test_workers_that_would_answer_otherwise_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game.workers.cluster, "CONNECT_TIME", 2.0)

    def refusal(cluster: Cluster) -> str:
        with pytest.raises(InputError) as refused, worker_pool(None, cluster.address) as pool:
            predict(DOUBTFUL, Noise(), executor=pool)
        return str(refused.value)

    old, bare = tmp_path / "old", tmp_path / "bare"
    (old / "topple-0.0.1.dist-info").mkdir(parents=True)
    (old / "topple-0.0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: topple\nVersion: 0.0.1\n")
    bare.mkdir()
    (bare / "pybullet.py").write_text("raise ImportError\n")
    with cluster_in(tmp_path / "cluster") as cluster:
        assert "has no workers: start some with `dask worker tcp://" in refusal(cluster)
        other = cluster.worker(extra_path=old)
        assert "has topple 0.0.1, but must have" in refusal(cluster)
        cluster.end(other)
        cluster.worker(extra_path=bare)
        assert "of the cluster: PyBullet is not installed here" in refusal(cluster)


def test_an_address_where_nobody_listens_is_one_sentence(line: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    done = forecast(line, "--cluster", f"tcp://127.0.0.1:{port}")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        f"No cluster answers at tcp://127.0.0.1:{port}: "
        "a Dask scheduler must run there, started with `dask scheduler`.\n"
    )


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_something_else_that_listens_is_no_cluster(monkeypatch: pytest.MonkeyPatch, greeting: bytes) -> None:
    monkeypatch.setattr(game.workers.cluster, "CONNECT_TIME", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with contextlib.suppress(OSError), contextlib.ExitStack() as accepted:
                while True:
                    accepted.enter_context(server.accept()[0]).sendall(greeting)

        greeter = threading.Thread(target=greet)
        greeter.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match="No cluster answers"), worker_pool(None, address):
            pass
        server.shutdown(socket.SHUT_RDWR)  # wakes the greeter up
        greeter.join()


@pytest.mark.parametrize(
    "address", ["", "host", "host:8786", "tcp://host", "tcp://:8786", "tcp://host:0", "tcp://host:99999",
                "tcp://[::1", "http://host:80", "tcp://host:8786/path"]
)  # fmt: skip
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with (
        pytest.raises(InputError, match="is not the address of a cluster; one looks like tcp://host:8786"),
        worker_pool(None, address),
    ):
        pass


def test_a_cluster_has_its_own_number_of_workers(line: Path) -> None:
    done = forecast(line, "--cluster", ADDRESS, "--workers", 2)
    assert done.returncode == 2
    assert done.stderr == "A cluster has its own workers: leave out --workers or --cluster.\n"


def test_a_cluster_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingError, match=r"A cluster needs distributed.*\(extra cluster\)"),
        worker_pool(None, ADDRESS),
    ):
        pass
