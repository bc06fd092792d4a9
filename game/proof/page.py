"""Pages that commands write, and the parts of them that stay when the rest is written anew."""

from __future__ import annotations

from pathlib import Path

from physics.errors import OutputError
from physics.files import whole_file

Marks = tuple[str, str]

VALIDATION = "validation.md"
STEPS = "steps.md"
NOTES: Marks = ("<!-- notes -->", "<!-- /notes -->")  # written by people
RELIABILITY: Marks = ("<!-- reliability -->", "<!-- /reliability -->")  # written by prove


def read_page(page: Path) -> str:
    """The page's text, empty when there is none; OutputError when it cannot be read."""
    try:
        return page.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError("{file} cannot be read: {reason}.", file=str(page), reason=reason) from None


def write_text(page: Path, text: str) -> None:
    """Writes the page, whole or not at all; OutputError when it cannot be written."""
    with whole_file(page) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def part(text: str, marks: Marks) -> str:
    """What stands between the marks of that text; an empty line when they are not there."""
    begin, end = text.find(marks[0]), text.rfind(marks[1])
    return text[begin + len(marks[0]) : end] if 0 <= begin < end else "\n"


def marked(inside: str, marks: Marks) -> str:
    """The part between its marks."""
    return marks[0] + inside + marks[1]


def with_part(text: str, inside: str, marks: Marks) -> str:
    """The text with that part between the marks, in place of what stood there; at the end when they are not there."""
    begin, end = text.find(marks[0]), text.rfind(marks[1])
    if 0 <= begin < end:
        return text[:begin] + marked(inside, marks) + text[end + len(marks[1]) :]
    return (text.rstrip("\n") + "\n\n" if text else "") + marked(inside, marks) + "\n"
