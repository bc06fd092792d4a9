"""The launcher, run as people run it: in a checkout of its own whose package needs nothing from the network."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
# A cold disk and busy cores make a set-up slow; the limit only keeps a hung one from lasting for ever.
PATIENCE = 120.0

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "topple"
version = "0"
optional-dependencies = {sim = [], lab = [], all = [], dev = []}
"""

# Builds count as lines of a file; a file named `hold` makes a build wait, one named `fail` makes it fail.
BACKEND = """
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with (ROOT / "builds").open("a") as builds:
        builds.write("one\\n")
    while (ROOT / "hold").exists():
        time.sleep(0.02)
    if (ROOT / "fail").exists():
        raise OSError("the build was told to fail")
    extras = "".join(f"Provides-Extra: {extra}\\n" for extra in ("sim", "lab", "all", "dev"))
    with zipfile.ZipFile(Path(wheel_directory) / "topple-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("topple.pth", str(ROOT))
        wheel.writestr("topple-0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: topple\\nVersion: 0\\n" + extras)
        wheel.writestr("topple-0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nTag: py3-none-any\\n")
        wheel.writestr("topple-0.dist-info/RECORD", "")
    return "topple-0-py3-none-any.whl"
"""

CLI = """
import json
import os
import signal
import sys

is_held = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
print(json.dumps({"arguments": sys.argv[1:], "prefix": sys.prefix, "cwd": os.getcwd(), "held": is_held}))
sys.exit(7 if "fall" in sys.argv else 0)
"""


class Checkout:
    """A checkout with the real launcher and a stand-in for everything it starts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = root / ".venv"
        (root / "game").mkdir(parents=True)
        (root / "game" / "__init__.py").touch()
        (root / "game" / "cli.py").write_text(CLI)
        (root / "backend.py").write_text(BACKEND)
        (root / "pyproject.toml").write_text(PYPROJECT)
        (root / "constraints.txt").touch()
        shutil.copy(REPOSITORY / "topple", root / "topple")

    @property
    def builds(self) -> int:
        path = self.root / "builds"
        return len(path.read_text().splitlines()) if path.exists() else 0

    @property
    def stamp(self) -> dict[str, Any]:
        stamp: dict[str, Any] = json.loads((self.environment / "topple.json").read_text())
        return stamp

    def start(self, *arguments: str, cwd: Path | None = None, **variables: str) -> "subprocess.Popen[str]":
        surroundings = {name: value for name, value in os.environ.items() if name != "TOPPLE_VENV"}
        return subprocess.Popen(
            [sys.executable, str(self.root / "topple"), *arguments],
            cwd=cwd or self.root,
            env={**surroundings, "PIP_NO_INDEX": "1", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, cwd: Path | None = None, **variables: str) -> "subprocess.CompletedProcess[str]":
        return finished(self.start(*arguments, cwd=cwd, **variables))

    def change_what_is_needed(self) -> None:
        with (self.root / "constraints.txt").open("a") as constraints:
            constraints.write("# changed\n")


def finished(process: "subprocess.Popen[str]") -> "subprocess.CompletedProcess[str]":
    out, err = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def load_launcher() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("topple_launcher", str(REPOSITORY / "topple"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def first_use(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, "subprocess.CompletedProcess[str]"]:
    checkout = Checkout(tmp_path_factory.mktemp("a checkout"))
    return checkout, checkout.run("doctor")


@pytest.fixture
def checkout(first_use: tuple[Checkout, "subprocess.CompletedProcess[str]"]) -> Iterator[Checkout]:
    """A checkout that has been used before; each test leaves it so that the next one finds a sound launcher."""
    checkout = first_use[0]
    yield checkout
    for name in ("hold", "fail"):
        (checkout.root / name).unlink(missing_ok=True)


@pytest.fixture
def fakes(tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run a fresh checkout where every program on PATH, the running Python too, is one of the given scripts."""

    def run(**scripts: str) -> "subprocess.CompletedProcess[str]":
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, script in {"apt-get": "exit 100", **scripts}.items():
            program = folder / name.replace("_", ".")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
        root = Checkout(tmp_path / "checkout").root
        code = (
            "import runpy, sys; sys.executable, launcher = sys.argv[1:3]; sys.argv = [launcher, 'predict'];"
            "runpy.run_path(launcher, run_name='__main__')"
        )
        return subprocess.run(
            [sys.executable, "-c", code, str(folder / "python3"), str(root / "topple")],
            env={"PATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    return run


def test_first_use_sets_up_and_runs(first_use: tuple[Checkout, "subprocess.CompletedProcess[str]"]) -> None:
    first = first_use[1]
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["arguments"] == ["doctor"]
    assert "Setting up topple" in first.stderr
    assert "Traceback" not in first.stderr


def test_second_use_only_starts(checkout: Checkout) -> None:
    builds = checkout.builds
    second = checkout.run("doctor")
    assert (second.returncode, second.stderr) == (0, "")
    assert checkout.builds == builds


def test_stands_where_the_person_stands_and_runs_its_own_game(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "__init__.py").touch()
    (tmp_path / "game" / "cli.py").write_text("raise SystemExit('the wrong game')")
    said = json.loads(checkout.run("doctor", "a file.toml", cwd=tmp_path).stdout)
    assert said == {
        "arguments": ["doctor", "a file.toml"],
        "prefix": str(checkout.environment),
        "cwd": str(tmp_path.resolve()),
        "held": True,  # a Ctrl-C waits until the program can answer it
    }


def test_exit_code_is_the_commands(checkout: Checkout) -> None:
    assert checkout.run("fall").returncode == 7


def test_extras_are_added_once_and_kept(checkout: Checkout) -> None:
    assert checkout.run("predict", "--picture=out.png").returncode == 0
    assert {"sim", "lab"} <= set(checkout.stamp["extras"])
    builds = checkout.builds
    assert checkout.run("validate").returncode == 0
    assert checkout.builds == builds


def test_verbose_shows_all_that_is_said_while_it_is_set_up(checkout: Checkout) -> None:
    checkout.change_what_is_needed()
    quiet = checkout.run("--lang", "en", "fall")
    checkout.change_what_is_needed()
    told = checkout.run("--verbose", "--lang", "en", "fall")
    assert quiet.returncode == told.returncode == 7
    assert "Obtaining file://" in told.stderr and "Obtaining file://" not in quiet.stderr
    assert "topple is set up, after" in told.stderr


def test_failed_addition_leaves_the_environment_good(checkout: Checkout) -> None:
    before = checkout.stamp
    (checkout.root / "fail").touch()
    failed = checkout.run("test")
    assert failed.returncode == 2
    assert failed.stderr.splitlines()[-1].startswith("Installing topple's packages failed")
    assert "the build was told to fail" in failed.stderr
    assert checkout.stamp == before
    assert checkout.run("doctor").returncode == 0


def test_environment_made_by_hand_is_taken_over_and_outlives_a_failure(checkout: Checkout) -> None:
    (checkout.environment / "topple.json").unlink()
    own = checkout.environment / "made by hand"
    own.touch()
    (checkout.root / "fail").touch()
    assert checkout.run("doctor").returncode == 2
    (checkout.root / "fail").unlink()
    assert checkout.run("doctor").returncode == 0
    assert own.exists()


def test_ctrl_c_is_one_sentence(checkout: Checkout) -> None:
    checkout.change_what_is_needed()
    builds = checkout.builds
    (checkout.root / "hold").touch()
    launcher = checkout.start("doctor")
    wait_until(lambda: checkout.builds > builds)
    launcher.send_signal(signal.SIGINT)
    (checkout.root / "hold").unlink()
    stopped = finished(launcher)
    assert stopped.returncode == 130
    assert "Traceback" not in stopped.stderr
    assert stopped.stderr.splitlines()[-1] == "The set-up of topple was stopped; the next start goes on with it."
    assert checkout.run("doctor").returncode == 0


def test_killed_set_up_is_repaired_by_the_first_of_two_later_starts(checkout: Checkout) -> None:
    checkout.change_what_is_needed()
    builds = checkout.builds
    (checkout.root / "hold").touch()
    launcher = checkout.start("doctor")
    wait_until(lambda: checkout.builds == builds + 1)
    launcher.kill()
    assert finished(launcher).returncode == -signal.SIGKILL
    leftover = checkout.environment / "leftover"
    leftover.touch()

    both = [checkout.start("doctor"), checkout.start("doctor")]
    (checkout.root / "hold").unlink()
    results = [finished(process) for process in both]
    assert [result.returncode for result in results] == [0, 0], results
    assert any("waiting for that to end" in result.stderr for result in results)
    assert sum("Setting up topple" in result.stderr for result in results) == 1
    assert checkout.builds == builds + 2
    assert not leftover.exists()


def test_broken_environment_is_made_anew(checkout: Checkout) -> None:
    python = checkout.environment / "bin" / "python"
    python.unlink()
    python.write_text("not a program")
    python.chmod(0o755)
    repaired = checkout.run("doctor")
    assert repaired.returncode == 0, repaired.stderr
    assert "does not start" in repaired.stderr
    assert checkout.run("doctor").stderr == ""


def test_folder_of_other_things_is_left_alone(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    refused = checkout.run("doctor", TOPPLE_VENV=str(tmp_path))
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert str(tmp_path) in refused.stderr
    assert (tmp_path / "diary.txt").read_text() == "dear diary"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_environment_of_another_checkout_is_not_emptied(checkout: Checkout, tmp_path: Path) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    other.mkdir()
    (other / "pyvenv.cfg").write_text("home = elsewhere\n")
    link.symlink_to(other)
    refused = checkout.run("doctor", TOPPLE_VENV=str(link))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert str(link) in refused.stderr and (other / "pyvenv.cfg").exists()


def test_environment_that_cannot_be_written_is_one_sentence(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = checkout.run("doctor", TOPPLE_VENV=str(tmp_path / "file" / "environment"))
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "TOPPLE_VENV" in refused.stderr


def test_without_a_python_that_will_do(fakes: Callable[..., "subprocess.CompletedProcess[str]"]) -> None:
    result = fakes(python3="exit 1", python3_11="echo 'shim: python3.11: command not found' >&2; exit 127")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].endswith("install Python 3.11.")
    assert "Traceback" not in result.stderr


def test_without_the_package_that_makes_environments(
    fakes: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    result = fakes(python3="""echo '["/usr/bin/python3", "3.11", "Linux x86_64", false]'""")
    assert (result.returncode, result.stdout) == (2, "")
    assert "sudo apt-get install python3.11-venv" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(("version", "machine"), [("3.12", "Linux x86_64"), ("3.11", "Darwin arm64")])
def test_says_what_another_python_or_machine_changes(
    fakes: Callable[..., "subprocess.CompletedProcess[str]"], version: str, machine: str
) -> None:
    result = fakes(python3=f"""[ "$1" = -I ] && echo '["'$0'", "{version}", "{machine}", true]'""")
    assert result.returncode == 2
    assert f"topple uses CPython {version} on {machine}, for which there is no PyBullet package" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "extras"),
    [
        ("", ""),
        ("doctor", ""),
        ("dance", ""),
        ("--help", ""),
        ("predict --help", ""),
        ("predict line.toml", "sim"),
        ("--json simulate line.toml", "sim"),
        ("--lang uk predict line.toml", "sim"),
        ("--verbose predict line.toml", "sim"),
        ("--lang=uk predict line.toml", "sim"),
        ("simulate line.toml --out run.topple", "sim"),
        ("simulate line.toml --out run.glb", "sim"),
        ("simulate line.toml --out run.mp4", "sim video vision"),
        ("simulate --out=Run.MP4 line.toml --json", "sim video vision"),
        ("simulate --out run.gif line.toml", "lab sim vision"),
        ("simulate line.toml --out=run.png", "lab sim vision"),
        ("simulate line.png --out=run=1.csv", "sim"),
        ("simulate line.toml --out=run=1.png", "lab sim vision"),
        ("simulate line.toml --out", "sim"),
        ("predict line.toml --picture out.png", "lab sim"),
        ("predict line.toml --picture=out.png", "lab sim"),
        ("predict photo.JPG", "sim vision"),
        ("predict --picture out.png photo.webp", "lab sim vision"),
        ("predict line.toml --picture out.jpg", "lab sim"),
        ("predict --source 0", "sim vision"),
        ("predict --source=synthetic --json", "sim vision"),
        ("row arc --out row.toml", ""),
        ("row arc --predict --picture=plan.png", "lab sim"),
        ("play --text", "sim"),
        ("replay match.topple --text", ""),
        ("play --players Ann,Bob", "sim ui"),
        ("play --json --players bot:weak,bot:weak", "sim"),
        ("replay match.topple", "ui"),
        ("replay match.topple --out film.mp4", "video vision"),
        ("replay --out=film.gif match.topple", "lab vision"),
        ("validate", "sim"),
        ("validate --docs", "lab sim"),
        ("predict --docs", "sim"),
        ("rig status", "rig"),
        ("calibrate rig --sensitivity 2", "rig sim vision"),
        ("calibrate rig --video 300=tap.mp4", "rig sim vision"),
        ("prove rig", "rig sim"),
        ("play --text --rig auto", "rig sim"),
        ("mat --out mat.pdf", "vision"),
        ("calibrate camera 0", "rig sim ui vision"),
        ("calibrate table 0", "rig sim vision"),
        ("prove vision --docs docs", "rig sim vision"),
        ("read photo.jpg --picture out.png", "vision"),
        ("test", "all dev"),
    ],
)
def test_each_command_needs_what_it_uses(arguments: str, extras: str) -> None:
    assert load_launcher().needed_extras(arguments.split()) == extras.split()


def test_needs_name_extras_of_the_project() -> None:
    launcher = load_launcher()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    groups = [*launcher.NEEDS.values(), *launcher.OPTION_NEEDS.values(), *launcher.ENDING_NEEDS.values()]
    named = {extra for group in groups for extra in group}
    assert named | launcher.SYSTEM.keys() <= project["optional-dependencies"].keys()


def test_libraries_programs_and_files_of_the_system_are_told_apart(tmp_path: Path) -> None:
    there = load_launcher().there
    (tmp_path / "header.h").touch()
    assert there("libc.so.6") and there("sh") and there(str(tmp_path / "header.h"))
    assert not there("libnowhere.so.6") and not there("no-such-program") and not there(str(tmp_path / "other.h"))


def test_all_brings_everything_but_the_tools() -> None:
    lacking = load_launcher().lacking
    assert lacking(("all",), ["dev", "lab", "sim"]) == ["dev"]
    assert lacking(("sim",), ["lab", "sim"]) == ["lab"]
