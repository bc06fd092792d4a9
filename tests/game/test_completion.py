"""Completion as bash has it, and the examples at the end of every help."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import shtab

from game.arguments import parser
from game.commands import HELPS
from game.commands.calibrate import PARTS
from game.commands.completion import SHELLS
from game.commands.examples import EXAMPLES

ROOT = Path(__file__).parents[2]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en"}
COMMAND = [sys.executable, "-P", "-m", "game.cli"]
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
[[ $(complete -p topple) =~ -F\\ ([a-z_]+) ]]
"${BASH_REMATCH[1]}" "$1" "${@: -1}" "${@: -2:1}"
echo "${COMPREPLY[*]}"
"""
WITHOUT_EXTRAS = """
import sys
for name in ("arcade", "av", "cv2", "distributed", "matplotlib", "mujoco", "pybullet", "pymunk", "scipy", "serial"):
    sys.modules[name] = None
from game.cli import main
sys.exit(main(["completion", "zsh"]))
"""


def topple(*arguments: str) -> str:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=ROOT, env=ENGLISH, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "topple.bash"
    path.write_text(topple("completion", "bash"))
    return path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("topple pred", "predict"),
        ("./topple pred", "predict"),
        ("topple --lang ", "en uk ru"),
        ("topple --lang uk mat", "mat"),
        ("topple predict --eng", "--engine"),
        ("topple predict --engine mu", "mujoco"),
        ("topple predict examples/gro", "examples/growing.toml"),
        ("topple predict --picture examples/gro", "examples/growing.toml"),
        ("topple calibrate ", " ".join(PARTS)),
        ("topple calibrate camera --dev", "--device"),
        ("topple validate --docs exam", "examples"),
        ("topple validate --docs READ", ""),
    ],
)
def test_bash_completes(script: Path, line: str, offered: str) -> None:
    words = [*shlex.split(line), ""] if line.endswith(" ") else shlex.split(line)
    done = subprocess.run(
        ["bash", "-c", ASK, "bash", str(script), *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, offered, "")


def test_every_shell_that_is_named_is_known() -> None:
    assert set(SHELLS) <= set(shtab.SUPPORTED_SHELLS)


def test_completion_needs_nothing_that_a_command_may_lack() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS], capture_output=True, text=True, cwd=ROOT, env=ENGLISH, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "#compdef topple" in done.stdout and "--impulse" in done.stdout


# Examples


def test_every_help_has_examples() -> None:
    assert EXAMPLES.keys() == {"", *HELPS, *(f"calibrate {part}" for part in PARTS)}
    assert all(1 <= len(lines) <= 3 for lines in EXAMPLES.values())


@pytest.mark.parametrize("line", sorted({line for lines in EXAMPLES.values() for line, _words in lines}))
def test_every_example_is_understood(line: str) -> None:
    arguments = shlex.split(line.partition(" > ")[0])
    if "--help" not in arguments:
        assert parser(arguments[0]).parse_args(arguments).command == arguments[0]


@pytest.mark.parametrize("command", EXAMPLES)
def test_an_example_is_of_its_command(command: str) -> None:
    assert all(line.startswith(command) for line, _words in EXAMPLES[command])


def test_help_ends_with_them() -> None:
    for command in ("", "predict", "calibrate camera"):
        ends = topple(*command.split(), "--help").partition("\nExamples:\n")[2].splitlines()
        assert ends[::2] == [f"  ./topple {line}" for line, _words in EXAMPLES[command]]
