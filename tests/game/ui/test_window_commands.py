"""The commands that open a window, with a display and without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.log import read_log
from physics.errors import MissingError
from tests.game.ui.person import ROOT, Person, tidy

pytestmark = pytest.mark.slow

NO_DISPLAY = "There is no display to open a window on"


def test_play_alone_opens_the_start_page(display: str, tmp_path: Path) -> None:
    with Person(display, tmp_path, "play") as person:
        state = person.at("Start")
        tidy(state)
        assert (state["size"], state["language"]) == ([1280, 800], "en")
        assert person.close() == 0
    assert not list((tmp_path / "topple" / "matches").iterdir())


def test_play_begins_a_match_and_replay_shows_it(display: str, tmp_path: Path) -> None:
    log = tmp_path / "ours.topple"
    options = (
        "--players",
        "Анна,Богдан,Віра",
        "--seed",
        "7",
        "--option",
        "rounds=1",
        "--log",
        str(log),
        "--lang",
        "uk",
    )
    with Person(display, tmp_path, "play", *options) as person:
        state = person.at("Match")
        assert (state["names"], state["language"]) == (["Анна", "Богдан", "Віра"], "uk")
        person.changes(lambda state: state["held"], "8")
        person.changes(lambda state: state["row"], "Return")
        # Богдан calls; then everybody votes with keys of their own, in any order, without uncovering anything.
        person.changes(lambda state: state["act"], "2")
        assert person.changes(lambda state: state["voted"], "6")["voted"] == [2]
        person.changes(lambda state: state["act"], "3")
        person.until(lambda state: state["act"] == "countdown")
        assert person.close() == 0
    recording = read_log(log)
    assert (recording.header["seed"], recording.header["options"]["rounds"]) == (7, 1)
    moves = [(entry.data["seat"], entry.data["move"]) for entry in recording.entries if entry.kind == "move"]
    assert [(seat, move.split(" at ")[0]) for seat, move in moves] == [
        (0, "stand 8"),
        (1, "call"),
        (2, "vote failure"),
        (1, "vote success"),
        (0, "vote success"),
    ]
    with Person(display, tmp_path, "replay", str(log), "--lang", "ru") as person:
        state = person.at("Replay")
        tidy(state)
        assert state["language"] == "ru" and {"Анна", "Богдан", "Віра"} <= set(state["texts"])
        person.until(lambda state: state["t"] > 0)
        person.changes(lambda state: state["playing"], "space")
        person.key("End")
        person.until(lambda state: state["t"] == state["lasts"])
        person.key("Home")
        person.until(lambda state: state["t"] == 0)
        person.key("Escape")
        assert person.gone() == 0


@pytest.mark.parametrize("command", [("play",), ("play", "--players", "Ann,Bob"), ("replay", "FILE")])
def test_without_a_display_it_is_one_sentence(command: tuple[str, ...], tmp_path: Path) -> None:
    run = tmp_path / "run.topple"
    example = ROOT / "examples" / "straight.toml"
    if "FILE" in command:
        assert topple("simulate", str(example), "--out", str(run), folder=tmp_path).returncode == 0
    done = topple(*(str(run) if word == "FILE" else word for word in command), folder=tmp_path)
    assert (done.returncode, done.stdout) == (MissingError.exit_code, "")
    assert done.stderr.startswith(NO_DISPLAY) and "--text" in done.stderr and done.stderr.count("\n") == 1


def topple(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command on a machine without a display."""
    env = {**os.environ, "TOPPLE_LANG": "en", "PYTHONUTF8": "1", "XDG_DATA_HOME": str(folder), "PYTHONPATH": str(ROOT)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "ARCADE_HEADLESS"):
        env.pop(name, None)
    return subprocess.run(
        [sys.executable, "-m", "game.cli", *command],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
