"""A log as one time line: what is seen, told and heard when, and logs that are none."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from game import words
from game.film.film import Film, film_of, stepped
from game.film.plan import planned
from game.film.playback import LEAD, SLOW, SLOW_FOR
from game.games.evaluation.rules import GAME
from game.match.history import Setup
from game.match.publish import published
from game.match.reading import read_match
from game.match.session import new_match
from game.text.retold import retold
from game.text.story import Story
from physics import record
from physics.engine import Settings, engine
from physics.engines import default_engine
from physics.errors import SceneError
from physics.record import write_run
from physics.scene import read_line_file

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "match.topple"
    setup = Setup("evaluation", ("Ann", "Ben"), 1, {"rounds": 2})
    with new_match(path, setup) as session:
        for _round in range(2):
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
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "run.topple"
    scene = read_line_file(ROOT / "examples" / "straight.toml")[0]
    (outcome,) = engine(default_engine()).run([scene], Settings(record=0.01))
    write_run(path, scene, outcome)
    return path


@pytest.fixture
def languages() -> Iterator[None]:
    yield
    words.use("en")


def test_a_match_is_one_time_line(match: Path) -> None:
    film = film_of(match)
    assert film.names == ("Ann", "Ben")
    assert [len(shot.boxes) for shot in film.shots[:2]] == [1, 2]
    for shot, following in pairwise(film.shots):
        assert following.begins == pytest.approx(shot.ends)
    assert len(film.pushes) == 2 and [gained for _t, gained in film.scores] == [(0, 1), (1, 0)]
    assert all(push < score for push, (score, _gained) in zip(film.pushes, film.scores, strict=True))
    assert [number for _t, number in film.rounds] == [1, 2, 3]
    assert film.shots[-1].picture.scores == (1, 1) and film.look is not None
    assert [film.look.heading(shot.view) for shot in film.shots[-2:]] == ["Round 2", "Extra round"]
    assert any("calls: “Domino!”" in text for _t, text in film.tell().sentences)


def test_every_moment_can_be_shown(match: Path) -> None:
    film = film_of(match)
    shot = film.shots[film.index(film.pushes[0])]
    upright, fallen = film.boxes(shot.begins), film.boxes(shot.ends - 1e-3)
    assert all(box.position[2] == pytest.approx(box.size[2] / 2, abs=2e-3) for box in upright)
    assert all(box.position[2] < box.size[2] / 2 - 5e-3 for box in fallen)
    assert film.index(-1.0) == 0 and film.index(film.lasts + 9) == len(film.shots) - 1
    assert len(film.boxes(film.lasts + 9)) >= 1


def test_what_fell_is_told_after_it_was_seen(match: Path) -> None:
    film = film_of(match)
    telling = film.tell()
    times = [t for t, _text in telling.sentences]
    assert times == sorted(times)
    shot = film.shots[film.index(film.pushes[0])]
    assert shot.playback is not None
    told = next(t for t, text in telling.sentences if text.startswith("It falls: "))
    assert shot.begins + shot.playback.duration == pytest.approx(told) and told < shot.ends
    before, after = telling.lines(told - 0.01), telling.lines(told)
    assert len(before) == 2 and "pushes" in before[1] and not any("falls" in text for text in before)
    assert any("It falls" in text for text in after)
    assert telling.lines(-1.0) == ()


def test_a_film_is_told_in_the_language_in_use(match: Path, run: Path, languages: None) -> None:
    for path in (match, run):
        film = film_of(path)
        told = {}
        for language in ("en", "uk", "ru"):
            words.use(language)
            told[language] = film.tell().sentences
        assert len({told[language] for language in told}) == 3
        assert len({tuple(t for t, _text in each) for each in told.values()}) == 1


@pytest.mark.parametrize("seen", [film_of, retold])
def test_a_log_is_read_once_replayed_once_and_told_once(
    match: Path, monkeypatch: pytest.MonkeyPatch, seen: Callable[[Path], Any], languages: None
) -> None:
    counts: Counter[str] = Counter()

    def counted(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counting(*given: Any) -> Any:
            counts[name] += 1
            return original(*given)

        monkeypatch.setattr(owner, name, counting)

    played = read_match(match)
    events = len(published(played.setup, played.recording.entries, None))
    for owner, name in ((Path, "open"), (type(GAME), "apply"), (type(GAME), "view"), (Story, "_told")):
        counted(owner, name)
    found = seen(match)
    if isinstance(found, Film):
        assert planned(found, found.tell(), 20).frames and found.tell() is found.tell()
    moves = sum(entry.kind == "move" for entry in played.recording.entries)
    assert counts == {"open": 1, "apply": moves, "view": 1 + moves, "_told": events}
    if isinstance(found, Film):
        words.use("uk")
        assert found.tell() is found.tell() and counts["_told"] == 2 * events


def goes_through(film: Film, frame: float) -> tuple[float, list[float]]:
    """How long it takes to see all of it, s, and when the sounds are due."""
    t, clock, due = 0.0, 0.0, []
    while t < film.lasts:
        was, t = t, film.later(t, frame)
        due += [clock + delay for delay, _strike in film.heard(was, t)]
        clock += frame
    return clock, due


def test_the_weakest_gap_is_slow_and_sounds_are_heard_there(match: Path) -> None:
    film = film_of(match)
    assert len(film.slow) == 2 and all(end - begin == pytest.approx(SLOW_FOR) for begin, end in film.slow)
    begin, end = film.slow[0]
    middle = (begin + end) / 2
    assert film.later(middle, 0.1) == pytest.approx(middle + 0.1 * SLOW)
    assert film.later(1.0, 0.1) == pytest.approx(1.1)
    fast, due = goes_through(film, 1 / 60)
    slow, same = goes_through(film, 1 / 30)
    assert fast > film.lasts + 2 * SLOW_FOR / SLOW * 0.7 and slow == pytest.approx(fast, abs=0.1)
    falls = [shot.playback for shot in film.shots if shot.playback is not None]
    assert len(due) == len(same) == sum(len(fall.strikes) for fall in falls) > 0
    # A frame may begin before a fall does: then its sounds are late by less than that frame.
    assert due == pytest.approx(same, abs=1 / 20)


def test_steps_lead_from_moment_to_moment(match: Path, run: Path) -> None:
    film = film_of(match)
    t, seen = 0.0, [0.0]
    while t < film.lasts:
        t = stepped(film.moments, t, 1)
        seen.append(t)
    assert tuple(seen) == film.moments and {shot.begins for shot in film.shots} < set(seen)
    assert stepped(film.moments, t, 1) == t and stepped(film.moments, 0.0, -1) == 0.0
    assert [stepped(film.moments, t, -1) for t in seen[1:]] == seen[:-1]
    assert stepped(film.moments, seen[3] + 0.01, -1) == seen[3]
    fall = film_of(run).shots[0].playback
    assert fall is not None and len(film_of(run).moments) == len(fall.tiles) + 2


def test_a_run_is_a_film_too(run: Path) -> None:
    film, scene = film_of(run), read_line_file(ROOT / "examples" / "straight.toml")[0]
    telling = film.tell()
    assert film.names == () and len(film.shots) == 1 and film.rounds == () and len(film.slow) == 1
    assert len(film.boxes(0.3)) == len(scene.line)
    assert telling.title == "run.topple" and telling.lines(0.0) == ("The row from left to right: 5, 6, 7, 8, 9, 10.",)
    assert telling.lines(film.lasts) == ("The tile 10 falls.", "Every tile fell.")


def test_files_that_are_no_films(tmp_path: Path, run: Path, match: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, played = run.read_bytes(), match.read_bytes()
    path = tmp_path / "x.topple"
    damaged: dict[bytes, str] = {
        b"": "{} is empty.",
        b"{}\n": "{}:1: this is not a topple file.",
        b"\x89PNG\r\n\x1a\n": "{}:1: this line is damaged.",
        whole[: len(whole) // 2]: "{}:",
        whole.partition(b"\n")[0]: "{} is a damaged run.",
        whole.replace(b'"height": 45.0', b'"height": 1e999', 1): "{}:1: tiles.height is inf",
        whole.replace(b'"tile": 0', b'"tile": 77'): "{}:1: push.tile is 77",
        played.replace(b"stand 7", b"stand 8", 1): "{}:",
        b'{"format": "topple", "version": 1, "kind": "song"}\n': "{} is of the kind 'song';",
    }
    for data, sentence in damaged.items():
        path.write_bytes(data)
        with pytest.raises(SceneError) as refused:
            film_of(path)
        assert str(refused.value).startswith(sentence.format(path)), data[:80]
    with pytest.raises(SceneError, match="cannot be read: No such file"):
        film_of(tmp_path / "lost.topple")
    with pytest.raises(SceneError, match="cannot be read: Is a directory"):
        film_of(tmp_path)
    monkeypatch.setattr(record, "MAX_BYTES", 1000)
    with pytest.raises(SceneError, match="is larger than 128 MB"):
        film_of(run)


def test_a_torn_match_is_shown_as_far_as_it_goes(match: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.topple"
    path.write_bytes(match.read_bytes()[:-30])
    assert 1 < len(film_of(path).shots) <= len(film_of(match).shots)


def test_no_damage_of_a_run_goes_unnoticed(run: Path, tmp_path: Path) -> None:
    """Values changed at random: a film or a refusal in a sentence, and every moment of a film can be shown."""
    lines, generator = run.read_text().splitlines(), random.Random(5)
    path = tmp_path / "x.topple"
    strange: list[Any] = [None, -1, 1e300, 10**30, "x", [], {}, True, 0]
    for _try in range(150):
        number = generator.choice([0, 1, len(lines) // 2, len(lines) - 2, len(lines) - 1])
        changed = json.loads(lines[number])
        at: Any = changed
        while isinstance(at, dict | list) and at:
            key = generator.choice(list(at) if isinstance(at, dict) else list(range(len(at))))
            inner = at[key]
            if generator.random() < 0.4 or not isinstance(inner, dict | list) or not inner:
                at[key] = generator.choice(strange)
                break
            at = inner
        path.write_text("\n".join([*lines[:number], json.dumps(changed), *lines[number + 1 :]]) + "\n")
        try:
            film = film_of(path)
        except SceneError:
            continue
        for share in (0.0, 0.5, 1.0):
            film.boxes(film.lasts * share)
        film.heard(0.0, film.lasts)


def test_the_screen_of_a_replay(match: Path, tmp_path: Path) -> None:
    """Keys alone, clicks and drags on the time line, and a fall that is seen and heard, in a window nobody sees."""
    script = Path(__file__).with_name("replay_script.py")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script), str(match)], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    lasts, moments = seen["lasts"], seen["moments"]
    assert seen["played"] == pytest.approx(1.0) and seen["paused"] == pytest.approx([1.0, 1.0])
    assert (seen["home"], seen["end"]) == (0.0, lasts)
    assert seen["stepped"] == [moments[0], moments[1], moments[2], moments[1]]
    first, second, back = seen["rounds"]
    assert 0 < first < second < lasts and back == first
    assert seen["nudged"] == pytest.approx(0.05) and (seen["slowest"], seen["fastest"]) == (0.25, 2.0)
    assert seen["going"] == [False, True, 2.0]  # a click does not take the space bar away
    assert seen["clicked"] == pytest.approx(lasts / 2, rel=0.02)
    assert seen["dragged"] == pytest.approx(lasts / 4, rel=0.02)
    assert seen["heard"] == pytest.approx(seen["due"], abs=1e-6) and len(seen["due"]) >= 5
    moves = [after - before for before, after in pairwise(seen["eyes"])]
    assert max(map(abs, moves)) < 0.004  # m in a frame
    assert max(seen["eyes"]) - min(seen["eyes"]) > 0.01
    assert len(set(seen["said"])) == 3 and seen["contrast"]
    live = seen["live"]
    assert live["heard"] == pytest.approx(seen["due"], abs=1e-6) and live["ended"] > seen["due"][-1] + 1
    assert live["again"] == pytest.approx(0.3 - LEAD) and live["paused"] == [live["again"], live["again"]]
    assert live["nudged"] == pytest.approx(live["again"] + 0.02) and live["scrubbed"] == pytest.approx(0.1)
    assert live["quarter"] == pytest.approx(0.15) and live["skipped"] == 1
