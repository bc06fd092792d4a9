"""Ctrl-C at any moment of a start: one word at most."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en", "TOPPLE_VENV": sys.prefix}
STEP, END = 0.04, 1.0  # s
HELD = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.executable, [sys.executable, "-P", "-m", "game.cli", "doctor"])
"""
PRESSED = """
import signal, sys
from game import cli
from game.commands import Command

class Field:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)

cli.load = lambda name: Command(lambda parser: None, lambda options: {action})
sys.argv[1:] = ["doctor"]
sys.exit(cli.main())
"""


def environment_is_ready() -> bool:
    """Whether the launcher would start this environment without setting anything up."""
    loader = importlib.machinery.SourceFileLoader("topple_launcher", str(ROOT / "topple"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    launcher = importlib.util.module_from_spec(spec)
    loader.exec_module(launcher)
    environment = Path(sys.prefix)
    return bool(launcher.is_ready(environment, launcher.read_stamp(environment), ["sim"]))


def env_can_hold_signals() -> bool:
    return subprocess.run(["env", "--block-signal=INT", "true"], capture_output=True, check=False).returncode == 0


def test_one_that_was_held_back_is_answered() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELD], capture_output=True, text=True, env=ENGLISH, cwd=ROOT, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


@pytest.mark.parametrize("action", ["exec('signal.raise_signal(2)')", "type('Table', (), {'field': Field()})"])
def test_one_that_python_takes_for_something_else(action: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESSED.replace("{action}", action)],
        capture_output=True,
        text=True,
        env=ENGLISH,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


@pytest.mark.slow
def test_the_launcher_and_the_program_at_many_moments(tmp_path: Path) -> None:
    if not env_can_hold_signals() or not environment_is_ready():
        pytest.skip("needs env of GNU and an environment made by the launcher")
    line = tmp_path / "long.toml"
    tiles = "".join(f"[[tile]]\nvalue = 1\nx = {number * 22}\ny = 0\n" for number in range(1500))
    line.write_text('set = "classic"\n' + tiles)
    for moment in range(round(END / STEP) + 1):
        process = subprocess.Popen(
            [str(ROOT / "topple"), "predict", str(line)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENGLISH,
            start_new_session=True,
        )
        time.sleep(moment * STEP)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        # At its very start it is a shell, and ends by the signal without a word.
        said = (process.returncode, out, error)
        assert said in ((130, "", "Stopped.\n"), (-signal.SIGINT, "", "")), f"after {moment * STEP:.2f} s"
