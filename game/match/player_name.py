"""What people can be called in a match: on every screen and in every log a name is seen as what it is."""

from __future__ import annotations

from physics.errors import InputError
from physics.fields import shown
from physics.harmless import harmless

LONGEST_NAME = 40
_BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # signs of Korean, Khmer and Braille with nothing to see


def check_name(name: str) -> None:
    """InputError when the name is empty, too long, or has something in it that is not seen or hides what is."""
    if not (name.strip() and len(name.splitlines()) == 1 and len(name) <= LONGEST_NAME):
        raise InputError(
            "The name {name} cannot be used; a name has 1 to {limit} letters on one line.",
            name=shown(name),
            limit=LONGEST_NAME,
        )
    if harmless(name) != name or any(_is_blank(letter) for letter in name):
        raise InputError(
            "The name {name} cannot be used; it has signs that are not seen, or too many marks on a letter.",
            name=shown(name),
        )
    if not any(letter.isalnum() for letter in name):
        raise InputError("The name {name} cannot be used; a name has a letter or a digit.", name=shown(name))


def _is_blank(letter: str) -> bool:
    return letter in _BLANK or (letter.isspace() and letter != " ")
