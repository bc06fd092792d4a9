"""Real processes whose output goes nowhere, is closed or knows few signs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.text.streams import can_show, nearest
from game.words import ALPHABETS

ROOT = Path(__file__).parents[3]
ENGLISH = {**os.environ, "TOPPLE_LANG": "en"}
FULL = "What this command prints cannot be written: No space left on device.\n"
CLOSED = "What this command prints cannot be written: Bad file descriptor.\n"
STRAIGHT = f"'{ROOT / 'examples' / 'straight.toml'}'"

on_linux = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")


def topple(command: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command with what a shell does to its streams."""
    return subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -P -m game.cli {command}"],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**ENGLISH, "PYTHONPATH": str(ROOT), **variables},
        timeout=120,
        check=False,
    )


@on_linux
@pytest.mark.parametrize(
    "command",
    [
        f"predict {STRAIGHT} --no-hint --width 0.2 --workers 1",
        f"simulate {STRAIGHT} --json --out run.csv",
        "predict --help",
    ],
)
@pytest.mark.parametrize(("stream", "sentence"), [(">/dev/full", FULL), (">&-", CLOSED)])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, command: str, stream: str, sentence: str, unbuffered: str
) -> None:
    done = topple(f"{command} {stream}", tmp_path, PYTHONUNBUFFERED=unbuffered)
    said = [line for line in done.stderr.splitlines(keepends=True) if line[0] not in "█░"]  # not how far it is
    assert (done.returncode, done.stdout, said) == (2, "", [sentence])


def test_a_file_is_never_opened_in_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    done = topple(f"simulate {STRAIGHT} --out run.csv <&- >&- 2>&-", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    assert (tmp_path / "run.csv").read_text().startswith("time_s")


@on_linux
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-"])
def test_errors_nobody_can_read_keep_their_code(tmp_path: Path, stream: str) -> None:
    done = topple(f"predict lost.toml {stream}", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_closed_input_is_an_empty_one(tmp_path: Path) -> None:
    done = topple("play --text --seed 1 <&-", tmp_path)
    assert "Traceback" not in done.stderr and "The input ended before the match did." in done.stderr


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("████░░", "####.."),
        ("  ← pushed", "  <- pushed"),
        ("0–10 s, 12 µs, 4 cm²", "0-10 s, 12 us, 4 cm2"),
        ("45°, 3 °/s", "45 deg, 3 deg/s"),
        ("±0.5 ≤ 1 × 2…", "+/-0.5 <= 1 x 2..."),
        ("“half” ½ é", '"half" 1/2 e'),
        ("Ряд", "???"),
    ],
)
def test_the_nearest_signs(text: str, plain: str) -> None:
    assert nearest(text) == plain
    assert text.encode("ascii", "nearest").decode("ascii") == plain


def test_every_sign_in_the_code_that_speaks_has_a_nearest() -> None:
    lacking = {}
    for package in ("physics", "calibration", "vision", "hardware", "game", "benchmarks"):
        for path in (ROOT / package).rglob("*.py"):
            if not {"ui", "window"} & set(path.parts):  # the window draws its own
                signs = {sign for sign in path.read_text(encoding="utf-8") if not sign.isascii()}
                lost = {sign for sign in signs if not "Ѐ" <= sign <= "ӿ" and nearest(sign).strip("?") == ""}
                lacking.update(dict.fromkeys(lost, path))
    assert lacking == {}


def test_an_encoding_keeps_the_signs_it_has() -> None:
    assert "12 µs – é".encode("latin-1", "nearest") == b"12 \xb5s - \xe9"


@pytest.mark.parametrize(
    "command",
    ["predict --help", "doctor", "validate V1 --engine bullet", f"simulate {STRAIGHT} --out run.csv"],
)
def test_a_console_of_ascii_shows_no_question_marks(tmp_path: Path, command: str) -> None:
    done = topple(command, tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "?" not in done.stdout.replace("fall?", "") and done.stdout.isascii()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_console_without_the_letters_is_spoken_to_in_english(tmp_path: Path, encoding: str) -> None:
    command = f"predict {STRAIGHT} --no-hint --width 0.2 --lang uk"
    done = topple(command, tmp_path, PYTHONIOENCODING=encoding)
    assert "Falls: 100 %." in done.stdout and "?" not in done.stdout
    assert done.stderr.count("This console cannot show the letters of your language, so everything is in English.") == 1


@pytest.mark.parametrize(
    ("encoding", "languages"), [("ascii", {"en"}), ("koi8-r", {"en", "ru"}), ("cp1251", {"en", "uk", "ru"})]
)
def test_which_languages_a_console_can_show(
    monkeypatch: pytest.MonkeyPatch, encoding: str, languages: set[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert {language for language, letters in ALPHABETS.items() if can_show(letters)} == languages


def test_it_is_said_once_whoever_chose_the_language(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[general]\nlang = "ru"\n')
    done = topple("predict lost.toml", tmp_path, PYTHONIOENCODING="ascii", TOPPLE_LANG="", TOPPLE_CONFIG=str(config))
    assert done.stderr.splitlines() == [
        "This console cannot show the letters of your language, so everything is in English.",
        "There is no file lost.toml.",
    ]


def test_names_that_cannot_be_shown_are_not_lost_without_a_word(tmp_path: Path) -> None:
    said = "Letters that this console cannot show were printed as ?."
    command = "play --text --plain --table hand --players {},Bob --log match.topple < /dev/null"
    lost = topple(command.format("Оля"), tmp_path, PYTHONIOENCODING="ascii").stderr
    assert lost.count(said) == 1
    assert said not in topple(command.format("José"), tmp_path, PYTHONIOENCODING="ascii").stderr


def test_bars_are_drawn_in_ascii(tmp_path: Path) -> None:
    done = topple(f"predict {STRAIGHT} --no-hint --width 0.2", tmp_path, PYTHONIOENCODING="ascii")
    assert "#" * 20 in done.stdout and "?" not in done.stdout
