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
        "stand": N_("stand put place"),
        "insert": N_("insert squeeze"),
        "move": N_("move shift"),
        "call": N_("call domino domino! yes"),
        "pass": N_("pass no"),
        "vote": N_("vote choose"),
        "push": N_("push topple"),
        "hand": N_("hand finger"),
        "fell": N_("fell fallen"),
        "stood": N_("stood standing"),
        "accident": N_("accident clumsy"),
        "success": N_("success yes"),
        "failure": N_("failure no"),
        "left": N_("left first"),
        "right": N_("right last"),
        "upright": N_("upright vertical"),
        "side": N_("side horizontal edge"),
        "gap": N_("gap distance"),
        "turn": N_("turn angle"),
        "between": N_("between amid"),
        "filler": N_("and at the end tile on its mm degrees of from to with for"),
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
GENERAL = ("help", "rules", "undo", "hint", "save", "look", "quit", "again")
"""What can be said at every question."""


def spelt(meaning: str) -> str:
    """The word for it in the language in use."""
    return _(WORDS[meaning]).split()[0]


def spellings(meaning: str) -> tuple[str, ...]:
    """All words for it, as they are compared."""
    return tuple(dict.fromkeys(plain(word) for word in f"{_(WORDS[meaning])} {WORDS[meaning]}".split()))


def meaning_of(word: str, among: Iterable[str]) -> str | None:
    """What the word, or the beginning of one, means; None when it means nothing of these, or more than one thing."""
    given = plain(word)
    choices = tuple(among)
    for meaning in choices:
        if given in spellings(meaning):
            return meaning
    begun = [meaning for meaning in choices if any(known.startswith(given) for known in spellings(meaning))]
    return begun[0] if given and len(begun) == 1 else None
