"""A game that brings rules and words alone, played to its end in every way."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from game import catalogue
from game.bots.arena import play_match, tournament
from game.bots.seats import Bots, self_play
from game.cli import main
from game.core import Chance, RuleError, another_chance, random_match, secret_chance
from game.match.history import MatchHistory, Setup
from game.match.log import read_log
from game.match.publish import Publisher, published, view_after
from game.match.reading import read_match
from game.match.season import season_of
from game.match.session import new_match, resume_match
from game.text.retold import retold
from tests.game.lanterns.lone import LONE
from tests.game.lanterns.rules import GAME, State
from tests.game.lanterns.series import SERIES_GAME

ROOT = Path(__file__).parents[3]


pytestmark = pytest.mark.usefixtures("lanterns")


def setup(*names: str, **options: Any) -> Setup:
    return Setup("lanterns", names or ("Ann", "Bob"), 5, options)


def test_bots_play_it_and_the_log_holds_all_but_what_it_does_not_need(tmp_path: Path) -> None:
    path = tmp_path / "m.topple"
    with new_match(path, setup("bot:weak", "bot:weak", "bot:weak", "bot:strong", mode="teams")) as session:
        summary = self_play(session, Bots(session.setup))
    assert summary["game"] == "lanterns" and len(summary["scores"]) == 4
    assert set(summary["winners"]) in ({0, 2}, {1, 3}, set())
    header = read_log(path).header
    assert not {"table", "hints", "clumsy", "engine"} & set(header)
    assert read_match(path).history.has_result
    assert season_of([path]).finished == 1


def test_the_arena_counts_teams() -> None:
    played = [play_match("lanterns", ("weak", "strong") * 2, seed, {"mode": "teams"}) for seed in range(40)]
    assert {match.winner for match in played} == {"weak", "strong", None}
    for match in played:
        assert len(match.winners) in (0, 2, 4)
        assert match.winner == (match.bots[match.winners[0]] if len(match.winners) == 2 else None)
    standings = tournament(8, "lanterns", ("weak", "strong") * 2, 3, {"mode": "teams"})
    assert standings.decided == standings.wins("weak") + standings.wins("strong")


def test_the_arena_counts_a_victory_that_is_shared() -> None:
    """One that two strengths share is nobody's; one that two bots of a strength share is that strength's."""
    played = [play_match("lanterns", ("weak", "strong", "strong"), seed) for seed in range(150)]
    shared = [match for match in played if len(match.winners) == 2]
    assert {match.winners for match in shared} == {(0, 1), (0, 2), (1, 2)}
    for match in shared:
        assert match.winner == ("strong" if match.winners == (1, 2) else None)
    assert {match.winner for match in played if not match.winners} <= {None}


def test_a_season_counts_teams_and_victories_that_are_shared(tmp_path: Path) -> None:
    paths, wins = [], Counter[str]()
    for seed in range(12):
        is_team = seed % 2 == 0
        names = ("bot:weak", "bot:strong", "bot:weak", "bot:strong") if is_team else ("bot:weak", "bot:strong")
        paths.append(tmp_path / f"{seed}.topple")
        options = {"mode": "teams"} if is_team else {}
        with new_match(paths[-1], Setup("lanterns", names, seed, options)) as session:
            summary = self_play(session, Bots(session.setup))
        wins.update({names[seat] for seat in summary["winners"]})
    found = season_of(paths)
    assert found.finished == 12 and wins.total() > 6
    assert {each.name: (each.matches, each.wins) for each in found.standings} == {
        name: (12, wins[name]) for name in ("bot:weak", "bot:strong")
    }


def test_a_season_without_standing_tiles_says_nothing_of_forecasts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.topple"
    with new_match(path, setup("bot:weak", "bot:weak")) as session:
        assert season_said(path, capsys) == (1, "1 log\n")
        self_play(session, Bots(session.setup))
    code, said = season_said(path, capsys)
    assert code == 0 and said.startswith("1 log\n\nlanterns:\n") and "forecast" not in said


def season_said(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["--lang", "en", "season", str(path)])
    return code, capsys.readouterr().out


def test_both_chances_differ_and_only_the_secret_one_is_drawn_anew() -> None:
    state = GAME.start(2, {}, 3)
    other = GAME.alternatives(state, 0, random.Random(1))
    assert other.open_chance == state.open_chance and other.moon == state.moon
    assert other.hidden_chance != state.hidden_chance and other.deck != state.deck
    assert secret_chance(3) != Chance(3)
    assert another_chance(Chance(3, 7), random.Random(1)).count == 7


def test_what_all_have_learnt_stays_true_in_what_is_sampled() -> None:
    """Who lights another lantern than the moon's held none of those; only what is drawn later can be one."""
    generator, facts, broken = random.Random(1), 0, 0
    for seed in range(30):
        state = GAME.start(3, {"rounds": 4}, seed)
        lacked: dict[tuple[int, int], int] = {}  # (seat, value): lanterns drawn since that seat held none of that value
        for seat, move in random_match(GAME, 3, {"rounds": 4}, seed)[1]:
            moon = state.moon
            state, events = GAME.apply(state, seat, move)
            for event in (event for event in events if event.kind == "lit"):
                if event.data["value"] != moon:
                    lacked[seat, moon] = 0
                lacked.update({key: drawn + 1 for key, drawn in lacked.items() if key[0] == seat})
            for reader in (None, 0):
                other = GAME.alternatives(state, reader, generator)
                careless = GAME.alternatives(replace(state, limits=((),) * 3), reader, generator)
                for (holder, value), drawn in lacked.items():
                    assert other.hands[holder].count(value) <= drawn
                    broken += careless.hands[holder].count(value) > drawn
                    facts += 1
    assert facts > 1000 and broken > 10


def test_one_player_alone_wins_or_nobody_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "GAMES", {LONE.name: "tests.game.lanterns.lone"})
    played = [play_match(LONE.name, ("weak",), seed) for seed in range(30)]
    assert {match.winners for match in played} == {(), (0,)} and {match.winner for match in played} == {None}
    paths = [tmp_path / f"{seed}.topple" for seed in range(10)]
    for seed, path in enumerate(paths):
        with new_match(path, Setup(LONE.name, ("bot:weak",), seed, {})) as session:
            summary = self_play(session, Bots(session.setup))
        assert summary["winners"] == list(play_match(LONE.name, ("weak",), seed).winners)
        with resume_match(path) as resumed:
            assert resumed.result is not None and resumed.to_act == frozenset()
    standings = season_of(paths).standings
    assert [each.matches for each in standings] == [10] and 0 < standings[0].wins < 10


def test_a_series_of_games_is_one_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = SERIES_GAME.name, tmp_path / "m.topple"
    monkeypatch.setattr(catalogue, "GAMES", {name: "tests.game.lanterns.series"})
    with new_match(path, Setup(name, ("bot:weak", "bot:strong"), 4, {})) as session:
        summary = self_play(session, Bots(session.setup))
    history = read_match(path).history
    dealt = [event.data["won"] for move in history.moves for event in move.events if event.kind == "dealt"]
    assert dealt and max(summary["scores"]) == 2 and history.state.won == tuple(summary["scores"])
    assert len({state.hands for state in deals(history)}) == len(dealt) + 1  # every game is dealt anew
    standings = {each.name: (each.matches, each.wins) for each in season_of([path]).standings}
    assert sorted(standings.values()) == [(1, 0), (1, 1)]
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):  # killed anywhere it goes on to the same end
        (tmp_path / "cut.topple").write_bytes(b"".join(lines[:count]))
        with resume_match(tmp_path / "cut.topple") as session:
            assert self_play(session, Bots(session.setup))["scores"] == summary["scores"]


def deals(history: MatchHistory) -> list[State]:
    """The states in which a game of the series begins."""
    states = [move.before for move in history.moves]
    return [state for state in states if state.round == 1 and set(state.bids) == {None}]


def test_what_is_hidden_reaches_only_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "m.topple"
    with new_match(path, setup("bot:weak", "bot:weak", "bot:weak")) as session:
        self_play(session, Bots(session.setup))
    recording, match = read_log(path), read_match(path)
    drawn = [
        [event["data"]["seat"] for _t, kind, data in published(match.setup, recording.entries, reader) if kind == "step"
         for event in data["events"] if event["kind"] == "drawn"]
        for reader in (None, 0, 1)
    ]  # fmt: skip
    assert drawn[0] == [] and set(drawn[1]) == {0} and set(drawn[2]) == {1}
    history = MatchHistory(match.setup)
    streams = {reader: Publisher(match.setup, reader) for reader in (None, 0, 1)}
    views = {reader: stream.events[0][2]["view"] for reader, stream in streams.items()}
    for entry in recording.entries:
        history.take(entry)
        for reader, stream in streams.items():
            for _t, kind, data in stream.feed(entry):
                views[reader] = view_after(views[reader], data) if kind == "step" else views[reader]
            assert views[reader] == GAME.view(history.state, reader)
            assert views[reader]["hand"] == (None if reader is None else list(history.state.hands[reader]))
    for _t, kind, data in streams[None].events[1:]:  # what changed in a hand is nothing to a spectator
        assert kind != "step" or "hand" not in data.get("changes", {}).get("keys", {})


def test_undo_ends_where_somebody_has_seen_something(tmp_path: Path) -> None:
    with new_match(tmp_path / "m.topple", setup()) as session:
        session.play(0, "bid 5")
        session.undo(0)
        session.play(0, "bid 6")
        session.play(1, "bid 9")
        with pytest.raises(RuleError, match="learnt"):
            session.undo(0)
        with pytest.raises(RuleError, match="knows no accidents"):
            session.declare_accident(0, 1)
    with resume_match(tmp_path / "m.topple") as session:
        assert session.state.order == (1, 0)


def test_settings_of_standing_tiles_are_refused(tmp_path: Path) -> None:
    from physics.errors import InputError

    for wrong in ({"table": "hand"}, {"hints": True}, {"clumsy": True}, {"engine": "mujoco"}):
        with pytest.raises(InputError, match="no standing tiles"):
            new_match(tmp_path / "m.topple", Setup("lanterns", ("Ann", "Bob"), 5, {}, **wrong))


# In the terminal


def play(*script: str, options: tuple[str, ...] = (), cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.game.lanterns.play", "play", "--text", "--game", "lanterns", *options]
    return subprocess.run(
        command, input="".join(f"{line}\n" for line in script), cwd=ROOT, env={"PATH": "", "TOPPLE_LANG": "en",
        "XDG_DATA_HOME": str(cwd)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def hand_of(said: str) -> list[str]:
    """The last hand that was shown."""
    return said.rpartition("Your lanterns: ")[2].partition(".")[0].split(", ")


def test_two_people_at_one_terminal_with_hidden_hands(tmp_path: Path) -> None:
    log = tmp_path / "m.topple"
    options = ("--players", "Ann,Bob", "--seed", "5", "--log", str(log), "--option", "rounds=1")
    script: list[str] = ["", "bid 5", "", "look", "bid 9", ""]
    done = play(*script, options=options, cwd=tmp_path)
    assert "Ann, what comes now is for you alone" in done.stdout and "Ann has bid." in done.stdout
    assert "bid 5" not in done.stdout and "The bids: 5, 9. The order: 1, 0." in done.stdout
    hands = done.stdout.split("Your lanterns: ")
    assert len(hands) == 5  # Ann's, Bob's, the same when he looks, and Bob's again
    resumed = ["play", "--text", "--resume", str(log)]
    lit = hand_of(done.stdout)[0]
    done = subprocess.run(
        [sys.executable, "-m", "tests.game.lanterns.play", *resumed], input=f"\nlight {lit}\n", cwd=ROOT,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert f"Bob lights {lit}" in done.stdout, done.stdout + done.stderr
    assert any("Bob lights" in line for line in retold(log))


def test_somebody_speaks_out_of_turn(tmp_path: Path) -> None:
    """Ann lights first; where Cem holds the same value he may echo it, though Bob is asked."""
    for seed in range(60):
        state = GAME.start(3, {}, seed)
        same = set(state.hands[0]) & set(state.hands[2])
        if same and state.moon not in state.hands[0]:
            break
    value = min(same)
    options = ("--players", "Ann,Bob,Cem", "--seed", str(seed), "--log", str(tmp_path / "m.topple"))
    script = ["", "bid 900", "", "bid 800", "", "bid 1", "", f"light {value}", "", "help", "Cem: echo", "quit"]
    done = play(*script, options=options, cwd=tmp_path)
    assert "Cem: echo" in done.stdout and f"Cem echoes {value}." in done.stdout, done.stdout + done.stderr


def test_alone_against_bots_nothing_is_wiped_and_the_match_comes_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "m.topple"
    options = ("--players", "Ann,bot:weak", "--seed", "5", "--log", str(log), "--option", "rounds=1")
    first = play("look", "bid 5", "look", "quit", options=options, cwd=tmp_path)
    assert "for you alone" not in first.stdout
    assert first.stdout.count("Your lanterns: ") == 4  # twice unasked, and whenever one looks
    lantern = hand_of(first.stdout)[0]
    log.unlink()
    done = play("bid 5", f"light {lantern}", "quit", options=options, cwd=tmp_path)
    assert done.returncode == 0 and "The match is over." in done.stdout, done.stdout + done.stderr


# Before a match


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--players", "A,B,C,D"), "The game lanterns is for 2 to 3 players, not for 4."),
        (
            ("--option", "mode=teams", "--players", "A,B"),
            "The number of players of lanterns with these options is 4, not 2.",
        ),
        (("--option", "mode=solo"), "The option mode is 'solo'; allowed is one of alone, teams."),
        (("--option", "first=1"), "The game lanterns has no option 'first'; it has mode, rounds."),
        (("--hints",), "The game lanterns has no standing tiles: leave out table, hints, clumsy and engine."),
    ],
)
def test_refusals_of_play(tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    done = play(options=options, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence + "\n")


def test_without_names_as_many_bots_play_as_the_options_need(tmp_path: Path) -> None:
    log = tmp_path / "m.topple"
    play(options=("--option", "mode=teams", "--log", str(log)), cwd=tmp_path)
    assert read_log(log).header["seats"] == ["Player", "bot:normal", "bot:normal", "bot:normal"]
