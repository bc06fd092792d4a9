"""Matches of the first version of the rules, whose logs do not name it: they replay and go on as they began.

The logs were written before gaps were free air: `people` has a turned tile 0.3 mm from its neighbour, an insertion with
both neighbours on one side and an undo; `relocated` random placements up to a forced push; `bots` is a whole match.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from game.core import RuleError
from game.games.evaluation.placements import free_air
from game.games.evaluation.state import Phase
from game.games.evaluation.text.moves import read_move
from game.match.background import Tools
from game.match.history import MatchHistory, Setup, checked_setup, setup_in
from game.match.reading import read_match
from game.match.session import new_match, resume_match
from game.match.turns import rematch
from physics.errors import InputError, SceneError

LOGS = Path(__file__).parent / "old_logs"


def history_of(name: str) -> MatchHistory:
    return read_match(LOGS / f"{name}.topple").history


def test_turned_placements_an_insertion_on_one_side_and_an_undo_replay() -> None:
    history = history_of("people")
    assert [tile.value for tile in history.state.row] == [11, 9, 6, 1, 7, 8]
    assert free_air(*history.state.row[-2:]) * 1e3 == pytest.approx(0.27, abs=0.01)
    assert history.setup.version == history.state.limits.version == 1


def test_a_round_of_random_placements_replays_to_its_forced_push() -> None:
    history = history_of("relocated")
    assert (history.state.round, history.state.phase, history.state.chips) == (2, Phase.BUILD, (0, 1))


def test_a_match_of_bots_replays_to_its_result() -> None:
    history = history_of("bots")
    result = history.game.result(history.state)
    assert result is not None and history.has_result
    assert (result.scores, result.winners) == ((0, 1), (1,))


def test_an_old_match_goes_on_by_its_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "match.topple"
    shutil.copy(LOGS / "people.topple", path)
    with resume_match(path, Tools()) as session:
        session.undo(0)  # the 11 at the left end
        move = session.game.read("stand 11 at -30 5 yaw 0 upright last")
        with pytest.raises(RuleError):
            session.play(0, move)
        session.play(
            0, read_move("stand 11 left gap 30", session.state.row, session.state.movable, session.setup.names)
        )
        session.play(1, "pass")
        session.play(1, "insert 2 at 20.25 -14 yaw 90 upright between 6 and 1")  # both on one side of it
        row = session.state.row
    match = read_match(path)
    assert "rules" not in match.recording.header
    assert match.history.state.row == row


def test_new_matches_and_rematches_name_the_newest_rules(tmp_path: Path) -> None:
    setup = rematch(history_of("people").setup)
    with new_match(tmp_path / "match.topple", setup) as session:
        assert session.state.limits.version == 2
        with pytest.raises(RuleError, match="same side"):
            session.play(0, "stand 7 at 40.5 0 yaw 0 upright last")
            session.play(1, "pass")
            session.play(1, "insert 1 at 20.25 13.5 yaw 90 upright between 6 and 7")
    assert json.loads((tmp_path / "match.topple").read_text(encoding="utf-8").splitlines()[0])["rules"] == 2


@pytest.mark.parametrize("version", [0, 3, 2**70])
def test_rules_of_another_version_are_refused(version: int) -> None:
    header = {**checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {})).header(), "rules": version}
    with pytest.raises(SceneError, match=rf"^log: The version of the rules is {version}; this program knows 1 to 2\.$"):
        setup_in(header, "log")
    with pytest.raises(InputError, match="this program knows 1 to 2"):
        checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {}, version=version))


@pytest.mark.parametrize("version", ["2", True, None, 2.0])
def test_a_version_that_is_no_number_is_no_header(version: object) -> None:
    header = {**checked_setup(Setup("evaluation", ("Ann", "Bob"), 1, {})).header(), "rules": version}
    with pytest.raises(SceneError, match="this is not the header of a match"):
        setup_in(header, "log")
