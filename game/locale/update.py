"""Brings the catalogues up to date with the texts in the code: run it after changing one, then translate what is new.

python game/locale/update.py
"""

from __future__ import annotations

import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
LANGUAGES = ("uk", "ru")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
# Where a text to translate stands in a call: errors and problems carry their sentences themselves.
KEYWORDS = {
    "_": None,
    "N_": None,
    "in_words": None,
    "plural": (1, 2),
    "Problem": (2,),
    "refusal": (2,),
    "Word": None,
    "Label": None,
    **dict.fromkeys(("SceneError", "InputError", "OutputError", "MissingError", "EngineError"), None),
    **dict.fromkeys(("RuleError", "UnknownGame", "CalibrationError", "PictureError"), None),
    **dict.fromkeys(("PortError", "RigError", "RigLost", "RigRefused", "RigStopped"), None),
}


def template() -> Catalog:
    """All texts of the code, untranslated."""
    found = Catalog(project="topple", version="1", fuzzy=False)
    with (ROOT / "topple").open("rb") as launcher:
        for _line, text, comments, context in extract("python", launcher, KEYWORDS):
            found.add(text, locations=[("topple", 0)], auto_comments=comments, context=context)
    for package in ("physics", "calibration", "vision", "hardware", "game"):
        for path, _line, text, comments, context in extract_from_dir(
            ROOT / package, method_map=[("**.py", "python")], keywords=KEYWORDS, comment_tags=("For translators:",)
        ):
            found.add(text, locations=[(f"{package}/{path}", 0)], auto_comments=comments, context=context)
    return found


def po_file(language: str) -> Path:
    """Where a language's translations are kept for people."""
    return FOLDER / language / "LC_MESSAGES" / "topple.po"


def updated(language: str) -> Catalog:
    """The language's catalogue with exactly the texts of the code; what has no translation yet is empty."""
    path = po_file(language)
    catalogue = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language)
    catalogue.update(template(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.project, catalogue.version, catalogue.fuzzy = "topple", "1", False
    return catalogue


def po_text(catalogue: Catalog) -> bytes:
    """The catalogue as it is kept, without dates and line numbers that would change with every edit."""
    buffer = io.BytesIO()
    write_po(buffer, catalogue, width=110, sort_output=True, include_lineno=False, omit_header=False)
    names = (
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Generated-By",
        "Last-Translator",
        "Language-Team",
        "Report-Msgid",
    )
    dated = tuple(f'"{name}'.encode() for name in names)
    lines = buffer.getvalue().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((*dated, b"# ")) and line != b"#\n")


def mo_bytes(language: str) -> bytes:
    """The language's translations as gettext reads them."""
    with po_file(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.creation_date = EPOCH  # babel writes the time of day otherwise
    buffer = io.BytesIO()
    write_mo(buffer, catalogue)
    return buffer.getvalue()


def main() -> int:
    """Rewrites all catalogues; 1 when texts wait for a translation."""
    waiting = 0
    for language in LANGUAGES:
        path = po_file(language)
        path.write_bytes(po_text(updated(language)))
        path.with_suffix(".mo").write_bytes(mo_bytes(language))
        with path.open("rb") as file:
            empty = [message for message in read_po(file) if message.id and not all(_forms(message.string))]
        waiting += len(empty)
        print(f"{language}: {len(empty)} texts wait for a translation")
    return 1 if waiting else 0


def _forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


if __name__ == "__main__":
    sys.exit(main())
