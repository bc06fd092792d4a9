"""Matches in a terminal and in a pipe: real processes, what they say, and what is left when they are killed."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.bots.arena import play_match
from game.cli import main
from game.match.history import Setup, checked_setup, seed_in
from game.match.log import Log, read_log
from game.match.season import season_of

GOLDEN = Path(__file__).with_name("play_evaluation.txt")  # what is typed, then what is said
COMMAND = [sys.executable, "-P", "-m", "game.cli"]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en", "PYTHONUTF8": "1"}
HAND = ("--players", "Ann,Bob", "--table", "hand", "--seed", "3", "--option", "rounds=1", "--log", "match.topple")
ROUND = ("--option", "rounds=1", "--option", "first=1")


def play(script: Sequence[str], *options: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A match in a pipe, all lines written at once; what tells a slow machine's people to wait is left out."""
    done = subprocess.run(
        [*COMMAND, "play", "--text", *map(str, options)],
        input="".join(f"{line}\n" for line in script),
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**ENGLISH, **variables},
        timeout=120,
        check=False,
    )
    done.stderr = "".join(line for line in done.stderr.splitlines(keepends=True) if not line.endswith("…\n"))
    return done


@pytest.fixture
def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Callable[..., Any]]:
    """Calls topple in this process, in an empty folder: exit code, output, errors."""
    monkeypatch.setenv("TOPPLE_LANG", "en")
    monkeypatch.setenv("LANGUAGE", "")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, script: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(script))
        try:
            code = main([*map(str, arguments)])
        except SystemExit as end:
            code = int(str(end.code))
        told = capsys.readouterr()
        return code, told.out, told.err

    yield call
    words.use("en")


# People


def test_a_game_in_a_pipe_is_told_word_for_word(tmp_path: Path) -> None:
    script = GOLDEN.read_text(encoding="utf-8").partition("----\n")[0].splitlines()
    done = play(script, *HAND, cwd=tmp_path)
    assert done.stderr == ""
    assert done.returncode == 0
    # Chances are the simulator's affair.
    told = re.sub(r"([<>]?\d+ to )?[<>]?\d+ %", "N %", done.stdout)
    assert told == GOLDEN.read_text(encoding="utf-8").partition("----\n")[2]


def test_a_person_and_a_bot_at_a_simulated_table(tmp_path: Path) -> None:
    answers = {
        "Ann, stand a tile": iter(["stand 7", "stand 5 left", "stand 8", "stand 4 left"]),
        "Ann, do you call": iter(["call"] * 9),
        "Ann, your vote": iter(["failure"] * 9),
        "Ann, push the row": iter(["push"] * 9),
        "Another match": iter(["again"]),
        "": iter(()),
    }
    told = converse(answers, "--players", "Ann,bot:weak", "--seed", 5, *ROUND, "--log", "match.topple", cwd=tmp_path)
    assert "Weak bot stands the tile" in told
    assert "One, two, three, domino!" in told
    assert re.search(r"It falls: \d+ after 0\.\d\d s", told)
    assert re.search(r"Forecast: [a-z ]+, \S+ %", told)
    assert "The match is over. Chips: Ann" in told
    assert told.count("Round 1 of 1.") == 2
    seeds = [seed_in(read_log(tmp_path / name).header["seed"]) for name in ("match.topple", "match-2.topple")]
    assert seeds[0] == 5 and seeds[1] > 2**64  # of 128 bits, by chance: one in 2⁶⁴ is smaller
    assert len(season_of([tmp_path / "match.topple"]).pairs) >= 1


def converse(answers: Mapping[str, Any], *options: object, cwd: Path) -> str:
    """A match in a pipe in which every question is answered when it is asked, until an answer is missing."""
    process = subprocess.Popen(
        [*COMMAND, "play", "--text", *map(str, options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=cwd,
        env=ENGLISH,
    )
    assert process.stdin is not None and process.stdout is not None
    lines = []
    with process:
        for line in process.stdout:
            lines.append(line)
            if not line.endswith(":\n"):
                continue
            answer = next(next(answer for start, answer in answers.items() if line.startswith(start)), None)
            if answer is None:
                process.stdin.close()
                break
            process.stdin.write(f"{answer}\n")
            process.stdin.flush()
        lines += process.stdout.readlines()
    return "".join(lines)


def test_in_ukrainian(tmp_path: Path) -> None:
    script = ["довідка", "постав 8 праворуч проміжок 12,5", "дом", "невдача", "повали", "втрималися 8", "вихід"]
    options = ("--players", "Олена,Богдан", "--table", "hand", "--option", "rounds=1", "--log", "match.topple")
    done = play(script, *options, cwd=tmp_path, TOPPLE_LANG="uk")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Олена ставить плитку 8 вертикально на правий кінець, за 12,5 мм від 6." in done.stdout
    assert "Богдан вигукує: «Доміно!»" in done.stdout
    assert "Успіх: Олена. Невдача: Богдан." in done.stdout
    assert "Перемагає Богдан!" in done.stdout
    latin = set(re.findall(r"[A-Za-z]{2,}", done.stdout)) - {"match", "topple"}
    assert latin == set()


def test_a_drawing_in_a_pipe_when_asked_for(tmp_path: Path) -> None:
    done = play(["stand 8 gap 30 turn 45", "quit"], *HAND, "--no-plain", cwd=tmp_path)
    assert "tile       6" in done.stdout and "█" in done.stdout and "from above:" in done.stdout
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    letters = play(
        ["quit"], *HAND, "--no-plain", "--log", "b.topple", cwd=tmp_path, PYTHONUTF8="0", PYTHONIOENCODING="ascii"
    )
    assert "###" in letters.stdout and "█" not in letters.stdout


# A real terminal


class Pty:
    """A process at a terminal of its own."""

    def __init__(self, cwd: Path, *options: object, **variables: str) -> None:
        self._master, slave = os.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, "play", "--text", *map(str, options)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env={**ENGLISH, "TERM": "xterm", **variables},
            start_new_session=True,
        )
        os.close(slave)
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a letter may come in two parts
        self.seen = ""

    def shows(self, text: str, within: float) -> bool:
        """Whether that text comes within these seconds."""
        deadline = time.monotonic() + within
        while text not in self.seen and time.monotonic() < deadline:
            if select.select([self._master], [], [], 0.2)[0]:
                self.seen += self._decoder.decode(os.read(self._master, 65536))
        return text in self.seen

    def expect(self, text: str) -> str:
        """All that was shown until that text."""
        assert self.shows(text, within=60.0), self.seen
        before, _text, self.seen = self.seen.partition(text)
        return before

    def type(self, text: str) -> None:
        os.write(self._master, f"{text}\n".encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_votes_are_not_shown_at_a_terminal(tmp_path: Path) -> None:
    terminal = Pty(tmp_path, "--players", "Ann,Bob,Cem", "--table", "hand", "--log", "match.topple")
    try:
        shown = terminal.expect("Ann, stand a tile: ")
        assert "███" in shown and "In the supply: 1, 2" in shown
        terminal.type("stand 8 right gap 20")
        assert "stand 8 right gap 20" in terminal.expect("Bob, do you call")
        terminal.type("call")
        terminal.expect("Bob, your vote")
        terminal.type("failure")
        secret = terminal.expect("Cem, your vote")
        terminal.type("suces")
        secret += terminal.expect("Cem, your vote")
        terminal.type("success")
        secret += terminal.expect("One, two, three")
        typed = secret.replace("(success or failure)", "")
        assert "Bob has voted." in secret and "That is not an answer to this question." in secret
        assert "suces" not in typed
        explained = re.sub(r"  (success|failure)     \w", "", typed)
        assert "failure" not in explained and "success" not in explained
        assert "Failure: Bob." in terminal.expect("Ann, push the row")
        terminal.type("push")
        assert "push" in terminal.expect("what happened on the table")  # shown again
        terminal.type("quit")
        terminal.expect("--resume match.topple")
        assert terminal.process.wait(30) == 0
    finally:
        terminal.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_ctrl_c_keeps_the_match(tmp_path: Path) -> None:
    terminal = Pty(tmp_path, *HAND, TERM="dumb")
    try:
        assert "The row is the tile 6 alone, upright." in terminal.expect("Ann, stand a tile: ")
        # `input` overlooks a signal that comes between its prompt and its waiting for a key: one presses again.
        for _press in range(5):
            os.killpg(terminal.process.pid, signal.SIGINT)
            if terminal.shows("Stopped.", within=5.0):
                break
        terminal.expect("Stopped. The match is kept in match.topple; go on with: ")
        terminal.expect("./topple play --text --resume match.topple")
        assert terminal.process.wait(30) == 130
    finally:
        terminal.close()


# Bots by themselves, and matches that go on

BOTS = ("play", "--text", "--game", "evaluation", "--players", "bot:normal,bot:weak", "--json", "--seed", 3)


def moves_in(path: Path) -> list[tuple[int, str]]:
    return [(entry.data["seat"], entry.data["move"]) for entry in read_log(path).entries if entry.kind == "move"]


def test_self_play_prints_the_contract_and_repeats_itself(tmp_path: Path, said: Callable[..., Any]) -> None:
    options = (*BOTS, "--option", "rounds=1")
    code, out, err = said(*options)
    answer = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert list(answer) == ["game", "scores", "winners", "moves", "log"]
    assert (answer["game"], answer["log"]) == ("evaluation", "match.topple")
    again = json.loads(said(*options, "--workers", 3)[1])
    assert again == {**answer, "log": "match-2.topple"}
    moves = moves_in(tmp_path / "match.topple")
    assert moves == moves_in(tmp_path / "match-2.topple") and len(moves) == answer["moves"]
    season = season_of([tmp_path / "match.topple", tmp_path / "match-2.topple"])
    assert len(season.pushes) == len(season.pairs) > 0
    # As bots play in memory.
    assert moves == list(play_match("evaluation", ("normal", "weak"), 3, {"rounds": 1}).moves)


def test_a_killed_match_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    options = [*COMMAND, *map(str, BOTS), "--option", "rounds=1"]
    whole, killed = tmp_path / "whole.topple", tmp_path / "killed.topple"
    done = subprocess.run([*options, "--log", whole], capture_output=True, env=ENGLISH, check=True, timeout=120)
    process = subprocess.Popen([*options, "--log", killed], env=ENGLISH, stdout=subprocess.DEVNULL)
    while not (killed.exists() and killed.read_bytes().count(b'"move"') > 3):
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert len(moves_in(killed)) <= len(moves_in(whole))
    resumed = subprocess.run(
        [*COMMAND, "play", "--resume", killed, "--json"], capture_output=True, env=ENGLISH, check=True, timeout=120
    )
    assert json.loads(resumed.stdout) == {**json.loads(done.stdout), "log": str(killed)}
    assert moves_in(killed) == moves_in(whole)


def test_people_go_on_where_they_were(tmp_path: Path) -> None:
    left = play(["stand 8"], *HAND, cwd=tmp_path)
    assert left.returncode == 0
    assert left.stderr == (
        "The input ended before the match did. The match is kept in match.topple; "
        "go on with: ./topple play --text --resume match.topple\n"
    )
    done = play(["call", "failure", "push", "fell"], "--resume", "match.topple", cwd=tmp_path)
    assert done.returncode == 0
    assert "The row from left to right: 6 upright, gap 20 mm, 8 upright." in done.stdout
    assert "Chips: Ann: 1, Bob: 0. Ann wins!" in done.stdout
    again = play([], "--resume", "match.topple", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == (
        "The match in match.topple is already over; to see it again: ./topple replay match.topple --text\n"
    )


def test_when_the_input_ends_a_camera_s_match_waits_in_its_file_as_well(tmp_path: Path) -> None:
    left = play([], "--source", "synthetic", "--players", "Ann,Bob", "--log", "m.topple", cwd=tmp_path)
    assert left.returncode == 0 and "The match is kept in m.topple; go on with: " in left.stderr
    assert read_log(tmp_path / "m.topple").header["table"] == "camera"


# What is refused


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--text", "--game", "chess"), "argument --game: invalid choice: 'chess' (choose from "),
        (("--text", "--players", "Ann"), "The game evaluation is for 2 to 5 players, not for 1."),
        (("--text", "--players", "A,B,C,D,E,F"), "The game evaluation is for 2 to 5 players, not for 6."),
        (("--text", "--players", "Ann,,Bob"), "The name '' cannot be used; a name has 1 to 40 letters on one line."),
        (("--text", "--players", "Ann,ann "), "The name 'Ann' is given to two players;"),
        (("--text", "--players", "Ann,bot:genius"), "There is no bot 'bot:genius'; there is bot:weak, bot:normal,"),
        (("--text", "--players", "bot:weak,bot:weak", "--table", "hand"), "Bots alone cannot say what fell"),
        (("--text", "--option", "rounds=0"), "The option rounds is '0'; allowed is a whole number from 1 to 20."),
        (("--text", "--option", "rounds"), "The option 'rounds' must be written as name=value."),
        (("--text", "--option", "speed=9"), "The game evaluation has no option 'speed'; it has rounds, first."),
        (("--text", "--option", "first=4"), "The option first is 4; allowed is a whole number from 0 to 1."),
        (("--text", "--seed", "-1"), "argument --seed: -1 is not a whole number from 0 to "),
        (("--text", "--table", "moon"), "argument --table: invalid choice: 'moon'"),
        (("--text", "--table", "hand", "--clumsy"), "Clumsy hands are for the simulated table;"),
        (("--text", "--log", "no/match.topple"), "no/match.topple cannot be written: there is no folder no."),
        (("--text", "--log", "match.txt"), "match.txt has the ending '.txt'; allowed is .topple."),
        (("--text", "--resume", "lost.topple"), "There is no file lost.topple."),
        (("--text", "--resume", "x.topple", "--seed", "4"), "--resume goes on with the match as it was begun; leave"),
        (("--text", "--workers", "0"), "argument --workers: 0 is not a whole number from 1 to 256"),
    ],
)
def test_refusals_of_play(said: Callable[..., Any], options: tuple[str, ...], sentence: str) -> None:
    code, out, err = said("play", *options)
    assert (code, out) == (2, "")
    assert sentence in err and err.count("\n") == 1
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--table", "hand"), "--source already says which table it is; leave out --table."),
        (("--option", "rounds=0"), "The option rounds is '0'; allowed is a whole number from 1 to 20."),
        (("--players", "Ann"), "The game evaluation is for 2 to 5 players, not for 1."),
        (("--rig", "/dev/null"), "/dev/null cannot be opened as a serial port: "),
        (("--resume", "hand.topple"), "--source is for a match that a camera watches; this one was begun without one."),
    ],
)
def test_what_is_refused_is_refused_before_a_camera_is_opened(
    said: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], sentence: str
) -> None:
    Log.create(Path("hand.topple"), checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {}, "hand")).header()).close()
    monkeypatch.setattr("game.table.source.CameraTable.__init__", lambda *_, **__: pytest.fail("opened"))
    code, out, err = said("play", "--source", "synthetic", "--text", *options)
    assert (code, out) == (2, "") and err.startswith(sentence) and err.count("\n") == 1


def test_a_log_of_another_kind_or_in_use(said: Callable[..., Any], tmp_path: Path) -> None:
    Path("run.topple").write_text('{"format": "topple", "version": 1, "kind": "run"}\n')
    assert said("play", "--text", "--resume", "run.topple") == (
        2,
        "",
        "run.topple is not a match; its kind is 'run'.\n",
    )
    assert said("replay", "--text", "run.topple")[::2] == (2, "run.topple:1: engine is missing.\n")
    Path("notes.topple").write_text("hello\n")
    for command in (("play", "--text", "--resume"), ("replay", "--text")):
        assert said(*command, "notes.topple")[::2] == (2, "notes.topple:1: this line is damaged.\n")
    Path("song.topple").write_text('{"format": "topple", "version": 1, "kind": "song"}\n')
    assert said("replay", "--text", "song.topple")[2] == (
        "song.topple is of the kind 'song'; what can be told is one of match, run.\n"
    )
    setup = checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {}))
    with Log.create(tmp_path / "used.topple", setup.header()):
        assert said("play", "--text", "--resume", "used.topple")[::2] == (
            2,
            "used.topple is being played by another process.\n",
        )
        assert "used.topple is already there" in said("play", "--text", "--log", "used.topple")[2]
    assert said("replay", "--text", "used.topple")[1].endswith("Nothing has happened yet.\n")
    assert said("replay", "--text", "lost.topple")[2].startswith("lost.topple cannot be read: ")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "play", "--text", *HAND],
        input=b"\xff\xfe\x00stand\n" + b"9" * 100_000 + b"\nstand 8 gap 1e999\nstand \xc2\xb2\nquit\n",
        capture_output=True,
        cwd=tmp_path,
        env=ENGLISH,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Traceback" not in done.stdout and len(done.stdout) < 3000


# Replay


def test_without_a_display_one_sentence_says_what_works(tmp_path: Path) -> None:
    """Whatever stands behind standard output: a window is opened, or why not is said."""
    with Log.create(tmp_path / "match.topple", checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {})).header()):
        pass
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "ARCADE_HEADLESS")
    done = subprocess.run(
        [*COMMAND, "replay", "match.topple"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={name: value for name, value in ENGLISH.items() if name not in hidden},
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "There is no display to open a window on: --text does it in the terminal, and a fall can be watched in a "
        "browser as the film that ./topple simulate LINE --out fall.mp4 makes.\n"
    )


def test_a_bad_file_is_refused_before_a_window_is_opened(said: Callable[..., Any]) -> None:
    for name, data, sentence in (
        ("empty.topple", b"", "empty.topple is empty.\n"),
        ("photo.png", b"\x89PNG\r\n", "photo.png:1: this line is damaged.\n"),
        ("run.topple", b'{"format": "topple", "version": 1, "kind": "run"}\n', "run.topple:1: engine is missing.\n"),
    ):
        Path(name).write_bytes(data)
        assert said("replay", name) == said("replay", name, "--text") == (2, "", sentence)
    assert said("replay", "lost.topple")[::2] == (2, "lost.topple cannot be read: No such file or directory.\n")


def test_a_match_is_retold(tmp_path: Path, said: Callable[..., Any]) -> None:
    assert play(["stand 8", "call", "failure", "push", "stood 8"], *HAND, cwd=tmp_path).returncode == 0
    code, out, err = said("replay", "match.topple", "--text")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Evaluation Domino, a match between Ann and Bob."
    assert all(re.match(r" *\d+:\d\d\.\d  \S", line) for line in lines[1:-1])
    told = "\n".join(line.partition("  ")[2].strip() for line in lines[1:-1])
    for sentence in (
        "Ann stands the tile 8 upright at the right end, 20 mm from the 6.",
        "(Forecast of this row: ",
        "Bob calls: “Domino!”",
        "One, two, three, domino! Success: Ann. Failure: Bob.",
        "Forecast: ",
        "The row did not fall; still standing: 8.",
        "Bob wins!",
    ):
        assert sentence in told
    assert lines[-1] == "The seed of the match is 3."
    whole = Path("match.topple").read_bytes()
    Path("cut.topple").write_bytes(b"\n".join(whole.split(b"\n")[:3]) + b"\n")
    cut = said("replay", "cut.topple", "--text")[1]
    assert cut.endswith("Here the log ends; the match goes on.\n") and "Forecast" not in cut
    Path("damaged.topple").write_bytes(whole.replace(b'"seat":1', b'"seat":0', 1))
    assert re.fullmatch(r"damaged.topple:\d+: this line is damaged.\n", said("replay", "damaged.topple", "--text")[2])


def test_a_run_is_retold(said: Callable[..., Any]) -> None:
    example = Path(__file__).parents[3] / "examples" / "straight.toml"
    assert said("simulate", example, "--out", "run.topple")[0] == 0
    code, out, _err = said("replay", "run.topple", "--text")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "A run of 6 tiles, pushed at the tile 5, engine bullet."
    assert [line.split("  ")[-1] for line in lines[2:8]] == [f"The tile {value} falls." for value in range(5, 11)]
    assert lines[-1].endswith("Every tile fell.")
