"""Everything people read, in their language: gettext, and errors said as sentences."""

from __future__ import annotations

import gettext
import os
import sys
import unicodedata
from pathlib import Path, PurePath

from game.diagnostics import note
from physics.errors import Number, ToppleError, Word
from physics.harmless import harmless


def N_(text: str) -> str:
    """Marks a text for translation that is said elsewhere."""
    return text


LANGUAGES = ("en", "uk", "ru")
ALPHABETS = {"en": "", "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"}
"""The letters of each language beyond those that every console has."""
FOLDER = Path(__file__).parent / "locale"

ARGPARSE = (
    N_("usage: "),
    N_("positional arguments"),
    N_("options"),
    N_("show this help message and exit"),
    N_("show program's version number and exit"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("expected one argument"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("ignored explicit argument %r"),
)
"""What argparse says to people, word for word, so that it is translated with the rest."""

UNITS = (N_("mm"), N_("g"), N_("mN·s"), N_("°"), N_("°/s"))
"""Units as errors name them."""

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


def wanted_language() -> str:
    """The first language of the environment that topple speaks; English otherwise."""
    for name in ("TOPPLE_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        wishes = os.environ.get(name, "")
        for wish in wishes.split(":"):
            language = wish.partition(".")[0].partition("_")[0].lower()
            if language in LANGUAGES:
                return language
        if wishes:
            return "en"
    return "en"


def use(language: str) -> None:
    """Speaks that language from now on; English when it is not known."""
    global _catalogue, _language
    _language = language
    _catalogue = gettext.translation("topple", FOLDER, [language], fallback=True)
    # argparse asks gettext's own catalogue for its few texts; ours holds them as well.
    gettext.bindtextdomain("topple", FOLDER)
    gettext.textdomain("topple")
    os.environ["LANGUAGE"] = language


def language_in_use() -> str:
    """The language that is spoken now."""
    return _language


def _(text: str) -> str:
    """The text in the language in use."""
    return _catalogue.gettext(text)


def plural(one: str, many: str, count: int) -> str:
    """The form for that count, in the language in use, with {count} filled in."""
    return _catalogue.ngettext(one, many, count).format(count=count)


def plain(text: str) -> str:
    """The text as it is compared: small letters, one kind of apostrophe and of minus, no marks around words."""
    text = unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("ʼ", "'")
    return text.replace("\N{MINUS SIGN}", "-").replace("–", "-").replace("ё", "е")


def number(value: float, decimals: int | None = None) -> str:
    """The number as people write it in the language in use, with that many decimals; without them as short as it is.

    `decimals` None writes six digits at most and no zeros that say nothing.
    """
    return figures(f"{value:g}" if decimals is None else f"{value:.{decimals}f}")


def figures(text: str) -> str:
    """Numbers as English writes them, such as f"{value:+6.2f}" or a range of two, in the language in use."""
    return text if _language == "en" else text.replace(".", ",")


def named(path: PurePath | str) -> str:
    """The file's name as a sentence may hold it."""
    return harmless(str(path))


def say(error: ToppleError) -> str:
    """The error's sentence in the language in use, on one line; reasons inside it as well, and values made harmless.

    What is said is written down, with where it came from, in the diagnostic log.
    """
    note(error)
    return _sentence(error)


def _sentence(error: ToppleError) -> str:
    return _(error.sentence).format(**{name: _said(value) for name, value in error.fields.items()})


def complain(error: ToppleError) -> None:
    """Prints the error's sentence where errors go; the work goes on."""
    print(say(error), file=sys.stderr)


def _said(value: object) -> object:
    if isinstance(value, ToppleError):
        return _sentence(value)
    if isinstance(value, Word):
        return _(value)
    if isinstance(value, Number | float):
        return figures(str(value))
    if isinstance(value, PurePath):
        return named(value)
    return harmless(value) if isinstance(value, str) else value
