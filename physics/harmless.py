"""Text from outside, such as file names and what stands in files, made harmless for terminals, windows and pictures.

What is not seen can do harm: control characters move a terminal's cursor or write into its title, marks of direction
turn what stands around them, and a hundred accents on one letter cover the lines above. They are written out as
Python writes them, \\x1b, so that people see what was there.

Kept are the two joiners where writing needs them: between the parts of one emoji (a family), and in scripts whose
letters join (Persian, the scripts of India). Tags, of which the flags of England, Scotland and Wales are made, are
not: any text can hide in them.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

MAX_MARKS = 4  # on one letter; Vietnamese needs two, pointed Hebrew three
LEFT_OUT = "…"
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_VIRAMA = 9  # the combining class of the sign after which letters of Indian scripts join
_IN_COLOUR = "\ufe0f"  # after a sign that is to be shown as an emoji
_PLAIN = re.compile(r"[ -~]*")


def harmless(text: str, keep: str = "") -> str:
    """The text with everything that is not seen written out, and stacks of marks cut short; `keep` stays as it is.

    Doing it again changes nothing.
    """
    if _PLAIN.fullmatch(text):
        return text
    made: list[str] = []
    marks = 0
    for before, char in pairwise(f"\0{text}"):
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks > MAX_MARKS:
            made.append(LEFT_OUT if marks == MAX_MARKS + 1 else "")
        else:
            made.append(char if char in keep or _is_harmless(char, before) else _written_out(char))
    return "".join(made)


def _is_harmless(char: str, before: str) -> bool:
    if char in (_JOINER, _NON_JOINER):
        return _joins(char, before)
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _joins(joiner: str, before: str) -> bool:
    """Whether a joiner has something to do after that character."""
    if unicodedata.combining(before) == _VIRAMA or unicodedata.bidirectional(before) == "AL":
        return True
    return joiner == _JOINER and (before == _IN_COLOUR or unicodedata.category(before) in ("So", "Sk"))


def _written_out(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
