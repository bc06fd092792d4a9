"""The picture of the rooms in docs/architecture.md is the one that import-linter holds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from game.catalogue import GAMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
CONTRACTS: list[dict[str, Any]] = LINTER["contracts"]
ANY_GAME = "game.games.NAME"
ROOM = re.compile(r"(?P<indent> *)(?P<beside>\| )?(?P<name>\w+) {2,}(?P<about>\S.*)")


@dataclass
class Room:
    """One line of the picture, and those below it."""

    name: str  # with dots
    about: str
    layers: list[set[str]] = field(default_factory=list)  # from the top down


def rooms() -> dict[str, Room]:
    """Every room of the picture by its name; "" is the house."""
    house = {"": Room("", "")}
    above: list[str] = []
    [picture] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    for line in picture.splitlines():
        found = ROOM.fullmatch(line)
        assert found is not None, line
        level, rest = divmod(len(found["indent"]), 2)
        assert rest == 0 and level <= len(above), line
        above = above[:level]
        parent = house[".".join(above)]
        name = ".".join([*above, found["name"]])
        assert name not in house, f"{name} is there twice"
        if found["beside"]:
            parent.layers[-1].add(found["name"])
        else:
            parent.layers.append({found["name"]})
        house[name] = Room(name, found["about"])
        above.append(found["name"])
    return house


HOUSE = rooms()


def is_there(name: str) -> bool:
    """Whether there is such a package or module."""
    place = ROOT.joinpath(*name.split("."))
    return (place / "__init__.py").is_file() or place.with_suffix(".py").is_file()


def packages(name: str) -> Iterator[str]:
    """That package and all below it, any game's under one name."""
    yield name
    for child in sorted(ROOT.joinpath(*name.split(".")).glob("*/__init__.py")):
        yield from packages(f"{name}.{child.parent.name}")


def as_any_game(name: str) -> str:
    """The room's name with any game in the place of this one."""
    for package in GAMES.values():
        if name == package or name.startswith(f"{package}."):
            return ANY_GAME + name.removeprefix(package)
    return name


def layer_contracts() -> dict[str, list[set[str]]]:
    """The layers that are held, by the package they are in, without those that are only to come."""
    found = {}
    for contract in CONTRACTS:
        if contract["type"] == "layers":
            for container in contract.get("containers", [""]):
                layers = [{each.strip(" ()") for each in re.split(r"[|:]", layer)} for layer in contract["layers"]]
                prefix = f"{container}." if container else ""
                there = [{name for name in layer if is_there(prefix + name)} for layer in layers]
                found[container] = [layer for layer in there if layer]
    return found


@pytest.mark.parametrize("container", layer_contracts(), ids=lambda name: name or "all")
def test_layers_are_those_of_the_contract(container: str) -> None:
    assert HOUSE[container].layers == layer_contracts()[container]


def test_every_package_has_its_line() -> None:
    there = {as_any_game(name) for root in LINTER["root_packages"] for name in packages(root)}
    modules = {name for name in HOUSE if name and name not in there}
    assert there <= set(HOUSE), f"not in the picture: {sorted(there - set(HOUSE))}"
    assert all(is_there(name) for name in modules), f"in the picture alone: {sorted(modules)}"


def test_every_line_says_something_of_its_own() -> None:
    said = [room.about for room in HOUSE.values() if room.name]
    assert len(set(said)) == len(said)


def test_libraries_are_where_the_contracts_allow_them() -> None:
    held: dict[str, set[str]] = {}
    for contract in CONTRACTS:
        forbidden = contract.get("forbidden_modules", [])
        if contract["type"] == "forbidden" and not {each.split(".")[0] for each in forbidden} & set(
            LINTER["root_packages"]
        ):
            allowed = {edge.split(" -> ")[0].removesuffix(".**") for edge in contract.get("ignore_imports", [])}
            allowed |= set(LINTER["root_packages"]) - {each.split(".")[0] for each in contract["source_modules"]}
            held.update(dict.fromkeys(forbidden, allowed))
    table = re.findall(r"^\| (`[^|]*) \| (`[^|]*) \|$", PAGE, re.MULTILINE)
    told = {library: set(re.findall(r"`(.*?)`", where)) for names, where in table for library in quoted(names)}
    assert told == held


def test_pure_modules_of_a_game_are_those_of_the_contract() -> None:
    [contract] = [each for each in CONTRACTS if each["name"] == "The rules know nothing that acts"]
    prefix = "game.games.*."
    held = {each.removeprefix(prefix) for each in contract["source_modules"] if each.startswith(prefix)}
    [sentence] = re.findall(r"Its modules\n(.*?) are pure", PAGE, re.DOTALL)
    assert set(quoted(sentence)) == held


def quoted(text: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`(.*?)`", text)
