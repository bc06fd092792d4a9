"""Players as sentences name them, and lists of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from game.match.players import strength_of
from game.words import _, plain
from physics.errors import InputError
from physics.fields import shown


def shown_names(players: Sequence[str]) -> tuple[str, ...]:
    """The name of every seat: people's own; bots by their strength, numbered where several are alike."""
    kinds = {"weak": _("Weak bot"), "normal": _("Normal bot"), "strong": _("Strong bot")}
    names = [kinds.get(strength_of(player) or "", player.strip()) for player in players]
    many = Counter(names)
    seen: Counter[str] = Counter()
    found = []
    for name, player in zip(names, players, strict=True):
        seen[name] += 1
        is_numbered = many[name] > 1 and strength_of(player) is not None
        found.append(f"{name} {seen[name]}" if is_numbered else name)
    return tuple(found)


def seat_named(text: str, names: Sequence[str]) -> int:
    """The seat of the player who is meant, by name, by its beginning or by number; InputError when nobody is."""
    given = plain(text.strip())
    same = [seat for seat, name in enumerate(names) if plain(name) == given]
    begun = [seat for seat, name in enumerate(names) if given and plain(name).startswith(given)]
    for found in (same, begun):
        if len(found) == 1:
            return found[0]
    if given.isdecimal() and len(given) < 4 and int(given) < len(names):
        return int(given)
    raise InputError(
        "There is no player {name}; the players are {names}.", name=shown(text.strip()), names=", ".join(names)
    )


def listed(words: Sequence[object]) -> str:
    """The words as people list them: one, two and three."""
    if len(words) < 2:
        return "".join(map(str, words))
    return _("{several} and {last}").format(several=", ".join(map(str, words[:-1])), last=words[-1])
