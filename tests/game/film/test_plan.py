"""A match as a film for a file: the plan of its pictures and sounds, what is painted, and files read back by PyAV."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from game import cli, words
from game.film import export as film_export
from game.film.export import export_film, sheet_frames
from game.film.film import Film, film_of
from game.film.picture import Painter, fitted, fitting
from game.film.plan import LETTERS_PER_SECOND, Frame, Plan, captions, planned, sounds
from game.film.playback import SLOW
from game.match.history import Setup
from game.match.session import new_match
from game.pictures.export import FILM_SIZE
from game.sound.synthesis import RATE
from vision.drawing.letters import shortened, width_of, wrapped

SMALL = (480, 270)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filming") / "match.topple"
    with new_match(path, Setup("evaluation", ("Ann", "Їжак"), 1, {"rounds": 2})) as session:
        for _round in range(3):  # two that end in a tie, and the one that ends it
            for move in (
                "stand 7 at 26.25 0 yaw 0 upright last",
                "pass",
                "stand 8 at 53.5 0 yaw 0 upright last",
                "call",
            ):
                (seat,) = session.game.to_act(session.state)
                session.play(seat, move)
            session.play(1 - seat, "vote success")  # who has called is the last in `seat`
            session.play(seat, "vote failure")
            (seat,) = session.game.to_act(session.state)
            session.play(seat, "push")
            session.settle()
    return path


@pytest.fixture(scope="module")
def film(log: Path) -> Film:
    return film_of(log)


@pytest.fixture(scope="module")
def plan(film: Film) -> Plan:
    return planned(film, film.tell(), 20)


@pytest.fixture
def languages() -> Iterator[None]:
    yield
    words.use("en")


def begins(plan: Plan, frame: Frame) -> float:
    """When the frame is shown first, s."""
    counts = [count for _frame, count in plan.frames]
    return sum(counts[: [each for each, _count in plan.frames].index(frame)]) / plan.rate


def test_every_row_is_seen_in_order_and_falls_slowly_at_the_weak_gap(film: Film, plan: Plan) -> None:
    frames = [frame for frame, _count in plan.frames]
    assert [at for at, _same in groupby(frame.table for frame in frames)] == list(range(len(film.shots)))
    fall = next(shot for shot in film.shots if shot.playback is not None)
    assert fall.playback is not None and fall.playback.slow_at is not None
    at = film.shots.index(fall)
    moments = [frame.moment for frame in frames if frame.table == frame.players == at and frame.moment is not None]
    steps = np.diff(moments)[:-1]
    assert (steps > 0).all() and steps.max() == pytest.approx(1 / plan.rate)
    at = int(np.searchsorted(moments, fall.playback.slow_at + 0.1))
    assert steps[at] == pytest.approx(SLOW / plan.rate, rel=1e-3)


def test_what_came_of_a_round_stays_until_it_is_read(film: Film, plan: Plan) -> None:
    telling = film.tell()
    fall = next(at for at, shot in enumerate(film.shots) if shot.playback is not None)
    shown: dict[int, int] = {}
    for frame, count in plan.frames:
        shown[frame.sentences_said] = shown.get(frame.sentences_said, 0) + count
    scored = [frame for frame, _count in plan.frames if frame.table == fall and frame.players == fall + 1]
    assert len(scored) == 1  # the chips are told over the row that fell
    for told in (scored[0].sentences_said, len(telling.sentences)):
        said = captions(telling, told)[0]
        assert len(said) > 1
        assert shown[told] / plan.rate >= sum(map(len, said)) / LETTERS_PER_SECOND - 0.1


def test_a_match_ends_with_the_row_as_it_fell(film: Film) -> None:
    last = film.shots[-1]
    assert sorted(last.picture.scores) == [1, 2] and len(last.boxes) == 3
    assert all(box.position[2] < box.size[2] / 2 - 5e-3 for box in last.boxes)


def test_sounds_are_heard_when_they_are_seen(film: Film, plan: Plan) -> None:
    track = np.concatenate(list(sounds(plan)))
    assert len(track) == round(plan.lasts * RATE) and 0.05 < np.abs(track).max() <= 1
    placed = next(frame for frame, _count in plan.frames if len(film.shots[frame.table].boxes) == 2)
    at = begins(plan, placed)
    quiet = track[: round((at - 0.01) * RATE)]
    assert not quiet.any() and track[round(at * RATE) : round((at + 0.1) * RATE)].any()
    assert sum(not cue.strikes for cue in plan.cues) == 6  # two tiles in each of three rounds
    struck = next(cue for cue in plan.cues if cue.strikes)
    delay = struck.strikes[0][0]
    from_there = track[round((struck.time + delay) * RATE) :]
    assert np.abs(from_there[: RATE // 20]).max() > 0.02
    assert not track[round((struck.time - 0.3) * RATE) : round((struck.time + delay - 0.01) * RATE)].any()


def test_captions_are_what_was_just_told(film: Film) -> None:
    telling = film.tell()
    assert captions(telling, 0) == ((), ())
    for told in range(1, len(telling.sentences) + 1):
        new, old = captions(telling, told)
        assert new[-1] == telling.sentences[told - 1][1] and len(old) <= 1
        assert len({time for time, _text in telling.sentences[told - len(new) : told]}) == 1


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
@pytest.mark.parametrize("size", [FILM_SIZE, film_export.GIF_SIZE])
def test_captions_have_room(film: Film, languages: None, language: str, size: tuple[int, int]) -> None:
    words.use(language)
    telling = film.tell()
    room = size[0] - 40
    for told in range(1, len(telling.sentences) + 1):
        new, _old = captions(telling, told)
        letter, lines = fitted(new, size[1] // 27, room, size[1] // 4)
        assert "".join(lines).replace(" ", "") == "".join(new).replace(" ", "")
        assert all(width_of(line, letter) <= room for line in lines)
        assert letter >= 9


def test_too_many_words_say_that_there_are_more() -> None:
    letter, lines = fitted(("word " * 400,), 20, 300, 100)
    assert lines[-1].endswith("…") and all(width_of(line, letter) <= 300 for line in lines)
    assert len(lines) * letter < 100
    assert wrapped("a" * 90, 20, 200) and all(width_of(line, 20) <= 200 for line in wrapped("a" * 90, 20, 200))


def test_names_of_five_have_room() -> None:
    names = ("Слабый бот 1", "Обычный бот 1", "Слабый бот 2", "Обычный бот 2", "Сильный бот")
    room = film_export.GIF_SIZE[0] * 5 // 6 // 5 - 20
    for name in names:
        letter = fitting(name, 13, room)
        assert letter >= 10 and shortened(name, letter, room) == name
    assert fitting("a" * 40, 20, 100) == 14 and fitting("a", 20, 100) == 20


def test_pictures_show_the_words_and_the_tiles(film: Film, plan: Plan, languages: None) -> None:
    painter = Painter(film, film.tell(), SMALL)
    pictures = [painter.paint(frame) for frame, _count in plan.frames[:3]]
    assert pictures[0].shape == (270, 480, 3)
    head, foot = slice(0, painter._head), slice(270 - painter._foot, 270)
    table = slice(painter._head, 270 - painter._foot)
    before, after = pictures[0].astype(int), pictures[1].astype(int)  # the second tile is set down
    assert np.abs(before[table] - after[table]).max() > 60
    assert np.abs(before[head] - after[head]).max() == 0 and np.abs(before[foot] - after[foot]).max() > 60
    words.use("uk")
    other = Painter(film, film.tell(), SMALL).paint(plan.frames[1][0]).astype(int)
    assert np.abs(other[foot] - after[foot]).max() > 60 and np.abs(other[table] - after[table]).max() == 0
    # Over the row that fell its own round is named, though the next one is told of.
    scored = next(frame for frame, _count in plan.frames if frame.players > frame.table)
    corner = slice(0, painter._head), slice(380, 480)
    fell = replace(scored, players=scored.table)
    assert (painter.paint(scored)[corner] == painter.paint(fell)[corner]).all()
    # A tile keeps its paint whatever stands beside it.
    assert set(painter._paints) == {6, 7, 8}


def test_mp4_has_pictures_and_sounds(log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(film_export, "FILM_SIZE", (320, 180))
    film = film_of(log)
    plan = planned(film, film.tell(), 30)
    told: list[tuple[int, int]] = []
    export_film(tmp_path / "film.mp4", film, lambda done, total: told.append((done, total)))
    assert told == [(done + 1, len(plan.frames)) for done in range(len(plan.frames))]
    with av.open(str(tmp_path / "film.mp4")) as file:
        video, audio = file.streams.video[0], file.streams.audio[0]
        assert (video.codec_context.name, audio.codec_context.name) == ("h264", "aac")
        for stream in (video, audio):
            assert stream.duration is not None and stream.time_base is not None
            assert float(stream.duration * stream.time_base) == pytest.approx(plan.lasts, abs=0.1)
        assert sum(1 for _frame in file.decode(video)) == round(plan.lasts * 30)
    with av.open(str(tmp_path / "film.mp4")) as file:
        heard = np.concatenate([frame.to_ndarray()[0] for frame in file.decode(audio=0)])
    loud = np.flatnonzero(np.abs(heard) > 0.02)[0] / RATE
    assert loud == pytest.approx(next(cue.time for cue in plan.cues), abs=0.03)
    data = (tmp_path / "film.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_gif_is_a_film_without_sounds(log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(film_export, "GIF_SIZE", (320, 180))
    film = film_of(log)
    plan = planned(film, film.tell(), 20)
    export_film(tmp_path / "film.gif", film, lambda done, total: None)
    with Image.open(tmp_path / "film.gif") as file:
        assert file.size == (320, 180) and file.info["loop"] == 0
        first = np.asarray(file.convert("RGB")).astype(int)
        lasts = 0
        for index in range(file.n_frames):
            file.seek(index)
            lasts += file.info["duration"]
    assert lasts / 1000 == pytest.approx(plan.lasts, abs=0.1)
    for tone in Painter(film, film.tell(), (320, 180)).swatch()[0, ::150].astype(int):  # a player's colour is kept
        assert np.abs(first - tone).max(axis=2).min() < 12


def test_a_sheet_has_six_moments_in_order(log: Path, film: Film, plan: Plan, tmp_path: Path) -> None:
    chosen = sheet_frames(plan)
    assert [frame.table for frame in chosen] == sorted({frame.table for frame in chosen}) and len(chosen) == 6
    assert chosen[-1] == plan.frames[-1][0] and chosen[0].table == 0
    few = replace(plan, frames=plan.frames[:4])
    assert sheet_frames(few) == [frame for frame, _count in few.frames]
    fall = next(at for at, shot in enumerate(film.shots) if shot.playback is not None)
    one = replace(plan, frames=tuple(each for each in plan.frames if each[0].table == fall))
    moments = [frame.moment or 0.0 for frame in sheet_frames(one)]
    assert len(moments) == 6 and moments == sorted(moments)
    export_film(tmp_path / "sheet.png", film, lambda done, total: None)
    with Image.open(tmp_path / "sheet.png") as sheet:
        painted = Painter(film, film.tell(), film_export.GIF_SIZE).paint(chosen[-1])
        there = np.asarray(sheet.convert("RGB"))[-8 - painted.shape[0] : -8, -8 - painted.shape[1] : -8]
    assert (there == painted).all()


def test_a_run_is_filmed_and_long_ones_are_followed(tmp_path: Path) -> None:
    line = tmp_path / "line.toml"
    tiles = "".join(f"[[tile]]\nvalue = 1\nx = {(k - 20) * 30}\ny = 0\n" for k in range(40))
    line.write_text('set = "classic"\n[table]\nsize = [1500, 300]\n' + tiles)
    run = tmp_path / "run.topple"
    assert cli.main(["simulate", str(line), "--out", str(run), "--lang", "en"]) == 0
    film = film_of(run)
    assert film.table == (1.5, 0.3)
    painter = Painter(film, film.tell(), (160, 400))  # so narrow that tiles would be tiny
    playback = film.shots[0].playback
    assert playback is not None
    frames = [Frame(0, 0, moment, 1) for moment in (playback.start, playback.end)]
    (start, _y, _z), (end, _y2, _z2) = (painter._camera(frame).eye for frame in frames)
    assert end - start > 0.5
    assert painter.paint(replace(frames[0], sentences_said=0)).shape == (400, 160, 3)


@pytest.mark.parametrize("ending", [".mp4", ".gif", ".png"])
def test_an_interrupted_film_leaves_nothing(film: Film, tmp_path: Path, ending: str) -> None:
    before = tmp_path / f"film{ending}"
    before.write_text("what was there")

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_film(before, film, stop)
    assert [path.name for path in tmp_path.iterdir()] == [before.name]
    assert before.read_text() == "what was there"


@pytest.mark.parametrize("ending", [".mp4", ".gif", ".png"])
def test_a_full_disk_is_a_sentence_and_no_window_is_needed(log: Path, tmp_path: Path, ending: str) -> None:
    # A limit on the size of files stands for the disk; it cannot be lifted again, hence the process of its own.
    code = (
        "import resource, sys\n"
        "sys.modules['arcade'] = sys.modules['pyglet'] = None\n"
        "from game import cli\n"
        "from game.film import export\n"
        "export.FILM_SIZE = export.GIF_SIZE = (320, 180)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))\n"
        "sys.exit(cli.main(sys.argv[1:]))\n"
    )
    arguments = ["replay", str(log), "--out", str(tmp_path / f"film{ending}"), "--lang", "en"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_filmed_is_refused(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out, said in (
        ("film.avi", "allowed is .mp4, .gif"),
        ("no/film.mp4", "there is no folder"),
    ):
        assert cli.main(["replay", str(log), "--out", str(tmp_path / out), "--lang", "en"]) == 2
        assert said in capsys.readouterr().err
    assert cli.main(["replay", str(log), "--text", "--out", str(tmp_path / "film.mp4"), "--lang", "en"]) == 2
    assert "leave one of them out" in capsys.readouterr().err
    (tmp_path / "bad.topple").write_text("nothing")
    assert cli.main(["replay", str(tmp_path / "bad.topple"), "--out", str(tmp_path / "film.mp4")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["bad.topple"]
