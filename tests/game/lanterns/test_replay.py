"""Replays and films of a game that brings rules and words alone: told, shown and painted in words, nothing hidden."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from game import cli
from game.film import export as film_export
from game.film.export import export_film
from game.film.film import film_of, stepped
from game.film.picture import Painter, even_size
from game.film.plan import planned
from tests.game.lanterns.match import played
from tests.game.lanterns.text import LanternsText

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.usefixtures("lanterns")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    played(tmp_path / "match.topple", rounds=2)
    return tmp_path / "match.topple"


class TallText(LanternsText):
    """Draws more than has room."""

    def public(self, view: Mapping[str, Any], width: int, *, blocks: bool) -> list[str]:
        return ["#" * width] * 40


def silent(done: int, total: int) -> None:
    """Tells nobody."""


def is_written_on(picture: npt.NDArray[Any]) -> bool:
    """Whether there are light words on the dark ground, in the place of the table and below it."""
    high = len(picture)
    parts = picture[high // 6 : high * 3 // 4], picture[high * 4 // 5 :]
    return all((part.max(axis=2) > 180).sum() > 50 and (part.max(axis=2) < 80).mean() > 0.8 for part in parts)


def test_every_step_is_a_moment_in_words(log: Path) -> None:
    film = film_of(log)
    assert film.names == ("Ann", "Bob") and film.look is not None
    assert not any(shot.boxes or shot.playback for shot in film.shots) and film.rounds == ()
    assert not film.pushes and not film.scores and not film.slow
    publics = [film.look.public(shot.view) for shot in film.shots]
    assert publics[0].standing == "Round 1 of 2. Points: Ann: 0, Bob: 0."
    assert all(public.lines == (public.words,) and "The moon shows" in public.words for public in publics)
    t, seen = 0.0, [0.0]
    while t < film.lasts:
        t = stepped(film.moments, t, 1)
        seen.append(t)
    assert len(seen) == len(film.shots) + 1
    assert film.tell().sentences[-1][1].startswith("The match is over.")
    assert film.look.heading(film.shots[0].view) == "" and film.boxes(film.lasts) == ()


def test_what_is_hidden_is_in_no_shot(log: Path) -> None:
    film = film_of(log)
    assert all(shot.view["hand"] is None and shot.view["own_bid"] is None for shot in film.shots)
    said = [text for _t, text in film.tell().sentences]
    assert "Ann has bid." in said and not any("You draw" in text or "Your bid" in text for text in said)


def test_it_is_told_in_the_terminal(log: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.lanterns.play", "replay", str(log), "--text", "--lang", "en"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("Lanterns, a match between Ann and Bob.")
    assert "The bids: 5, 9. The order: 1, 0." in done.stdout and "You draw" not in done.stdout


def test_an_mp4_shows_the_words(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_export, "FILM_SIZE", (640, 360))
    film = film_of(log)
    export_film(tmp_path / "film.mp4", film, silent)
    with av.open(str(tmp_path / "film.mp4")) as file:
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
    assert len(frames) == pytest.approx(planned(film, film.tell(), 30).lasts * 30, abs=1)
    for share in (0.2, 0.5, 0.99):
        assert is_written_on(frames[int(share * len(frames))])
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 100


def test_a_gif_and_a_sheet_show_them_too(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("film.gif", "film.png"):
        assert cli.main(["replay", str(log), "--out", str(tmp_path / name), "--lang", "en"]) == 0
    assert capsys.readouterr().out.count("Written to") == 2
    with Image.open(tmp_path / "film.gif") as file:
        assert file.size == film_export.GIF_SIZE
        file.seek(file.n_frames - 1)
        assert is_written_on(np.asarray(file.convert("RGB")))
    with Image.open(tmp_path / "film.png") as sheet:
        wide, high = film_export.GIF_SIZE
        corners = [(8 + column * (wide + 8), 8 + row * (high + 8)) for row in range(3) for column in range(2)]
        assert sheet.size == (2 * wide + 24, 3 * high + 32)
        pictures = [np.asarray(sheet.crop((x, y, x + wide, y + high)).convert("RGB")) for x, y in corners]
    assert all(is_written_on(picture) for picture in pictures[1:])  # before the first nothing has been told
    assert len({picture.tobytes() for picture in pictures}) == 6


def test_what_is_drawn_in_characters_is_made_to_fit_or_said_in_words(log: Path) -> None:
    assert even_size(("#" * 20,) * 3, 20, 600, 200) == 24
    smaller = even_size(("#" * 40,) * 3, 20, 400, 200)
    assert smaller is not None and 10 <= smaller < 20
    assert even_size(("#" * 72,) * 3, 20, 400, 200) is None and even_size(("#",) * 30, 20, 400, 200) is None
    film = film_of(log)
    assert film.look is not None
    frame = planned(film, film.tell(), 10).frames[-1][0]
    tall, none = (replace(film, look=replace(film.look, text=text)) for text in (TallText(), None))
    as_usual, in_words, without = (Painter(each, each.tell(), (640, 360)).paint(frame) for each in (film, tall, none))
    assert is_written_on(as_usual) and is_written_on(in_words) and (as_usual != in_words).any()
    assert not is_written_on(without)  # a game without any words: its sentences alone
