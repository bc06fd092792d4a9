"""The one tree of errors.

ToppleError                  everything topple refuses or cannot do, as one sentence
├── InputError               what was given is wrong: exit code 2
│   ├── SceneError           a line file, a tile set or a value in them
│   ├── RuleError            a move that a game's rules refuse (game.core)
│   ├── UnknownGame          a game that is not there (game.core)
│   ├── CalibrationError     a calibration that is missing, stale or makes no sense (calibration.store)
│   ├── PortError            a serial port that cannot be opened (hardware.errors)
│   └── OutputError          a file that cannot be written
├── MissingError             a package or a program that is not installed: exit code 2
├── RigError                 the rig did not do what was asked: exit code 1 (hardware.errors)
│   ├── RigLost              it does not answer
│   ├── RigRefused           it answers that it will not
│   └── RigStopped           somebody pressed stop
└── EngineError              the simulation itself went wrong: exit code 1
"""

from __future__ import annotations


class Word(str):
    """A word inside a sentence that is translated like the sentence itself."""

    __slots__ = ()


class Number(str):
    """A number inside a sentence as English writes it, such as f"{gap:.1f}"; other languages have a comma in it."""

    __slots__ = ()


class ToppleError(Exception):
    """A sentence with named gaps: kept apart from its values, so that it can be said in another language."""

    exit_code = 1

    def __init__(self, sentence: str, **fields: object) -> None:
        super().__init__(sentence, fields)
        self.sentence = sentence
        self.fields = fields

    def __str__(self) -> str:
        return self.sentence.format(**self.fields)

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self.sentence, self.fields)


def _again(kind: type[ToppleError], sentence: str, fields: dict[str, object]) -> ToppleError:
    """Rebuilds an error that crossed a process border."""
    return kind(sentence, **fields)


class InputError(ToppleError):
    """What was given is wrong."""

    exit_code = 2


class SceneError(InputError):
    """A line file, a tile set or a value in them is wrong."""


class OutputError(InputError):
    """A file cannot be written."""


class MissingError(ToppleError):
    """A package or a program that is not installed."""

    exit_code = 2


class EngineError(ToppleError):
    """The simulation itself went wrong."""
