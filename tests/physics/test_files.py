"""Files that are whole or not there, where the path is a link or a device."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from physics.errors import OutputError
from physics.files import check_writable, whole_file


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    kept, link = tmp_path / "far" / "kept.csv", tmp_path / "run.csv"
    kept.write_text("old")
    link.symlink_to(Path("far") / "kept.csv")
    with whole_file(link) as beside:
        beside.write_text("new")
        assert beside.parent == kept.parent and kept.read_text() == "old"
    assert link.is_symlink() and kept.read_text() == "new"
    assert [path.name for path in kept.parent.iterdir()] == ["kept.csv"]


def test_a_failure_leaves_what_a_link_leads_to(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.csv", tmp_path / "run.csv"
    kept.write_text("old")
    link.symlink_to(kept)
    with pytest.raises(ZeroDivisionError), whole_file(link) as beside:
        beside.write_text("new")
        raise ZeroDivisionError
    assert kept.read_text() == "old" and sorted(tmp_path.iterdir()) == [kept, link]


def test_a_link_to_nothing_yet_makes_it(tmp_path: Path) -> None:
    link = tmp_path / "run.csv"
    link.symlink_to(tmp_path / "later.csv")
    check_writable(link)
    with whole_file(link) as beside:
        beside.write_text("new")
    assert link.is_symlink() and (tmp_path / "later.csv").read_text() == "new"


def test_a_link_that_leads_nowhere_is_refused_before_any_work(tmp_path: Path) -> None:
    circle, astray = tmp_path / "circle.csv", tmp_path / "astray.csv"
    circle.symlink_to(circle)
    astray.symlink_to(tmp_path / "nowhere" / "run.csv")
    for link in (circle, astray):
        with pytest.raises(OutputError, match=r"(circle|astray)\.csv cannot be written"):
            check_writable(link)
        with pytest.raises(OutputError, match="cannot be written"), whole_file(link):
            pass
        assert link.is_symlink()


def test_a_pipe_stays_what_it_is(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe.csv", tmp_path / "run.csv"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OutputError, match=r"(pipe|run)\.csv cannot be written: it is a device or a pipe"):
            check_writable(path)
        with pytest.raises(OutputError, match="it is a device or a pipe"), whole_file(path) as beside:
            beside.write_text("new")
    assert stat.S_ISFIFO(pipe.stat().st_mode) and sorted(tmp_path.iterdir()) == [pipe, link]


def test_devices_are_refused_before_any_work() -> None:
    with pytest.raises(OutputError, match="/dev/null cannot be written: it is a device"):
        check_writable(Path(os.devnull))
