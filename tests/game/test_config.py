"""A person's own defaults: what wins over what, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from game.arguments import EVERY, parser
from game.config import GENERAL, KEYS, read_config
from game.config_place import config_path
from game.words import LANGUAGES
from physics.errors import SceneError

ROOT = Path(__file__).parents[2]
LINE = str(ROOT / "examples" / "straight.toml")


def topple(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("TOPPLE_LANG", "LC_ALL", "LANGUAGE")}
    return subprocess.run(
        [sys.executable, "-P", "-m", "game.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**clean, "PYTHONUTF8": "1", "LANG": "en_US.UTF-8", **variables},
        timeout=120,
        check=False,
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def parsed(file: Path, text: str, *arguments: str) -> dict[str, object]:
    """What a command line means beside that configuration."""
    file.write_text(text)
    return vars(parser(arguments[0], read_config(file), arguments).parse_args(arguments))


# What it means


def test_what_is_typed_wins_over_the_command_and_this_over_all_commands(file: Path) -> None:
    text = '[general]\nengine = "mujoco"\nworkers = 3\n[predict]\nworkers = 2\nwidth = 0.1\nhint = false\n'
    found = parsed(file, text, "predict", LINE)
    assert (found["engine"], found["workers"], found["width"], found["hint"]) == ("mujoco", 2, 0.1, False)
    typed = ["--engine", "bullet", "--workers", "1", "--width", "0.2", "--hint"]
    found = parsed(file, text, "predict", LINE, *typed)
    assert (found["engine"], found["workers"], found["width"], found["hint"]) == ("bullet", 1, 0.2, True)
    found = parsed(file, text, "simulate", LINE, "--out", "run.csv")
    assert found["engine"] == "mujoco" and "workers" not in found


def test_a_flag_can_be_taken_back(file: Path) -> None:
    text = '[play]\ntext = true\nplayers = "Ann,bot:strong"\n'
    assert parsed(file, text, "play")["text"] is True
    found = parsed(file, text, "play", "--no-text", "--players", "Bob")
    assert (found["text"], found["players"]) == (False, "Bob")


def test_a_match_that_is_gone_on_with_keeps_its_players(file: Path) -> None:
    text = '[play]\ntext = true\nplayers = "Ann,bot:strong"\n'
    for typed in (["--resume", "match.topple"], ["--resume=match.topple"]):
        found = parsed(file, text, "play", *typed)
        assert (found["players"], found["text"]) == (None, True)
    assert parsed(file, text, "play")["players"] == "Ann,bot:strong"


def test_every_key_is_an_option_of_its_command(file: Path) -> None:
    file.write_text("")
    commands = next(action for action in parser(EVERY)._actions if action.dest == "command").choices
    assert commands is not None
    for command, keys in KEYS.items():
        if command != GENERAL:
            assert set(keys) <= {action.dest for action in dict(commands)[command]._actions}, command
    assert set(KEYS[GENERAL]) - {"lang"} <= {key for keys in list(KEYS.values())[1:] for key in keys}


def test_the_help_says_what_it_has_from_where(file: Path) -> None:
    file.write_text("[predict]\nworkers = 2\nhint = false\n")
    helped = topple("predict", "--help", TOPPLE_CONFIG=str(file))
    told = " ".join(helped.stdout.split())
    assert f"Your own defaults, from {file}: workers = 2, hint = false." in told
    assert "Your own defaults" not in topple("simulate", "--help", TOPPLE_CONFIG=str(file)).stdout


@pytest.mark.parametrize(
    ("arguments", "variables", "start"),
    [
        (("predict", "lost.toml"), {}, "Немає файлу"),
        (("predict", "lost.toml"), {"TOPPLE_LANG": "ru"}, "Нет файла"),
        (("predict", "lost.toml", "--lang", "en"), {"TOPPLE_LANG": "ru"}, "There is no file"),
        (("--lang", "ru", "predict", "lost.toml"), {}, "Нет файла"),
    ],
)
def test_languages_in_their_order(
    file: Path, arguments: tuple[str, ...], variables: dict[str, str], start: str
) -> None:
    file.write_text('[general]\nlang = "uk"\n')
    done = topple(*arguments, TOPPLE_CONFIG=str(file), **variables)
    assert done.returncode == 2 and done.stderr.startswith(start)


# What is refused


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[general\n", ":1: broken TOML"),
        ("[predcit]\n", ":1: predcit is not known here, but predict is; known are general, play"),
        ('lang = "uk"\n', ":1: lang is not known here; known are general"),
        ("[predict]\n\nwidht = 1\n", ":3: predict.widht is not known here, but width is; known are engine, workers"),
        ("[play]\nxyz = 1\n", ":2: play.xyz is not known here; known are players"),
        ("predict = 1\n", ":1: predict is 1, but must be a table [predict]."),
        ("[predict]\nwidth = 7\n", ":2: predict.width: 7 is not a number from 0.005 to 0.5."),
        ("[predict]\nworkers = true\n", ":2: predict.workers: True is not a whole number from 1 to 256."),
        ('[predict]\nengine = "box"\n', ":2: predict.engine is 'box', but must be one of bullet, mujoco, both."),
        ('[predict]\nhint = "yes"\n', ":2: predict.hint is 'yes', but must be true or false."),
        ("[general]\nworkers = []\n", ":2: general.workers: [] is not a whole number from 1 to 256."),
        ('[general]\nlang = "de"\n', f":2: general.lang is 'de', but must be one of {', '.join(LANGUAGES)}."),
    ],
)
def test_a_mistake_is_one_sentence_and_the_doctor_finds_it(file: Path, text: str, sentence: str) -> None:
    file.write_text(text)
    done = topple("predict", LINE, TOPPLE_CONFIG=str(file))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"{file}{sentence}")
    doctor = topple("doctor", TOPPLE_CONFIG=str(file))
    assert doctor.returncode == 0 and done.stderr.strip() in doctor.stdout


def test_a_command_does_not_fail_for_a_value_of_another(file: Path) -> None:
    file.write_text('[play]\nplayers = ""\n')
    assert topple("predict", "--help", TOPPLE_CONFIG=str(file)).returncode == 0
    assert "play.players is '', but must be a text" in topple("play", "--help", TOPPLE_CONFIG=str(file)).stderr


def test_a_text_with_escapes_is_said_without_them(file: Path) -> None:
    file.write_text('[play]\nplayers = "\\u001b[31mAnn"\n')
    helped = topple("play", "--help", TOPPLE_CONFIG=str(file))
    assert "\x1b" not in helped.stdout and "Ann" in helped.stdout


# Where it is


def test_the_variable_names_another_or_none(tmp_path: Path) -> None:
    assert config_path({"TOPPLE_CONFIG": ""}) is None
    assert config_path({"TOPPLE_CONFIG": str(tmp_path / "mine.toml")}) == tmp_path / "mine.toml"
    usual = config_path({})
    assert usual is not None and usual.parts[-2:] == ("topple", "config.toml")


def test_the_doctor_says_where_it_is(tmp_path: Path) -> None:
    assert "names none" in topple("doctor").stdout
    missing = topple("doctor", TOPPLE_CONFIG=str(tmp_path / "none.toml"))
    assert f"can be kept in {tmp_path / 'none.toml'}; there is no such file yet." in missing.stdout


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="is a folder"):
        read_config(tmp_path)
