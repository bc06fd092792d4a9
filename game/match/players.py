"""Who plays, as a match names them: people by their names, bots by how good they are.

On every screen and in every log a name is seen as what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from game.words import plain
from physics.errors import InputError
from physics.fields import shown
from physics.harmless import harmless

MAX_NAME_LENGTH = 40
PREFIX = "bot:"
STRENGTHS = ("weak", "normal", "strong")
"""How good bots are, in every game."""
_BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # signs of Korean, Khmer and Braille with nothing to see


def strength_of(player: str) -> str | None:
    """The strength in `bot:weak`, `bot:normal` or `bot:strong`; None for a person's name; InputError for others."""
    text = player.strip().lower()
    if not text.startswith(PREFIX):
        return None
    strength = text.removeprefix(PREFIX).strip()
    if strength not in STRENGTHS:
        raise InputError(
            "There is no bot {bot}; there is {bots}.",
            bot=shown(player),
            bots=", ".join(PREFIX + name for name in STRENGTHS),
        )
    return strength


def check_name(name: str) -> None:
    """InputError when the name is empty, too long, or has something in it that is not seen or hides what is."""
    if not (name.strip() and len(name.splitlines()) == 1 and len(name) <= MAX_NAME_LENGTH):
        raise InputError(
            "The name {name} cannot be used; a name has 1 to {limit} letters on one line.",
            name=shown(name),
            limit=MAX_NAME_LENGTH,
        )
    if harmless(name) != name or any(_is_blank(letter) for letter in name):
        raise InputError(
            "The name {name} cannot be used; it has invisible characters, or too many marks on one letter.",
            name=shown(name),
        )
    if not any(letter.isalnum() for letter in name):
        raise InputError("The name {name} cannot be used; a name needs a letter or a digit.", name=shown(name))


def check_names(players: Sequence[str]) -> None:
    """InputError when a name cannot be, when two people have the same one, or when there is no such bot."""
    people = [plain(player.strip()) for player in players if strength_of(player) is None]
    for player in players:
        check_name(player)
        if people.count(plain(player.strip())) > 1:
            raise InputError(
                "The name {name} is given to two players; every player needs a different one.",
                name=shown(player.strip()),
            )


def _is_blank(letter: str) -> bool:
    return letter in _BLANK or (letter.isspace() and letter != " ")
