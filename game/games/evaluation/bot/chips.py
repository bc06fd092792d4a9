"""What a judgement of Evaluation Domino is worth in chips, before the votes and the fall are known.

Worth is counted against the others: chips gained, less the mean of what the others gain. Absolute chips would say that
a vote for failure can only win; it hands the others chips when the row falls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stakes:
    """How much winning and losing a chip matter, as things stand in the match."""

    gain: float = 1.0
    loss: float = 1.0

    def worth(self, chips: float) -> float:
        """The chips, gained or lost, weighed."""
        return chips * (self.gain if chips > 0 else self.loss)


EVEN = Stakes()


@dataclass(frozen=True, slots=True)
class Others:
    """How likely each of the other free voters is to vote for failure: in case the row will fall, and in case not.

    The two differ, since the others have eyes as well: who sees a call coming should fear that it is right.
    """

    if_falls: tuple[float, ...]
    if_stands: tuple[float, ...]


def vote_worth(
    success: bool,
    falls: float,
    others: Others,
    *,
    going_on: float = 0.0,
    forced: bool = False,
    stakes: Stakes = EVEN,
) -> float:
    """Worth of that vote when the row falls with that probability, beside the other free voters and who placed.

    `going_on` is what it is worth when all vote for success and no push is made; a forced push is made in any case.
    """
    seats = len(others.if_falls) + 2
    going_on = 0.0 if forced else going_on

    def worth(fell: bool, chances: Sequence[float]) -> float:
        return sum(
            chance * _push_worth(success, failures + (not success), seats, fell, going_on, stakes)
            for chance, failures in _failures(chances)
        )

    return falls * worth(True, others.if_falls) + (1 - falls) * worth(False, others.if_stands)


def placing_worth(falls: float, others: Others, *, going_on: float = 0.0, stakes: Stakes = EVEN) -> float:
    """Worth of having placed the last tile of such a row: as of a vote for success, all others being free."""
    seats = len(others.if_falls) + 1

    def worth(fell: bool, chances: Sequence[float]) -> float:
        return sum(
            chance * _push_worth(True, failures, seats, fell, going_on, stakes)
            for chance, failures in _failures(chances)
        )

    return falls * worth(True, others.if_falls) + (1 - falls) * worth(False, others.if_stands)


def _push_worth(success: bool, failures: int, seats: int, fell: bool, going_on: float, stakes: Stakes) -> float:
    """Worth to one who voted like that, among so many votes for failure."""
    if failures == 0:
        return going_on
    right, wrong = (seats - failures, failures) if fell else (failures, seats - failures)
    own = wrong if success is fell else 0
    return stakes.worth(own - (right * wrong - own) / (seats - 1))


def _failures(others: Sequence[float]) -> Iterator[tuple[float, int]]:
    """How likely it is that so many of the others vote for failure."""
    chances = [1.0]
    for failure in others:
        longer = [chance * (1 - failure) for chance in chances] + [0.0]
        for count, chance in enumerate(chances):
            longer[count + 1] += chance * failure
        chances = longer
    yield from ((chance, count) for count, chance in enumerate(chances))
