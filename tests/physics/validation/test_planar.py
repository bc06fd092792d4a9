"""The third opinion: what it must meet by closed forms, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from physics.engine import Settings
from physics.errors import InputError
from physics.line import chain, straight
from physics.scene import GRAVITY, Finger, Scene, Table, Tap, Tilt
from physics.tiles import Stance, load_set
from physics.validation.case import Bench, equal_set_of_one
from physics.validation.planar import PLANAR_STEP, ImpactLaw, PlanarEngine
from physics.validation.suite import CASES

EVALUATION = load_set("evaluation")
BY_NAME = {case.name: case for case in CASES}
FIRST = Finger(end="first")
