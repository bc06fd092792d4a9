"""Files and names of strangers: whatever stands in them, nothing that moves a cursor or hides text is printed."""

from __future__ import annotations

import contextlib
import io
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.cli import main
from game.match.log import Log, read_log
from physics.record import write_record
from tests.game.match.test_season import write_match

NASTY = "\x1b]0;mine\x07\x9b2J\u202eback\u2066\u200b\x7f\nFAKE line\rFAKE" + "e" + "\u0301" * 40
NAME = b"\x1b[31m\xe2\x80\xae\xff\nFAKE\xc2\x9b".decode(errors="surrogateescape")
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")

TILES = [{"value": NASTY}, {"value": NASTY}]
FORECAST = {"probability": 0.5, "interval": [0.1, 0.9], "weakest_at": 0}
EVENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "rig": ("rig", {"stage": "fault", "trouble": NASTY}),
    "stage": ("rig", {"stage": NASTY, "trouble": ""}),
    "sight": ("sight", {"sight": "differs", "differences": [{"kind": "moved", "value": NASTY, "by": 3.0}]}),
    "forecast": ("forecast", {**FORECAST, "values": [NASTY, NASTY]}),
    "outcome": ("outcome", {"tiles": TILES, "fell_at": [0.5, None], "fates": ["fallen", "leaning"], "frames": []}),
    "knocked": ("knocked", {"seat": 0, "tiles": TILES, "fell_at": [0.5, None], "fates": [], "frames": []}),
    "failed": ("forecast", {"failed": NASTY}),
    "move": ("move", {"seat": 0, "move": NASTY}),
    "by": ("move", {"seat": NASTY, "move": "call", "by": NASTY}),
    "undo": ("undo", {"seat": 0, "of": NASTY}),
    "kind": (NASTY, {}),
    "result": ("result", {"scores": [NASTY, NASTY], "winners": [NASTY]}),
}
HEADERS = ("game", "table", "engine", "kind", "version", "seats", "options")
LINES = {
    "set": "set = {nasty}",
    "key": "{nasty} = 1",
    "table": 'set = "evaluation"\n[table]\nfriction = {nasty}',
    "push": 'set = "evaluation"\n[push]\nkind = {nasty}',
    "value": 'set = "evaluation"\n[[tile]]\nvalue = {nasty}\nx = 0\ny = 0',
    "toml": "set = {nasty} {nasty}",
    "bare": "set = \x1b[31m\x07",
}
READERS: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    "replay": lambda file: ("replay", file, "--text"),
    "film": lambda file: ("replay", file, "--out", "no/film.gif"),
    "season": lambda file: ("season", file),
    "resume": lambda file: ("play", "--text", "--plain", "--resume", file),
    "material": lambda file: ("calibrate", "material", "--falls", file),
    "predict": lambda file: ("predict", file, "--no-hint"),
    "simulate": lambda file: ("simulate", file, "--out", "run.csv"),
    "timed": lambda file: ("calibrate", "material", "--line", file, "--times", "1"),
    "read": lambda file: ("read", file),
    "set": lambda file: ("read", "no.png", "--set", file),
    "camera": lambda file: ("read", "no.png", "--camera", file),
    "table": lambda file: ("read", "no.png", "--table", file),
    "watch": lambda file: ("watch", "--source", file, "--headless"),
    "calibrate": lambda file: ("calibrate", "table", file),
    "mat": lambda file: ("mat", "--out", file),
    "port": lambda file: ("rig", "status", "--port", file),
    "players": lambda file: ("play", "--text", "--players", f"Ann,{file}"),
    "option": lambda file: ("play", "--text", "--option", file),
    "log": lambda file: ("play", "--text", "--log", file),
    "row": lambda file: ("row", "straight", "--set", file, "--out", "new.toml"),
    "made": lambda file: ("row", "straight", "--out", file),
    "validate": lambda file: ("validate", file),
    "seed": lambda file: ("predict", "no.toml", "--seed", file),
    "command": lambda file: (file,),
    "more": lambda file: ("doctor", file),
}
LOG_READERS = ("replay", "season", "resume", "material")
LINE_READERS = ("predict", "simulate", "timed", "set", "row", "camera", "table")


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command in an empty folder where nothing can be typed; all that it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPPLE_LANG", "en")
    monkeypatch.setattr("sys.stdin", io.StringIO())

    def run(*arguments: str) -> str:
        capsys.readouterr()
        with contextlib.suppress(SystemExit):  # of argparse, which has said why
            main(list(arguments))
        words.use("en")
        done = capsys.readouterr()
        return done.out + done.err

    return run


def check(text: str) -> None:
    """Asserts that something was said, and nothing in it is unseen, forged or heaped up."""
    assert text.strip() and "Traceback" not in text
    assert UNSEEN.findall(text) == []
    assert not re.search(r"^FAKE|\rFAKE", text, re.MULTILINE), text
    assert max(len(run) for run in re.split(r"[^\u0300-\u036f]", unicodedata.normalize("NFD", text))) <= 5


@pytest.fixture
def match(tmp_path: Path) -> Path:
    return write_match(tmp_path / "match.topple", [(0.5, True)])


@pytest.mark.parametrize("reader", LOG_READERS)
@pytest.mark.parametrize("event", EVENTS)
def test_logs(said: Callable[..., str], match: Path, event: str, reader: str) -> None:
    """One more event at the end of a match: told as far as it can be, or refused."""
    kind, data = EVENTS[event]
    scenes = [entry.data["scene"] for entry in read_log(match).entries if entry.kind == "forecast"]
    with Log.open(match)[0] as log:
        log.append((3.0, kind, {**data, **({"scene": scenes[-1]} if kind in ("forecast", "outcome") else {})}))
    check(said(*READERS[reader](str(match))))


@pytest.mark.parametrize("reader", LOG_READERS)
@pytest.mark.parametrize("key", HEADERS)
def test_headers_of_logs(said: Callable[..., str], match: Path, key: str, reader: str) -> None:
    header = dict(read_log(match).header)
    header[key] = {"seats": ["Ann", NASTY], "options": {NASTY: NASTY}}.get(key, NASTY)
    if key in ("kind", "version"):
        write_record(match, header, [])  # which no log can be opened with
    else:
        Log.create(match, header, replace=True).close()
    check(said(*READERS[reader](str(match))))


@pytest.mark.parametrize("reader", LOG_READERS)
def test_runs(said: Callable[..., str], tmp_path: Path, reader: str) -> None:
    header = {"kind": "run", "tiles": TILES, "push": {"tile": 0, "kind": NASTY}, "engine": NASTY}
    outcome = {"fates": ["fallen", "standing"], "all_fell": False, "settled": True}
    write_record(
        tmp_path / "run.topple", header, [(0.1, "fell", {"tile": 0, "value": NASTY}), (1.0, "outcome", outcome)]
    )
    check(said(*READERS[reader]("run.topple")))


@pytest.mark.parametrize("reader", LINE_READERS)
@pytest.mark.parametrize("line", LINES)
def test_line_files(said: Callable[..., str], tmp_path: Path, line: str, reader: str) -> None:
    (tmp_path / "row.toml").write_text(LINES[line].format(nasty=json.dumps(NASTY)))
    check(said(*READERS[reader]("row.toml")))


@pytest.mark.parametrize("there", [True, False], ids=["there", "missing"])
@pytest.mark.parametrize("reader", READERS)
def test_names_of_files(said: Callable[..., str], tmp_path: Path, reader: str, there: bool) -> None:
    for ending in (".toml", ".topple", ".png", ""):
        if there:
            (tmp_path / f"{NAME}{ending}").write_text("\x1b[2J")
        check(said(*READERS[reader](f"{NAME}{ending}")))
