"""Where a user's files are: on Linux where they always were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from physics.folders import config_folder, data_folder

on_linux = pytest.mark.skipif(os.name == "nt", reason="the folders of Linux")


@pytest.fixture(autouse=True)
def _clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@on_linux
def test_folders_of_a_home(tmp_path: Path) -> None:
    assert data_folder() == tmp_path / ".local" / "share" / "topple"
    assert config_folder() == tmp_path / ".config" / "topple"
    assert not data_folder().exists()


@on_linux
@pytest.mark.parametrize(("named", "counts"), [("/mine", True), ("here", False), ("", False)])
def test_a_variable_names_another_folder(
    named: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", named)
    monkeypatch.setenv("XDG_CONFIG_HOME", named)
    assert (data_folder() == Path("/mine/topple")) is counts
    assert (config_folder() == Path("/mine/topple")) is counts


@on_linux
def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 123_456)
    assert data_folder() == Path(".local/share/topple")
    assert config_folder() == Path(".config/topple")
