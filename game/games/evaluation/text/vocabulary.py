"""The words that people type in Evaluation Domino: its own, and those of every game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from game.text import vocabulary
from game.words import N_

# For translators: words that mean the same to somebody who types, apart by spaces; the first one is shown in help.
WORDS: Mapping[str, str] = MappingProxyType(
    {
        "stand": N_("stand put place"),
        "insert": N_("insert squeeze"),
        "move": N_("move shift"),
        "call": N_("call domino domino! yes"),
        "pass": N_("pass no"),
        "vote": N_("vote choose"),
        "fell": N_("fell fallen"),
        "stood": N_("stood standing"),
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
        **vocabulary.WORDS,
    }
)

spelt = partial(vocabulary.spelt, words=WORDS)
spellings = partial(vocabulary.spellings, words=WORDS)
meaning_of = partial(vocabulary.meaning_of, words=WORDS)
