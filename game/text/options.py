"""The options of a game as people read them, in the language in use."""

from __future__ import annotations

from game.core import Option
from game.words import _


def option_title(option: Option) -> str:
    """What the option is called."""
    return _(option.title) if option.title else _capital(option.name)


def option_hint(option: Option) -> str:
    """What it is about, as a sentence."""
    return _capital(_(option.about)) + "."


def word_titles(option: Option) -> tuple[str, ...]:
    """What its words are called, in their order; none where it is a number."""
    titles = tuple(_(title) for title in option.titles)
    return titles or tuple(_capital(word) for word in option.words)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:].replace("_", " ")
