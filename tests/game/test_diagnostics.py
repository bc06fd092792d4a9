"""The diagnostic log, written by real processes: what a person can send with a report."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from game.diagnostic_log import FILES, STALE, FileLog, Lines, attached
from game.diagnostics import log_file, wants_verbose
from physics.errors import SceneError

ROOT = Path(__file__).parents[2]
STRAIGHT = ROOT / "examples" / "straight.toml"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} \d+ [A-Z]+ topple[.a-z]*: .*|    .*")
STARTED = r"INFO topple: topple [\d.]+, CPython 3\.\d+\.\d+, \w+"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def topple(data: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "game.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=data.parent,
        env={**os.environ, "TOPPLE_LANG": "en", "XDG_DATA_HOME": str(data), "PYTHONUTF8": "1", **variables},
        timeout=120,
        check=False,
    )


def log_of(data: Path) -> str:
    return (data / "topple" / "topple.log").read_text(encoding="utf-8")


def test_every_run_says_what_it_was(data: Path) -> None:
    assert topple(data, "row", "straight", "--number", 3).returncode == 0
    assert topple(data, "simulate", STRAIGHT, "--out", "run.csv").returncode == 0
    lines = log_of(data).splitlines()
    assert all(LINE.fullmatch(line) for line in lines)
    assert [bool(re.search(STARTED, line)) for line in lines].count(True) == 2
    assert "command: row straight --number 3" in lines[1] and "exit code 0, after " in lines[2]
    assert any("INFO topple.engine: engine " in line for line in lines[3:])


def test_a_sentence_has_its_traceback_in_the_log_and_only_there(data: Path) -> None:
    done = topple(data, "predict", "lost.toml", TOPPLE_LANG="uk")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "lost.toml" in done.stderr and "There is" not in done.stderr
    log = log_of(data)
    assert "WARNING topple: SceneError: There is no file lost.toml." in log
    assert 'physics/fields.py", line ' in log and "FileNotFoundError" in log  # which `from None` leaves out
    assert "exit code 2" in log.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments",
    [("--verbose", "predict", "lost.toml"), ("predict", "lost.toml", "--verbose"), ("predict", "l", "--verb")],
)
def test_verbose_says_it_on_stderr_as_well(data: Path, arguments: tuple[str, ...]) -> None:
    done = topple(data, *arguments)
    assert done.returncode == 2 and done.stdout == ""
    assert re.search(STARTED, done.stderr) and "Traceback" in done.stderr
    said = [line for line in done.stderr.splitlines() if LINE.fullmatch(line)]
    assert said == log_of(data).splitlines()
    assert len(done.stderr.splitlines()) == len(said) + 1  # the sentence


def test_verbose_leaves_the_answer_alone(data: Path) -> None:
    answers = [json.loads(topple(data, "predict", STRAIGHT, "--json", *more).stdout) for more in ((), ("--verbose",))]
    assert {**answers[0], "seconds": 0} == {**answers[1], "seconds": 0}
    assert "runs of 6 tiles by bullet, seed 0" in log_of(data)


def test_wrong_use_is_written_down_and_help_is_not(data: Path) -> None:
    assert topple(data, "predict", "--frobnicate").returncode == 2
    assert "wrong use: unrecognized arguments: --frobnicate" in log_of(data)
    before = log_of(data)
    assert topple(data, "predict", "--help").returncode == topple(data, "--version").returncode == 0
    assert topple(data).returncode == 0
    assert log_of(data) == before


def test_what_is_opened_is_said(data: Path) -> None:
    assert topple(data, "rig", "status", "--port", "emulated").returncode == 0
    assert re.search(r"INFO topple\.rig: rig \w+ at emulated, calibrated", log_of(data))


def test_a_stranger_s_file_cannot_write_to_the_terminal(data: Path) -> None:
    bad = data.parent / "bad\x1b]0;owned\x07\n2026-01-01T00:00:00+0000 1 INFO topple: forged.toml"
    bad.write_text("set = 1")
    done = topple(data, "--verbose", "predict", bad)
    assert done.returncode == 2
    for said in (done.stderr, log_of(data)):
        assert "\x1b" not in said and "\x07" not in said and "\\x1b" in said
        assert all(LINE.fullmatch(line) for line in log_of(data).splitlines())
        assert "\n2026-01-01" not in said


def test_passwords_and_the_home_folder_are_left_out() -> None:
    home = Path.home()
    record = logging.LogRecord(
        "topple.camera", logging.INFO, "", 0, "pictures from %s of %s", ("http://me:secret@cam/x", home / "a"), None
    )
    assert Lines().format(record).endswith(f"topple.camera: pictures from http://…@cam/x of ~{os.sep}a")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the rights of files are those of Unix")
@pytest.mark.parametrize("data_home", ["/proc/nowhere", "/dev/null"])
def test_a_folder_that_cannot_be_written_is_no_fault(data: Path, data_home: str) -> None:
    done = topple(data, "row", "straight", "--number", 3, XDG_DATA_HOME=data_home)
    assert (done.returncode, done.stderr) == (0, "")
    said = topple(data, "--verbose", "row", "straight", "--number", 3, XDG_DATA_HOME=data_home)
    assert said.returncode == 0 and "command: --verbose row" in said.stderr
    doctor = topple(data, "doctor", XDG_DATA_HOME=data_home)
    assert f"✗ The diagnostic log {data_home}/topple/topple.log cannot be written." in doctor.stdout


def test_a_fault_of_ours_is_written_down() -> None:
    program = "from game import cli, commands\ncommands.load = cli.load = lambda name: 1 / 0\ncli.main(['doctor'])"
    folder = Path(os.environ["XDG_DATA_HOME"]) / "fault"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "XDG_DATA_HOME": str(folder)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert "CRITICAL topple: ZeroDivisionError: division by zero" in log_of(folder)


def test_the_doctor_says_where_it_is(data: Path) -> None:
    place = data / "topple" / "topple.log"
    assert f"The diagnostic log, to be sent with a report, is {place}." in topple(data, "doctor").stdout
    assert json.loads(topple(data, "doctor", "--json").stdout)["log"] == str(place)


def test_a_reader_who_has_left_is_no_fault(data: Path) -> None:
    command = f"{sys.executable} -P -m game.cli completion bash | true"
    env = {**os.environ, "XDG_DATA_HOME": str(data)}
    for _try in range(5):  # it may be done before the reader leaves
        subprocess.run(["sh", "-c", command], cwd=ROOT, env=env, capture_output=True, timeout=60, check=False)
    assert "CRITICAL" not in log_of(data)


# The file


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    log = logging.Logger("topple")
    yield log
    for handler in list(log.handlers):
        log.removeHandler(handler)


def test_full_files_are_turned_over(tmp_path: Path, log: logging.Logger) -> None:
    path = tmp_path / "topple.log"
    log.addHandler(FileLog(path, max_bytes=1000))
    for number in range(500):
        log.info("record %d", number)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["topple.log", "topple.log.1", "topple.log.2"] and len(files) == FILES
    told = [line for file in reversed(files) for line in file.read_text().splitlines()]
    numbers = [int(line.split()[1]) for line in told]
    assert numbers == list(range(numbers[0], 500)) and len(numbers) > 150
    assert all(file.stat().st_size <= 1100 for file in files)


def test_one_that_died_turning_them_over_stops_nobody(tmp_path: Path, log: logging.Logger) -> None:
    path, turn = tmp_path / "topple.log", tmp_path / "topple.log.turn"
    path.write_text("full" * 500)
    turn.touch()
    log.addHandler(FileLog(path, max_bytes=1000))
    log.info("written all the same")
    assert path.read_text().endswith("written all the same\n") and turn.exists()
    old = turn.stat().st_mtime - STALE - 1
    os.utime(turn, (old, old))
    log.info("takes it away")
    log.info("turns")
    assert path.read_text() == "turns\n" and not turn.exists()


WRITER = """
import logging, sys
from pathlib import Path
from game.diagnostic_log import FileLog
log = logging.Logger("topple")
log.addHandler(FileLog(Path(sys.argv[1]), max_bytes=4000))
for number in range(300):
    log.info("%s %03d %s", sys.argv[2], number, sys.argv[2] * 40)
"""


def test_processes_do_not_hurt_each_other_s_lines(tmp_path: Path) -> None:
    path = tmp_path / "topple.log"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, name], cwd=ROOT) for name in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["topple.log", "topple.log.1", "topple.log.2"]
    for file in files:
        assert all(re.fullmatch(r"([a-d]) \d{3} \1{40}", line) for line in file.read_text().splitlines())


def test_warnings_are_written_down_and_shown(tmp_path: Path, log: logging.Logger) -> None:
    path = tmp_path / "topple.log"
    shown: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_rest: shown.append(str(message))
        with attached(log, path, to_stderr=False):
            warnings.warn("look out", UserWarning, stacklevel=1)
            for _time in range(3):
                log.warning("the same again")
                log.warning("and another")
        warnings.warn("afterwards", UserWarning, stacklevel=1)
    text = path.read_text()
    assert shown == ["look out", "afterwards"] and "afterwards" not in text
    assert "UserWarning: look out" in text and text.count("the same again") == 1
    assert not log.handlers


def test_a_long_traceback_keeps_its_end(log: logging.Logger, tmp_path: Path) -> None:
    path = tmp_path / "topple.log"
    with attached(log, path, to_stderr=False):
        try:
            raise SceneError("{much}", much="x" * 50_000)
        except SceneError as error:
            log.warning("%s", error, exc_info=error)
    assert path.stat().st_size < 20_000


def test_the_data_folder_is_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert log_file() == tmp_path / "topple" / "topple.log"


@pytest.mark.parametrize(
    ("words", "wanted"), [(("--verbose",), True), (("--verbo",), True), (("--version",), False), (("--ver",), False)]
)
def test_verbose_is_known_before_the_rest(words: tuple[str, ...], wanted: bool) -> None:
    assert wants_verbose(words) is wanted
