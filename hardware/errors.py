"""What goes wrong between topple and a rig."""

from __future__ import annotations

from physics.errors import InputError, ToppleError


class PortError(InputError):
    """A serial port that is not there, is taken, or may not be opened."""


class RigError(ToppleError):
    """The rig did not do what was asked."""


class RigLost(RigError):
    """The rig does not answer, or its cable is out: what was asked last is not known to be done."""


class RigRefused(RigError):
    """The rig answered that it will not, or is of a kind that topple does not know."""


class RigStopped(RigError):
    """Somebody pressed stop before it was done."""
