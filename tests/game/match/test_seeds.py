"""Seeds of matches: 128 bits by chance where nobody gives one, kept to the last digit, telling nothing of the next."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from game.cli import main
from game.match.history import EXACT, MAX_SEED, checked_setup, new_seed, seed_data, seed_in, setup_in, short_seed
from game.match.log import Log, read_log
from game.match.publish import published
from game.match.reading import read_match
from game.match.turns import rematch
from game.text.retold import retold
from physics.errors import InputError, SceneError
from tests.game.played import again, random_play, setup


def test_a_new_seed_has_128_bits_and_is_another_one_each_time() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100 and max(seeds) <= MAX_SEED
    assert max(seeds) > MAX_SEED // 2  # one of 2¹⁰⁰ times it is not


def test_a_rematch_has_a_seed_that_the_one_before_does_not_tell() -> None:
    first = setup(seed=7)
    seeds = [rematch(first).seed for _ in range(20)]
    assert len(set(seeds)) == 20 and min(seeds) > 2**64
    assert rematch(first).names == first.names


@pytest.mark.parametrize(
    ("seed", "data"), [(0, 0), (7, 7), (EXACT, EXACT), (EXACT + 1, str(EXACT + 1)), (MAX_SEED, str(MAX_SEED))]
)
def test_a_log_has_large_seeds_as_text(tmp_path: Path, seed: int, data: int | str) -> None:
    path = tmp_path / "m.topple"
    begun = checked_setup(setup(seed=seed))
    Log.create(path, begun.header()).close()
    header = read_log(path).header
    assert header["seed"] == data and setup_in(header, "here") == begun


def test_large_seeds_of_older_logs_are_numbers() -> None:
    assert seed_in(2**63 - 1) == 2**63 - 1


@pytest.mark.parametrize(
    "data", ["7", "007", "-9", str(EXACT), f"0{EXACT + 1}", "9" * 40, str(MAX_SEED + 1), "٣" * 20, 1.5, None, True, -1]
)
def test_what_is_no_seed_is_refused(tmp_path: Path, data: Any) -> None:
    path = tmp_path / "m.topple"
    Log.create(path, {**checked_setup(setup()).header(), "seed": data}).close()
    with pytest.raises(SceneError, match=r"m\.topple:1: "):
        read_match(path)


def test_a_seed_has_at_most_128_bits() -> None:
    checked_setup(setup(seed=MAX_SEED))
    with pytest.raises(InputError, match="The seed is"):
        checked_setup(setup(seed=MAX_SEED + 1))


@pytest.mark.usefixtures("quick")
def test_a_match_with_a_large_seed_is_played_resumed_published_and_told(begin: Any) -> None:
    session = begin(seed=MAX_SEED - 4)
    random_play(session, random.Random(2))
    session.finish()
    assert again(session).setup.seed == MAX_SEED - 4
    match = read_match(session.path)
    assert match.history.has_result
    assert published(match.setup, match.recording.entries, None)[-1][2]["seed"] == seed_data(MAX_SEED - 4)
    assert retold(session.path)[-1] == f"The seed of the match is {MAX_SEED - 4}."


def test_the_command_takes_every_digit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.topple"
    options = ["--players", "bot:weak,bot:weak", "--option", "rounds=1", "--json", "--log", str(path)]
    assert main(["play", *options, "--seed", str(MAX_SEED)]) == 0
    assert json.loads(capsys.readouterr().out)["log"] == str(path)
    assert read_log(path).header["seed"] == str(MAX_SEED)
    with pytest.raises(SystemExit, match="2"):
        main(["play", *options, "--seed", str(MAX_SEED + 1)])
    assert "is not a whole number from 0 to" in capsys.readouterr().err


def test_without_a_seed_the_command_draws_one_of_128_bits(tmp_path: Path) -> None:
    path = tmp_path / "m.topple"
    options = ["--players", "bot:weak,bot:weak", "--option", "rounds=1", "--json", "--log", str(path)]
    assert main(["play", *options]) == 0
    assert read_match(path).setup.seed > 2**64


@pytest.mark.parametrize(("seed", "label"), [(7, "7"), (2**32, "4294967296"), (MAX_SEED, "34028236…")])
def test_people_see_a_long_seed_as_a_label(seed: int, label: str) -> None:
    assert short_seed(seed) == label


def test_the_end_of_a_match_names_the_seed_by_its_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.topple"
    options = ["--players", "bot:weak,bot:weak", "--option", "rounds=1", "--text", "--log", str(path)]
    assert main(["play", *options, "--seed", str(MAX_SEED)]) == 0
    assert capsys.readouterr().out.endswith("its seed is 34028236….\n")
    assert str(MAX_SEED) in retold(path)[-1]
