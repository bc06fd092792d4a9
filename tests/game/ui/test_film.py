from __future__ import annotations

from pathlib import Path

import pytest

from game.match import Setup
from game.session import new_match
from game.ui.film import film_of
from physics.engine import Settings, default_engine, engine
from physics.errors import SceneError
from physics.record import write_run
from physics.scene import read_line_file

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("film") / "match.topple"
    setup = Setup("evaluation", ("Ann", "Ben"), 1, {"rounds": 1})
    with new_match(path, setup) as session:
        session.play(0, "stand 7 at 26.25 0 yaw 0 upright last")
        session.play(1, "call")
        session.play(0, "vote success")
        session.play(1, "vote failure")
        session.play(0, "push")
        session.settle()
    return path


def test_a_match_is_one_time_line(match: Path) -> None:
    film = film_of(match)
    assert film.names == ("Ann", "Ben")
    assert [len(shot.boxes) for shot in film.shots[:2]] == [1, 2]
    for shot, following in zip(film.shots, film.shots[1:], strict=False):
        assert following.begins == pytest.approx(shot.begins + shot.lasts)
    assert len(film.falls) == 1
    assert film.shots[-1].chips == (1, 0)
    assert any("Ben calls" in words for shot in film.shots for words in shot.words)


def test_every_moment_can_be_shown(match: Path) -> None:
    film = film_of(match)
    begins = film.falls[0]
    shot = film.shots[film.index(begins)]
    upright, fallen = film.boxes(begins), film.boxes(begins + shot.lasts - 1e-3)
    assert all(box.position[2] == pytest.approx(box.size[2] / 2, abs=2e-3) for box in upright)
    assert all(box.position[2] < box.size[2] / 2 - 5e-3 for box in fallen)
    assert film.index(-1.0) == 0 and film.index(film.lasts + 9) == len(film.shots) - 1
    assert len(film.boxes(film.lasts + 9)) >= 1


def test_a_run_is_a_film_too(tmp_path: Path) -> None:
    scene = read_line_file(ROOT / "examples" / "straight.toml")[0]
    (outcome,) = engine(default_engine()).run([scene], Settings(record=0.01))
    path = tmp_path / "run.topple"
    write_run(path, scene, outcome)
    film = film_of(path)
    assert film.names == () and len(film.shots) == 1
    assert len(film.boxes(0.3)) == len(scene.line)


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.topple"
    path.write_text("{}\n")
    with pytest.raises(SceneError):
        film_of(path)
    with pytest.raises(SceneError):
        film_of(tmp_path / "lost.topple")
