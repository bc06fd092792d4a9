"""doctor: what is there, what is missing, and what that costs."""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from importlib import metadata
from typing import Any

from game.commands.options import json_option
from game.config_place import config_path, is_there, place_words
from game.diagnostics import log_file
from game.words import N_, _, named, plural, say
from game.workers.pool import default_workers
from hardware.link import Found, find_ports, has_pyserial
from physics.errors import ToppleError

# What cannot be done without each extra of the package.
COSTS = {
    "sim": N_("no forecasts and no simulated falls (predict, simulate, validate)"),
    "vision": N_("no reading of a table with a camera"),
    "rig": N_("no tap or tilt rig"),
    "ui": N_("no window to play in"),
    "lab": N_("no pictures of forecasts and no plots (--picture, --docs)"),
    "video": N_("no videos"),
    "cluster": N_("no runs on other machines"),
    "dev": N_("no tests (test)"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of doctor."""
    json_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the findings; 0: what is missing is fetched by the command that needs it."""
    found = findings()
    print(json.dumps(found) if options.json else in_words(found))
    return 0


def findings() -> dict[str, Any]:
    """Python, machine, and the packages of every extra with their versions (None: missing)."""
    extras: dict[str, dict[str, str | None]] = {name: {} for name in COSTS}
    for requirement in metadata.requires("topple") or []:
        package, extra = _package(requirement), re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", requirement)
        if extra and extra.group(1) in extras and _for_this_machine(requirement):
            extras[extra.group(1)][package] = _version(package)
    return {
        "topple": metadata.version("topple"),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": default_workers(),
        "extras": extras,
        "config": None if config_path() is None else str(config_path()),
        "config_mistake": _mistake(),
        "log": str(log_file()),
        "ports": [{"port": port.name, "words": port.words, "likely": port.is_likely} for port in _ports()],
    }


def _mistake() -> str | None:
    """What is wrong with the person's own defaults, those of every command; None when nothing is."""
    path = config_path()
    if path is None or not is_there(path):
        return None
    from game.arguments import EVERY, parser
    from game.config import read_config

    try:
        config = read_config(path)
        config.language()
        parser(EVERY, config)
    except ToppleError as error:
        return say(error)
    return None


def _ports() -> list[Found]:
    """The serial ports, which are not opened: that would reset an Arduino at work."""
    return find_ports() if has_pyserial() else []


def _package(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return found.group(0)


def _for_this_machine(requirement: str) -> bool:
    """Whether a package is needed here and published for this Python at all: PyBullet is for few."""
    if re.search(r"sys_platform\s*!=\s*['\"]linux['\"]", requirement):
        return sys.platform != "linux"
    if "python_version" not in requirement:
        return True
    return sys.platform == "linux" and platform.machine() == "x86_64" and sys.version_info < (3, 12)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def in_words(found: dict[str, Any]) -> str:
    """The findings as people read them."""
    lines = [
        f"topple {found['topple']}, {found['implementation']} {found['python']}, {found['machine']}, "
        + plural("{count} core", "{count} cores", found["cores"]),
        "",
    ]
    for extra, packages in found["extras"].items():
        missing = [package for package, version in packages.items() if version is None]
        mark = "✗" if missing else "✓"
        there = ", ".join(f"{package} {version}" for package, version in packages.items() if version is not None)
        lines.append(f"{mark} {extra:<8} {there or '–'}")
        if missing:
            lines.append(
                "           "
                + _("missing: {packages}: {cost}").format(packages=", ".join(missing), cost=_(COSTS[extra]))
            )
    likely = [port for port in found["ports"] if port["likely"]]
    lines += ["", *(_port_words(port["port"], port["words"]) for port in likely)]
    if not likely:
        lines.append(_("No rig is plugged in; `./topple rig status --port emulated` tries one in software."))
    lines += ["", place_words(config_path())]
    if found["config_mistake"] is not None:
        lines.append(f"✗ {found['config_mistake']}")
    if log_file().is_file():  # as it is by now, where it can be written
        lines.append(_("The diagnostic log, to be sent with a report, is {file}.").format(file=named(found["log"])))
    else:
        lines.append("✗ " + _("The diagnostic log {file} cannot be written.").format(file=named(found["log"])))
    if not _has_bullet(found):
        lines += ["", _("PyBullet exists for CPython 3.11 on Linux x86-64 only; simulations run on MuJoCo here.")]
    lines += ["", _("A command fetches what it needs when it is first used: ./topple COMMAND")]
    return "\n".join(lines)


def _port_words(port: str, words: str) -> str:
    text = _("{port} ({words}) may be a rig: `./topple rig status --port {port}` asks it.")
    return text.format(port=port, words=words)


def _has_bullet(found: dict[str, Any]) -> bool:
    return "pybullet" in found["extras"]["sim"]
