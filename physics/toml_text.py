"""Values written as TOML that people can read and change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Value = str | float | int | Sequence[float | int]
Table = Mapping[str, Value]


def toml_text(entries: Mapping[str, Value | Table | Sequence[Table]], comment: str = "") -> str:
    """The entries as the text of a TOML file, in their order, below a comment for people.

    A mapping becomes a [table], each mapping of a sequence a [[table]], any other sequence an array on one line.
    Plain values come first, or they would belong to the table above them.
    """
    import tomlkit  # takes a tenth of a start, and few commands write such a file

    document = tomlkit.document()
    if comment:
        document.add(tomlkit.comment(comment))
    for key, value in entries.items():
        document[key] = value
    return tomlkit.dumps(document)
