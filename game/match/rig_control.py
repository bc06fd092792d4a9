"""A push by a rig in a match: begun, followed, stopped; the same in every way to play."""

from __future__ import annotations

from game.match.ports import RigStage, RigState, RigWatch
from game.match.session import Session
from game.match.steps import Status
from physics.errors import OutputError


def begin_push(session: Session, rig: RigWatch) -> None:
    """Lets the rig count down to the push that is due; ToppleError when none is, or when the rig cannot."""
    follow(session, rig)
    rig.begin(session.row_to_push().push)


def push_by_hand(session: Session, rig: RigWatch) -> None:
    """The push that is due is made by a hand: the rig stays at rest. RuleError when none is due."""
    rig.stop()
    session.push_by_hand()
    rig.again()


def follow(session: Session, rig: RigWatch) -> RigState:
    """Takes in what the rig is at, and goes on with the match once it has pushed; never waits.

    A countdown ends when there is nothing to be pushed any more, or when a camera sees another row than the game has.
    OutputError when it cannot be logged: nothing is pushed then.
    """
    state = rig.snapshot()
    if state.stage is RigStage.COUNTING and (not session.is_push_due or session.status is Status.DISAGREE):
        rig.stop()
        state = rig.snapshot()
    try:
        session.rig_at(state)
    except OutputError:
        if state.stage is RigStage.COUNTING:
            rig.stop()
        raise
    if state.stage is RigStage.DONE:
        rig.again()
    return state
