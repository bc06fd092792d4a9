"""A match as a text that people can read and write: what was moved, and what happened.

    # The supply is empty.
    game evaluation
    seats 2
    seed 7
    option rounds=1

    0: stand 7 at 16.5 0 yaw 0 upright last
       Seat 0 stands the tile 7 …
    table: fell

The moves are read; the indented lines are what the rules say to them, written anew every time. A refused move stays
in the text with its refusal and changes nothing.

python -m game.match.transcript FILE…    rewrites the files
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from game.catalogue import game_named
from game.core import TABLE, AnyGame, Event, RuleError, Seat, filled_in, split_options
from physics.errors import InputError
from physics.fields import shown


@dataclass(frozen=True, slots=True)
class Script:
    """What a transcript asks for: the match and the moves as they are written."""

    game: str
    seats: int
    seed: int
    options: tuple[str, ...]  # name=value
    moves: tuple[tuple[Seat, str], ...]
    comment: tuple[str, ...] = ()


def read_script(text: str) -> Script:
    """The match in the text; InputError with the first line that cannot be understood."""
    head = {"game": "", "seats": "", "seed": "0"}
    options, moves, comment = [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line[0].isspace():
            continue
        word, _, rest = (part.strip() for part in line.partition(" "))
        if line.startswith("#"):
            comment.append(line.removeprefix("#").strip())
        elif word in head:
            head[word] = rest
        elif word == "option":
            options.append(rest)
        elif word == "table:" or (word.endswith(":") and word[:-1].isdecimal()):
            moves.append((TABLE if word == "table:" else int(word[:-1]), rest))
        elif word != "end:":
            raise InputError("Line {line} of the transcript is {text}.", line=number, text=shown(line))
    for name in ("seats", "seed"):
        if not head[name].removeprefix("-").isdecimal():
            raise InputError("The transcript's {name} is {value}, but must be a number.", name=name, value=head[name])
    return Script(head["game"], int(head["seats"]), int(head["seed"]), tuple(options), tuple(moves), tuple(comment))


def write_script(script: Script) -> str:
    """The transcript: the moves with everything that happened; InputError when the match cannot begin."""
    game = game_named(script.game)
    lines = [f"# {line}" for line in script.comment]
    lines += [f"game {game.name}", f"seats {script.seats}", f"seed {script.seed}"]
    lines += [f"option {option}" for option in script.options] + [""]
    state = game.start(script.seats, split_options(script.options), script.seed)
    for seat, text in script.moves:
        try:
            move = game.read(text)
            state, events = game.apply(state, seat, move)
        except RuleError as error:
            lines += [_move_line(seat, text), f"   refused: {error}"]
            continue
        lines += [_move_line(seat, game.write(move)), *(f"   {_sentence(game, event)}" for event in events)]
    result = game.result(state)
    waiting = ", ".join("table" if seat == TABLE else str(seat) for seat in sorted(game.to_act(state)))
    if result is None:
        return "\n".join([*lines, "", f"end: waiting for {waiting}", ""])
    scores, winners = (", ".join(map(str, numbers)) or "–" for numbers in (result.scores, result.winners))
    return "\n".join([*lines, "", f"end: scores {scores}; winners {winners}", ""])


def _move_line(seat: Seat, text: str) -> str:
    return f"{'table' if seat == TABLE else seat}: {text}"


def _sentence(game: AnyGame, event: Event) -> str:
    words = filled_in(game.sentences[event.kind], event)
    return words if event.to is None else f"(to {', '.join(map(str, sorted(event.to)))}) {words}"


def main(names: list[str]) -> int:
    """Rewrites the transcripts of those names."""
    for name in names:
        path = Path(name)
        path.write_text(write_script(read_script(path.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
