"""The words that people type. English is always understood; the words of the language in use as well.

Every entry lists words that mean the same, apart by spaces; the first is the one that help texts show. Any beginning
of a word will do as long as it can mean one thing only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from game.words import N_, _, plain

# For translators: words that mean the same to somebody who types, apart by spaces; the first one is shown in help.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "push": N_("push topple"),
        "hand": N_("hand finger"),
        "accident": N_("accident clumsy"),
        "help": N_("help ?"),
        "rules": N_("rules manual"),
        "undo": N_("undo back"),
        "hint": N_("hint forecast"),
        "save": N_("save file"),
        "look": N_("look row"),
        "quit": N_("quit exit leave"),
        "again": N_("again rematch"),
    }
)
"""Those of every game; a game's own vocabulary adds to them, and gives all as `words` to what is below."""
GENERAL = ("help", "rules", "undo", "hint", "save", "look", "quit", "again")
"""What can be said at every question."""


def spelt(meaning: str, words: Mapping[str, str] = WORDS) -> str:
    """The word for it in the language in use."""
    return _(words[meaning]).split()[0]


def spellings(meaning: str, words: Mapping[str, str] = WORDS) -> tuple[str, ...]:
    """All words for it, as they are compared."""
    return tuple(dict.fromkeys(plain(word) for word in f"{_(words[meaning])} {words[meaning]}".split()))


def meaning_of(word: str, among: Iterable[str], words: Mapping[str, str] = WORDS) -> str | None:
    """What the word, or the beginning of one, means; None when it means nothing of these, or more than one thing."""
    given = plain(word)
    choices = tuple(among)
    for meaning in choices:
        if given in spellings(meaning, words):
            return meaning
    begun = [meaning for meaning in choices if any(known.startswith(given) for known in spellings(meaning, words))]
    return begun[0] if given and len(begun) == 1 else None
