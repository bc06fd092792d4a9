"""Placements of Evaluation Domino to choose from: some drawn by chance, and whether there is any place left."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from itertools import product

from game.games.evaluation.moves import End, Stand
from game.games.evaluation.numbers import NUMBERS, Limits
from game.games.evaluation.placements import Row, at_end, between, gaps_between, is_clear, without
from physics.tiles import Stance

END_OFFERS, INNER_OFFERS = 18, 6
USUAL_GAP = 15e-3  # m, where the search for a place begins: most rows have one there


def offers(
    row: Row, values: Sequence[int], generator: random.Random, *, lifted: bool, limits: Limits = NUMBERS.limits
) -> list[Stand]:
    """Some legal guided placements of these values, drawn by chance; at least one where the search finds any."""
    found: list[Stand] = []
    choices = list(product(values, Stance, End))
    generator.shuffle(choices)
    for value, stance, end in choices:
        if len(found) == END_OFFERS:
            break
        gap = round(generator.uniform(limits.gap_min, limits.gap_max), 4)
        turn = math.radians(generator.choice((0, 0, generator.randint(-20, 20), generator.randint(-45, 45))))
        rest = without(row, value) if lifted else row
        found += _if_clear(rest, at_end(rest, value, stance, end, gap, turn, lifted=lifted, limits=limits), limits)
    if not lifted and len(row) > 1:
        for _ in range(INNER_OFFERS):
            value, index = generator.choice(values), generator.randrange(len(row) - 1)
            stance = generator.choice(tuple(Stance))
            least, most = gaps_between(row, index, value, stance, limits)
            if most >= least:
                gap = least + (most - least) * generator.random()
                found += _if_clear(row, between(row, index, value, stance, gap, limits=limits), limits)
    if not found and (place := first_place(row, values, lifted=lifted, limits=limits)):
        found.append(place)
    return found


def first_place(row: Row, values: Sequence[int], *, lifted: bool, limits: Limits = NUMBERS.limits) -> Stand | None:
    """A legal guided placement of one of these values; None when a search in small steps finds none."""
    return next(_searched(row, values, lifted, limits), None)


def _searched(row: Row, values: Sequence[int], lifted: bool, limits: Limits) -> Iterator[Stand]:
    gaps = sorted(_steps(limits.gap_min, limits.gap_max, limits.gap_step), key=lambda gap: abs(gap - USUAL_GAP))
    turns = sorted(_steps(-limits.turn_max, limits.turn_max, limits.turn_step), key=abs)
    for turn, gap, value, stance, end in product(turns, gaps, values, Stance, End):
        rest = without(row, value) if lifted else row
        stand = at_end(rest, value, stance, end, gap, turn, lifted=lifted, limits=limits)
        yield from _if_clear(rest, stand, limits)
    if lifted:
        return
    for value, stance, index in product(values, Stance, range(len(row) - 1)):
        for gap in _steps(*gaps_between(row, index, value, stance, limits), limits.gap_step):
            yield from _if_clear(row, between(row, index, value, stance, gap, limits=limits), limits)


def _steps(low: float, high: float, step: float) -> list[float]:
    count = math.floor((high - low) / step + 1e-9)
    return [low + step * number for number in range(count + 1)]


def _if_clear(row: Row, stand: Stand, limits: Limits) -> list[Stand]:
    """The guided placement, unless it brings tiles too near to one another."""
    return [stand] if is_clear(row, stand, limits) else []
