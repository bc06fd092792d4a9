"""Which engines there are, by name; light, for the help of many commands names them."""

from __future__ import annotations

from importlib.util import find_spec

ENGINES = {"bullet": "pybullet", "mujoco": "mujoco"}  # by name, with the package each needs
BOTH = "both"


def engines_of(name: str) -> tuple[str, ...]:
    """The engines behind a name: `both` stands for all, draw by draw in turn; any other for itself."""
    return tuple(ENGINES) if name == BOTH else (name,)


def installed_engines() -> tuple[str, ...]:
    """The engines that this machine has, the preferred one first."""
    return tuple(name for name, package in ENGINES.items() if find_spec(package) is not None)


def default_engine() -> str:
    """The preferred engine of those that are here; PyBullet's name where there is none, for its sentence."""
    return (*installed_engines(), "bullet")[0]
