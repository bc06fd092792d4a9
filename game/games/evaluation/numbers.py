"""The numbers of Evaluation Domino, read once from its data file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib import resources

from physics.fields import Fields, read_toml
from physics.scene import Table
from physics.tiles import TileSet, load_set

MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a tile may be stood. A limit itself is legal.

    In version 1 of the rules the gap of a guided tile was measured along the way on which it is stood, which is more
    than the free air where it is turned; the outer side of a tile began at its face; and the two neighbours of a
    freely inserted tile could stand on the same side of it.
    """

    gap_min: float  # m, free air to a neighbour
    gap_max: float  # m
    turn_max: float  # rad, from one tile to the next, guided
    free_turn_max: float  # rad, a freely placed tile against the line to its neighbour
    clearance: float  # m, between tiles that are not neighbours
    gap_step: float  # m, of the search for a place that is left
    turn_step: float  # rad
    version: int = 2  # of the rules


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything the rules count with."""

    tiles: TileSet
    seats: range
    rounds: int
    start_tile: int
    most_relocations: int
    limits: Limits
    table: Table
    push_margin: float  # rad past the tipping angle


def _load() -> Numbers:
    with resources.as_file(resources.files("game.games.evaluation") / "numbers.toml") as path:
        top = Fields(read_toml(path))
    match, placement, search = top.inner("match"), top.inner("placement"), top.inner("search")
    table, push = top.inner("table"), top.inner("push")

    def length(fields: Fields, key: str) -> float:
        return fields.number(key, low=0, high=1_000, unit="mm") / 1e3

    def angle(fields: Fields, key: str) -> float:
        return math.radians(fields.number(key, low=0, high=90, unit="°"))

    numbers = Numbers(
        tiles=load_set(top.text("set")),
        seats=range(match.whole("least_seats", low=1, high=9), match.whole("most_seats", low=1, high=9) + 1),
        rounds=match.whole("rounds", low=1, high=MAX_ROUNDS),
        start_tile=match.whole("start_tile", low=1, high=99),
        most_relocations=match.whole("most_relocations", low=1, high=999),
        limits=Limits(
            gap_min=length(placement, "gap_min"),
            gap_max=length(placement, "gap_max"),
            turn_max=angle(placement, "turn_max"),
            free_turn_max=angle(placement, "free_turn_max"),
            clearance=length(placement, "clearance"),
            gap_step=length(search, "gap_step"),
            turn_step=angle(search, "turn_step"),
        ),
        table=Table(
            friction=table.number("friction", low=0, high=10),
            tile_friction=table.number("tile_friction", low=0, high=10),
            restitution=table.number("restitution", low=0, high=1),
        ),
        push_margin=angle(push, "margin"),
    )
    for fields in (match, placement, search, table, push, top):
        fields.close()
    return numbers


NUMBERS = _load()
VERSIONS = range(1, NUMBERS.limits.version + 1)


def limits_of(version: int) -> Limits:
    """The limits of that version of the rules."""
    return replace(NUMBERS.limits, version=version)
