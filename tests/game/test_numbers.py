"""Numbers in sentences: a comma where the language has one, a point in all that programs read."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from game import words
from game.cli import main
from game.words import figures, number, say
from hardware import opening
from hardware.simulated.emulated import EmulatedPort, VirtualClock
from physics.errors import InputError, Number
from physics.scene import read_line_file
from tests.game.match.test_season import write_match

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
POINT = re.compile(r"\d\.\d")
NOT_FOR_PEOPLE = re.compile(
    r"^\w+ = .*$|\S+\.(?:toml|topple|csv)\b|\w+ \d+\.\d+$|at\s+-12\.5|\./topple .*$", re.MULTILINE
)
"""A line for a TOML file; names of files; versions at the end of a line; what can be typed."""
both_languages = pytest.mark.parametrize("language", ["uk", "ru"])


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., str]]:
    """Runs a command and comes back with all that it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(opening, "EmulatedPort", lambda: EmulatedPort(VirtualClock()))  # nobody watches

    def run(*arguments: object, typed: str = "") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        capsys.readouterr()
        with contextlib.suppress(SystemExit):  # of argparse, which has said why
            main([*map(str, arguments)])
        done = capsys.readouterr()
        return done.out + done.err

    yield run
    words.use("en")


def row(folder: Path, *tiles: tuple[int, float, float], more: str = "") -> Path:
    path = folder / "row.toml"
    lines = [f"[[tile]]\nvalue = {value}\nx = {x}\ny = {y}" for value, x, y in tiles]
    path.write_text("\n".join(['set = "evaluation"', more, *lines]))
    return path


@both_languages
def test_no_command_prints_a_decimal_point(said: Callable[..., str], tmp_path: Path, language: str) -> None:
    match = write_match(tmp_path / "match.topple", [(0.5, True), (0.9, False)])
    high = row(tmp_path, (1, 0, 0), (2, 20, 0), more='[push]\nkind = "tap"\nimpulse = 1.0\nheight = 61.5')
    emulated = ("--port", "emulated")
    moves = "stand 8 right gap 12,5 turn 7.5\nlook\npass\nstand 99\nquit\n"
    commands: list[tuple[object, ...]] = [
        ("predict", EXAMPLES / "packed.toml", "--no-hint", "--width", "0,2"),
        ("predict", "no.toml", "--width", "7"),
        ("predict", high),
        ("simulate", EXAMPLES / "straight.toml", "--out", "run.topple"),
        ("replay", "run.topple", "--text"),
        ("replay", match, "--text"),
        ("season", match),
        ("validate", "V4"),
        ("rig", "status", *emulated),
        ("rig", "tilt", *emulated, "--angle", "2,5", "--hold", "0"),
        ("rig", "tap", *emulated, "--impulse", "9"),
        ("rig", "monitor", *emulated, "--for", "0.1"),
        ("rig", "--help"),
        ("calibrate", "rig", *emulated, "--sensitivity", "2.046"),
        ("calibrate", "material", "--table-slid", "24.5", "25.1", "23,9", "--tile-tipped", "9.0"),
        ("predict", "--help"),
        ("row", "straight", "--gap", "0", "--out", "new.toml"),
        ("play", "--text", "--plain", "--players", "Ann,Bob", "--table", "hand"),
        ("play", "--text", "--no-plain", "--players", "Ann,Bob", "--table", "hand"),
    ]
    commas = 0
    for command in commands:
        text = said(*command, "--lang", language, typed=moves)
        assert text.strip(), command
        shown = NOT_FOR_PEOPLE.sub("", text)
        assert not POINT.search(shown), (command, shown)
        commas += bool(re.search(r"\d,\d", shown))
    assert commas >= len(commands) - 2


def test_what_programs_read_has_points(said: Callable[..., str], tmp_path: Path) -> None:
    answer = json.loads(
        said("predict", EXAMPLES / "straight.toml", "--json", "--lang", "uk", "--width", "0,2").splitlines()[0]
    )
    assert isinstance(answer["probability"], float)
    said("simulate", EXAMPLES / "straight.toml", "--out", "run.csv", "--lang", "uk")
    assert re.match(r"0\.0000,1,5,-?\d+\.\d+,", (tmp_path / "run.csv").read_text().splitlines()[1])
    said("row", "arc", "--gap", "12,5", "--out", "arc.toml", "--lang", "uk")
    assert read_line_file(tmp_path / "arc.toml")[0].line.gaps()[0] == pytest.approx(0.0125, abs=1e-4)


def test_numbers_of_errors() -> None:
    error = InputError("{a} of {b} in {c}", a=Number("+1.50"), b=0.25, c="match-2.5")
    assert str(error) == say(error) == "+1.50 of 0.25 in match-2.5"
    words.use("uk")
    assert say(error) == "+1,50 of 0,25 in match-2.5"  # what is no number stays as it is
    words.use("en")


def test_numbers_of_sentences() -> None:
    assert (number(0.25), number(2, 1), number(1e-7), figures("+1.5 – 2.5")) == ("0.25", "2.0", "1e-07", "+1.5 – 2.5")
    words.use("ru")
    assert (number(0.25), number(2, 1), number(-3), figures("+1.5 – 2.5")) == ("0,25", "2,0", "-3", "+1,5 – 2,5")
    words.use("en")
