"""The log that a window leaves beside that of the same match in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from game.games.evaluation.state import Phase
from game.match.history import MatchHistory, setup_in
from game.match.log import Recording, read_log
from game.match.players import strength_of

ENGLISH = {**os.environ, "TOPPLE_LANG": "en", "PYTHONUTF8": "1"}


def played_again(log: Path, beside: Path) -> Path:
    """The same match in text mode, every choice of its people typed into a pipe as the log has it."""
    header = read_log(log).header
    options = ["--players", ",".join(header["seats"]), "--seed", str(header["seed"]), "--engine", header["engine"]]
    options += [word for name, value in header["options"].items() for word in ("--option", f"{name}={value}")]
    options += [f"--{name}" for name in ("hints", "clumsy") if header[name]]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "game.cli", "play", "--text", "--log", str(beside), *options],
        input="".join(f"{line}\n" for line in choices(log)),
        capture_output=True,
        encoding="utf-8",
        env=ENGLISH,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return beside


def choices(log: Path) -> list[str]:
    """What people chose, in the written form of moves, which is exact to the last bit of a placement.

    One undo in the window is one in the terminal, though it may be several entries: it takes back what bots and those
    without a choice did since. Who has placed has no choice in the vote and is not asked.
    """
    recording = read_log(log)
    setup = setup_in(recording.header, "header")
    history = MatchHistory(setup)
    people = [seat for seat, name in enumerate(setup.names) if strength_of(name) is None]
    found: list[tuple[int, str]] = []  # with the number of the entry
    for entry in recording.entries:
        seat = entry.data.get("seat")
        is_forced = history.state.phase is Phase.VOTE and seat == history.state.active
        if entry.kind == "move" and seat in people and not is_forced:
            found.append((entry.number, entry.data["move"]))
        elif entry.kind == "undo" and entry.data["of"] in [number for number, _text in found]:
            found.append((entry.number, "undo"))
        history.take(entry)
    return [text for _number, text in found]


def told(recording: Recording) -> list[tuple[str, dict[str, Any]]]:
    """Everything in order but times and forecasts; an undo names its move by its place in this order.

    Forecasts are made beside the game and come in whenever they are ready.
    """
    entries = [entry for entry in recording.entries if entry.kind != "forecast"]
    place = {entry.number: index for index, entry in enumerate(entries)}
    return [
        (entry.kind, {**entry.data, "of": place[entry.data["of"]]} if entry.kind == "undo" else dict(entry.data))
        for entry in entries
    ]


def forecasts(recording: Recording) -> dict[str, dict[str, Any]]:
    """By the row they are of."""
    return {entry.data["scene"]: dict(entry.data) for entry in recording.entries if entry.kind == "forecast"}


def assert_same(window: Path, text: Path) -> None:
    """AssertionError when the logs tell of different matches.

    Rows that were not pushed may have their forecast in one log only: nobody waits for those.
    """
    one, other = read_log(window), read_log(text)
    assert one.header == other.header
    for (kind, mine), (same_kind, theirs) in zip(told(one), told(other), strict=True):
        assert (kind, mine) == (same_kind, theirs)
    first, second = forecasts(one), forecasts(other)
    pushed = {entry.data["scene"] for entry in one.entries if entry.kind == "outcome"}
    assert pushed and pushed <= set(first) and pushed <= set(second)
    for scene in set(first) & set(second):
        assert first[scene] == second[scene]
