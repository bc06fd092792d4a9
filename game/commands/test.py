"""test: everything that proves this checkout."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from game.words import _
from physics.errors import InputError

CHECKS = {
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "ruff": ["-m", "ruff", "check", "."],
    "mypy": ["-m", "mypy"],
    "import-linter": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    "pytest": ["-m", "pytest", "-n", "auto"],
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of test."""
    parser.add_argument("pytest", nargs="*", metavar=_("ARGUMENT"), help=_("passed on to pytest, after --"))


def run(options: argparse.Namespace) -> int:
    """Runs all checks, also after one failed; 1 when any did."""
    root = Path(__file__).parents[2]
    if not (root / "tests").is_dir():
        raise InputError("There are no tests in {folder}; they come with a checkout of topple.", folder=root)
    failed: list[str] = []
    for name, command in CHECKS.items():
        extra = options.pytest if name == "pytest" else []
        print(f"== {name}", flush=True)
        started = time.monotonic()
        done = subprocess.run([sys.executable, *command, *extra], cwd=root, check=False)
        verdict = _("ok") if done.returncode == 0 else _("failed")
        print(f"== {name}: {verdict} ({time.monotonic() - started:.0f} s)", flush=True)
        if done.returncode:
            failed.append(name)
    if failed:
        print(_("Failed: {names}.").format(names=", ".join(failed)), file=sys.stderr)
    return 1 if failed else 0
