"""The commands as people and programs call them: real processes, their answers, exit codes and sentences."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
COMMAND = [sys.executable, "-P", "-m", "game.cli"]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en"}


def topple(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=ENGLISH,
        timeout=300,
        check=False,
    )


def refused(*arguments: object, cwd: Path | None = None) -> str:
    """The one sentence of a command that was refused."""
    done = topple(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    return done.stderr.strip()


def test_predict_prints_the_contract() -> None:
    done = topple("predict", EXAMPLES / "straight.toml", "--json", "--seed", 7)
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert list(answer) == [
        "probability", "interval", "sampling", "confidence", "verdict", "samples", "tiles",
        "weakest_gap", "weakest_at", "pushed", "engine", "seed", "seconds",
    ]  # fmt: skip
    assert answer["verdict"] == "falls" and answer["seed"] == 7 and answer["engine"] == "bullet"
    assert [tile["value"] for tile in answer["tiles"]] == [5, 6, 7, 8, 9, 10]
    assert answer["pushed"] == 5
    assert answer["interval"][0] <= answer["sampling"][0] <= answer["probability"] <= answer["sampling"][1]


def test_the_answer_does_not_depend_on_the_workers() -> None:
    answers = []
    for workers in (1, 2, 5):
        done = topple("predict", EXAMPLES / "arc.toml", "--json", "--width", 0.1, "--workers", workers)
        answers.append({**json.loads(done.stdout), "seconds": None})
    assert answers[0] == answers[1] == answers[2]


def test_predict_tells_people() -> None:
    done = topple("predict", EXAMPLES / "packed.toml")
    assert done.returncode == 0
    assert "Does not fall completely: 0 % that all of it falls." in done.stdout
    assert "Weakest gap: between 4 and 5 (6.0 mm of air)." in done.stdout
    assert "Hint: move 5 and all after it " in done.stdout


def test_a_gap_no_game_would_allow_is_forecast(tmp_path: Path) -> None:
    line = tmp_path / "far.toml"
    line.write_text('set = "evaluation"\n[[tile]]\nvalue = 1\nx = 0\ny = 0\n[[tile]]\nvalue = 2\nx = 94\ny = 0\n')
    done = topple("predict", line, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["verdict"] == "stands"


def test_predict_draws_the_plan(tmp_path: Path) -> None:
    done = topple("predict", EXAMPLES / "straight.toml", "--picture", tmp_path / "plan.png", "--no-hint")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.png"]


@pytest.mark.parametrize("ending", ["topple", "csv"])
def test_simulate_writes_one_run(tmp_path: Path, ending: str) -> None:
    done = topple("simulate", EXAMPLES / "straight.toml", "--out", tmp_path / f"run.{ending}", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["all_fell"] and [tile["fate"] for tile in answer["tiles"]] == ["fallen"] * 6
    assert len((tmp_path / f"run.{ending}").read_text().splitlines()) > 50


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.toml")))
def test_every_example_can_be_simulated(tmp_path: Path, name: str) -> None:
    done = topple("simulate", EXAMPLES / name, "--out", tmp_path / "run.csv")
    assert done.returncode == 0, done.stderr


def test_validate_measures_named_cases() -> None:
    done = topple("validate", "V4", "v20", "--json")
    assert done.returncode == 0, done.stdout
    report = json.loads(done.stdout)
    assert report["passed"] is True
    found = [(case["engine"], case["name"]) for case in report["cases"]]
    assert found == [("bullet", "V4"), ("bullet", "V20"), ("mujoco", "V4"), ("mujoco", "V20")]
    named = json.loads(topple("validate", "V01", "--engine", "bullet", "--json").stdout)
    assert [case["name"] for case in named["cases"]] == ["V1"]
    assert "There is no case V99" in refused("validate", "V99")


@pytest.mark.parametrize("command", ["--help", "predict --help", "doctor"])
def test_arrays_are_not_loaded_before_they_are_needed(command: str) -> None:
    program = f"""
import sys
from game import cli
try:
    cli.main({command.split()!r})
except SystemExit:
    pass
sys.exit("numpy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=ROOT, env=ENGLISH, check=False)
    assert done.returncode == 0, done.stderr


def test_doctor_knows_what_is_there() -> None:
    done = topple("doctor", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["extras"]["sim"]["pybullet"] == "3.2.7"
    assert found["extras"]["dev"]["pytest"] is not None
    assert "pybullet 3.2.7" in topple("doctor").stdout
    assert "web" not in found["extras"], "no page for viewers can be had yet"


def test_the_language_may_be_named_before_the_command() -> None:
    for before in (["--lang", "uk"], ["--lang=uk"]):
        assert refused(*before, "predict", "lost.toml") == "Немає файлу lost.toml."
    assert refused("--lang", "uk", "predict", "lost.toml", "--lang", "ru") == "Нет файла lost.toml."


def test_bad_use_is_one_sentence() -> None:
    assert "--help" in refused("juggle")
    assert refused("predict") == "Give either a line file or picture, or --source with a camera."
    assert "-1 is not a whole number" in refused("predict", "x.toml", "--seed", -1)
    assert "nan is not a number from 0.005 to 0.5" in refused("predict", "x.toml", "--width", "nan")
    assert "0 is not a whole number from 1" in refused("predict", "x.toml", "--workers", 0)
    assert "There is no file x.toml." in refused("predict", "x.toml")
    assert "is a folder" in refused("predict", EXAMPLES)


def test_bad_lines_are_one_sentence_with_file_and_line(tmp_path: Path) -> None:
    def refusal(text: str) -> str:
        (tmp_path / "line.toml").write_text(text)
        return refused("predict", "line.toml", cwd=tmp_path)

    one = "[[tile]]\nvalue = 1\nx = 0.0\ny = 0.0\n"
    assert refusal('set = "evaluation\n').startswith("line.toml:1: broken TOML")
    assert refusal('set = "evaluation"\ncolour = 1\n' + one).startswith("line.toml:2: colour is not known")
    assert refusal('set = "evaluation"\n[table]\nfriction = -0.5\n' + one).startswith(
        "line.toml:3: table.friction is -0.5, but must be a number from 0 to 10"
    )
    assert refusal('set = "evaluation"\n' + one.replace("x = 0.0", "x = nan")).startswith("line.toml:4: tile.x is nan")
    assert "line.toml:3: tile.value is 'one'" in refusal('set = "evaluation"\n' + one.replace("1", "'one'"))
    assert "There is no tile set 'lost'; allowed is classic, evaluation, whitehead" in refusal('set = "lost"\n' + one)
    assert "has no tile" in refusal('set = "evaluation"\n')
    assert "overlap" in refusal('set = "evaluation"\n' + one + one.replace("value = 1", "value = 2"))
    assert "10000 tiles; allowed are at most 5000" in refusal('set = "classic"\n' + one * 10_000)


def test_unwritable_outputs_are_named_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "run.csv").mkdir()
    assert "no folder" in refused("predict", EXAMPLES / "arc.toml", "--picture", tmp_path / "no" / "plan.png")
    assert "allowed is .png" in refused("predict", EXAMPLES / "arc.toml", "--picture", tmp_path / "plan.bmp")
    assert "is a folder" in refused("simulate", EXAMPLES / "arc.toml", "--out", tmp_path / "run.csv")
    assert "allowed is .topple" in refused("simulate", EXAMPLES / "arc.toml", "--out", tmp_path / "run.avi")
    assert "cannot be written" in refused("simulate", EXAMPLES / "arc.toml", "--out", "/proc/run.csv")


def long_line(folder: Path) -> Path:
    """A row that takes far longer than any test."""
    tiles = "".join(f"[[tile]]\nvalue = 1\nx = {i * 22}\ny = 0\n" for i in range(1500))
    path = folder / "long.toml"
    path.write_text('set = "classic"\n' + tiles)
    return path


def processes_of_group(group: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def at_work(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    """A command in a process group of its own, with its two workers started."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
        env=ENGLISH,
    )
    wait_until(lambda: len(processes_of_group(process.pid)) >= 3)
    return process


def test_ctrl_c_ends_everything_with_one_word(tmp_path: Path) -> None:
    process = at_work(tmp_path, "predict", long_line(tmp_path), "--picture", "plan.png")
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == "" and error.strip().splitlines()[-1] == "Stopped."
    assert "Traceback" not in error
    wait_until(lambda: not processes_of_group(process.pid))
    assert [path.name for path in tmp_path.iterdir()] == ["long.toml"]


LITTER = """
import signal, sys, threading
from game import cli
from game.commands import Command

class Litter:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def run(options):
    Litter()
    threading.Event().wait(30)
    return 0

cli.load = lambda name: Command(lambda parser: None, run)
sys.exit(cli.main(["doctor"]))
"""


def test_ctrl_c_counts_even_while_garbage_is_collected() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LITTER], capture_output=True, text=True, env=ENGLISH, cwd=ROOT, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_workers_end_when_the_program_is_killed(tmp_path: Path) -> None:
    process = at_work(tmp_path, "predict", long_line(tmp_path))
    process.kill()
    process.communicate(timeout=30)
    wait_until(lambda: not processes_of_group(process.pid))


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -P -m game.cli predict {EXAMPLES / 'straight.toml'} --no-hint | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr and "Broken" not in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_a_console_without_cyrillic_still_gets_the_numbers() -> None:
    done = subprocess.run(
        [*COMMAND, "predict", str(EXAMPLES / "straight.toml"), "--no-hint", "--lang", "uk"],
        capture_output=True,
        text=True,
        env={**ENGLISH, "PYTHONIOENCODING": "ascii"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert "100 %" in done.stdout
