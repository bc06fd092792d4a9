"""Which player has which colour: chosen by people, never the same for two, found again by name. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from game.pictures.theme import COLOURS

MAX_KEPT = 60  # names whose colours are remembered, the newest


def keys_of(players: Sequence[str]) -> tuple[str, ...]:
    """What each seat's colour is remembered by: the name; the seat where nobody has typed one; alike bots numbered."""
    seen: Counter[str] = Counter()
    found = []
    for seat, player in enumerate(players, 1):
        name = player.strip()
        seen[name] += 1
        found.append(f"#{seat}" if not name else f"{name}#{seen[name]}" if seen[name] > 1 else name)
    return tuple(found)


def colours_of(players: Sequence[str], known: Mapping[str, str] = MappingProxyType({})) -> tuple[int, ...]:
    """The colours by seat: those that are known by name, whoever sits first has it; the others take what is free."""
    wanted = [COLOURS.index(known[key]) if known.get(key) in COLOURS else None for key in keys_of(players)]
    taken: set[int] = set()
    found: list[int | None] = []
    for colour in wanted:
        found.append(None if colour in taken else colour)
        taken |= set() if colour is None else {colour}
    free = (colour for colour in range(len(COLOURS)) if colour not in taken)
    return tuple(next(free) if colour is None else colour for colour in found)


def swapped(colours: Sequence[int], seat: int, colour: int) -> tuple[int, ...]:
    """The colours when that seat takes this one; whoever had it gets the seat's own."""
    own = colours[seat]
    return tuple(colour if at == seat else own if each == colour else each for at, each in enumerate(colours))


def with_colours(known: Mapping[str, str], players: Sequence[str], colours: Sequence[int]) -> dict[str, str]:
    """What is known of everybody's colours, these players' among them."""
    new = {key: COLOURS[colour] for key, colour in zip(keys_of(players), colours, strict=True)}
    both = {**{key: colour for key, colour in known.items() if key not in new}, **new}
    return dict(list(both.items())[-MAX_KEPT:])
