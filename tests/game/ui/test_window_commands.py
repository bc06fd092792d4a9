"""The commands that open a window, with a display and without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.match.log import read_log
from physics.errors import MissingError
from tests.game.conftest import Disk
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


def test_a_rig_counts_down_and_is_stopped_by_a_key(display: str, tmp_path: Path) -> None:
    log = tmp_path / "ours.topple"
    options = ("--players", "Ann,Bob", "--seed", "7", "--option", "rounds=1", "--rig", "emulated", "--log", str(log))
    with Person(display, tmp_path, "play", *options) as person:
        person.at("Match")
        person.changes(lambda state: state["held"], "8")
        person.changes(lambda state: state["row"], "Return")
        person.changes(lambda state: state["act"], "space" if "call1" not in person.state["widgets"] else "2")
        person.until(lambda state: state["act"] == "vote")
        person.changes(lambda state: state["act"], "4")
        person.until(lambda state: state["act"] == "armed" and "push" in state["widgets"])
        person.key("Return")
        tidy(person.until(lambda state: "stoprig" in state["widgets"]))
        person.key("space")
        state = person.until(lambda state: "push" in state["widgets"])
        tidy(state)
        assert any("The rig was stopped." in text for text in state["texts"])
        person.key("b")
        person.until(lambda state: state["act"] == "witness")
        assert person.close() == 0
    stages = [entry.data["stage"] for entry in read_log(log).entries if entry.kind == "rig"]
    assert stages[:2] == ["counting", "stopped"] and "pushing" not in stages
    assert read_log(log).entries[-1].data["link"]["sent"] > 0


def test_a_full_disk_is_said_and_the_match_goes_on_when_there_is_room(display: str, tmp_path: Path, disk: Disk) -> None:
    log = disk.folder / "ours.topple"
    options = ("--players", "Ann,Bob", "--seed", "7", "--option", "rounds=1", "--log", str(log))
    with Person(display, tmp_path, "play", *options) as person:
        person.at("Match")
        person.changes(lambda state: state["held"], "8")
        person.changes(lambda state: state["row"], "Return")
        person.changes(lambda state: state["act"], "2")
        person.until(lambda state: state["act"] == "vote")
        person.changes(lambda state: state["act"], "4")
        person.until(lambda state: state["act"] == "armed" and "push" in state["widgets"])
        disk.fill()
        person.key("Return")
        state = person.until(lambda state: "retry" in state["widgets"])
        tidy(state)
        assert any("cannot be written: No space left on device." in text for text in state["texts"])
        person.click("retry")
        person.until(lambda state: "retry" in state["widgets"])
        disk.free()
        person.until(lambda state: "retry" in state["widgets"])
        person.click("retry")
        person.until(lambda state: state["act"] == "scored")
        assert person.close() == 0
    assert "outcome" in [entry.kind for entry in read_log(log).entries]


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
