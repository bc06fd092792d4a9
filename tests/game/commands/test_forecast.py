"""Forecasts at the command line: told before a hint is looked for, and standing when that search is ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from game import cli
from game.commands import STOPPED, forecast

PACKED = Path(__file__).parents[3] / "examples" / "packed.toml"


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOPPLE_LANG", "en")


def predict(*options: object) -> int:
    return cli.main(["predict", str(PACKED), "--workers", "1", *map(str, options)])


def stop_at(monkeypatch: pytest.MonkeyPatch, name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Has Ctrl-C come when that begins; what had been printed by then."""
    said: list[str] = []

    def stopped(*_given: object, **_options: object) -> None:
        said.append(capsys.readouterr().out)
        raise KeyboardInterrupt

    monkeypatch.setattr(forecast, name, stopped)
    return said


def test_ctrl_c_ends_only_the_search_for_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = tmp_path / "plan.svg"
    said = stop_at(monkeypatch, "suggest", capsys)
    assert predict("--picture", picture) == 0
    assert "packed.toml: 5 tiles" in said[0] and "Picture:" in said[0]
    assert picture.exists()
    left = capsys.readouterr()
    assert left.out == "" and left.err == "Stopped looking for a change that would help; the forecast stands.\n"


def test_json_is_whole_when_the_search_for_its_hint_is_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stop_at(monkeypatch, "suggest", capsys) == []
    assert predict("--json", "--hint") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "stands" and answer["hint"] is None


def test_ctrl_c_before_the_forecast_ends_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stop_at(monkeypatch, "predict", capsys)
    assert predict() == STOPPED
    assert capsys.readouterr().err == "Stopped.\n"
